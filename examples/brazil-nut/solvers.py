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
SOLVERS = {"nlgs-accelerated": "#333333", "nlgs": "#2a78d6", "nlgs-newton": "#1baf7a", "projected-conjugate-gradient": "#8d5bd1", "nlgs-qp": "#f2a33a",
           "nlgs-lemke": "#e34948", "nlgs-projection": "#00a5b5"}
WIDTH, HEIGHT, LEFT, TOP, GAP = 480, 300, 70, 36, 90  # px, of a panel, around it and between the two


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


def panel(left, title, unit, curves, ticks):
    """ticks: of the vertical axis; the largest ends it."""
    end = max(times[-1] for times, _ in curves.values())
    x = lambda t: left + WIDTH * t / end
    y = lambda value: TOP + HEIGHT * (1 - value / ticks[-1])
    out = [f'<text x="{left}" y="20">{title}</text>', f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 36}" text-anchor="middle">time, s</text>']
    for tick in ticks:
        out.append(f'<path d="M{left} {y(tick):.1f}h{WIDTH}" stroke="#ddd"/><text x="{left - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g} {unit}</text>')
    for second in range(int(end) + 1):
        out.append(f'<text x="{x(second):.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{second}</text>')
    for solver, (times, values) in curves.items():
        points = " ".join(f"{x(t):.1f},{y(v):.1f}" for t, v in zip(times, values))
        out.append(f'<polyline points="{points}" fill="none" stroke="{SOLVERS[solver]}" stroke-width="1.3"/>')
    return out


def round_ticks(largest, count=5):
    """0 and some round numbers up to at least the largest."""
    step = next(m * 10**p for p in range(-3, 7) for m in (1, 2, 5) if count * m * 10**p >= largest)
    return [step * k for k in range(count + 1)]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    runs = {solver: read(folder, solver) for solver in SOLVERS if (folder / solver / "summary.json").exists()}
    right = LEFT + WIDTH + GAP
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right + WIDTH + 20} {TOP + HEIGHT + 90}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>']
    out += panel(LEFT, "Height of the nut above the floor of the jar", "cm", {s: (t, h) for s, (t, h, _, _) in runs.items()}, [0, 4, 8, 12, 16, 20])
    out += panel(right, "Time of all contact solves until then", "s", {s: (t, w) for s, (t, _, w, _) in runs.items()}, round_ticks(max(w[-1] for _, _, w, _ in runs.values())))
    for k, solver in enumerate(runs):
        out.append(f'<text x="{LEFT + 260 * (k % 4)}" y="{TOP + HEIGHT + 60 + 18 * (k // 4)}" fill="{SOLVERS[solver]}">{solver}</text>')
    (HERE / "solvers.svg").write_text("\n".join(out + ["</svg>"]) + "\n")
    print("| solver | nut at the end, cm | solve, ms a step | iterations a step | not converged |\n|---|---|---|---|---|")
    for solver, (_, heights, _, summary) in runs.items():
        print(f"| `{solver}` | {heights[-1]:.1f} | {1e3 * summary['wall_s_per_stage']['solve'] / summary['steps']:.2g} | {summary['sweeps_mean']:.3g} | "
              f"{100 * summary['unconverged_steps'] / summary['steps']:.2g} % |")


if __name__ == "__main__":
    main()
