#!/usr/bin/env python3
"""Fits the scaling of run-out and height over the runs of sweep.yaml: exit 1 when it is not the published one.

    grus run examples/column-collapse/sweep.yaml --out DIR
    examples/column-collapse/findings.py DIR [PICTURE.svg]

a is twice the mean height of the grains over the width x0, before one has passed the gate. The run-out is that of the heap, the largest
set of grains that touch each other in the last frame: single grains that went farther have left it. What is published is in README.md.
PICTURE.svg gets both over a; sweep.svg beside this file is one.
"""
import collections
import csv
import json
import math
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
from svg_chart import Axis, Chart, Curve, write

GRAIN, SMALLEST = 0.020, 0.017  # m, mean and least diameter of column-collapse.yaml
TOUCHING = 0.01 * SMALLEST      # m, gap below which grains touch: the activation skin of the contacts
LINEAR, STEEP = 2, 3            # a at which the linear regime has not ended, and that of the power has begun
# Exponents as published. Linear: run-outs that differ by 14 % from seed to seed, over a factor of 4 in a, leave 0.2.
FLAT, STEEP_BAND, TALL = (0.8, 1.2), (0.6, 1.0), (1 / 3 - 0.05, 1 / 2 + 0.05)
KEPT = 0.1  # part of its height that the top of a low column may lose

sand = lambda a: 1.2 * a if a < 2.3 else 1.9 * a ** (2 / 3)
disks = lambda a: 2.5 * a if a < 2 else 3.25 * a**0.7
rest = lambda a: a if a < 1.15 else a**0.4


def last_frame(folder):
    """Positions (x, y) of the grains and the pairs of them that touch (docs/files.md)."""
    scene = json.loads((folder / "frames" / "scene.json").read_text())
    index = json.loads((folder / "frames" / "index.json").read_text())
    _, _, part, offset, _, _, _ = index["frames"][-1]
    data = (folder / "frames" / index["parts"][part]).read_bytes()[offset:]
    bodies, _, contacts = struct.unpack_from("<3i", data, 24)
    grains = scene["dynamic_count"]
    positions = struct.unpack_from(f"<{3 * bodies}f", data, 40)
    tail = 40 + 4 * 13 * bodies + 4 * 9 * contacts
    gaps = struct.unpack_from(f"<{contacts}f", data, tail)
    first = struct.unpack_from(f"<{contacts}i", data, tail + 4 * contacts)
    second = struct.unpack_from(f"<{contacts}i", data, tail + 8 * contacts)
    pairs = [(i, j) for gap, i, j in zip(gaps, first, second) if gap < TOUCHING and max(i, j) < grains]
    return [positions[3 * i:3 * i + 2] for i in range(grains)], pairs


def heap_of(count, pairs):
    """The largest set of grains that hang together."""
    root = list(range(count))

    def find(i):
        while root[i] != i:
            root[i] = root[root[i]]
            i = root[i]
        return i

    for i, j in pairs:
        root[find(i)] = find(j)
    sets = collections.defaultdict(list)
    for i in range(count):
        sets[find(i)].append(i)
    return max(sets.values(), key=len)


def read(folder):
    """a, run-out of the heap and of the farthest grain, and final height, all over x0."""
    with open(folder / "series.csv") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    width = rows[0]["front"] / (1 + rows[0]["runout"])
    before = [row for row in rows if row["front"] < width][-1]  # no grain has passed the gate
    positions, pairs = last_frame(folder)
    heap = [positions[i] for i in heap_of(len(positions), pairs)]
    runout = lambda grains: (max(x for x, _ in grains) + GRAIN / 2) / width - 1
    return 2 * before["grains.y"] / width, runout(heap), runout(positions), (max(y for _, y in heap) + GRAIN / 2) / width


def power(points):
    """(c, n) of c x^n by least squares of the logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mx, my = (sum(v[k] for v in logs) / len(logs) for k in range(2))
    n = sum((x - mx) * (y - my) for x, y in logs) / sum((x - mx) ** 2 for x, _ in logs)
    return math.exp(my - n * mx), n


def means(found):
    """Means over the seeds of each aspect ratio."""
    groups = collections.defaultdict(list)
    for name, values in found.items():
        groups[name.split("-seed-")[0]].append(values)
    return [tuple(sum(v[k] for v in group) / len(group) for k in range(4)) for group in groups.values()], groups


def draw(path, found, points):
    axis = lambda label, low, high: Axis(label, low, high, log=True, ticks=[tick for tick in (0.5, 1, 2, 4, 8, 16) if low < tick < high])
    a = [0.5 * 2 ** (k / 10) for k in range(41)]
    law = lambda f, color, words: Curve([(x, f(x)) for x in a], color, words, dashed=True)
    dots = lambda k: [Curve([(v[0], v[k])] * 2, "#2a78d6", marks=True) for v in found.values()]
    line = lambda k: Curve([(p[0], p[k]) for p in points], "#2a78d6", "pentagons: runs, and means over seeds")
    write(path, [Chart("Run-out of the heap", axis("a", 0.45, 9), axis("(x_inf - x0)/x0", 0.35, 20),
                       dots(1) + [line(1), law(sand, "#e08a1e", "experiments: 1.2 a, 1.9 a^(2/3)"), law(disks, "#1baf7a", "disks: 2.5 a, 3.25 a^0.7")], width=480),
                 Chart("Final height", axis("a", 0.45, 9), axis("h_inf/x0", 0.35, 3),
                       dots(3) + [line(3), law(rest, "#8d5bd1", "experiments: a, a^0.4")], width=480)], columns=2)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    study = pathlib.Path(sys.argv[1])
    found = {folder.name: read(folder) for folder in study.glob("a-*") if (folder / "summary.json").exists()}
    if not found:
        sys.exit(f"findings.py: no runs in {study}")
    found = dict(sorted(found.items(), key=lambda item: (float(item[0].split("-")[1]), item[0])))
    points, groups = means(found)
    print("  run             a   run-out  over sand  farthest grain  height")
    for name, (a, runout, farthest, height) in found.items():
        print(f"  {name:14} {a:5.2f} {runout:7.2f} {runout / sand(a):9.2f} {farthest:13.2f} {height:10.2f}")
    for name, group in groups.items():
        if len(group) > 1:
            spread = lambda k: (max(v[k] for v in group) - min(v[k] for v in group)) / (sum(v[k] for v in group) / len(group))
            print(f"  {name}: {len(group)} seeds differ by {100 * spread(1):.0f} % in run-out, {100 * spread(3):.0f} % in height")
    flat = power([(a, r) for a, r, _, _ in points if a < LINEAR + 0.1])
    steep = power([(a, r) for a, r, _, _ in points if a > STEEP - 0.1])
    tall = power([(a, h) for a, _, _, h in points if a > 1.15])
    print(f"  run-out {flat[0]:.2f} a^{flat[1]:.2f} up to a = {LINEAR}, {steep[0]:.2f} a^{steep[1]:.2f} from {STEEP}; height {tall[0]:.2f} a^{tall[1]:.2f} from 1.5")
    between = lambda value, band: band[0] < value < band[1]
    claims = [("run-out is linear in a up to 2: exponent 0.8 to 1.2", between(flat[1], FLAT)),
              ("from 3 on it grows more slowly: exponent 0.6 to 1.0", between(steep[1], STEEP_BAND) and steep[1] < flat[1]),
              ("height from 1.5 on: exponent 1/3 to 1/2", between(tall[1], TALL)),
              ("below a = 1 the top keeps its height", all(abs(h - a) < KEPT * a for a, _, _, h in points if a < 0.9)),
              ("run-outs are at least 3/4 of those of sand, and below those of disks", all(0.75 * sand(a) < r < disks(a) for a, r, _, _ in points))]
    for words, holds in claims:
        print(f"  {'ok  ' if holds else 'FAIL'} {words}")
    if len(sys.argv) == 3:
        draw(pathlib.Path(sys.argv[2]), found, points)
    sys.exit(0 if all(holds for _, holds in claims) else 1)


if __name__ == "__main__":
    main()
