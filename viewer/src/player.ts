// Time: which frame is shown, how fast it goes on, and following a run that still grows.
import type { Frame } from "./frame";
import type { FrameStore } from "./frame_store";

export const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const pleasantSeconds = 10; // a whole run is played in about this time at first, never faster than life

export class Player {
  number = 0;
  playing = false;
  following = false;
  speed = 1;
  onFrame: (frame: Frame, number: number) => void = () => undefined;
  onFault: (fault: unknown) => void = () => undefined;
  onState: () => void = () => undefined;
  private wanted = 0;
  private clock = 0; // s, of the simulation
  private last = 0; // ms, of the screen
  private showing = false;

  constructor(readonly store: FrameStore) {
    const { entries } = store;
    const span = entries.length ? entries[entries.length - 1].time - entries[0].time : 1;
    this.speed = [...speeds].reverse().find((s) => s <= Math.min(1, span / pleasantSeconds)) ?? speeds[0];
  }

  // Shows a frame as soon as it is there; of several wishes meanwhile the last one counts.
  async go(number: number): Promise<void> {
    this.wanted = Math.min(this.store.count - 1, Math.max(0, number));
    if (this.showing) return;
    this.showing = true;
    try {
      for (;;) {
        const target = this.wanted, frame = await this.store.get(target);
        this.number = target;
        this.onFrame(frame, target);
        if (target === this.wanted) break;
      }
      this.store.ahead(this.number);
    } catch (fault) {
      this.pause();
      this.onFault(fault);
    } finally {
      this.showing = false;
    }
  }

  step(by: number): Promise<void> {
    this.pause();
    this.following = false;
    this.onState();
    return this.go(this.wanted + by);
  }

  seek(time: number): Promise<void> {
    this.following = false;
    const number = this.store.nearest(time);
    this.clock = this.store.entries[number].time;
    this.onState();
    return this.go(number);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.store.count < 2) return;
    if (this.number >= this.store.count - 1) this.number = 0;
    this.following = false;
    this.playing = true;
    this.clock = this.store.entries[this.number].time;
    this.last = performance.now();
    this.onState();
    requestAnimationFrame((now) => this.tick(now));
  }

  pause(): void {
    this.playing = false;
    this.onState();
  }

  private tick(now: number): void {
    if (!this.playing) return;
    const { store } = this, next = this.clock + ((now - this.last) / 1000) * this.speed;
    this.last = now;
    const target = store.at(next);
    const frame = target === this.number ? undefined : store.ready(target);
    if (target === this.number || frame) this.clock = next;
    else void this.go(target); // the clock waits for the frame
    if (frame) {
      this.number = this.wanted = target;
      this.onFrame(frame, target);
    }
    store.ahead(this.number);
    if (this.number >= store.count - 1) this.pause();
    else requestAnimationFrame((later) => this.tick(later));
  }
}
