// The files of a run over HTTP: the index and the scene whole, frames and the series by byte ranges.
import { FileFault, decodeFrame, wordsPerBody, type Frame } from "./frame";
import { RunScene, type SceneFile } from "./run_scene";

export interface FrameEntry {
  time: number;
  step: number;
  part: string;
  offset: number;
  size: number;
}

export interface Summary {
  scene?: string;
  title?: string;
  version?: string;
  status?: string;
  time_step?: number;
  t_end?: number;
  tolerance?: number;
  units?: Record<string, string>;
  checks?: { name: string; pass: boolean }[];
}

export interface Series {
  columns: string[];
  values: ArrayLike<number>[]; // per column
}

// What a picture needs of a run, wherever its frames are.
export interface FrameSource {
  scene(): Promise<RunScene>;
  index(): Promise<FrameEntry[]>;
  // Consecutive frames of one part.
  frames(entries: FrameEntry[]): Promise<Frame[]>;
}

export interface RunSource extends FrameSource {
  readonly name: string;
  summary(): Promise<Summary | null>;
  // Rows that came since the last call are appended to what earlier calls returned.
  series(): Promise<Series | null>;
  // Per frame position 3, rotation 4, velocity 3, angular velocity 3 of one body.
  track(body: number): Promise<Float32Array>;
}

const frameFields = 7;

export class HttpRun implements RunSource {
  private seriesOffset = 0;
  private seriesTail = "";
  private readonly seriesRead: { columns: string[]; values: number[][] } = { columns: [], values: [] };

  // `name` is the folder of a run inside a study; empty for a run of its own.
  constructor(readonly name: string) {}

  private url(file: string): string {
    return `run/${encodeURIComponent(this.name || "-")}/${file}`;
  }

  private async get(file: string, range?: string): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(this.url(file), range ? { headers: { Range: range } } : {});
    } catch {
      throw new FileFault("The program that serves this page has ended: start `grus view` again.");
    }
    return response;
  }

  private async json<T>(file: string): Promise<T> {
    const response = await this.get(file);
    if (response.status === 404) throw new FileFault(`${file} is missing in the folder of the run.`);
    if (!response.ok) throw new FileFault(`${file} could not be read: ${await response.text()}`);
    const text = await response.text();
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new FileFault(`${file} is truncated or damaged: it is no JSON.`);
    }
  }

  async scene(): Promise<RunScene> {
    const file = await this.json<SceneFile>("frames/scene.json");
    if (!file.colliders || !Array.isArray(file.colliders.kind)) throw new FileFault("frames/scene.json is no scene of Grus.");
    return new RunScene(file);
  }

  async index(): Promise<FrameEntry[]> {
    const file = await this.json<{ parts: string[]; frames: number[][] }>("frames/index.json");
    if (!Array.isArray(file.frames) || !Array.isArray(file.parts)) throw new FileFault("frames/index.json is no index of Grus.");
    return file.frames.map((f, i) => {
      if (f.length < frameFields || file.parts[f[2]] === undefined) throw new FileFault(`frames/index.json: frame ${i} lies in no part.`);
      return { time: f[0], step: f[1], part: file.parts[f[2]], offset: f[3], size: f[4] };
    });
  }

  async frames(entries: FrameEntry[]): Promise<Frame[]> {
    const first = entries[0], last = entries[entries.length - 1], file = `frames/${first.part}`;
    const end = last.offset + last.size;
    const response = await this.get(file, `bytes=${first.offset}-${end - 1}`);
    if (response.status === 404) throw new FileFault(`${file} is missing, the index names frames in it.`);
    if (response.status === 416) throw new FileFault(`${file} is truncated: the index names a frame at byte ${first.offset}, beyond its end.`);
    if (response.status !== 206) throw new FileFault(`${file} could not be read: ${response.status} ${response.statusText}`);
    const bytes = await response.arrayBuffer();
    if (bytes.byteLength < end - first.offset) {
      throw new FileFault(`${file} is truncated: it ends at byte ${first.offset + bytes.byteLength}, the index names frames up to ${end}.`);
    }
    return entries.map((e) => decodeFrame(bytes.slice(e.offset - first.offset, e.offset - first.offset + e.size), `${file} at byte ${e.offset}`));
  }

  async summary(): Promise<Summary | null> {
    const response = await this.get("summary.json");
    if (response.status !== 200) return null;
    try {
      return (await response.json()) as Summary;
    } catch {
      return null; // the page says what it can without it
    }
  }

  async series(): Promise<Series | null> {
    // from the last byte known on: a range beyond the end would be a fault in the console
    const from = Math.max(0, this.seriesOffset - 1);
    const response = await this.get("series.csv", `bytes=${from}-`);
    if (response.status === 416) return this.startSeriesAnew();
    if (response.status !== 206) return null;
    const bytes = await response.arrayBuffer();
    const fresh = new Uint8Array(bytes).subarray(this.seriesOffset - from);
    this.seriesOffset = from + bytes.byteLength;
    const lines = (this.seriesTail + new TextDecoder().decode(fresh)).split("\n");
    this.seriesTail = lines.pop() ?? ""; // the last line may be unfinished
    for (const line of lines) this.addRow(line);
    return this.seriesRead;
  }

  // A file that became shorter belongs to a run that was started anew.
  private startSeriesAnew(): Series {
    this.seriesOffset = 0;
    this.seriesTail = "";
    this.seriesRead.columns.length = this.seriesRead.values.length = 0;
    return this.seriesRead;
  }

  private addRow(line: string): void {
    const { columns, values } = this.seriesRead;
    const cells = line.split(",");
    if (columns.length === 0) {
      columns.push(...cells);
      for (let i = 0; i < cells.length; i++) values.push([]);
    } else if (cells.length === columns.length) {
      cells.forEach((cell, i) => values[i].push(Number(cell)));
    }
  }

  async track(body: number): Promise<Float32Array> {
    const response = await this.get(`track/${body}`);
    if (!response.ok) throw new FileFault(`The way of body ${body} could not be read: ${await response.text()}`);
    const bytes = await response.arrayBuffer();
    return new Float32Array(bytes, 0, Math.floor(bytes.byteLength / (4 * wordsPerBody)) * wordsPerBody);
  }
}

export interface RunList {
  folder: string;
  version: string;
  runs: string[]; // folders of runs; one empty name: the folder itself is a run
}

export async function listRuns(): Promise<RunList> {
  const response = await fetch("runs.json");
  if (!response.ok) throw new FileFault(`The list of runs could not be read: ${await response.text()}`);
  return (await response.json()) as RunList;
}
