// What analysis.json says: maps of the solid fraction before, after and their difference, regions, histograms.
import { element } from "../dom";
import { numberText, withPrefix } from "../numbers";
import { joined } from "../plots";
import type { ChartGrid } from "./charts";
import { HeatMap } from "./heat_map";
import { notes, section, table } from "./words";

interface Coordination {
  bodies: number;
  mean: number | null;
  mean_without_rattlers: number | null;
  histogram: number[];
}

interface AnalysisFrame {
  time: number;
  solid_fraction: number | null;
  map: (number | null)[];
  regions: { solid_fraction: number | null; coordination: Coordination }[];
  coordination: Coordination;
  forces: { contacts: number; density: number[]; bin_width: number; [key: string]: number | number[] | null };
  overloaded?: { strength: number; bodies: number };
  fabric: { anisotropy: number | null; density: number[] };
}

export interface Analysis {
  planar: boolean;
  map: { axes: string[]; across: string; count: number[]; min: number[]; max: number[]; error: number };
  regions: { name: string; min: number[]; max: number[] }[];
  frames: AnalysisFrame[];
}

const solidColours = ["#f4efe4", "#e3cf9f", "#c99f5f", "#8f6b45", "#4a3a30"];
const changeColours = ["#2f5f8f", "#8fb3cc", "#f2f0ea", "#e0a27c", "#a8412f"];

const timeName = (frame: AnalysisFrame) => `t = ${numberText(frame.time, 4)} s`;

function maps(analysis: Analysis): HTMLElement {
  const { frames } = analysis, first = frames[0], last = frames[frames.length - 1];
  const shown = frames.length > 1 ? [first, last] : [first];
  const largest = (values: (number | null)[], least: number) => values.reduce<number>((most, v) => (v === null ? most : Math.max(most, Math.abs(v))), least);
  const high = largest(shown.flatMap((f) => f.map), 0.01);
  const nodes = shown.map((f) => new HeatMap(analysis, f.map, { title: `Solid fraction, ${timeName(f)}`, colours: solidColours, low: 0, high }).node);
  if (frames.length > 1) {
    const change = last.map.map((v, k) => {
      const before = first.map[k];
      return v === null || before === null ? null : v - before;
    });
    const most = largest(change, 1e-3);
    nodes.push(new HeatMap(analysis, change, { title: "Change of the solid fraction", colours: changeColours, low: -most, high: most }).node);
  }
  return element("div", { class: "charts" }, ...nodes);
}

// Bins as steps: left edges, and the last right one.
function bins(density: number[], from: number, width: number) {
  return { x: Array.from({ length: density.length + 1 }, (_, k) => from + k * width), y: [...density, density[density.length - 1] ?? 0] };
}

function histograms(analysis: Analysis, grid: ChartGrid): HTMLElement | null {
  const loaded = analysis.frames.filter((f) => f.forces.contacts > 0);
  if (loaded.length === 0) return null;
  const { planar } = analysis, part = (f: AnalysisFrame) => f.coordination.histogram.map((n) => n / Math.max(1, f.coordination.bodies));
  const chart = (title: string, x: { name: string; unit: string }, of: (f: AnalysisFrame) => { x: number[]; y: number[] }, more: object = {}) =>
    grid.add({ title, x, steps: true, link: title, lines: loaded.map(timeName), ...more }, () => joined(loaded.map(of)));
  return element(
    "div",
    { class: "charts" },
    chart("Contact forces, density over force/mean", { name: "f/mean", unit: "" }, (f) => bins(f.forces.density, 0, f.forces.bin_width), { log: true }),
    chart("Neighbours that press on a body, part of the bodies", { name: "neighbours", unit: "" }, (f) => bins(part(f), -0.5, 1)),
    chart(
      planar ? "Normals, density over the angle to x" : "Normals, density over |cosine| to up",
      planar ? { name: "angle", unit: "rad" } : { name: "cosine", unit: "" },
      (f) => bins(f.fabric.density, 0, (planar ? Math.PI : 1) / f.fabric.density.length),
      { limit: { value: 1, label: "no direction preferred" } },
    ),
  );
}

function numbers(analysis: Analysis): HTMLElement {
  const { frames } = analysis;
  const loaded = (f: AnalysisFrame, text: () => string) => (f.forces.contacts > 0 ? text() : "–");
  const percent = (x: number | null) => (x === null ? "–" : `${numberText(100 * x, 3)} %`);
  const rows: [string, (f: AnalysisFrame) => string][] = [["solid fraction", (f) => numberText(f.solid_fraction, 4)]];
  analysis.regions.forEach((region, r) => rows.push([`solid fraction, ${region.name}`, (f) => numberText(f.regions[r].solid_fraction, 4)]));
  rows.push(["coordination", (f) => loaded(f, () => numberText(f.coordination.mean, 3))], ["coordination without rattlers", (f) => numberText(f.coordination.mean_without_rattlers, 3)]);
  analysis.regions.forEach((region, r) => rows.push([`coordination, ${region.name}`, (f) => numberText(f.regions[r].coordination.mean_without_rattlers, 3)]));
  rows.push(["contacts", (f) => numberText(f.forces.contacts)]);
  for (const [key, name] of [["mean", "mean force"], ["median", "median force"], ["p90", "force, 90 %"], ["p99", "force, 99 %"], ["max", "largest force"]]) {
    rows.push([name, (f) => loaded(f, () => withPrefix(f.forces[key] as number, "N"))]);
  }
  for (const k of [2, 5, 10]) rows.push([`contacts above ${k} means`, (f) => percent(f.forces[`above_${k}`] as number | null)]);
  const strength = frames[0].overloaded?.strength;
  if (strength !== undefined) rows.push([`bodies above ${withPrefix(strength, "N")}`, (f) => loaded(f, () => numberText(f.overloaded?.bodies))]);
  rows.push(["anisotropy of normals", (f) => numberText(f.fabric.anisotropy, 3)]);
  const head = [{ text: "" }, ...frames.map((f) => ({ text: timeName(f), kind: "number" }))];
  const body = rows.map(([name, text]) => element("tr", {}, element("td", {}, name), ...frames.map((f) => element("td", { class: "number" }, text(f)))));
  return table("numbers of the grains", head, body);
}

export function analysisSection(analysis: Analysis, grid: ChartGrid): HTMLElement {
  const { map } = analysis, averaged = analysis.planar ? "" : ` averaged over ${map.across}`;
  const words = `The maps show the part of each cell inside grains${averaged}, without what walls and machines cover; a cell is sampled to ${numberText(map.error, 2)}.`;
  return section("Grains", maps(analysis), notes(words), element("div", { class: "between" }, numbers(analysis)), histograms(analysis, grid));
}
