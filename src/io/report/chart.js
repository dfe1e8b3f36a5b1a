// Lines over time (or another quantity) on a canvas: ticks, legend that switches lines, read-out under the pointer, zoom by dragging.
// All charts of a page share the pointer's time and the zoomed window.

const lineColorCount = 8;

class ChartGroup {
  constructor() {
    this.charts = [];
    this.window = null;  // [from, to] or null: everything
    this.time = null;    // under the pointer
    this.onPick = null;  // a click at a time
  }
  redraw() {
    for (const chart of this.charts) chart.draw();
  }
}

class Chart {
  // options: title, unit, log, height, limit: {value, label}, x: {name, unit} of what is not time; lines: [{name, x, y}] with typed arrays x rising.
  constructor(group, lines, options) {
    this.group = group;
    this.options = options;
    this.x = options.x || { name: "t", unit: "s" };
    this.lines = lines.map((line, i) => ({ ...line, color: `--line-${i % lineColorCount}`, dashed: i >= lineColorCount, on: line.on !== false }));
    this.canvas = element("canvas", { class: "chart-canvas", role: "img", "aria-label": options.title });
    this.readout = element("div", { class: "readout", hidden: true });
    this.legend = element("div", { class: "legend" });
    this.frame = element("div", { class: "chart-frame" }, this.canvas, this.readout);
    const unit = options.unit && options.unit !== "1" ? element("span", { class: "unit" }, options.unit) : null;
    this.node = element("figure", { class: "chart" }, element("figcaption", {}, element("h3", {}, options.title), unit, this.legend), this.frame);
    this.buildLegend();
    this.listen();
    group.charts.push(this);
    new ResizeObserver(() => this.draw()).observe(this.frame);
  }

  buildLegend() {
    if (this.lines.length < 2) return;
    for (const line of this.lines) {
      const key = element("i", { style: `background: var(${line.color})`, class: line.dashed ? "dashed" : "" });
      const button = element("button", { type: "button", "aria-pressed": String(line.on), title: "show or hide" }, key, line.name);
      button.addEventListener("click", () => {
        line.on = !line.on;
        button.setAttribute("aria-pressed", String(line.on));
        this.draw();
      });
      this.legend.append(button);
    }
  }

  listen() {
    const timeAt = (event) => {
      const box = this.canvas.getBoundingClientRect();
      return this.toTime(event.clientX - box.left);
    };
    let start = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      start = timeAt(event);
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      this.group.time = timeAt(event);
      this.selection = start === null ? null : [start, this.group.time];
      this.group.redraw();
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const end = timeAt(event);
      const [from, to] = this.span();
      if (start !== null && Math.abs(end - start) > 0.01 * (to - from)) this.group.window = [Math.min(start, end), Math.max(start, end)];
      else if (start !== null && this.group.onPick) this.group.onPick(end);
      start = null;
      this.selection = null;
      this.group.redraw();
    });
    this.canvas.addEventListener("pointerleave", () => {
      this.group.time = null;
      this.group.redraw();
    });
    this.canvas.addEventListener("dblclick", () => {
      this.group.window = null;
      this.group.redraw();
    });
  }

  span() {
    if (this.group.window) return this.group.window;
    let low = Infinity, high = -Infinity;
    for (const { x } of this.lines) {
      if (x.length === 0) continue;
      low = Math.min(low, x[0]);
      high = Math.max(high, x[x.length - 1]);
    }
    if (!(low <= high)) return [0, 1];
    return low === high ? [low, low + 1] : [low, high];
  }

  range(from, to) {
    let low = Infinity, high = -Infinity;
    const log = this.options.log;
    for (const line of this.lines) {
      if (!line.on) continue;
      for (let i = 0; i < line.x.length; i++) {
        const v = line.y[i];
        if (line.x[i] < from || line.x[i] > to || !Number.isFinite(v) || (log && v <= 0)) continue;
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (this.options.limit && low <= high) {
      low = Math.min(low, this.options.limit.value);
      high = Math.max(high, this.options.limit.value);
    }
    if (!(low <= high)) return log ? [1e-6, 1] : [0, 1];
    if (log) return [Math.pow(10, Math.floor(Math.log10(low) - 0.05)), Math.pow(10, Math.ceil(Math.log10(high) + 0.05))];
    // Room above and below; a constant gets a window of its own size, so that rounding does not look like motion.
    const scale = Math.max(Math.abs(low), Math.abs(high));
    let pad = 0.06 * (high - low);
    if (high - low <= 1e-9 * scale) pad = scale === 0 ? 1 : 0.1 * scale;
    const reachesZero = low >= 0 && low < 0.3 * (high - low);
    return [reachesZero ? 0 : low - pad, high + pad];
  }

  toTime(px) {
    const { left, width, from, to } = this.layout;
    return from + ((px - left) / width) * (to - from);
  }

  draw() {
    const width = this.frame.clientWidth, height = this.options.height || 210;
    if (width < 40) return;
    const g = sharpContext(this.canvas, width, height);
    const [from, to] = this.span(), [low, high] = this.range(from, to);
    g.font = `12px ${cssColor("--sans")}`;
    const ticks = this.options.log ? logTicks(low, high, height / 36) : linearTicks(low, high, height / 44);
    const labels = ticks.map((v) => numberText(v, 5));
    const left = Math.ceil(Math.max(34, ...labels.map((t) => g.measureText(t).width))) + 12;
    const plot = { left, top: 10, width: width - left - 14, height: height - 10 - 26, from, to };
    this.layout = plot;
    const sx = (t) => plot.left + ((t - from) / (to - from)) * plot.width;
    const log = this.options.log;
    const sy = log
      ? (v) => plot.top + plot.height * (1 - Math.log(v / low) / Math.log(high / low))
      : (v) => plot.top + plot.height * (1 - (v - low) / (high - low));
    g.clearRect(0, 0, width, height);
    this.drawAxes(g, plot, sx, sy, ticks, labels);
    g.save();
    g.beginPath();
    g.rect(plot.left, plot.top - 2, plot.width, plot.height + 4);
    g.clip();
    if (this.options.limit) this.drawLimit(g, plot, sy);
    for (const line of this.lines) if (line.on) this.drawLine(g, line, sx, sy);
    if (this.selection) {
      g.fillStyle = cssColor("--faint");
      const [a, b] = this.selection.map(sx);
      g.globalAlpha = 0.5;
      g.fillRect(Math.min(a, b), plot.top, Math.abs(b - a), plot.height);
      g.globalAlpha = 1;
    }
    g.restore();
    this.drawReadout(g, plot, sx, sy);
  }

  drawAxes(g, plot, sx, sy, ticks, labels) {
    g.lineWidth = 1;
    g.fillStyle = cssColor("--muted");
    g.textBaseline = "middle";
    g.textAlign = "right";
    ticks.forEach((v, i) => {
      const y = Math.round(sy(v)) + 0.5;
      g.strokeStyle = cssColor("--grid");
      g.beginPath();
      g.moveTo(plot.left, y);
      g.lineTo(plot.left + plot.width, y);
      g.stroke();
      g.fillText(labels[i], plot.left - 8, y);
    });
    g.textAlign = "center";
    g.textBaseline = "top";
    const bottom = plot.top + plot.height;
    const times = linearTicks(plot.from, plot.to, Math.max(2, plot.width / 90));
    for (const t of times) {
      const x = Math.round(sx(t)) + 0.5;
      g.strokeStyle = cssColor("--axis");
      g.beginPath();
      g.moveTo(x, bottom);
      g.lineTo(x, bottom + 4);
      g.stroke();
      const last = t === times[times.length - 1];
      g.fillText(numberText(t, 6) + (last && this.x.unit ? " " + this.x.unit : ""), Math.min(x, plot.left + plot.width - (last ? 8 : 0)), bottom + 8);
    }
    g.beginPath();
    g.moveTo(plot.left, bottom + 0.5);
    g.lineTo(plot.left + plot.width, bottom + 0.5);
    g.stroke();
  }

  drawLimit(g, plot, sy) {
    const { value, label } = this.options.limit;
    const y = sy(value);
    g.strokeStyle = g.fillStyle = cssColor("--muted");
    g.setLineDash([4, 4]);
    g.beginPath();
    g.moveTo(plot.left, y);
    g.lineTo(plot.left + plot.width, y);
    g.stroke();
    g.setLineDash([]);
    g.textAlign = "right";
    g.textBaseline = "bottom";
    g.fillText(label, plot.left + plot.width - 4, y - 3);
  }

  drawLine(g, line, sx, sy) {
    g.strokeStyle = cssColor(line.color);
    g.lineWidth = 1.6;
    g.lineJoin = "round";
    g.setLineDash(line.dashed ? [6, 3] : []);
    g.beginPath();
    let pen = false;
    for (let i = 0; i < line.x.length; i++) {
      const v = line.y[i];
      if (!Number.isFinite(v) || (this.options.log && v <= 0)) {
        pen = false;
        continue;
      }
      if (pen) g.lineTo(sx(line.x[i]), sy(v));
      else g.moveTo(sx(line.x[i]), sy(v));
      pen = true;
    }
    g.stroke();
    g.setLineDash([]);
    if (line.x.length === 1) {
      g.fillStyle = cssColor(line.color);
      g.fillRect(sx(line.x[0]) - 2, sy(line.y[0]) - 2, 4, 4);
    }
  }

  drawReadout(g, plot, sx, sy) {
    const time = this.group.time;
    if (time === null || time < plot.from || time > plot.to) {
      this.readout.hidden = true;
      return;
    }
    const rows = [];
    let at = time;
    for (const line of this.lines) {
      if (!line.on || line.x.length === 0) continue;
      const i = nearest(line.x, time);
      at = line.x[i];
      rows.push([line, line.y[i]]);
    }
    if (rows.length === 0) return;
    const x = sx(at);
    g.strokeStyle = cssColor("--muted");
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(x, plot.top);
    g.lineTo(x, plot.top + plot.height);
    g.stroke();
    for (const [line, v] of rows) {
      if (!Number.isFinite(v) || (this.options.log && v <= 0)) continue;
      g.fillStyle = cssColor(line.color);
      g.beginPath();
      g.arc(x, sy(v), 3, 0, 2 * Math.PI);
      g.fill();
    }
    this.readout.replaceChildren(
      element("b", {}, `${this.x.name} = ${numberText(at, 6)} ${this.x.unit}`),
      ...rows.map(([line, v]) => element("div", {}, element("i", { style: `background: var(${line.color})` }), element("span", {}, line.name), element("em", {}, numberText(v, 6)))));
    this.readout.hidden = false;
    const room = plot.left + plot.width - x;
    this.readout.style.left = room > this.readout.offsetWidth + 16 ? x + 10 + "px" : x - this.readout.offsetWidth - 10 + "px";
  }
}

// Index of the value of a rising array that is closest to x.
function nearest(values, x) {
  let low = 0, high = values.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle;
    else high = middle;
  }
  return Math.abs(values[high] - x) < Math.abs(values[low] - x) ? high : low;
}
