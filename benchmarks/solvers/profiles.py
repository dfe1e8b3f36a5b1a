#!/usr/bin/env python3
"""Performance profiles (Dolan and More 2002) of the results of solver_bench, as SVG, and a table of the best times.

    benchmarks/solvers/profiles.py results.csv duels.csv FOLDER

FOLDER gets profile-1e-4.svg, profile-1e-8.svg and times.md. A curve shows for how many of the problems a solver takes
at most a times the time of the fastest; where it ends is what it solves up to the largest ratio drawn. Ratios of `auto`
to Siconos' best are those of the duels: both in turn in one process.

Verdicts compare runs at one limit: every row says how long its solver was allowed to take, and results with more than one
limit are refused.
"""
import csv
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from svg_chart import Axis, Chart, Curve, write

LARGEST = 30.0  # ratio at the right end
SHORT = 20e-6  # s: below it `auto` may lose by ALLOWANCE
ALLOWANCE = 1.2
WANTED_MEDIAN = 3.0
COLORS = ["#2a78d6", "#e34948", "#1baf7a", "#f2a33a", "#8d5bd1", "#333333", "#00a5b5", "#c2568f", "#7a8a2a", "#a0522d"]


def read(path):
    """{tolerance: {problem: {solver: row}}}"""
    results = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            problems = results.setdefault(float(row["tolerance"]), {})
            problems.setdefault((row["problem"], int(row["contacts"])), {})[row["solver"]] = row
    return results


def read_duels(path):
    """{(tolerance, problem): (seconds of auto, seconds of Siconos' best)}"""
    with open(path) as file:
        return {(float(row["tolerance"]), row["problem"]): (float(row["auto_seconds"]), float(row["siconos_seconds"]))
                for row in csv.DictReader(file)}


def limit_of(results):
    """The one limit of all rows, s."""
    limits = {float(row["limit"]) for problems in results.values() for rows in problems.values() for row in rows.values()}
    if len(limits) != 1:
        sys.exit(f"profiles.py: results at unequal limits ({', '.join(f'{limit:g} s' for limit in sorted(limits))}) do not compare")
    return limits.pop()


def seconds(row):
    return float(row["seconds"]) if row and row["status"] == "solved" else math.inf


def profile(problems, solver):
    """Ascending ratios to the fastest, of the problems it solves."""
    ratios = []
    for rows in problems.values():
        best = min(seconds(row) for row in rows.values())
        own = seconds(rows.get(solver))
        if own < math.inf:
            ratios.append(own / best)
    return sorted(ratios)


def draw(tolerance, problems, limit, path):
    # without those of `--only auto`
    problems = {name: rows for name, rows in problems.items() if any(s != "auto" and not s.startswith("siconos") for s in rows)}
    solvers = sorted({solver for rows in problems.values() for solver in rows})
    curves = {solver: profile(problems, solver) for solver in solvers}
    # the most problems first, then the area above the curve
    order = sorted(solvers, key=lambda s: (-len(curves[s]), sum(math.log(r) for r in curves[s])))
    drawn = []
    for k, solver in enumerate(order):
        points, part = [], 0.0
        for i, ratio in enumerate(r for r in curves[solver] if r <= LARGEST):
            points.append((ratio, part))
            part = 100.0 * (i + 1) / len(problems)
            points.append((ratio, part))
        points.append((LARGEST, part))
        drawn.append(Curve(points, COLORS[k % len(COLORS)], f"{solver} ({len(curves[solver])})", dashed=solver.startswith("siconos")))
    ratios = Axis("times the fastest", 1, LARGEST, log=True, ticks=[1, 2, 5, 10, 20, 30])
    parts = Axis("% of the problems", 0, 100)
    write(path, [Chart(f"Problems solved to {tolerance:g} within {limit:g} s each, of {len(problems)}", ratios, parts, drawn, width=620, height=470)], legend_beside=True)


def cell(rows, solvers):
    """Time in ms / iterations and name of the fastest of some solvers."""
    if not any(s in rows for s in solvers):
        return "not run"
    solved = [s for s in solvers if seconds(rows.get(s)) < math.inf]
    if not solved:
        reached = [float(rows[s]["error"]) for s in solvers if s in rows and rows[s]["status"] == "failed"]
        return f"- ({min(reached):.0e})" if reached else "-"
    best = min(solved, key=lambda s: seconds(rows[s]))
    name = best.removeprefix("siconos-")
    return f"{1e3 * seconds(rows[best]):.3g} / {rows[best]['iterations']} {name}"


def verdict(tolerance, problems, duels, theirs, limit):
    """What `auto` must keep, and where it does not; `limit` is that of every solver."""
    ratios = sorted(theirs_s / ours for (t, _), (ours, theirs_s) in duels.items() if t == tolerance)
    lost = [name for (t, name), (ours, theirs_s) in duels.items()
            if t == tolerance and ours > theirs_s * (ALLOWANCE if theirs_s < SHORT else 1.0)]
    by_auto = {name for (name, _), rows in problems.items() if seconds(rows.get("auto")) < math.inf}
    by_them = {name for (name, _), rows in problems.items() if any(seconds(rows.get(s)) < math.inf for s in theirs)}
    tried_by_them = {name for (name, _), rows in problems.items() if any(s in rows for s in theirs)}
    names = [name for name, _ in problems]
    listed = lambda wanted: ", ".join(name for name in names if name in wanted) or "none"
    within = f"Within {limit:g} s of the processor for every solver"
    lines = [f"- {within}: `auto` solves {len(by_auto)} of {len(names)}; missed: {listed(set(names) - by_auto)}.",
             f"- {within}: of the {len(tried_by_them)} on which Siconos can be run, one of its solvers or another solves {len(by_them)}, "
             f"`auto` {len(by_auto & tried_by_them)}; missed by `auto` and solved by Siconos: {listed(by_them - by_auto)}."]
    if ratios:
        lines += [f"- Siconos' best over `auto`, {len(ratios)} duels of what both solve: least {ratios[0]:.2g}, median "
                  f"{ratios[len(ratios) // 2]:.3g} (wanted {WANTED_MEDIAN:g}), largest {ratios[-1]:.3g}.",
                  f"- Lost (below {1e6 * SHORT:g} us by more than {100 * (ALLOWANCE - 1):.0f} %): {', '.join(lost) or 'none'}."]
    return lines


def table(results, duels, limit):
    lines = []
    for tolerance in sorted(results, reverse=True):
        problems = results[tolerance]
        solvers = {solver for rows in problems.values() for solver in rows}
        ours = sorted(s for s in solvers if not s.startswith("siconos"))
        theirs = sorted(solvers - set(ours))
        lines += [f"## To {tolerance:g}", ""] + verdict(tolerance, problems, duels, theirs, limit)
        lines += ["", f"CPU ms / iterations; `-`: not solved within {limit:g} s (error reached).", "",
                  "| problem | contacts | `auto` | best of ours | best of Siconos | Siconos' best over `auto` |",
                  "|---|---|---|---|---|---|"]
        for (name, contacts), rows in sorted(problems.items(), key=lambda item: -item[0][1]):
            duel = duels.get((tolerance, name))
            gain = f"{duel[1] / duel[0]:.2g}" if duel else "-"
            lines.append(f"| {name} | {contacts} | {cell(rows, ['auto'])} | {cell(rows, ours)} | {cell(rows, theirs)} | {gain} |")
        problems = {name: rows for name, rows in problems.items() if "nlgs" in rows}
        counts = ", ".join(f"{s} {len(profile(problems, s))} of {sum(s in rows for rows in problems.values())}" for s in ours + theirs)
        lines += ["", f"Solved within {limit:g} s, of those it was run on: {counts}.", ""]
    return "\n".join(lines)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    results, duels = read(sys.argv[1]), read_duels(sys.argv[2])
    limit = limit_of(results)
    for tolerance, problems in results.items():
        draw(tolerance, problems, limit, folder / f"profile-1e{round(math.log10(tolerance))}.svg")
    (folder / "times.md").write_text(table(results, duels, limit))


if __name__ == "__main__":
    main()
