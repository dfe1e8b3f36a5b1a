// The page of a report: words, checks, clip, plots. Reads the data that the program put beside it.
import "../theme.css";
import "../parts.css";
import "./report.css";
import { element } from "../dom";
import { durationText, numberText, plural } from "../numbers";
import { axisName, joined } from "../plots";
import { groupsOf, isOwn, lineNames, type Group } from "../probe_plots";
import type { Series } from "../run_source";
import { analysisSection, type Analysis } from "./analysis";
import { ChartGrid, figureHeight } from "./charts";
import { hasWebGL, stillOf } from "../still_picture";
import { Clip } from "./clip";
import { ClipRun } from "./clip_run";
import { isFault, type Fault, type Figure, type PackedSeries, type ReportData, type RunData, type StudyData } from "./data";
import { unpackReals, unpackText } from "./packed";
import { balanceTable, balanceWords, checkTable, facts, header, notes, section, stageBars, summaryWords, table, verdict, warningList } from "./words";

// For tests and the curious.
declare global {
  interface Window {
    grusReport: { clip: Clip | null; ready: boolean };
  }
}

interface RunSeries extends Series {
  curves: ({ time: Float64Array; x: Float64Array; y: Float64Array[] } | null)[]; // per figure; empty: use the columns
}

async function unpackSeries(series: PackedSeries | Fault | undefined): Promise<RunSeries | null> {
  if (!series || isFault(series)) return null;
  const values = await Promise.all(series.values.map(unpackReals));
  const curves = await Promise.all(
    (series.curves ?? []).map(async (c) => (c && c.x && c.y.every((y) => y) ? { time: await unpackReals(c.time), x: await unpackReals(c.x), y: await Promise.all(c.y.map((y) => unpackReals(y!))) } : null)),
  );
  return { columns: series.columns, values, curves };
}

const columnOf = (series: Series, name: string) => series.values[series.columns.indexOf(name)];

function clipSection(run: RunData): { node: HTMLElement; place: HTMLElement } | null {
  const { clip } = run;
  if (!clip || (!isFault(clip) && clip.frames.length === 0)) return null;
  if (isFault(clip)) return { node: section("Pictures", element("p", { class: "note" }, `The frames could not be read: ${clip.fault}`)), place: element("div") };
  const place = element("div", { class: "clip-place", role: "status" }, "Unpacking the clip …");
  return { node: section("Pictures", place, notes(clip.notes)), place };
}

// The figures that the scene declares, one curve per column, or per column and run.
function figureSection(figures: Figure[] | undefined, runs: { name: string; series: RunSeries }[], units: Record<string, string>, grid: ChartGrid, onPick?: (time: number) => void): HTMLElement | null {
  const drawable = (figures ?? []).filter((f) => runs.every(({ series }) => [f.x, ...f.y].every((c) => series.columns.includes(c))));
  if (drawable.length === 0 || runs.length === 0) return null;
  const nodes = drawable.map((figure) => {
    const curves = runs.flatMap(({ name, series }) => {
      const rows = series.curves[figures!.indexOf(figure)];
      return figure.y.map((y, k) => ({
        name: runs.length === 1 ? y : figure.y.length === 1 ? name : `${name}, ${y}`,
        time: rows?.time ?? series.values[0],
        x: rows?.x ?? columnOf(series, figure.x),
        y: rows?.y[k] ?? columnOf(series, y),
      }));
    });
    const unit = units[figure.y[0]] ?? "", x = { name: figure.x, unit: units[figure.x] ?? "" };
    if (figure.x !== "t") return grid.addCurves({ title: figure.title, unit: figure.y.length === 1 ? axisName(figure.y[0], unit) : unit, x, curves });
    const size = { width: 440, height: figureHeight, figure: false };
    return grid.add({ title: figure.title, unit, log: figure.log, lines: curves.map((c) => c.name), size, onPick }, () => (runs.length === 1 ? [runs[0].series.values[0], curves.map((c) => c.y)] : joined(curves)));
  });
  return section("Figures", element("div", { class: "charts figures" }, ...nodes));
}

function plotSections(run: RunData, series: Series | null, grid: ChartGrid, onPick: (time: number) => void): HTMLElement[] {
  if (!series) return [section("Plots", element("p", { class: "note" }, `The series could not be read: ${isFault(run.series) ? run.series.fault : "it is absent"}`))];
  const { summary } = run, groups = groupsOf(series, summary.units ?? {});
  const tolerances: Record<string, number | null | undefined> = { Residual: summary.tolerance, "Residual of mechanisms": summary.machine_tolerance };
  const charts = (wanted: (group: Group) => boolean) =>
    groups
      .filter(wanted)
      .map((group) => {
        const tolerance = group.own ? undefined : tolerances[group.title];
        const limit = tolerance ? { value: tolerance, label: "tolerance" } : undefined;
        return grid.add({ ...group, lines: lineNames(group), limit, onPick }, () => [series.values[0], group.columns.map((c) => columnOf(series, c))]);
      });
  const hint = notes("Point to read values, drag to zoom, double click to go back; a click shows the nearest picture.", isFault(run.series) ? [] : run.series.notes);
  const probes = charts((group) => group.own), energy = charts((group) => !group.own && group.unit === "J"), solver = charts((group) => !group.own && group.unit !== "J");
  const balance = balanceTable(summary.energy);
  const sections = [section("Energy", element("div", { class: "charts" }, ...energy), balance, balance ? notes(balanceWords(summary.energy)) : null), section("Solver", element("div", { class: "charts" }, ...solver), hint)];
  if (probes.length) sections.unshift(section("Probes", element("div", { class: "charts" }, ...probes)));
  return sections;
}

async function analysisPart(run: RunData, grid: ChartGrid): Promise<HTMLElement | null> {
  if (!run.analysis) return null;
  if (isFault(run.analysis)) return section("Grains", element("p", { class: "note" }, `The analysis could not be read: ${run.analysis.fault}`));
  return analysisSection(JSON.parse(await unpackText(run.analysis.packed)) as Analysis, grid);
}

async function runPage(page: HTMLElement, run: RunData): Promise<void> {
  const s = run.summary, checks = s.checks ?? [], grid = new ChartGrid();
  const series = await unpackSeries(run.series), pictures = clipSection(run);
  const bars = stageBars(s.wall_s_per_stage), onPick = (time: number) => void window.grusReport.clip?.player.seek(time);
  const scene = s.scene_text ? element("details", { open: s.scene_text.length < 4000 }, element("summary", {}, s.scene ?? "text"), element("pre", { tabindex: 0 }, s.scene_text)) : null;
  const parts = [
    header(s, "run"),
    element("p", { class: "lead" }, summaryWords(s)),
    verdict(checks),
    warningList(s.warnings),
    pictures?.node ?? null,
    series ? figureSection(s.figures, [{ name: "", series }], s.units ?? {}, grid, onPick) : null,
    checks.length ? section("Checks", checkTable(checks, false)) : null,
    ...plotSections(run, series, grid, onPick),
    await analysisPart(run, grid),
    bars ? section("Time per stage", bars) : null,
    section("Numbers", facts(s)),
    scene ? section("Scene", scene) : null,
  ];
  page.replaceChildren(...parts.filter((p): p is HTMLElement => p !== null));
  if (!pictures || !run.clip || isFault(run.clip)) return;
  try {
    if (!hasWebGL()) {
      pictures.place.replaceChildren(await stillOf(await ClipRun.unpack(run.clip)));
      return;
    }
    const clip = await Clip.open(run.clip, s.time_step ?? 0);
    clip.onTime = (time) => grid.setTime(time);
    grid.setTime(clip.stage.picture.frame.time);
    window.grusReport.clip = clip;
    pictures.place.replaceWith(clip.node);
  } catch (fault) {
    pictures.place.replaceChildren(element("p", { class: "note" }, `The clip cannot be shown here: ${fault instanceof Error ? fault.message : String(fault)}`));
  }
}

// The declared figures and the columns that every run has, one chart each, one line per run.
async function comparison(data: StudyData, grid: ChartGrid): Promise<(HTMLElement | null)[]> {
  const unpacked = await Promise.all(data.runs.map(async (run) => ({ run, series: await unpackSeries(run.series) })));
  const read = unpacked.filter((r): r is { run: (typeof r)["run"]; series: RunSeries } => r.series !== null);
  if (read.length === 0) return [];
  const shared = read[0].series.columns.filter((name) => name !== "t" && read.every((r) => r.series.columns.includes(name)));
  const common = ["energy.kinetic", "energy.total", "contacts", "sweeps"];
  const units = read[0].run.summary?.units ?? {};
  const charts = [...shared.filter(isOwn), ...shared.filter((name) => common.includes(name))].map((name) =>
    grid.add({ title: name, unit: units[name], lines: read.map((r) => r.run.name) }, () => joined(read.map(({ series }) => ({ x: series.values[0], y: columnOf(series, name) })))),
  );
  return [
    figureSection(read[0].run.summary?.figures, read.map(({ run, series }) => ({ name: run.name, series })), units, grid),
    section("Runs compared", element("div", { class: "charts" }, ...charts), notes("Point to read values, drag to zoom, double click to go back.")),
  ];
}

function runTable(data: StudyData): HTMLElement {
  const rows = data.runs.map((run) => {
    const r = run.summary, link = element("a", { href: `${encodeURIComponent(run.directory)}/report.html` }, run.name);
    if (!r) return element("tr", {}, element("td", {}, link), element("td", { colspan: 6 }, run.fault ?? "no summary"));
    const number = (text: string) => element("td", { class: "number" }, text);
    return element("tr", {}, element("td", {}, link), element("td", {}, r.status ?? ""), number(durationText(r.t_end)), number(durationText(r.wall_s)), number(numberText(r.contacts_mean, 3)), number(numberText(r.sweeps_mean, 3)), number(numberText(r.unconverged_steps)));
  });
  const head = ["run", "status", "simulated", "wall time", "contacts", "sweeps", "unconverged"].map((text, i) => ({ text, kind: i > 1 ? "number" : "" }));
  return table("runs", head, rows);
}

async function studyPage(page: HTMLElement, data: StudyData): Promise<void> {
  const s = data.summary;
  const checks = [...(s.checks ?? []).map((c) => ({ ...c, run: "all" })), ...data.runs.flatMap((run) => (run.summary?.checks ?? []).map((c) => ({ ...c, run: run.name })))];
  const parts = [
    header(s, "study"),
    element("p", { class: "lead" }, `${plural(data.runs.length, "run")} of one scene took ${durationText(s.wall_s)}.`),
    verdict(checks),
    warningList(s.warnings),
    section("Runs", runTable(data)),
    checks.length ? section("Checks", checkTable(checks, true)) : null,
    ...(await comparison(data, new ChartGrid())),
  ];
  page.replaceChildren(...parts.filter((p): p is HTMLElement => p !== null));
}

async function start(): Promise<void> {
  window.grusReport = { clip: null, ready: false };
  const data = JSON.parse(document.getElementById("data")!.textContent!) as ReportData, page = document.getElementById("page")!;
  if ("study" in data) await studyPage(page, data.study);
  else await runPage(page, data.run);
  window.grusReport.ready = true;
}

void start();
