// What bodies can be coloured by. Ranges hold for the whole run, so that a colour means the same in every frame.
import { speedOf, type Frame } from "./frame";
import type { RunScene } from "./run_scene";
import { cssRgb, rgbOf, type Rgb } from "./theme";

export type ColourName = "speed" | "size" | "group" | "plain";

const speedMap = ["#3d6690", "#4796a5", "#98c2a0", "#ecd38c", "#ec9a57", "#cd4a35"];
const sizeMap = ["#5d7f8c", "#a9b59a", "#dcc68f", "#c98f5c", "#8c4b3c"];
export const groupColours = ["#c7ab7a", "#4d8093", "#b9583f", "#7d9a5c", "#8a6a9e", "#d9a441", "#5f6f7d", "#c58a9b"];
const plainColour = "#bfae93";
// The fastest grains, a few that were thrown, are left out of the range.
const speedQuantile = 0.98;
const mapEntries = 256;

export interface Legend {
  title: string;
  low?: string;
  high?: string;
  gradient?: string;
  groups?: { name: string; colour: string }[];
}

function table(map: string[]): Uint8Array {
  const bytes = new Uint8Array(3 * mapEntries);
  for (let i = 0; i < mapEntries; i++) {
    const x = (i / (mapEntries - 1)) * (map.length - 1), k = Math.min(map.length - 2, Math.floor(x));
    const a = rgbOf(map[k]), b = rgbOf(map[k + 1]);
    for (let c = 0; c < 3; c++) bytes[3 * i + c] = Math.round(255 * (a[c] + (b[c] - a[c]) * (x - k)));
  }
  return bytes;
}

export class BodyColours {
  readonly names: ColourName[];
  private readonly speeds = table(speedMap);
  private readonly sizes = table(sizeMap);
  private lowSize = Infinity;
  private highSize = 0;
  private topSpeed = 0;

  constructor(private readonly scene: RunScene) {
    const groups = new Set<number>();
    for (let body = 0; body < scene.dynamicCount; body++) {
      this.lowSize = Math.min(this.lowSize, scene.size[body]);
      this.highSize = Math.max(this.highSize, scene.size[body]);
      if (scene.groupOf(body) >= 0) groups.add(scene.groupOf(body));
    }
    // machines alone have one colour: nothing of them could be read off a scale
    this.names = scene.dynamicCount > 0 ? ["speed"] : [];
    if (this.highSize > 1.02 * this.lowSize) this.names.unshift("size");
    if (groups.size > 1) this.names.unshift("group");
    this.names.push("plain");
  }

  // Frames that were seen so far widen the range; the first call looks at a few spread over the run.
  widenSpeeds(frames: Frame[]): void {
    for (const frame of frames) {
      const speeds: number[] = [];
      for (let body = 0; body < frame.active; body++) {
        const v = speedOf(frame, body);
        if (Number.isFinite(v)) speeds.push(v);
      }
      speeds.sort((a, b) => a - b);
      if (speeds.length) this.topSpeed = Math.max(this.topSpeed, speeds[Math.min(speeds.length - 1, Math.floor(speeds.length * speedQuantile))]);
    }
  }

  // RGBA per body into `bytes`; alpha 0 for bodies that are not released yet.
  paint(frame: Frame, name: ColourName, bytes: Uint8Array): void {
    const { scene } = this;
    const put = (body: number, [r, g, b]: Rgb, alpha: number) => {
      bytes[4 * body] = Math.round(255 * r);
      bytes[4 * body + 1] = Math.round(255 * g);
      bytes[4 * body + 2] = Math.round(255 * b);
      bytes[4 * body + 3] = alpha;
    };
    const fixed = cssRgb("--solid"), moving = cssRgb("--moving"), plain = rgbOf(plainColour);
    const groups = groupColours.map(rgbOf);
    const byMap = name === "speed" ? this.speeds : this.sizes;
    const low = name === "speed" ? 0 : this.lowSize, span = (name === "speed" ? this.topSpeed : this.highSize - this.lowSize) || 1;
    for (let body = 0; body < scene.dynamicCount; body++) {
      const alpha = body < frame.active ? 255 : 0;
      if (name === "plain") put(body, plain, alpha);
      else if (name === "group") {
        const g = scene.groupOf(body);
        put(body, g >= 0 ? groups[g % groups.length] : plain, alpha);
      } else {
        const value = name === "speed" ? speedOf(frame, body) : scene.size[body];
        const i = Math.min(mapEntries - 1, Math.max(0, Math.round(((mapEntries - 1) * (value - low)) / span))) || 0;
        bytes[4 * body] = byMap[3 * i];
        bytes[4 * body + 1] = byMap[3 * i + 1];
        bytes[4 * body + 2] = byMap[3 * i + 2];
        bytes[4 * body + 3] = alpha;
      }
    }
    for (let body = scene.dynamicCount; body < scene.bodyCount; body++) put(body, scene.moves(body) ? moving : fixed, 255);
  }

  legend(name: ColourName, text: (x: number, unit: string) => string): Legend {
    const gradient = (map: string[]) => `linear-gradient(90deg, ${map.join(", ")})`;
    if (name === "speed") return { title: "speed", low: text(0, "m/s"), high: text(this.topSpeed, "m/s"), gradient: gradient(speedMap) };
    if (name === "size") return { title: "diameter", low: text(2 * this.lowSize, "m"), high: text(2 * this.highSize, "m"), gradient: gradient(sizeMap) };
    if (name === "plain") return { title: "" };
    const used = new Set(Array.from({ length: this.scene.dynamicCount }, (_, body) => this.scene.groupOf(body)).filter((g) => g >= 0));
    return { title: "group", groups: [...used].map((g) => ({ name: this.scene.file.group_names[g] || `group ${g}`, colour: groupColours[g % groupColours.length] })) };
  }
}
