// What is known of a picked body: name, pose, velocity, contacts, and its way over time.
import { element } from "./dom";
import { speedOf, wordsPerBody, type Frame } from "./frame";
import { numberText, withPrefix } from "./numbers";
import { Chart } from "./plots";
import { bodyPose, type RunScene } from "./run_scene";
import { dot, type Vector } from "./vectors";

const vectorText = (v: ArrayLike<number>) => Array.from(v, (x) => numberText(x, 4)).join(", ");

export class BodyPanel {
  readonly node = element("div", { class: "body" });
  readonly search = element("input", { type: "text", id: "body-name", autocomplete: "off", placeholder: "name or number" });
  body = -1;
  track: Float32Array | null = null;
  private readonly facts = element("dl", { class: "facts", "aria-live": "off" });
  private readonly chart: Chart;
  private readonly plotBox: HTMLElement;

  constructor(private readonly scene: RunScene, private readonly timeStep: () => number, onPick: (time: number) => void) {
    this.chart = new Chart({ title: "Speed", unit: "m/s", lines: ["speed"], onPick });
    this.plotBox = element("div", { hidden: true }, this.chart.node);
    this.node.append(element("label", { for: "body-name" }, "Body"), this.search, this.facts, this.plotBox);
  }

  // The body that a user means by its name or number, or -1.
  find(text: string): number {
    const wanted = text.trim(), number = Number(wanted);
    const byName = this.scene.file.body_names.indexOf(wanted);
    if (byName >= 0) return byName;
    return wanted !== "" && Number.isInteger(number) && number >= 0 && number < this.scene.bodyCount ? number : -1;
  }

  show(frame: Frame): void {
    const { body, scene } = this;
    if (body < 0) {
      this.facts.replaceChildren(element("div", {}, element("dt", {}, "nothing picked"), element("dd", {}, "click a body, or type its name")));
      return;
    }
    const pose = bodyPose(frame, body);
    let contacts = 0, strongest = 0;
    for (let i = 0; i < frame.contactStrength.length; i++) {
      if (frame.contactA[i] !== body && frame.contactB[i] !== body) continue;
      contacts++;
      strongest = Math.max(strongest, frame.contactStrength[i]);
    }
    const h = this.timeStep();
    const rows: [string, string][] = [
      ["name", scene.nameOf(body)],
      ["number", String(body)],
      ["kind", body < scene.dynamicCount ? "free" : scene.moves(body) ? "linked or driven" : "fixed"],
      ["position, m", vectorText(pose.position)],
      ["rotation, xyzw", vectorText(pose.rotation)],
      ["velocity, m/s", vectorText(frame.velocity.subarray(3 * body, 3 * body + 3))],
      ["spin, rad/s", vectorText(frame.angularVelocity.subarray(3 * body, 3 * body + 3))],
      ["speed", `${numberText(speedOf(frame, body), 4)} m/s`],
      ["height", `${numberText(dot(pose.position, scene.up as Vector), 5)} m`],
      ["contacts", String(contacts)],
    ];
    if (contacts) rows.push(["strongest", h > 0 ? withPrefix(strongest / h, "N") : `${numberText(strongest)} N s`]);
    if (body < scene.dynamicCount && body >= frame.active) rows.push(["state", "not released yet"]);
    this.facts.replaceChildren(...rows.map(([k, v]) => element("div", {}, element("dt", {}, k), element("dd", {}, v))));
    this.chart.setTime(frame.time);
  }

  // The way of the picked body over all frames, with their times.
  showTrack(times: number[], track: Float32Array): void {
    this.track = track;
    const count = Math.min(times.length, Math.floor(track.length / wordsPerBody));
    const speed = Array.from({ length: count }, (_, i) => Math.hypot(...track.subarray(i * wordsPerBody + 7, i * wordsPerBody + 10)));
    this.plotBox.hidden = false;
    this.chart.setData(times.slice(0, count), [speed]);
  }

  clear(): void {
    this.body = -1;
    this.track = null;
    this.plotBox.hidden = true;
  }
}

export function trackPoints(track: Float32Array): Float32Array {
  const count = Math.floor(track.length / wordsPerBody), points = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) points.set(track.subarray(i * wordsPerBody, i * wordsPerBody + 3), 3 * i);
  return points;
}
