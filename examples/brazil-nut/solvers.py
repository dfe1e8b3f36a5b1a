#!/usr/bin/env python3
"""Height of the nut and time of the solve by solver (paper 002, Figs 3 and 4), as solvers.svg beside this file, and a table.

    grus run examples/brazil-nut/solvers.yaml --threads 1 --out DIR
    examples/brazil-nut/solvers.py DIR

The time is that of all contact solves up to a moment, taken as sweeps times contacts with the mean cost of one in the whole run:
sweeps and contacts are in series.csv and the same on every machine, the cost is in summary.json.
"""
import csv
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
from svg_chart import Axis, Chart, Curve, write

SOLVERS = {"nlgs-accelerated": "#333333", "nlgs": "#2a78d6", "nlgs-newton": "#1baf7a", "projected-conjugate-gradient": "#8d5bd1", "nlgs-qp": "#f2a33a",
           "nlgs-lemke": "#e34948", "nlgs-projection": "#00a5b5"}


def read(folder, solver):
    """Times (s), heights of the nut (cm), seconds of solving until then; and the summary."""
    with open(folder / solver / "series.csv") as file:
        rows = list(csv.DictReader(file))
    summary = json.loads((folder / solver / "summary.json").read_text())
    work, total = [], 0.0
    for row in rows:
        total += float(row["sweeps"]) * float(row["contacts"])
        work.append(total)
    scale = summary["wall_s_per_stage"]["solve"] / work[-1]
    return [float(r["t"]) for r in rows], [100 * float(r["nut.height"]) for r in rows], [scale * w for w in work], summary


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    runs = {solver: read(folder, solver) for solver in SOLVERS if (folder / solver / "summary.json").exists()}
    time = Axis("t in s", 0, max(t[-1] for t, _, _, _ in runs.values()))
    chart = lambda title, axis, column: Chart(title, time, axis, [Curve(list(zip(run[0], run[column])), SOLVERS[name], name) for name, run in runs.items()], width=480)
    write(HERE / "solvers.svg",
          [chart("Height of the nut above the floor of the jar", Axis("cm", 0, 30), 1),
           chart("Time of all contact solves until then", Axis("s", 0, 1.05 * max(work[-1] for _, _, work, _ in runs.values())), 2)], columns=2)
    print("| solver | nut at the end, cm | solve, ms a step | iterations a step | not converged |\n|---|---|---|---|---|")
    for solver, (_, heights, _, summary) in runs.items():
        print(f"| `{solver}` | {heights[-1]:.1f} | {1e3 * summary['wall_s_per_stage']['solve'] / summary['steps']:.2g} | {summary['sweeps_mean']:.3g} | "
              f"{100 * summary['unconverged_steps'] / summary['steps']:.2g} % |")


if __name__ == "__main__":
    main()
