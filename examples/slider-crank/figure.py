#!/usr/bin/env python3
"""Draws figure.svg: the path of the slider in three models, at two steps (as Figs. 6 and 7 of paper 000).

    examples/slider-crank/figure.py build/grus
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
from svg_chart import Axis, Chart, Curve, write

MODELS = [("chain", "#2a78d6"), ("cut-y-free", "#1baf7a"), ("absolute", "#e34948")]
STEPS = ["1e-5", "1e-4"]
END, LIMIT = 0.14, 1.25  # s, mm


def path(program, model, step, folder):
    """Points (s, mm) of the slider's height."""
    subprocess.run([program, "run", HERE / f"{model}.yaml", "--no-report", "--out", folder, "--set", f"time.step={step}",
                    "--set", "outputs.series=2e-4", "--set", "outputs.frames=false"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # checks may fail at the large step
    with open(folder / "series.csv") as file:
        return [(float(row["t"]), 1e3 * float(row["slider.y"])) for row in csv.DictReader(file)]


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    charts = []
    with tempfile.TemporaryDirectory() as folder:
        for step in STEPS:
            curves = [Curve(path(program, model, step, pathlib.Path(folder) / f"{model}-{step}"), color, model)
                      for model, color in MODELS]
            charts.append(Chart(f"h = {step} s", Axis("t in s", 0, END), Axis("height of the slider in mm", -LIMIT, LIMIT),
                                curves, y_rules=[-1, 1], width=480))
    write(HERE / "figure.svg", charts, columns=2)


if __name__ == "__main__":
    main()
