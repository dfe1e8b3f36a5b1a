// The bar under a picture: first, back, play, on, last, slider, clock, speed.
import { button, element } from "./dom";
import type { Frame } from "./frame";
import type { FrameStore } from "./frame_store";
import { Player, speeds } from "./player";

export class Transport {
  readonly node = element("div", { class: "transport", role: "group", "aria-label": "time" });
  readonly slider = element("input", { type: "range", id: "time", min: 0, value: 0, "aria-label": "time" });
  readonly clock = element("output", { class: "clock", for: "time" });
  private readonly playButton: HTMLButtonElement;

  constructor(readonly player: Player, private readonly store: FrameStore) {
    const step = (label: string, text: string, by: number) => button(label, text, () => void player.step(by));
    this.playButton = button("Play", "▶", () => player.toggle(), { class: "play" });
    const speed = element("select", { id: "speed", "aria-label": "speed of play" }, ...speeds.map((s) => element("option", { value: s, selected: s === player.speed }, `${s} ×`)));
    speed.addEventListener("change", () => (player.speed = Number(speed.value)));
    this.node.append(step("First frame", "|◀", -1e9), step("One frame back", "◁", -1), this.playButton, step("One frame on", "▷", 1), step("Last frame", "▶|", 1e9), this.slider, this.clock, speed);
    this.slider.addEventListener("input", () => void player.seek(this.store.entries[Number(this.slider.value)].time));
    this.showRange();
  }

  // The player plays or rests.
  showState(): void {
    const { playing } = this.player;
    this.playButton.textContent = playing ? "❚❚" : "▶";
    this.playButton.setAttribute("aria-label", playing ? "Pause" : "Play");
  }

  showRange(): void {
    this.slider.max = String(Math.max(0, this.store.count - 1));
  }

  showFrame(frame: Frame, number: number): void {
    this.slider.value = String(number);
    const text = `t = ${frame.time.toFixed(this.decimals())} s`;
    this.slider.setAttribute("aria-valuetext", text);
    this.clock.textContent = text;
  }

  // Digits that tell two frames apart.
  private decimals(): number {
    const { entries } = this.store;
    const gap = entries.length > 1 ? (entries[entries.length - 1].time - entries[0].time) / (entries.length - 1) : 0.01;
    return Math.min(7, Math.max(2, 1 - Math.floor(Math.log10(gap || 0.01))));
  }

  // What keys do to time; null: not one of ours.
  keyAction(event: KeyboardEvent): (() => void) | null {
    const at = event.target as HTMLElement, { player } = this, far = event.shiftKey ? 10 : 1;
    if (at === this.slider && event.key !== " ") return null; // the slider's own
    switch (event.key) {
      case " ":
        return at.closest("button, summary, input[type=checkbox]") ? null : () => player.toggle();
      case "ArrowRight":
        return () => void player.step(far);
      case "ArrowLeft":
        return () => void player.step(-far);
      case "Home":
        return () => void player.step(-1e9);
      case "End":
        return () => void player.step(1e9);
      default:
        return null;
    }
  }
}
