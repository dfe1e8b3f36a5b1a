// Plots over time: one chart per unit, all with the mark of the time that is shown; a click goes to a time.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { element } from "./dom";
import { numberText } from "./numbers";
import type { Series } from "./run_source";
import { cssColour } from "./theme";

interface Group {
  title: string;
  columns: string[];
  log: boolean;
}

const solverColumns = ["contacts", "pairs", "sweeps", "residual", "penetration.mean", "penetration.max", "loop_error"];
const names: Record<string, string> = { m: "Positions", "m/s": "Velocities", rad: "Angles", "rad/s": "Angular velocities", N: "Forces", "N m": "Torques" };
const lineCount = 8; // colours --line-0 ... of style.css
interface Size {
  width: number; // CSS pixels
  height: number;
  large: boolean; // letters for a figure of its own
}
const sideSize: Size = { width: 320, height: 150, large: false };

// The scene's own probes by unit, then energy, then the solver.
export function groupsOf(columns: string[], units: Record<string, string>): Group[] {
  const own = columns.slice(1).filter((c) => !c.startsWith("energy.") && !solverColumns.includes(c));
  const byUnit = new Map<string, string[]>();
  for (const column of own) byUnit.set(units[column] ?? "", [...(byUnit.get(units[column] ?? "") ?? []), column]);
  const groups: Group[] = [];
  for (const [unit, list] of byUnit) {
    const name = list.length === 1 ? list[0] : (names[unit] ?? "Probes");
    groups.push({ title: unit && unit !== "1" ? `${name}, ${unit}` : name, columns: list, log: false });
  }
  const rest = (title: string, wanted: string[], log = false) => {
    const found = wanted.filter((c) => columns.includes(c));
    if (found.length) groups.push({ title, columns: found, log });
  };
  rest("Energy, J", columns.filter((c) => c.startsWith("energy.")));
  rest("Contacts", ["contacts", "pairs"]);
  rest("Sweeps of the solver", ["sweeps"]);
  rest("Residual", ["residual"], true);
  rest("Penetration, m", ["penetration.mean", "penetration.max"]);
  rest("Opening of loops, m", ["loop_error"]);
  return groups;
}

export class Chart {
  readonly node: HTMLElement;
  private readonly plot: uPlot;
  private time = 0;

  constructor(title: string, columns: string[], log: boolean, onPick: (time: number) => void, { width, height, large } = sideSize) {
    this.node = element("figure", { class: "chart" });
    const axis = { stroke: () => cssColour("--muted"), grid: { stroke: () => cssColour("--grid"), width: 1 }, ticks: { stroke: () => cssColour("--grid"), width: 1 }, font: `${large ? 15 : 11}px system-ui, sans-serif` };
    this.plot = new uPlot(
      {
        title,
        width,
        height,
        scales: { x: { time: false }, y: log ? { distr: 3 } : {} },
        cursor: { show: !large, sync: { key: "grus" }, drag: { x: true, y: false }, focus: { prox: 16 } },
        legend: { show: !large, live: true },
        axes: [{ ...axis, size: large ? 40 : 26, values: (_, ticks) => ticks.map((v, i) => numberText(v, 6) + (i === ticks.length - 1 ? " s" : "")) }, { ...axis, size: large ? 80 : 58, values: (_, ticks) => ticks.map((v) => (v === null ? "" : numberText(v))) }],
        series: [
          { label: "t", value: (_, v) => (v === null ? "–" : `${numberText(v, 6)} s`) },
          ...columns.map((label, i) => ({ label, width: large ? 2 : 1.4, stroke: () => cssColour(`--line-${i % lineCount}`), points: { show: false }, pxAlign: 0, dash: i >= lineCount ? [6, 3] : undefined, value: (_: uPlot, v: number | null) => numberText(v, 5) })),
        ],
        hooks: large ? {} : { draw: [(u) => this.mark(u)] },
      },
      [[], ...columns.map(() => [])] as unknown as uPlot.AlignedData,
      this.node,
    );
    let down = 0;
    this.plot.over.addEventListener("pointerdown", (event) => (down = event.clientX));
    this.plot.over.addEventListener("pointerup", (event) => {
      if (Math.abs(event.clientX - down) < 4) onPick(this.plot.posToVal(event.offsetX, "x"));
    });
    if (large) return;
    new ResizeObserver(() => {
      if (this.node.clientWidth > 60) this.plot.setSize({ width: this.node.clientWidth, height });
    }).observe(this.node);
  }

  private mark(u: uPlot): void {
    const x = u.valToPos(this.time, "x", true);
    const { left, top, width, height: tall } = u.bbox;
    if (!(x >= left && x <= left + width)) return;
    u.ctx.save();
    u.ctx.strokeStyle = cssColour("--accent");
    u.ctx.lineWidth = 1.5 * devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, top);
    u.ctx.lineTo(x, top + tall);
    u.ctx.stroke();
    u.ctx.restore();
  }

  setData(time: number[], values: number[][], log: boolean): void {
    const clean = (v: number) => (Number.isFinite(v) && (!log || v > 0) ? v : null);
    this.plot.setData([time, ...values.map((column) => column.map(clean))] as uPlot.AlignedData);
    queueMicrotask(() => this.setTime(this.time)); // new data empty the read-out
  }

  setTime(time: number): void {
    this.time = time;
    this.plot.redraw(false, false);
    if (this.plot.cursor.left === undefined || this.plot.cursor.left < 0) {
      const times = this.plot.data[0];
      if (times.length) this.plot.setLegend({ idx: this.plot.valToIdx(time) }, false);
    }
  }

  get canvas(): HTMLCanvasElement {
    return this.plot.ctx.canvas;
  }
}

// All probes of a run.
export class ProbePlots {
  readonly node = element("div", { class: "charts" });
  private charts: { chart: Chart; group: Group }[] = [];
  private rows = 0;
  private shown = "";

  constructor(private readonly onPick: (time: number) => void) {}

  update(series: Series | null, units: Record<string, string>): void {
    if (!series || series.columns.length < 2 || series.values[0].length === 0) {
      if (!this.charts.length) this.node.replaceChildren(element("p", { class: "hint" }, "The run has no series.csv with rows yet."));
      return;
    }
    const groups = groupsOf(series.columns, units), key = JSON.stringify(groups);
    if (key !== this.shown) {
      this.charts = groups.map((group) => ({ group, chart: new Chart(group.title, group.columns, group.log, this.onPick) }));
      this.node.replaceChildren(...this.charts.map(({ chart }) => chart.node));
      this.shown = key;
      this.rows = 0;
    }
    if (series.values[0].length === this.rows) return;
    this.rows = series.values[0].length;
    for (const { chart, group } of this.charts) chart.setData(series.values[0], group.columns.map((c) => series.values[series.columns.indexOf(c)]), group.log);
  }

  setTime(time: number): void {
    for (const { chart } of this.charts) chart.setTime(time);
  }
}
