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
sys.path.insert(0, str(HERE.parents[1] / "tools"))
from svg_chart import Axis, Chart, Curve, write

# folder of the run, words, colour, frequency of its vibration in Hz, dashed: imposed kinematics (dotted in the paper)
RUNS = [("15-hz", "15 Hz", "#2a78d6", 15, False), ("30-hz", "30 Hz", "#1baf7a", 30, False),
        ("45-hz", "45 Hz", "#e08a1e", 45, False), ("15-hz-imposed", "15 Hz, imposed", "#2a78d6", 15, True)]


class Run:
    """The columns of one run as lists of numbers, and its phases."""

    def __init__(self, folder, words, color, frequency, imposed):
        self.words, self.color, self.frequency, self.imposed = words, color, frequency, imposed
        with open(folder / "series.csv") as file:
            rows = list(csv.DictReader(file))
        self.columns = {name: [float(row[name]) for row in rows] for name in rows[0]}
        self.t = self.columns["t"]

    def smooth(self, name):
        """Mean over one cycle about every row; empty cells (not a number) count as zero. Not a number near the ends."""
        values = [v if v == v else 0.0 for v in self.columns[name]]
        sums = [0.0]
        for value in values:
            sums.append(sums[-1] + value)
        half = max(1, round(0.5 / (self.frequency * (self.t[1] - self.t[0]))))
        mean = lambda i: (sums[i + half + 1] - sums[i - half]) / (2 * half + 1)
        return [mean(i) if half <= i < len(values) - half else float("nan") for i in range(len(values))]

    def work_per_cycle(self, power):
        """Points (s, J): work of each whole cycle."""
        step = self.t[1] - self.t[0]
        rows = 1 / (self.frequency * step)
        values = [v if v == v else 0.0 for v in power]
        cycles = int(len(values) / rows)
        bounds = [round(k * rows) for k in range(cycles + 1)]
        return [(self.t[min((a + b) // 2, len(values) - 1)], step * sum(values[a:b]))
                for a, b in zip(bounds, bounds[1:])]


def panel(title, unit, lines, phases, begin=0.0):
    """One diagram of lines (run, points) from a time on."""
    curves = [Curve([p for p in points if p[0] >= begin], run.color, run.words, dashed=run.imposed) for run, points in lines]
    times, values = zip(*([p for curve in curves for p in curve.points] or [(begin, 0.0), (begin + 1, 1.0)]))
    return Chart(title, Axis("t in s", begin, max(times)), Axis.around(unit, values), curves, x_rules=phases)


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
    write(target / "diving.svg", [panel("Chassis height (Fig. 10)", "m", column("chassis.z", 1), phases)])
    write(target / "squeezing.svg", [
        panel("Actuator length (Fig. 11a)", "mm", column("actuator.length", 1e3), phases, phases[1]),
        panel("Actuator force (Fig. 11b)", "kN", cycle("actuator.force", 1e-3), phases, phases[1])])
    write(target / "engineering.svg", [
        panel("Depth of the tines below the first surface", "mm", column("tines.depth", 1e3), phases),
        panel("Resistance of the ballast to the dive, mean of a cycle", "kN", cycle("tines.lift", 1e-3), phases),
        panel("Squeezing force of a plate, mean of a cycle", "kN", cycle("tines.squeeze", 1e-3), phases),
        panel("Work of the vibration's drive per cycle", "J",
              [(run, run.work_per_cycle(run.columns["vibration.power"])) for run in runs], phases)])


if __name__ == "__main__":
    main()
