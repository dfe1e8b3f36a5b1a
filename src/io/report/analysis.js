// What analysis.json says: maps of the solid fraction before, after and their difference, regions, histograms.

const solidMap = ["#f4efe4", "#e3cf9f", "#c99f5f", "#8f6b45", "#4a3a30"];
const changeMap = ["#2f5f8f", "#8fb3cc", "#f2f0ea", "#e0a27c", "#a8412f"];

const timeName = (frame) => "t = " + numberText(frame.time, 4) + " s";

// A colour per cell, axes in metres, the regions as outlines, the value under the pointer. Cells without free volume
// (null) are left as wall.
class HeatMap {
  // options: title, colors, low, high, digits
  constructor(analysis, values, options) {
    Object.assign(this, { analysis, values, options });
    this.canvas = element("canvas", { class: "chart-canvas", role: "img", "aria-label": options.title });
    this.readout = element("div", { class: "readout", hidden: true });
    this.frame = element("div", { class: "chart-frame" }, this.canvas, this.readout);
    const key = element("div", { class: "color-key" }, element("b", {}, numberText(options.low, 3)), element("u", { style: `background: ${mapCss(options.colors)}` }), element("b", {}, numberText(options.high, 3)));
    this.node = element("figure", { class: "chart" }, element("figcaption", {}, element("h3", {}, options.title)), this.frame, key);
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => (this.readout.hidden = true));
    new ResizeObserver(() => this.draw()).observe(this.frame);
  }

  draw() {
    const { count, min, max, axes } = this.analysis.map, { colors, low, high } = this.options;
    const width = this.frame.clientWidth;
    if (width < 40) return;
    const left = 44, bottom = 28, room = width - left - 10;
    const scale = Math.min(room / (max[0] - min[0]), 380 / (max[1] - min[1]));
    const plot = { left, top: 6, width: scale * (max[0] - min[0]), height: scale * (max[1] - min[1]) };
    this.plot = plot;
    const g = sharpContext(this.canvas, width, plot.top + plot.height + bottom);
    g.fillStyle = cssColor("--hatch");
    g.fillRect(plot.left, plot.top, plot.width, plot.height);
    const dx = plot.width / count[0], dy = plot.height / count[1];
    this.values.forEach((value, k) => {
      if (value === null) return;
      g.fillStyle = cssRgb(packed(mix(colors, (value - low) / (high - low || 1))));
      const x = plot.left + (k % count[0]) * dx, y = plot.top + plot.height - (Math.floor(k / count[0]) + 1) * dy;
      g.fillRect(x, y, dx + 0.5, dy + 0.5);  // the half pixel closes the seams
    });
    this.drawRegions(g);
    this.drawAxes(g, axes);
  }

  toPixel(u, v) {
    const { min, max } = this.analysis.map, { left, top, width, height } = this.plot;
    return [left + ((u - min[0]) / (max[0] - min[0])) * width, top + height * (1 - (v - min[1]) / (max[1] - min[1]))];
  }

  drawRegions(g) {
    const { left, top, width, height } = this.plot, [a, b] = this.analysis.map.axes.map((name) => "xyz".indexOf(name));
    g.save();
    g.beginPath();
    g.rect(left, top, width, height);
    g.clip();
    g.fillStyle = cssColor("--accent");
    g.font = `12px ${cssColor("--sans")}`;
    g.textBaseline = "top";
    for (const region of this.analysis.regions) {
      const [x0, y0] = this.toPixel(region.min[a], region.max[b]), [x1, y1] = this.toPixel(region.max[a], region.min[b]);
      g.lineWidth = 1.5;
      g.strokeStyle = cssColor("--accent");
      g.strokeRect(x0, y0, x1 - x0, y1 - y0);
      g.lineWidth = 3;  // a rim that can be read on any colour
      g.strokeStyle = cssColor("--card");
      g.strokeText(region.name, Math.max(x0, left) + 5, Math.max(y0, top) + 4);
      g.fillText(region.name, Math.max(x0, left) + 5, Math.max(y0, top) + 4);
    }
    g.restore();
  }

  drawAxes(g, axes) {
    const { min, max } = this.analysis.map, { left, top, width, height } = this.plot;
    g.fillStyle = cssColor("--muted");
    g.font = `12px ${cssColor("--sans")}`;
    g.textAlign = "center";
    g.textBaseline = "top";
    const across = linearTicks(min[0], max[0], Math.max(2, width / 80));
    across.forEach((u, i) => {
      const text = numberText(u, 4) + (i === across.length - 1 ? " m, " + axes[0] : "");
      g.fillText(text, Math.min(this.toPixel(u, min[1])[0], left + width + 8 - g.measureText(text).width / 2), top + height + 8);
    });
    g.textAlign = "right";
    g.textBaseline = "middle";
    const up = linearTicks(min[1], max[1], Math.max(2, height / 40));
    up.forEach((v, i) => g.fillText(numberText(v, 4) + (i === up.length - 1 ? " " + axes[1] : ""), left - 6, Math.max(top + 6, this.toPixel(min[0], v)[1])));
  }

  point(event) {
    const box = this.canvas.getBoundingClientRect(), { left, top, width, height } = this.plot, { count } = this.analysis.map;
    const i = Math.floor(((event.clientX - box.left - left) / width) * count[0]), j = Math.floor((1 - (event.clientY - box.top - top) / height) * count[1]);
    this.readout.hidden = i < 0 || j < 0 || i >= count[0] || j >= count[1];
    if (this.readout.hidden) return;
    const value = this.values[j * count[0] + i];
    this.readout.replaceChildren(value === null ? "no free volume" : numberText(value, 3));
    this.readout.style.left = Math.min(event.clientX - box.left + 12, box.width - 90) + "px";
  }
}

function analysisMaps(analysis) {
  const { frames } = analysis, first = frames[0], last = frames[frames.length - 1];
  const shown = frames.length > 1 ? [first, last] : [first];
  const largest = (values, least) => values.reduce((most, v) => (v === null ? most : Math.max(most, Math.abs(v))), least);
  const high = largest(shown.flatMap((f) => f.map), 0.01);
  const maps = shown.map((f) => new HeatMap(analysis, f.map, { title: "Solid fraction, " + timeName(f), colors: solidMap, low: 0, high }).node);
  if (frames.length > 1) {
    const change = last.map.map((v, k) => (v === null || first.map[k] === null ? null : v - first.map[k]));
    const most = largest(change, 1e-3);
    maps.push(new HeatMap(analysis, change, { title: "Change of the solid fraction", colors: changeMap, low: -most, high: most }).node);
  }
  return element("div", { class: "charts" }, ...maps);
}

// Bins as a line of steps.
function steps(density, from, width) {
  const x = new Float64Array(2 * density.length), y = new Float64Array(2 * density.length);
  density.forEach((value, k) => {
    x[2 * k] = from + k * width;
    x[2 * k + 1] = from + (k + 1) * width;
    y[2 * k] = y[2 * k + 1] = value;
  });
  return { x, y };
}

function analysisHistograms(analysis) {
  const loaded = analysis.frames.filter((f) => f.forces.contacts > 0);
  if (loaded.length === 0) return null;
  const chart = (title, x, bins, options = {}) => new Chart(new ChartGroup(), loaded.map((f) => ({ name: timeName(f), ...bins(f) })), { title, x, ...options }).node;
  const planar = analysis.planar, part = (f) => f.coordination.histogram.map((n) => n / Math.max(1, f.coordination.bodies));
  return element("div", { class: "charts" },
    chart("Contact forces, density over force/mean", { name: "f/mean", unit: "" }, (f) => steps(f.forces.density, 0, f.forces.bin_width), { log: true }),
    chart("Neighbours that press on a body, part of the bodies", { name: "neighbours", unit: "" }, (f) => steps(part(f), -0.5, 1)),
    chart(planar ? "Normals, density over the angle to x" : "Normals, density over |cosine| to up", planar ? { name: "angle", unit: "rad" } : { name: "cosine", unit: "" }, (f) => steps(f.fabric.density, 0, (planar ? Math.PI : 1) / f.fabric.density.length), { limit: { value: 1, label: "no direction preferred" } }));
}

function analysisTable(analysis) {
  const { frames } = analysis;
  const loaded = (f, text) => (f.forces.contacts > 0 ? text() : "–");
  const percent = (x) => (x === null ? "–" : numberText(100 * x, 3) + " %");
  const rows = [["solid fraction", (f) => numberText(f.solid_fraction, 4)]];
  analysis.regions.forEach((region, r) => rows.push(["solid fraction, " + region.name, (f) => numberText(f.regions[r].solid_fraction, 4)]));
  rows.push(["coordination", (f) => loaded(f, () => numberText(f.coordination.mean, 3))], ["coordination without rattlers", (f) => numberText(f.coordination.mean_without_rattlers, 3)]);
  analysis.regions.forEach((region, r) => rows.push(["coordination, " + region.name, (f) => numberText(f.regions[r].coordination.mean_without_rattlers, 3)]));
  rows.push(["contacts", (f) => numberText(f.forces.contacts)]);
  for (const [key, name] of [["mean", "mean force"], ["median", "median force"], ["p90", "force, 90 %"], ["p99", "force, 99 %"], ["max", "largest force"]])
    rows.push([name, (f) => loaded(f, () => withPrefix(f.forces[key], "N"))]);
  for (const k of [2, 5, 10]) rows.push([`contacts above ${k} means`, (f) => percent(f.forces["above_" + k])]);
  if (frames[0].overloaded) rows.push(["bodies above " + withPrefix(frames[0].overloaded.strength, "N"), (f) => loaded(f, () => numberText(f.overloaded.bodies))]);
  rows.push(["anisotropy of normals", (f) => numberText(f.fabric.anisotropy, 3)]);
  const head = element("tr", {}, element("th", {}), ...frames.map((f) => element("th", { class: "number" }, timeName(f))));
  return element("div", { class: "scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows.map(([name, text]) => element("tr", {}, element("td", {}, name), ...frames.map((f) => element("td", { class: "number" }, text(f))))))));
}

function analysisSection(analysis) {
  if (!analysis) return null;
  if (analysis.fault) return section("Grains", element("p", { class: "note" }, "The analysis could not be read: " + analysis.fault));
  const { map } = analysis;
  const averaged = analysis.planar ? "" : ` averaged over ${map.across}`;
  return section("Grains", analysisMaps(analysis), notes(`The maps show the part of each cell inside grains${averaged}, without what walls and machines cover; a cell is sampled to ${numberText(map.error, 2)}.`), element("div", { class: "between" }, analysisTable(analysis)), analysisHistograms(analysis));
}
