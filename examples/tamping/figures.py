#!/usr/bin/env python3
"""Draws the figures of the four runs: Figs. 10 and 11 of paper 000, and what engineers ask for besides.

    examples/tamping/figures.py out/tamping [FOLDER]

out/tamping is the folder of the study tamping.yaml; runs that are missing are left out. FOLDER, where the pictures go, is
this one unless given. Forces of contacts are means over one cycle of vibration.
"""
import csv
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
# folder of the run, words, colour, frequency of its vibration in Hz, dashed: imposed kinematics (dotted in the paper)
RUNS = [("15-hz", "15 Hz", "#2a78d6", 15, False), ("30-hz", "30 Hz", "#1baf7a", 30, False),
        ("45-hz", "45 Hz", "#e08a1e", 45, False), ("15-hz-imposed", "15 Hz, imposed", "#2a78d6", 15, True)]
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 640, 300, 70, 34, 46  # px, of a panel and around it


class Run:
    """The columns of one run as lists of numbers, and its phases."""

    def __init__(self, folder, words, color, frequency, imposed):
        self.words, self.color, self.frequency, self.imposed = words, color, frequency, imposed
        with open(folder / "series.csv") as file:
            rows = list(csv.DictReader(file))
        self.columns = {name: [float(row[name]) for row in rows] for name in rows[0]}
        self.t = self.columns["t"]

    def smooth(self, name):
        """Mean over one cycle about every row; empty cells (not a number) count as zero."""
        values = [v if v == v else 0.0 for v in self.columns[name]]
        sums = [0.0]
        for value in values:
            sums.append(sums[-1] + value)
        half = max(1, round(0.5 / (self.frequency * (self.t[1] - self.t[0]))))
        last = len(values) - 1
        return [(sums[min(i + half, last) + 1] - sums[max(i - half, 0)]) / (min(i + half, last) - max(i - half, 0) + 1)
                for i in range(len(values))]

    def work_per_cycle(self, power):
        """Points (s, J): work of each whole cycle."""
        step = self.t[1] - self.t[0]
        rows = 1 / (self.frequency * step)
        values = [v if v == v else 0.0 for v in power]
        cycles = int(len(values) / rows)
        bounds = [round(k * rows) for k in range(cycles + 1)]
        return [(self.t[min((a + b) // 2, len(values) - 1)], step * sum(values[a:b]))
                for a, b in zip(bounds, bounds[1:])]


def ticks(low, high):
    """Round numbers between low and high, about five."""
    step = 1e-9
    while (high - low) / step > 6:
        for factor in (2, 2.5, 2):
            step *= factor
            if (high - low) / step <= 6:
                break
    first = int(low / step) - 1
    return [k * step for k in range(first, first + 10) if low - 1e-12 <= k * step <= high + 1e-12]


def panel(title, unit, curves, phases, begin=0.0):
    """One diagram of curves (run, points)."""
    points = [p for _, line in curves for p in line if p[0] >= begin]
    if not points:
        return [f'<text x="{LEFT}" y="{TOP - 12}">{title}: no run has reached {begin:g} s yet</text>']
    low, high = min(p[1] for p in points), max(p[1] for p in points)
    margin = 0.05 * (high - low) or 1.0
    low, high, end = low - margin, high + margin, max(p[0] for p in points)
    x = lambda t: LEFT + WIDTH * (t - begin) / (end - begin)
    y = lambda v: TOP + HEIGHT * (1 - (v - low) / (high - low))
    out = [f'<text x="{LEFT}" y="{TOP - 12}">{title}</text>',
           f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" stroke="#999"/>']
    for v in ticks(low, high):
        out.append(f'<path d="M{LEFT} {y(v):.1f}h{WIDTH}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 8}" y="{y(v) + 4:.1f}" text-anchor="end">{v:.6g}</text>')
    for t in ticks(begin, end):
        out.append(f'<text x="{x(t):.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{t:.6g}</text>')
    for t in phases:
        if begin < t < end:
            out.append(f'<path d="M{x(t):.1f} {TOP}v{HEIGHT}" stroke="#999" stroke-dasharray="4 4"/>')
    out.append(f'<text x="{LEFT + WIDTH}" y="{TOP + HEIGHT + 36}" text-anchor="end">t in s</text>')
    out.append(f'<text transform="translate(16 {TOP + HEIGHT / 2}) rotate(-90)" text-anchor="middle">{unit}</text>')
    for run, line in curves:
        dash = ' stroke-dasharray="2 4"' if run.imposed else ""
        path = " ".join(f"{x(t):.1f},{y(v):.1f}" for t, v in line if t >= begin)
        out.append(f'<polyline points="{path}" stroke="{run.color}" stroke-width="1.6"{dash}/>')
    return out


def legend(runs, top):
    out = []
    for k, run in enumerate(runs):
        dash = ' stroke-dasharray="2 4"' if run.imposed else ""
        x = LEFT + 150 * k
        out.append(f'<path d="M{x} {top}h28" stroke="{run.color}" stroke-width="3"{dash}/>'
                   f'<text x="{x + 34}" y="{top + 5}">{run.words}</text>')
    return out


def write(path, runs, panels):
    """Panels below each other, one legend."""
    pitch = TOP + HEIGHT + BOTTOM
    width, height = LEFT + WIDTH + 20, len(panels) * pitch + 34
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" fill="none" font-size="13"'
           ' font-family="Inter, sans-serif">', "<style>text{fill:#333}</style>",
           f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for k, lines in enumerate(panels):
        out += [f'<g transform="translate(0 {k * pitch})">', *lines, "</g>"]
    out += legend(runs, height - 18)
    path.write_text("\n".join(out + ["</svg>"]) + "\n")
    print(path)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    study = pathlib.Path(sys.argv[1])
    target = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else HERE
    target.mkdir(parents=True, exist_ok=True)
    runs = [Run(study / name, *words) for name, *words in RUNS if (study / name / "series.csv").exists()]
    if not runs:
        sys.exit(f"figures.py: no run of the study in {study}; make them with: grus run examples/tamping/tamping.yaml --out {study}")
    phases = [0.3, 1.2]  # s, as in parts/machine.yaml
    line = lambda run, values, scale: (run, [(t, scale * v) for t, v in zip(run.t, values) if v == v])
    column = lambda name, scale: [line(run, run.columns[name], scale) for run in runs]
    cycle = lambda name, scale: [line(run, run.smooth(name), scale) for run in runs]
    write(target / "figure.svg", runs, [panel("Chassis height (Fig. 10)", "m", column("chassis.z", 1), phases)])
    write(target / "squeezing.svg", runs, [
        panel("Actuator length (Fig. 11a)", "mm", column("actuator.length", 1e3), phases, phases[1]),
        panel("Actuator force (Fig. 11b)", "kN", cycle("actuator.force", 1e-3), phases, phases[1])])
    write(target / "engineering.svg", runs, [
        panel("Depth of the tines below the first surface", "mm", column("tines.depth", 1e3), phases),
        panel("Resistance of the ballast to the dive, mean of a cycle", "kN", cycle("tines.lift", 1e-3), phases),
        panel("Squeezing force of a plate, mean of a cycle", "kN", cycle("tines.squeeze", 1e-3), phases),
        panel("Work of the vibration's drive per cycle", "J",
              [(run, run.work_per_cycle(run.columns["vibration.power"])) for run in runs], phases)])


if __name__ == "__main__":
    main()
