#!/usr/bin/env python3
"""Time of the solve against the number of contacts, by solver (paper 002, Fig. 2), as solvers.svg beside this file.

    examples/spheres-settling/solvers.py build/grus

Contact problems are saved while the spheres come to rest, and each is solved from zero by every solver to one error.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
from svg_chart import Axis, Chart, Curve, write

EVERY = 400  # steps between two problems
TOLERANCE = 1e-2  # what a cone of 16 facets can reach
TIME_LIMIT = 10  # s
SOLVERS = {"auto": "#333333", "nlgs": "#2a78d6", "nlgs-newton": "#1baf7a", "nlgs-projection": "#00a5b5", "nlgs-lemke": "#e34948",
           "nlgs-qp": "#f2a33a", "projected-conjugate-gradient": "#8d5bd1"}


def measure(program, folder):
    """{solver: [(contacts, seconds)]}; a problem that a solver misses is left out."""
    subprocess.run([program, "run", HERE / "spheres-settling.yaml", "--quiet", "--no-report", "--out", folder, "--save-problems", f"every={EVERY}"], check=True)
    points = {solver: [] for solver in SOLVERS}
    for problem in sorted((folder / "problems").glob("*.hdf5")):
        for solver in SOLVERS:
            answer = subprocess.run([program, "solve", problem, "--solver", solver, "--tol", str(TOLERANCE), "--time-limit", str(TIME_LIMIT), "--json"],
                                    capture_output=True, text=True)
            result = json.loads(answer.stdout)
            if result["converged"] and result["contacts"] > 0:
                points[solver].append((result["contacts"], result["seconds"]))
            print(f"{result['contacts']:6} contacts  {solver:30} {1e3 * result['seconds']:10.3f} ms  {'' if result['converged'] else 'missed'}")
    return points


def draw(points, path):
    contacts, seconds = zip(*(p for list_ in points.values() for p in list_))
    decade = lambda value, round_: 10.0 ** round_(math.log10(value))
    chart = Chart(f"Time of the solve to an error of {TOLERANCE:g}", Axis("contacts", min(contacts), max(contacts)),
                  Axis("ms", decade(1e3 * min(seconds), math.floor), decade(1e3 * max(seconds), math.ceil), log=True),
                  [Curve([(c, 1e3 * s) for c, s in sorted(points[solver])], color, solver, marks=True)
                   for solver, color in SOLVERS.items()], width=520, height=340)
    write(path, [chart], legend_beside=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        draw(measure(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder)), HERE / "solvers.svg")


if __name__ == "__main__":
    main()
