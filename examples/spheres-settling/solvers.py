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
EVERY = 400  # steps between two problems
TOLERANCE = 1e-2  # what a cone of 16 facets can reach
TIME_LIMIT = 10  # s
SOLVERS = {"auto": "#333333", "nlgs": "#2a78d6", "nlgs-newton": "#1baf7a", "nlgs-projection": "#00a5b5", "nlgs-lemke": "#e34948",
           "nlgs-qp": "#f2a33a", "projected-conjugate-gradient": "#8d5bd1"}
WIDTH, HEIGHT, LEFT, TOP, LEGEND = 520, 340, 70, 36, 200  # px


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
    every = [p for list_ in points.values() for p in list_]
    low_x, high_x = min(p[0] for p in every), max(p[0] for p in every)
    low_y, high_y = (round_(math.log10(f(p[1] for p in every))) for f, round_ in ((min, math.floor), (max, math.ceil)))
    x = lambda contacts: LEFT + WIDTH * (contacts - low_x) / (high_x - low_x)
    y = lambda seconds: TOP + HEIGHT * (high_y - math.log10(seconds)) / (high_y - low_y)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + LEGEND} {TOP + HEIGHT + 50}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>', f'<text x="{LEFT}" y="20">Time of the solve to an error of {TOLERANCE:g}</text>',
           f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 40}" text-anchor="middle">contacts</text>']
    for power in range(low_y, high_y + 1):
        out.append(f'<path d="M{LEFT} {y(10**power):.1f}h{WIDTH}" stroke="#ddd"/><text x="{LEFT - 8}" y="{y(10**power) + 4:.1f}" text-anchor="end">{1e3 * 10**power:g} ms</text>')
    for contacts in (low_x, (low_x + high_x) // 2, high_x):
        out.append(f'<text x="{x(contacts):.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{contacts}</text>')
    for k, (solver, color) in enumerate(SOLVERS.items()):
        curve = sorted(points[solver])
        out.append(f'<polyline points="{" ".join(f"{x(c):.1f},{y(s):.1f}" for c, s in curve)}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        out += [f'<circle cx="{x(c):.1f}" cy="{y(s):.1f}" r="2.5" fill="{color}"/>' for c, s in curve]
        out.append(f'<text x="{LEFT + WIDTH + 14}" y="{TOP + 14 + 20 * k}" fill="{color}">{solver}</text>')
    path.write_text("\n".join(out + ["</svg>"]) + "\n")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        draw(measure(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder)), HERE / "solvers.svg")


if __name__ == "__main__":
    main()
