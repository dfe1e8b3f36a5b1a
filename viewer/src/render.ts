// Pictures for the program: draws what it asked for and posts each as a PNG. Errors are posted too, so that the program
// can say what went wrong.
import { faultText } from "./app";
import { boundsOf } from "./bounds";
import type { ColourName } from "./colours";
import { element } from "./dom";
import { FileFault } from "./frame";
import { FrameStore } from "./frame_store";
import { Picture } from "./picture";
import { plotPicture } from "./plot_picture";
import { bodyPose } from "./run_scene";
import { HttpRun } from "./run_source";
import { Eye, presets } from "./views";

const blobOf = (canvas: HTMLCanvasElement) =>
  new Promise<Blob>((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be encoded"))), "image/png"));

// The numbers of the frames that are asked for: the nearest one to a time, or one per picture of a film.
function frameNumbers(store: FrameStore, request: URLSearchParams): number[] {
  const last = store.count - 1;
  if (!request.has("fps")) {
    const time = request.get("time");
    return [time === null ? last : store.nearest(Number(time))];
  }
  const from = Number(request.get("from") ?? store.entries[0].time), to = Number(request.get("to") ?? store.entries[last].time);
  const step = Number(request.get("speed") ?? 1) / Number(request.get("fps"));
  const numbers: number[] = [];
  for (let i = 0; from + i * step <= to + 1e-9 * step; i++) numbers.push(store.nearest(from + i * step));
  return numbers;
}

async function paint(request: URLSearchParams, post: (kind: string, body: Blob | string) => Promise<void>): Promise<void> {
  const source = new HttpRun(request.get("run") ?? ""), store = new FrameStore(source);
  const [width, height] = (request.get("size") ?? "1280x800").split("x").map(Number);
  if (request.has("plot")) {
    const plot = await plotPicture(source, request.getAll("plot"), request.has("log"), width, height);
    await post("picture", await blobOf(plot));
    return post("done", "1");
  }
  const [scene] = await Promise.all([source.scene(), store.refresh()]);
  if (store.count === 0) throw new FileFault("the run has no frames");
  const numbers = frameNumbers(store, request);
  const samples = await Promise.all([0, (store.count - 1) >> 1, store.count - 1].map((n) => store.get(n)));
  const canvas = element("canvas", {});
  const picture = new Picture(canvas, scene, samples);
  picture.resize(width, height, 1);
  const colour = request.get("colour") as ColourName | null;
  if (colour) {
    if (!picture.colours.names.includes(colour)) throw new FileFault(`this run can be coloured by ${picture.colours.names.join(", ")}; '${colour}' was asked for`);
    picture.setColour(colour);
  }
  picture.setChains(request.has("contacts"));
  if (request.has("fit")) picture.bounds = boundsOf(scene, [await store.get(numbers[0])], picture.bounds);
  const eye = new Eye(scene, picture.bounds, scene.planar || request.has("orthographic"));
  const preset = presets[request.get("view") ?? "corner"] ?? presets.corner;
  eye.resize(width, height);
  const degrees = (name: string, otherwise: number) => (request.has(name) ? (Number(request.get(name)) * Math.PI) / 180 : otherwise);
  eye.look({ yaw: degrees("yaw", preset.yaw), pitch: degrees("pitch", preset.pitch) }, Number(request.get("zoom") ?? 1));
  const at = request.get("at"), body = at === null ? -1 : scene.file.body_names.indexOf(at);
  if (at !== null && body < 0) throw new FileFault(`there is no body '${at}'`);
  for (const number of numbers) {
    const frame = await store.get(number);
    picture.show(frame);
    if (body >= 0) eye.centre(bodyPose(frame, body).position);
    store.ahead(number);
    picture.draw(eye);
    await post("picture", await blobOf(canvas));
  }
  await post("done", String(numbers.length));
}

export async function renderPictures(request: URLSearchParams): Promise<void> {
  const post = async (kind: string, body: Blob | string) => {
    const response = await fetch(`render/${kind}`, { method: "POST", body });
    if (!response.ok) throw new Error(`the program did not take the picture: ${response.status}`);
  };
  if (request.has("dark")) document.documentElement.dataset.theme = "dark";
  else document.documentElement.dataset.theme = "light";
  try {
    await paint(request, post);
  } catch (fault) {
    await post("fault", faultText(fault));
  }
}
