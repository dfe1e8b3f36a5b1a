// A colour per cell, axes in metres, regions as outlines, the value under the pointer.
import { element } from "../dom";
import { linearTicks, numberText } from "../numbers";
import { cssColour, cssFont, onThemeChange, rgbOf } from "../theme";
import type { Analysis } from "./analysis";

const mostHeight = 380; // CSS pixels
const left = 44, top = 6, bottom = 28, right = 10; // around the cells

export interface HeatMapOptions {
  title: string;
  colours: string[];
  low: number;
  high: number;
}

function mixed(map: string[], t: number): string {
  const x = Math.min(1, Math.max(0, t)) * (map.length - 1), i = Math.min(map.length - 2, Math.floor(x));
  const a = rgbOf(map[i]), b = rgbOf(map[i + 1]);
  return `rgb(${a.map((v, k) => Math.round(255 * (v + (b[k] - v) * (x - i)))).join(",")})`;
}

// Sizes a canvas for the screen's pixels and returns its context in CSS pixels.
function sharpContext(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

export class HeatMap {
  readonly node: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly readout = element("div", { class: "readout", hidden: true });
  private readonly frame: HTMLElement;
  private width = 1; // of the cells, CSS pixels
  private height = 1;

  // Cells without free volume (null) are left as wall.
  constructor(private readonly analysis: Analysis, private readonly values: (number | null)[], private readonly options: HeatMapOptions) {
    this.canvas = element("canvas", { role: "img", "aria-label": options.title });
    this.frame = element("div", { class: "map" }, this.canvas, this.readout);
    const key = element("div", { class: "key" }, element("b", {}, numberText(options.low, 3)), element("u", { style: `background: linear-gradient(90deg, ${options.colours.join(", ")})` }), element("b", {}, numberText(options.high, 3)));
    this.node = element("figure", { class: "chart" }, element("figcaption", {}, element("strong", {}, options.title)), this.frame, key);
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => (this.readout.hidden = true));
    new ResizeObserver(() => this.draw()).observe(this.frame);
    onThemeChange(() => this.draw());
  }

  private draw(): void {
    const { count, min, max } = this.analysis.map, { colours, low, high } = this.options;
    const room = this.frame.clientWidth - left - right;
    if (room < 20) return;
    const scale = Math.min(room / (max[0] - min[0]), mostHeight / (max[1] - min[1]));
    this.width = scale * (max[0] - min[0]);
    this.height = scale * (max[1] - min[1]);
    const g = sharpContext(this.canvas, this.frame.clientWidth, top + this.height + bottom);
    g.fillStyle = cssColour("--hatch");
    g.fillRect(left, top, this.width, this.height);
    const dx = this.width / count[0], dy = this.height / count[1];
    this.values.forEach((value, k) => {
      if (value === null) return;
      g.fillStyle = mixed(colours, (value - low) / (high - low || 1));
      const x = left + (k % count[0]) * dx, y = top + this.height - (Math.floor(k / count[0]) + 1) * dy;
      g.fillRect(x, y, dx + 0.5, dy + 0.5); // the half pixel closes the seams
    });
    this.drawRegions(g);
    this.drawAxes(g);
  }

  private toPixel(u: number, v: number): [number, number] {
    const { min, max } = this.analysis.map;
    return [left + ((u - min[0]) / (max[0] - min[0])) * this.width, top + this.height * (1 - (v - min[1]) / (max[1] - min[1]))];
  }

  private drawRegions(g: CanvasRenderingContext2D): void {
    const [a, b] = this.analysis.map.axes.map((name) => "xyz".indexOf(name));
    g.save();
    g.beginPath();
    g.rect(left, top, this.width, this.height);
    g.clip();
    g.fillStyle = cssColour("--accent");
    g.font = `12px ${cssFont()}`;
    g.textBaseline = "top";
    for (const region of this.analysis.regions) {
      const [x0, y0] = this.toPixel(region.min[a], region.max[b]), [x1, y1] = this.toPixel(region.max[a], region.min[b]);
      g.lineWidth = 1.5;
      g.strokeStyle = cssColour("--accent");
      g.strokeRect(x0, y0, x1 - x0, y1 - y0);
      g.lineWidth = 3; // a rim that can be read on any colour
      g.strokeStyle = cssColour("--card");
      g.strokeText(region.name, Math.max(x0, left) + 5, Math.max(y0, top) + 4);
      g.fillText(region.name, Math.max(x0, left) + 5, Math.max(y0, top) + 4);
    }
    g.restore();
  }

  private drawAxes(g: CanvasRenderingContext2D): void {
    const { min, max, axes } = this.analysis.map;
    g.fillStyle = cssColour("--muted");
    g.font = `12px ${cssFont()}`;
    g.textAlign = "center";
    g.textBaseline = "top";
    const across = linearTicks(min[0], max[0], Math.max(2, this.width / 80));
    across.forEach((u, i) => {
      const text = numberText(u, 4) + (i === across.length - 1 ? ` m, ${axes[0]}` : "");
      g.fillText(text, Math.min(this.toPixel(u, min[1])[0], left + this.width + 8 - g.measureText(text).width / 2), top + this.height + 8);
    });
    g.textAlign = "right";
    g.textBaseline = "middle";
    const up = linearTicks(min[1], max[1], Math.max(2, this.height / 40));
    up.forEach((v, i) => g.fillText(numberText(v, 4) + (i === up.length - 1 ? ` ${axes[1]}` : ""), left - 6, Math.max(top + 6, this.toPixel(min[0], v)[1])));
  }

  private point(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect(), { count } = this.analysis.map;
    const i = Math.floor(((event.clientX - box.left - left) / this.width) * count[0]), j = Math.floor((1 - (event.clientY - box.top - top) / this.height) * count[1]);
    this.readout.hidden = i < 0 || j < 0 || i >= count[0] || j >= count[1];
    if (this.readout.hidden) return;
    const value = this.values[j * count[0] + i];
    this.readout.textContent = value === null ? "no free volume" : numberText(value, 3);
    this.readout.style.left = `${Math.min(event.clientX - box.left + 12, box.width - 90)}px`;
  }
}
