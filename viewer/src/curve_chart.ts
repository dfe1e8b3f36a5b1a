// Columns over another column than time (phase portraits, paths), by uPlot: a legend that switches curves, zoom by dragging, a
// dot where the time that is shown lies.
import uPlot from "uplot";
import { element } from "./dom";
import { numberText } from "./numbers";
import { axisName, axisSize, lineCount, lineLegend, paddedRange, plotAxis } from "./plots";
import { cssColour, onThemeChange } from "./theme";

export interface Curve {
  name: string;
  time: ArrayLike<number>;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
}

export interface CurveOptions {
  title: string;
  curves: Curve[];
  x: { name: string; unit: string };
  unit?: string; // of y
  height: number;
}

export class CurveChart {
  readonly node = element("figure", { class: "chart" });
  private readonly plot: uPlot;
  private readonly dots: HTMLElement[];
  private time = NaN;

  constructor(private readonly options: CurveOptions) {
    const { curves, height } = options;
    this.dots = curves.map((_, i) => element("div", { class: "dot", hidden: true, style: `background: var(--line-${i % lineCount})` }));
    const { node } = lineLegend(options.title, options.unit, curves.map((c) => c.name), (i, on) => this.plot.setSeries(i + 1, { show: on }));
    this.node.append(node);
    const data = [null, ...curves.map((c) => [Array.from(c.x), Array.from(c.y)])];
    this.plot = new uPlot(this.plotOptions(), data as unknown as uPlot.AlignedData, this.node);
    this.plot.root.setAttribute("role", "img");
    this.plot.root.setAttribute("aria-label", `Plot of ${options.title}: ${curves.map((c) => c.name).join(", ")} over ${options.x.name}`);
    this.plot.over.append(...this.dots);
    new ResizeObserver(() => {
      if (this.node.clientWidth > 60 && this.node.clientWidth !== this.plot.width) this.plot.setSize({ width: this.node.clientWidth, height });
    }).observe(this.node);
    onThemeChange(() => this.plot.redraw(false, false));
  }

  private plotOptions(): uPlot.Options {
    const { curves, height, x } = this.options, axis = plotAxis(false);
    const range = (_: uPlot, low: number, high: number): uPlot.Range.MinMax => paddedRange(low, high);
    const facets = [{ scale: "x", auto: true }, { scale: "y", auto: true }];
    return {
      mode: 2,
      width: 440,
      height,
      padding: [8, 12, 0, 0],
      scales: { x: { time: false, range }, y: { range } },
      cursor: { points: { show: false }, drag: { x: true, y: true }, dataIdx: () => null as unknown as number },
      legend: { show: false },
      axes: [
        { ...axis, size: 30, label: axisName(x.name, x.unit), labelSize: 20, labelFont: axis.font, values: (_, ticks) => ticks.map((v) => numberText(v, 6)) },
        { ...axis, size: (u, values) => axisSize(u, values, false), values: (_, ticks) => ticks.map((v) => numberText(v, 6)) },
      ],
      series: [{}, ...curves.map((c, i) => ({ label: c.name, facets, stroke: () => cssColour(`--line-${i % lineCount}`), paths: (u: uPlot, k: number) => this.stroke(u, k) }))] as uPlot.Series[],
      hooks: { draw: [() => this.placeDots()] },
    };
  }

  // uPlot's own paths want x that rises.
  private stroke(u: uPlot, k: number): null {
    const { x, y } = this.options.curves[k - 1], g = u.ctx, { left, top, width, height } = u.bbox;
    g.save();
    g.beginPath();
    g.rect(left, top, width, height);
    g.clip();
    g.strokeStyle = cssColour(`--line-${(k - 1) % lineCount}`);
    g.lineWidth = 1.4 * devicePixelRatio;
    g.lineJoin = "round";
    g.beginPath();
    let pen = false;
    for (let i = 0; i < x.length; i++) {
      const finite = Number.isFinite(x[i]) && Number.isFinite(y[i]);
      if (finite) {
        const px = u.valToPos(x[i], "x", true), py = u.valToPos(y[i], "y", true);
        if (pen) g.lineTo(px, py);
        else g.moveTo(px, py);
      }
      pen = finite;
    }
    g.stroke();
    g.restore();
    return null;
  }

  private placeDots(): void {
    this.options.curves.forEach((c, k) => {
      const dot = this.dots[k], i = lastBefore(c.time, this.time);
      const px = i < 0 ? NaN : this.plot.valToPos(c.x[i], "x"), py = i < 0 ? NaN : this.plot.valToPos(c.y[i], "y");
      const { clientWidth, clientHeight } = this.plot.over;
      dot.hidden = !this.plot.series[k + 1].show || !(px >= 0 && py >= 0 && px <= clientWidth && py <= clientHeight);
      if (!dot.hidden) dot.style.transform = `translate(${px}px, ${py}px)`;
    });
  }

  setTime(now: number): void {
    this.time = now;
    this.placeDots();
  }
}

// Position of the last time at or before `now`; -1: none.
function lastBefore(times: ArrayLike<number>, now: number): number {
  let low = -1, high = times.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= now) low = middle;
    else high = middle;
  }
  return low;
}
