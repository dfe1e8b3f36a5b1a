// What happened, in sentences and tables.
import { element } from "../dom";
import { durationText, numberText, plural, withPrefix } from "../numbers";
import type { Check, RunSummary } from "./data";

export function summaryWords(s: RunSummary): string {
  const sentences: string[] = [];
  const speed = s.wall_s > 0 ? s.t_end / s.wall_s : NaN;
  let first = `${plural(s.bodies, "body", "bodies")}, ${durationText(s.t_end)} of simulated time in ${plural(s.steps, "step")}`;
  if (s.time_step && s.time_step > 0) first += ` of ${withPrefix(s.time_step, "s")}`;
  first += `, took ${durationText(s.wall_s)} on ${plural(s.threads, "thread")}`;
  if (Number.isFinite(speed)) first += speed >= 0.95 ? ` (${numberText(speed, 2)} times real time)` : ` (${numberText(1 / speed, 2)} s for each simulated second)`;
  sentences.push(`${first}.`);
  if (s.contacts_mean > 0) sentences.push(`On average ${numberText(s.contacts_mean, 3)} contact points were solved in ${numberText(s.sweeps_mean, 3)} sweeps per step; the largest problem had ${plural(s.contacts_max, "point")}.`);
  else sentences.push("Nothing touched.");
  if (s.unconverged_steps > 0) sentences.push(`${plural(s.unconverged_steps, "step")} (${numberText((100 * s.unconverged_steps) / Math.max(1, s.steps), 2)} %) did not reach the solver's tolerance.`);
  else if (s.contacts_mean > 0) sentences.push("Every step reached the solver's tolerance.");
  if (s.penetration_max > 0) sentences.push(`Bodies overlapped by ${withPrefix(s.penetration_max, "m")} at most.`);
  if (s.lost_bodies > 0) sentences.push(`${plural(s.lost_bodies, "body", "bodies")} left the domain.`);
  if (s.status === "interrupted") sentences.push("The run was interrupted; it can be resumed.");
  if (s.status === "failed") sentences.push("The run failed before its end.");
  if (s.status === "running") sentences.push("The run was still going when this page was made.");
  return sentences.join(" ");
}

// A scroller can be reached by the keyboard, and then has a name.
export function scroller(label: string, ...content: HTMLElement[]): HTMLElement {
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, ...content);
}

export function table(label: string, head: { text: string; kind?: string }[], rows: HTMLElement[]): HTMLElement {
  const cells = head.map((h) => (h.text ? element("th", { class: h.kind ?? "", scope: "col" }, h.text) : element("td", { class: h.kind ?? "" })));
  return scroller(label, element("table", {}, element("thead", {}, element("tr", {}, ...cells)), element("tbody", {}, ...rows)));
}

export function checkTable(checks: Check[], withRun: boolean): HTMLElement {
  const rows = checks.map((c) =>
    element(
      "tr",
      { class: c.pass ? "pass" : "fail" },
      element("td", {}, element("span", { class: "badge" }, c.pass ? "pass" : "FAIL")),
      withRun ? element("td", {}, c.run ?? "") : null,
      element("td", {}, c.name),
      element("td", { class: "number" }, numberText(c.value, 6)),
      element("td", { class: "number" }, typeof c.bound === "number" ? numberText(c.bound) : c.bound),
    ),
  );
  const head = [{ text: "result", kind: "narrow" }, ...(withRun ? [{ text: "run" }] : []), { text: "check" }, { text: "value", kind: "number" }, { text: "bound", kind: "number" }];
  return table("checks", head, rows);
}

export function verdict(checks: Check[]): HTMLElement | null {
  const failed = checks.filter((c) => !c.pass).length;
  if (checks.length === 0) return null;
  const words = failed ? `${failed} of ${plural(checks.length, "check")} failed` : checks.length === 1 ? "The check passes" : `All ${checks.length} checks pass`;
  return element("p", { class: `verdict ${failed ? "fail" : "pass"}` }, words);
}

export function header(summary: { scene?: string; title?: string; paper?: string; version?: string }, kind: string): HTMLElement {
  const file = (summary.scene ?? "").split("/").pop(), title = summary.title || file || "Grus";
  document.title = `${title} – Grus`;
  const meta = [kind, summary.scene, summary.paper ? `paper ${summary.paper}` : null, summary.version ? `Grus ${summary.version}` : null];
  return element("header", {}, element("p", { class: "meta" }, meta.filter(Boolean).join("  ·  ")), element("h1", {}, title));
}

export function warningList(warnings: string[] | undefined): HTMLElement | null {
  if (!warnings || warnings.length === 0) return null;
  return element("div", { class: "warnings" }, element("h2", {}, warnings.length === 1 ? "Warning" : "Warnings"), element("ul", {}, ...warnings.map((w) => element("li", {}, w))));
}

// What went in, what came out and what is left; nothing where a run was made before these numbers were.
export function balanceTable(e: Record<string, number>): HTMLElement | null {
  if (e.turned_over === undefined) return null;
  const joule = (value: number) => withPrefix(value, "J");
  const row = (name: string, value: number, kind = "") => element("tr", { class: kind }, element("td", {}, name), element("td", { class: "number" }, joule(value)));
  const shown = (...rows: [string, number][]) => rows.filter(([, value]) => value !== 0).map(([name, value]) => row(name, value));
  const start = e.kinetic_start + e.potential_start, end = e.kinetic + e.potential;
  const rows = [
    row("at the start, kinetic", e.kinetic_start),
    row("at the start, potential and springs", e.potential_start),
    ...shown(["in: work of moving walls", e.work_walls], ["in: work of drives", e.work_drives], ["in: work of motors and forces", e.work_forces], ["in: removal of penetration", e.recovery], ["out: taken by contacts", e.dissipated_contact], ["out: taken by dampers, friction and stops of joints", e.dissipated_joint]),
    row("at the end, kinetic", e.kinetic),
    row("at the end, potential and springs", e.potential),
    row("change, end less start", end - start, "sum"),
    row("change that in and out explain", e.work_external + e.recovery - e.dissipated_contact - e.dissipated_joint, "sum"),
    row("error: the difference of the two", e.balance_error, "sum"),
    row("of it in gravity and springs", e.balance_error_potential),
    row("of it in the kinetic energy", e.balance_error - e.balance_error_potential),
  ];
  return table("energy balance", [{ text: "energy" }, { text: "value", kind: "number" }], rows);
}

export function balanceWords(e: Record<string, number>): string {
  return `The error is ${numberText(100 * e.balance_error_part, 2)} % of the ${withPrefix(e.turned_over, "J")} turned over: the largest of all that came in, all that went out, and the kinetic energy.`;
}

export function facts(s: RunSummary): HTMLElement {
  const rows: [string, string | undefined][] = [
    ["simulated", durationText(s.t_end)],
    ["wall time", durationText(s.wall_s)],
    ["bodies", numberText(s.bodies)],
    ["contact points, mean", numberText(s.contacts_mean, 4)],
    ["contact points, max", numberText(s.contacts_max)],
    ["touching pairs, mean", numberText(s.pairs_mean, 4)],
    ["sweeps, mean", numberText(s.sweeps_mean, 3)],
    ["residual, 99 %", numberText(s.residual_p99, 3)],
    ["residual, max", numberText(s.residual_max, 3)],
    ["worst contact, m/s", numberText(s.residual_velocity_max, 3)],
    ["worst of a mechanism, m/s", s.residual_mechanism_max ? `${numberText(s.residual_mechanism_max, 3)} (${s.machine_tolerance ? `asked ${numberText(s.machine_tolerance, 3)}` : "no bound asked"})` : undefined],
    ["unconverged steps", numberText(s.unconverged_steps)],
    ["penetration, mean", withPrefix(s.penetration_mean, "m")],
    ["penetration, max", withPrefix(s.penetration_max, "m")],
  ];
  if (s.loop_error_max > 0) rows.push(["loop error, max", withPrefix(s.loop_error_max, "m")]);
  if (s.condition_error_max > 0) rows.push(["drift of joints, max", withPrefix(s.condition_error_max, "m")]);
  if (s.partition_changes > 0) rows.push(["changes of partition", numberText(s.partition_changes)]);
  rows.push(["taken by contacts", withPrefix(s.energy.dissipated_contact, "J")]);
  if (s.energy.dissipated_joint) rows.push(["taken by joints", withPrefix(s.energy.dissipated_joint, "J")]);
  rows.push(["external work", withPrefix(s.energy.work_external, "J")], ["added by recovery", withPrefix(s.energy.recovery, "J")]);
  rows.push(...Object.entries(s.settings ?? {}), ["state hash", s.state_hash]);
  return element("dl", { class: "facts" }, ...rows.filter(([, v]) => v).map(([k, v]) => element("div", {}, element("dt", {}, k), element("dd", {}, v!))));
}

export function stageBars(stages: Record<string, number> | undefined): HTMLElement | null {
  const entries = Object.entries(stages ?? {}).filter(([, v]) => v > 0);
  if (entries.length === 0) return null;
  const total = entries.reduce((sum, [, v]) => sum + v, 0), most = Math.max(...entries.map(([, v]) => v));
  const rows = entries.map(([name, v]) =>
    element("div", { class: "bar" }, element("span", {}, name), element("div", { class: "track" }, element("i", { style: `width: ${(100 * v) / most}%` })), element("em", {}, durationText(v)), element("em", {}, `${numberText((100 * v) / total, 2)} %`)),
  );
  return element("div", { class: "bars" }, ...rows);
}

export function section(title: string, ...content: (Node | null)[]): HTMLElement {
  return element("section", {}, element("h2", {}, title), ...content);
}

export function notes(...lists: (string | string[] | undefined)[]): HTMLElement | null {
  const all = lists.flat().filter(Boolean) as string[];
  return all.length ? element("p", { class: "note" }, all.join(" ")) : null;
}
