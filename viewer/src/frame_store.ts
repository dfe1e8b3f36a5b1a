// Frames near the one shown, fetched ahead and forgotten when there are too many.
import type { Frame } from "./frame";
import type { FrameEntry, FrameSource } from "./run_source";

const cacheBytes = 256 << 20;
const requestBytes = 4 << 20; // consecutive frames that are fetched at once
const aheadBytes = 24 << 20; // what is fetched before it is shown

export class FrameStore {
  entries: FrameEntry[] = [];
  private readonly cache = new Map<number, Frame>(); // least recently used first
  private readonly pending = new Map<number, Promise<void>>();
  private bytes = 0;

  constructor(private readonly source: FrameSource) {}

  get count(): number {
    return this.entries.length;
  }

  // Appends what the index has more. An index that shrank belongs to a run that was started anew.
  async refresh(): Promise<"same" | "more" | "anew"> {
    const entries = await this.source.index();
    const last = this.entries[this.entries.length - 1], now = entries[this.entries.length - 1];
    const anew = last !== undefined && (now === undefined || now.step !== last.step || now.offset !== last.offset);
    const grown = entries.length > this.entries.length;
    this.entries = entries;
    if (anew) {
      this.cache.clear();
      this.bytes = 0;
    }
    return anew ? "anew" : grown ? "more" : "same";
  }

  ready(number: number): Frame | undefined {
    const frame = this.cache.get(number);
    if (frame) {
      this.cache.delete(number);
      this.cache.set(number, frame);
    }
    return frame;
  }

  async get(number: number): Promise<Frame> {
    const ready = this.ready(number);
    if (ready) return ready;
    await (this.pending.get(number) ?? this.fetchFrom(number, number + 1));
    const frame = this.ready(number);
    if (!frame) throw new Error(`frame ${number} was dropped`);
    return frame;
  }

  // Fetches what follows in the direction of play, one request at a time.
  ahead(number: number): void {
    if (this.pending.size > 0) return;
    const size = this.entries[number]?.size ?? 1, reach = Math.max(2, Math.floor(aheadBytes / Math.max(1, size)));
    for (let i = number + 1; i < Math.min(this.count, number + reach); i++) {
      if (!this.cache.has(i)) {
        void this.fetchFrom(i, this.count).catch(() => undefined); // whoever shows the frame gets the fault
        return;
      }
    }
  }

  private fetchFrom(first: number, limit: number): Promise<void> {
    const run: FrameEntry[] = [this.entries[first]];
    for (let i = first + 1; i < limit; i++) {
      const entry = this.entries[i], previous = run[run.length - 1];
      if (entry.part !== previous.part || entry.offset !== previous.offset + previous.size) break;
      if (this.cache.has(i) || this.pending.has(i) || entry.offset + entry.size - run[0].offset > requestBytes) break;
      run.push(entry);
    }
    const task = this.source
      .frames(run)
      .then((frames) => frames.forEach((frame, k) => this.keep(first + k, frame, run[k].size)))
      .finally(() => run.forEach((_, k) => this.pending.delete(first + k)));
    run.forEach((_, k) => this.pending.set(first + k, task));
    return task;
  }

  private keep(number: number, frame: Frame, size: number): void {
    if (!this.cache.has(number)) this.bytes += size;
    this.cache.set(number, frame);
    for (const [old] of this.cache) {
      if (this.bytes <= cacheBytes || old === number) break;
      this.cache.delete(old);
      this.bytes -= this.entries[old]?.size ?? 0;
    }
  }

  // The last frame at or before a time.
  at(time: number): number {
    let low = 0, high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.entries[middle].time <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  nearest(time: number): number {
    const before = this.at(time), after = Math.min(this.count - 1, before + 1);
    return Math.abs(this.entries[after].time - time) < Math.abs(this.entries[before].time - time) ? after : before;
  }
}
