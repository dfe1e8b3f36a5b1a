// Plots over time (or another quantity) by uPlot: a legend that switches lines and shows their values, a mark at the
// time that is shown, a click that goes to a time. Charts of one link share the pointer and the zoomed window.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { element } from "./dom";
import { numberText } from "./numbers";
import { cssColour, cssFont, onThemeChange } from "./theme";

export interface Size {
  width: number; // CSS pixels, until the page gives another
  height: number;
  figure: boolean; // a picture of its own: larger letters, nothing that moves
}
const sideSize: Size = { width: 320, height: 150, figure: false };

export interface ChartOptions {
  title: string;
  unit?: string;
  lines: string[];
  log?: boolean;
  steps?: boolean; // bins of a histogram: each value holds up to the next x
  limit?: { value: number; label: string }; // a dashed line across
  x?: { name: string; unit: string };
  link?: string;
  onPick?: (x: number) => void;
  size?: Size;
}

export const lineCount = 8; // colours --line-0 ... of theme.css
const time = { name: "t", unit: "s" };
export const withUnit = (text: string, unit: string) => (unit && unit !== "1" ? `${text} ${unit}` : text);
export const axisName = (name: string, unit: string) => (unit && unit !== "1" ? `${name}, ${unit}` : name);
// A spread below this part of the values is rounding, and must not look like motion.
const roundingPart = 1e-9;

// The window that the hand has zoomed to, for charts of a link that are made later.
const windows = new Map<string, [number, number] | null>();

export class Chart {
  readonly node = element("figure", { class: "chart" });
  private readonly plot: uPlot;
  private readonly mark = element("div", { class: "mark", hidden: true });
  private readonly values: HTMLElement[] = [];
  private readonly at: HTMLElement | null = null;
  private readonly x: { name: string; unit: string };
  private time = NaN;

  constructor(private readonly options: ChartOptions) {
    const { height, figure } = options.size ?? sideSize;
    this.x = options.x ?? time;
    if (!figure) {
      const { node, values, at } = lineLegend(options.title, options.unit, options.lines, (i, on) => this.plot.setSeries(i + 1, { show: on }));
      this.values = values;
      this.at = at;
      this.node.append(node);
    }
    this.plot = new uPlot(this.plotOptions(), [[], ...options.lines.map(() => [])] as unknown as uPlot.AlignedData, this.node);
    this.plot.root.setAttribute("role", "img");
    this.plot.root.setAttribute("aria-label", `Plot of ${options.title}: ${options.lines.join(", ")}`);
    if (figure) return;
    this.plot.over.append(this.mark);
    this.listen();
    new ResizeObserver(() => {
      if (this.node.clientWidth > 60 && this.node.clientWidth !== this.plot.width) this.plot.setSize({ width: this.node.clientWidth, height });
    }).observe(this.node);
    onThemeChange(() => this.plot.redraw(false, false));
  }

  private plotOptions(): uPlot.Options {
    const { lines, log, steps, link = "grus" } = this.options, { width, height, figure } = this.options.size ?? sideSize;
    const axis = plotAxis(figure);
    return {
      width,
      height,
      padding: [8, 12, 0, 0],
      scales: { x: { time: false }, y: { ...(log ? { distr: 3 as const } : {}), range: (_, low, high) => this.range(low, high) } },
      cursor: { show: !figure, y: false, sync: { key: link, scales: ["x", null] }, drag: { x: true, y: false }, points: { size: 7 } },
      legend: { show: false },
      axes: [
        { ...axis, size: figure ? 40 : 30, space: figure ? 110 : 50, values: (_, ticks) => ticks.map((v, i) => (i === ticks.length - 1 ? withUnit(numberText(v, 6), this.x.unit) : numberText(v, 6))) },
        { ...axis, size: (u, values) => axisSize(u, values, figure), space: figure ? 60 : 24, values: (_, ticks) => ticks.map((v) => (v === null ? "" : numberText(v, 6))) },
      ],
      series: [
        {},
        ...lines.map((label, i) => ({ label, width: figure ? 2 : 1.5, stroke: () => cssColour(`--line-${i % lineCount}`), points: { show: false }, pxAlign: 0, dash: i >= lineCount ? [6, 3] : undefined, ...(steps ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}) })),
      ],
      hooks: figure ? {} : { draw: [(u) => this.drawLimit(u)], setCursor: [() => this.read()], setScale: [(u, key) => this.zoomed(u, key)] },
    };
  }

  private range(low: number, high: number): uPlot.Range.MinMax {
    const { log, limit } = this.options;
    if (low === null || high === null || !(low <= high)) return log ? [1e-6, 1] : [0, 1];
    if (limit) [low, high] = [Math.min(low, limit.value), Math.max(high, limit.value)];
    if (log) return uPlot.rangeLog(low, high, 10, true);
    const [below, above] = paddedRange(low, high), reachesZero = low >= 0 && low < 0.3 * (high - low);
    return [reachesZero ? 0 : below, above];
  }

  private listen(): void {
    let down = 0;
    this.plot.over.addEventListener("pointerdown", (event) => (down = event.clientX));
    this.plot.over.addEventListener("pointerup", (event) => {
      if (Math.abs(event.clientX - down) < 4) this.options.onPick?.(this.plot.posToVal(event.offsetX, "x"));
    });
  }

  private zoomed(u: uPlot, key: string): void {
    if (key !== "x") return;
    const { min, max } = u.scales.x, times = u.data[0], link = this.options.link ?? "grus";
    if (times.length > 1 && min !== undefined && max !== undefined) {
      windows.set(link, min > times[0] || max < times[times.length - 1] ? [min, max] : null);
    }
    this.placeMark();
  }

  private drawLimit(u: uPlot): void {
    this.placeMark();
    const { limit } = this.options;
    if (!limit) return;
    const { left, top, width, height } = u.bbox, y = u.valToPos(limit.value, "y", true);
    if (!(y >= top && y <= top + height)) return;
    const g = u.ctx, ratio = devicePixelRatio;
    g.save();
    g.strokeStyle = g.fillStyle = cssColour("--muted");
    g.lineWidth = ratio;
    g.setLineDash([4 * ratio, 4 * ratio]);
    g.beginPath();
    g.moveTo(left, y);
    g.lineTo(left + width, y);
    g.stroke();
    g.font = `${11.5 * ratio}px ${cssFont()}`;
    g.textAlign = "right";
    const below = y - top < 16 * ratio;
    g.textBaseline = below ? "top" : "bottom";
    g.fillText(limit.label, left + width - 4 * ratio, y + (below ? 3 : -3) * ratio);
    g.restore();
  }

  setData(x: ArrayLike<number>, values: ArrayLike<number | null | undefined>[]): void {
    const clean = (v: number | null | undefined) => (v === undefined ? undefined : v !== null && Number.isFinite(v) && (!this.options.log || v > 0) ? v : null);
    this.plot.setData([Array.from(x), ...values.map((column) => Array.from(column, clean))] as uPlot.AlignedData);
    const zoom = windows.get(this.options.link ?? "grus");
    if (zoom) this.plot.setScale("x", { min: zoom[0], max: zoom[1] });
    queueMicrotask(() => this.read());
  }

  // An element over the plot: moving it costs no drawing.
  private placeMark(): void {
    const { min, max } = this.plot.scales.x;
    this.mark.hidden = !(min !== undefined && max !== undefined && this.time >= min && this.time <= max);
    if (!this.mark.hidden) this.mark.style.transform = `translateX(${this.plot.valToPos(this.time, "x")}px)`;
  }

  // Values under the pointer, else at the time that is shown.
  private read(): void {
    const { data, cursor } = this.plot;
    if (!data || data[0].length === 0 || !this.at) return;
    const pointed = (cursor.left ?? -1) >= 0 && cursor.idx !== null && cursor.idx !== undefined;
    if (!pointed && Number.isNaN(this.time)) {
      this.at.textContent = "";
      for (const value of this.values) value.textContent = "";
      return;
    }
    const i = pointed ? cursor.idx! : this.plot.valToIdx(this.time);
    this.at.textContent = withUnit(`${this.x.name} = ${numberText(data[0][i], 5)}`, this.x.unit);
    this.values.forEach((value, k) => (value.textContent = numberText(nearestValue(data[k + 1], i), 5)));
  }

  setTime(now: number): void {
    this.time = now;
    this.placeMark();
    this.read();
  }

  get canvas(): HTMLCanvasElement {
    return this.plot.ctx.canvas;
  }
}

// Lines with times of their own are joined over all times: the last value before one is the value there.
function nearestValue(column: uPlot.AlignedData[number], i: number): number | null {
  for (let k = i; k >= 0; k--) if (column[k] !== undefined) return column[k] as number | null;
  return null;
}

// Lines with x of their own on the x of all: what a line has not stays undefined, and its curve goes through.
export function joined(lines: { x: ArrayLike<number>; y: ArrayLike<number> }[]): [ArrayLike<number>, ArrayLike<number | null | undefined>[]] {
  const [x, ...y] = uPlot.join(lines.map((l) => [Array.from(l.x), Array.from(l.y)] as uPlot.AlignedData));
  return [x, y];
}

// As wide as the longest number.
export function axisSize(u: uPlot, values: string[] | null, figure: boolean): number {
  const longest = (values ?? []).reduce((most, v) => Math.max(most, u.ctx.measureText(v ?? "").width / devicePixelRatio), 0);
  return Math.max(figure ? 60 : 40, Math.ceil(longest) + 18);
}

export function plotAxis(figure: boolean) {
  const line = { stroke: () => cssColour("--grid"), width: 1 };
  return { stroke: () => cssColour("--muted"), grid: line, ticks: { ...line, size: 5 }, font: `${figure ? 17 : 11.5}px ${cssFont()}` };
}

// Room above and below; a constant gets a window of its own size, so that rounding does not look like motion.
export function paddedRange(low: number, high: number): [number, number] {
  if (low === null || high === null || !(low <= high)) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= roundingPart * size) return size === 0 ? [-1, 1] : [low - 0.1 * size, high + 0.1 * size];
  const pad = 0.06 * (high - low);
  return [low - pad, high + pad];
}

// Title, unit, and the lines as buttons with room for their values.
export function lineLegend(title: string, unit: string | undefined, lines: string[], onToggle: (line: number, on: boolean) => void) {
  const legend = element("div", { class: "lines" }), at = element("span", { class: "at" });
  const values = lines.map((name, i) => {
    const value = element("output", {});
    if (lines.length < 2) {
      legend.append(value);
      return value;
    }
    const key = element("i", { class: i >= lineCount ? "dashed" : "", style: `background: var(--line-${i % lineCount})` });
    const label = element("button", { type: "button", "aria-pressed": "true", title: "show or hide" }, key, name, " ", value);
    label.addEventListener("click", () => {
      const on = label.getAttribute("aria-pressed") !== "true";
      label.setAttribute("aria-pressed", String(on));
      onToggle(i, on);
    });
    legend.append(label);
    return value;
  });
  const units = unit && unit !== "1" ? element("span", { class: "unit" }, unit) : null;
  return { node: element("figcaption", {}, element("strong", {}, title), units, at, legend), values, at };
}
