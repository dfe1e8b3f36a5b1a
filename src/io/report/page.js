// The page: words, checks, pictures, plots. Reads the data that the program put beside it.

const standardColumns = new Set(["t", "contacts", "pairs", "sweeps", "residual", "energy.kinetic", "energy.potential", "energy.total", "energy.dissipated_contact", "energy.work_external", "energy.recovery", "energy.dissipated_joint", "penetration.mean", "penetration.max", "loop_error"]);

function decodeSeries(series) {
  if (!series || series.fault) return null;
  const columns = new Map();
  series.columns.forEach((name, i) => columns.set(name, decode(series.values[i], Float64Array)));
  const time = columns.get("t") || columns.values().next().value;
  return { columns, time, names: series.columns };
}

// Charts of one run: [{title, unit, log, columns}], the scene's own probes first.
function chartPlan({ names, columns }, units) {
  const has = (name) => names.includes(name);
  const plan = [];
  const byUnit = new Map();
  for (const name of names) {
    if (standardColumns.has(name)) continue;
    const unit = units[name] || "";
    if (!byUnit.has(unit)) byUnit.set(unit, []);
    byUnit.get(unit).push(name);
  }
  const kinds = { m: "Positions", "m/s": "Velocities", rad: "Angles", "rad/s": "Angular velocities", N: "Forces", "N m": "Torques", J: "Energies", 1: "Counts and ratios" };
  for (const [unit, own] of byUnit) plan.push({ title: own.length === 1 ? own[0] : kinds[unit] || "Probes", unit, columns: own, probe: true });
  const group = (title, unit, wanted, more = {}) => {
    const present = wanted.filter(has);
    if (present.length) plan.push({ title, unit, columns: present, ...more });
  };
  // Columns that only machines fill.
  const filled = (name) => has(name) && columns.get(name).some((value) => value !== 0);
  const joints = ["energy.dissipated_joint"].filter(filled);
  group("Energy", "J", ["energy.kinetic", "energy.potential", "energy.total", "energy.dissipated_contact", ...joints, "energy.work_external", "energy.recovery"]);
  group("Contacts", "", ["contacts", "pairs"]);
  group("Sweeps of the solver", "", ["sweeps"]);
  group("Residual", "", ["residual"], { log: true });
  group("Penetration", "m", ["penetration.mean", "penetration.max"]);
  group("Opening of the loops", "m", ["loop_error"].filter(filled), { log: true });
  return plan;
}

const shortName = (name, title) => (title === "Energy" ? name.replace("energy.", "").replace("_", " ") : title === "Penetration" ? name.replace("penetration.", "") : name);

function makeChart(group, series, plan, options = {}) {
  const lines = plan.columns.map((name) => ({ name: shortName(name, plan.title), x: series.time, y: series.columns.get(name) }));
  return new Chart(group, lines, { title: plan.title, unit: plan.unit, log: plan.log, limit: plan.limit, ...options });
}

function section(title, ...content) {
  return element("section", {}, element("h2", {}, title), ...content);
}

function plural(count, one, many = one + "s") {
  return numberText(count) + " " + (count === 1 ? one : many);
}

// What happened, in sentences.
function words(s) {
  const sentences = [];
  const speed = s.wall_s > 0 ? s.t_end / s.wall_s : NaN;
  let first = `${plural(s.bodies, "body", "bodies")}, ${durationText(s.t_end)} of simulated time in ${plural(s.steps, "step")}`;
  if (s.time_step > 0) first += ` of ${withPrefix(s.time_step, "s")}`;
  first += `, took ${durationText(s.wall_s)} on ${plural(s.threads, "thread")}`;
  if (Number.isFinite(speed)) first += speed >= 0.95 ? ` (${numberText(speed, 2)} times real time).` : ` (${numberText(1 / speed, 2)} s for each simulated second).`;
  else first += ".";
  sentences.push(first);
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

function checkTable(checks, withRun) {
  const rows = checks.map((c) => element("tr", { class: c.pass ? "pass" : "fail" }, element("td", {}, element("span", { class: "badge" }, c.pass ? "pass" : "FAIL")), withRun ? element("td", {}, c.run) : null, element("td", {}, c.name), element("td", { class: "number" }, numberText(c.value, 6)), element("td", { class: "number" }, typeof c.bound === "number" ? numberText(c.bound) : c.bound)));
  return element("div", { class: "scroll" }, element("table", { class: "checks" }, element("thead", {}, element("tr", {}, element("th", { class: "narrow" }), withRun ? element("th", {}, "run") : null, element("th", {}, "check"), element("th", { class: "number" }, "value"), element("th", { class: "number" }, "bound"))), element("tbody", {}, ...rows)));
}

function verdict(checks) {
  const failed = checks.filter((c) => !c.pass).length;
  if (checks.length === 0) return null;
  return element("p", { class: "verdict " + (failed ? "fail" : "pass") }, failed ? `${failed} of ${plural(checks.length, "check")} failed` : checks.length === 1 ? "The check passes" : `All ${checks.length} checks pass`);
}

function header(summary, kind) {
  const file = (summary.scene || "").split("/").pop();
  const title = summary.title || file || "Grus";
  document.title = title + " – Grus";
  const meta = [kind, summary.scene, summary.paper ? "paper " + summary.paper : null, summary.version ? "Grus " + summary.version : null];
  return element("header", {}, element("p", { class: "meta" }, meta.filter(Boolean).join("  ·  ")), element("h1", {}, title));
}

function warningList(warnings) {
  if (!warnings || warnings.length === 0) return null;
  return element("aside", { class: "warnings" }, element("h2", {}, warnings.length === 1 ? "Warning" : "Warnings"), element("ul", {}, ...warnings.map((w) => element("li", {}, w))));
}

function facts(s) {
  const rows = [
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
    ["unconverged steps", numberText(s.unconverged_steps)],
    ["penetration, mean", withPrefix(s.penetration_mean, "m")],
    ["penetration, max", withPrefix(s.penetration_max, "m")],
    ...(s.loop_error_max > 0 ? [["loop error, max", withPrefix(s.loop_error_max, "m")]] : []),
    ...(s.condition_error_max > 0 ? [["drift of joints, max", withPrefix(s.condition_error_max, "m")]] : []),
    ...(s.partition_changes > 0 ? [["changes of partition", numberText(s.partition_changes)]] : []),
    ["taken by contacts", withPrefix(s.energy.dissipated_contact, "J")],
    ...(s.energy.dissipated_joint ? [["taken by joints", withPrefix(s.energy.dissipated_joint, "J")]] : []),
    ["external work", withPrefix(s.energy.work_external, "J")],
    ["added by recovery", withPrefix(s.energy.recovery, "J")],
    ...Object.entries(s.settings || {}),
    ["state hash", s.state_hash],
  ];
  return element("dl", { class: "facts" }, ...rows.filter(([, v]) => v !== undefined && v !== "").map(([k, v]) => element("div", {}, element("dt", {}, k), element("dd", {}, v))));
}

function stageBars(stages) {
  const entries = Object.entries(stages || {}).filter(([, v]) => v > 0);
  if (entries.length === 0) return null;
  const total = entries.reduce((sum, [, v]) => sum + v, 0), most = Math.max(...entries.map(([, v]) => v));
  const rows = entries.map(([name, v]) => element("div", { class: "bar" }, element("span", {}, name), element("div", { class: "track" }, element("i", { style: `width: ${(100 * v) / most}%` })), element("em", {}, durationText(v)), element("em", {}, numberText((100 * v) / total, 2) + " %")));
  return section("Time per stage", element("div", { class: "bars" }, ...rows));
}

function thumbnails(viewer) {
  const { scene } = viewer, last = scene.frames.length - 1;
  const numbers = [...new Set([0, Math.floor(last / 2), last])];
  const names = numbers.length === 3 ? ["first", "middle", "last"] : numbers.length === 2 ? ["first", "last"] : ["the only frame"];
  const row = element("div", { class: "thumbs" });
  numbers.forEach((number, i) => {
    const canvas = element("canvas", { class: "picture" });
    const box = element("div", {}, canvas);
    const button = element("button", { type: "button", title: "show in the viewer" }, box, element("span", {}, names[i] + ", t = " + numberText(scene.frames[number].time, 4) + " s"));
    button.addEventListener("click", () => viewer.show(number));
    row.append(button);
    new ResizeObserver(() => {
      if (box.clientWidth > 20) paint(canvas, box.clientWidth, Math.round(box.clientWidth * scene.aspect), scene, number, newView(scene));
    }).observe(box);
  });
  return row;
}

function notes(...lists) {
  const all = lists.flat().filter(Boolean);
  return all.length ? element("p", { class: "note" }, all.join(" ")) : null;
}

function pictureSection(scene, summary, group) {
  if (!scene) return null;
  if (scene.fault) return section("Pictures", element("p", { class: "note" }, "The frames could not be read: " + scene.fault));
  if (scene.frames.length === 0) return null;
  const prepared = prepareScene(scene);
  const viewer = new Viewer(prepared, summary.time_step);
  group.onPick = (time) => viewer.showTime(time);
  const hint = prepared.planar ? "Drag to move, wheel to zoom, double click to go back." : "Drag to turn, shift and drag to move, wheel to zoom, double click to go back.";
  return section("Pictures", thumbnails(viewer), viewer.node, notes(hint, scene.notes));
}

function chartSections(group, series, data, summary) {
  if (!series) return [section("Plots", element("p", { class: "note" }, "The series could not be read: " + (data.series.fault || "it is absent")))];
  const plan = chartPlan(series, summary.units || {});
  for (const p of plan) if (p.title === "Residual" && summary.tolerance > 0) p.limit = { value: summary.tolerance, label: "tolerance" };
  const probes = plan.filter((p) => p.probe), rest = plan.filter((p) => !p.probe);
  const grid = (list) => element("div", { class: "charts" }, ...list.map((p) => makeChart(group, series, p).node));
  const hint = notes("Point to read values, drag to zoom, double click to go back; a click shows the nearest picture.", data.series.notes);
  return [probes.length ? section("Probes", grid(probes)) : null, section("Energy and solver", grid(rest), hint)];
}

function runPage(data) {
  const s = data.summary, group = new ChartGroup(), series = decodeSeries(data.series);
  const checks = s.checks || [];
  return [
    header(s, "run"),
    element("p", { class: "lead" }, words(s)),
    verdict(checks),
    warningList(s.warnings),
    pictureSection(data.scene, s, group),
    checks.length ? section("Checks", checkTable(checks)) : null,
    ...chartSections(group, series, data, s),
    analysisSection(data.analysis),
    stageBars(s.wall_s_per_stage),
    section("Numbers", facts(s)),
    s.scene_text ? section("Scene", element("details", { open: s.scene_text.length < 4000 }, element("summary", {}, s.scene || "text"), element("pre", {}, s.scene_text))) : null,
  ];
}

// Columns that every run has, one chart each, one line per run.
function studyCharts(group, runs) {
  const read = runs.map((run) => ({ run, series: decodeSeries(run.series) })).filter((r) => r.series);
  if (read.length === 0) return null;
  const shared = read[0].series.names.filter((name) => name !== "t" && read.every((r) => r.series.columns.has(name)));
  const own = shared.filter((name) => !standardColumns.has(name)), common = shared.filter((name) => ["energy.kinetic", "energy.total", "contacts", "sweeps"].includes(name));
  const units = read[0].run.summary.units || {};
  const charts = [...own, ...common].map((name) => new Chart(group, read.map(({ run, series }) => ({ name: run.name, x: series.time, y: series.columns.get(name) })), { title: name, unit: units[name] }).node);
  return section("Runs compared", element("div", { class: "charts" }, ...charts), notes("Point to read values, drag to zoom, double click to go back."));
}

function studyPage(data) {
  const s = data.summary;
  const checks = [...(s.checks || []).map((c) => ({ ...c, run: "all" })), ...data.runs.flatMap((run) => (run.summary ? run.summary.checks || [] : []).map((c) => ({ ...c, run: run.name })))];
  const rows = data.runs.map((run) => {
    const r = run.summary;
    const link = element("a", { href: encodeURIComponent(run.directory) + "/report.html" }, run.name);
    if (!r) return element("tr", {}, element("td", {}, link), element("td", { colspan: 6 }, run.fault || "no summary"));
    return element("tr", {}, element("td", {}, link), element("td", {}, r.status), element("td", { class: "number" }, durationText(r.t_end)), element("td", { class: "number" }, durationText(r.wall_s)), element("td", { class: "number" }, numberText(r.contacts_mean, 3)), element("td", { class: "number" }, numberText(r.sweeps_mean, 3)), element("td", { class: "number" }, numberText(r.unconverged_steps)));
  });
  const head = ["run", "status", "simulated", "wall time", "contacts", "sweeps", "unconverged"];
  const table = element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, ...head.map((h, i) => element("th", { class: i > 1 ? "number" : "" }, h)))), element("tbody", {}, ...rows)));
  return [
    header(s, "study"),
    element("p", { class: "lead" }, `${plural(data.runs.length, "run")} of one scene took ${durationText(s.wall_s)}.`),
    verdict(checks),
    warningList(s.warnings),
    section("Runs", table),
    checks.length ? section("Checks", checkTable(checks, true)) : null,
    studyCharts(new ChartGroup(), data.runs),
  ];
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const page = document.getElementById("page");
  page.replaceChildren(...(data.study ? studyPage(data.study) : runPage(data.run)).filter(Boolean));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => window.dispatchEvent(new Event("resize")));
}

start();
