// The columns of series.csv as charts: by unit, no more lines in one than there are colours; the scene's own probes first, then energy, then the solver.
import { element } from "./dom";
import { Chart, lineCount } from "./plots";
import type { Series } from "./run_source";

export interface Group {
  title: string;
  unit: string;
  columns: string[];
  log: boolean;
  own: boolean; // probes of the scene
}

const solverColumns = ["contacts", "pairs", "sweeps", "residual", "residual_mechanism", "penetration.mean", "penetration.max", "loop_error"];
const names: Record<string, string> = { m: "Positions", "m/s": "Velocities", rad: "Angles", "rad/s": "Angular velocities", N: "Forces", "N m": "Torques", J: "Energies", "1": "Counts and ratios" };
// Columns that stay zero in scenes without machines, or without what they count.
const oftenZero = ["energy.dissipated_joint", "energy.work_walls", "energy.work_drives", "energy.work_forces", "energy.recovery", "residual_mechanism", "loop_error"];
const stored = ["energy.kinetic", "energy.potential", "energy.total"];
const balance = ["energy.balance_error"];

export const isOwn = (column: string) => column !== "t" && !column.startsWith("energy.") && !solverColumns.includes(column);

export function groupsOf({ columns, values }: Series, units: Record<string, string>): Group[] {
  const byUnit = new Map<string, string[]>();
  for (const column of columns.slice(1).filter(isOwn)) byUnit.set(units[column] ?? "", [...(byUnit.get(units[column] ?? "") ?? []), column]);
  const groups: Group[] = [];
  for (const [unit, list] of byUnit) {
    const name = list.length === 1 ? list[0] : (names[unit] ?? "Probes"), charts = Math.ceil(list.length / lineCount), size = Math.ceil(list.length / charts);
    for (let k = 0; k < charts; k++) groups.push({ title: charts === 1 ? name : `${name}, ${k + 1} of ${charts}`, unit, columns: list.slice(k * size, (k + 1) * size), log: false, own: true });
  }
  const filled = (c: string) => columns.includes(c) && (!oftenZero.includes(c) || Array.from(values[columns.indexOf(c)]).some((v) => v !== 0));
  const rest = (title: string, unit: string, wanted: string[], log = false) => {
    const found = wanted.filter(filled);
    if (found.length) groups.push({ title, unit, columns: found, log, own: false });
  };
  const energy = columns.filter((c) => c.startsWith("energy."));
  rest("Energy", "J", stored);
  rest("Energy in and out since the start", "J", energy.filter((c) => ![...stored, ...balance, "energy.turned_over", "energy.work_external"].includes(c)));
  rest("Error of the energy balance", "J", balance);
  rest("Contacts", "", ["contacts", "pairs"]);
  rest("Sweeps of the solver", "", ["sweeps"]);
  rest("Residual", "", ["residual"], true);
  rest("Residual of mechanisms", "m/s", ["residual_mechanism"], true);
  rest("Penetration", "m", ["penetration.mean", "penetration.max"]);
  rest("Opening of loops", "m", ["loop_error"], true);
  return groups;
}

// Without what the title says already.
export const lineNames = (group: Group) => group.columns.map((c) => (group.own ? c : c.replace(/^(energy|penetration)\./, "").replaceAll("_", " ")));

// All probes of a run that may still grow.
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
    const groups = groupsOf(series, units), key = JSON.stringify(groups);
    if (key !== this.shown) {
      this.charts = groups.map((group) => ({ group, chart: new Chart({ ...group, lines: lineNames(group), onPick: this.onPick }) }));
      this.node.replaceChildren(...this.charts.map(({ chart }) => chart.node));
      this.shown = key;
      this.rows = 0;
    }
    if (series.values[0].length === this.rows) return;
    this.rows = series.values[0].length;
    for (const { chart, group } of this.charts) chart.setData(series.values[0], group.columns.map((c) => series.values[series.columns.indexOf(c)]));
  }

  setTime(time: number): void {
    for (const { chart } of this.charts) chart.setTime(time);
  }
}
