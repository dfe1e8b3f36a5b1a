// A plot of columns as a picture: title and legend above, for figures of manuals.
import { element } from "./dom";
import { FileFault } from "./frame";
import { Chart } from "./plots";
import type { RunSource } from "./run_source";
import { cssColour, cssFont } from "./theme";

const margin = 14, line = 22; // CSS pixels

export async function plotPicture(source: RunSource, columns: string[], log: boolean, width: number, height: number): Promise<HTMLCanvasElement> {
  const series = await source.series(), summary = await source.summary();
  if (!series) throw new FileFault("the run has no series.csv");
  const missing = columns.filter((c) => !series.columns.includes(c));
  if (missing.length) throw new FileFault(`series.csv has no column '${missing[0]}'; it has ${series.columns.join(", ")}`);
  const units = summary?.units ?? {}, unit = units[columns[0]] ?? "";
  const box = element("div", { style: `width: ${width - 2 * margin}px` });
  document.body.append(box);
  const chart = new Chart({ title: columns.join(", "), lines: columns, log, size: { width: width - 2 * margin, height: height - 2 * margin - line, figure: true } });
  box.append(chart.node);
  chart.setData(series.values[0], columns.map((c) => series.values[series.columns.indexOf(c)]));
  await new Promise(requestAnimationFrame);
  const canvas = element("canvas", { width, height }), g = canvas.getContext("2d")!;
  g.fillStyle = cssColour("--paper");
  g.fillRect(0, 0, width, height);
  g.drawImage(chart.canvas, margin, margin + line, width - 2 * margin, height - 2 * margin - line);
  g.textBaseline = "middle";
  let x = margin + 6;
  const write = (text: string, font: string, colour: string) => {
    g.font = `${font} 15px ${cssFont()}`;
    g.fillStyle = colour;
    g.fillText(text, x, margin + line / 2);
    x += g.measureText(text).width + 16;
  };
  columns.forEach((column, i) => {
    if (columns.length > 1) {
      g.fillStyle = cssColour(`--line-${i}`);
      g.fillRect(x, margin + line / 2 - 6, 12, 12);
      x += 18;
    }
    write(column, columns.length > 1 ? "500" : "600", cssColour("--ink"));
  });
  if (unit && unit !== "1") write(unit, "400", cssColour("--muted"));
  return canvas;
}
