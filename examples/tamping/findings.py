#!/usr/bin/env python3
"""Checks what the four runs of the study say together (paper 000, section 6): exit 1 when a claim does not hold.

    examples/tamping/findings.py out/tamping

Asserted: with its dynamics the machine dives less deep at 15 Hz than with imposed vibration and than at 30 and 45 Hz, and squeezes
less than with imposed vibration, against a larger force. The order among 30, 45 and imposed 15 Hz is reported. Of spread.yaml, with
its three small beds, it says how often each claim holds.
"""
import csv
import pathlib
import sys

RUNS = ["15-hz", "30-hz", "45-hz", "15-hz-imposed"]
# last 0.2 s of each phase, s; the phases are those of parts/machine.yaml
DIVE, SQUEEZE = (1.0, 1.2), (1.8, 2.0)
ROUNDING = 1e-9  # s, of times that are sums of steps


def mean(rows, column, window):
    values = [float(row[column]) for row in rows if window[0] - ROUNDING <= float(row["t"]) <= window[1] + ROUNDING]
    if not values:
        sys.exit(f"findings.py: the run ends before {window[1]} s")
    return sum(values) / len(values)


def read(folder):
    """Depth of the dive below the start (m), length (m) and force (N) of the actuator at the end of the squeeze."""
    if not (folder / "series.csv").exists():
        sys.exit(f"findings.py: no run in {folder}; all four are needed")
    with open(folder / "series.csv") as file:
        rows = list(csv.DictReader(file))
    return (float(rows[0]["chassis.z"]) - mean(rows, "chassis.z", DIVE), mean(rows, "actuator.length", SQUEEZE),
            mean(rows, "actuator.force", SQUEEZE))


def compare(study, bed):
    """Shows four runs of one bed; returns (words, whether it holds) of every claim."""
    found = {run: read(study / (run + bed)) for run in RUNS}
    for run, (depth, length, force) in found.items():
        print(f"  {run + bed:20} dive {1e3 * depth:6.1f} mm, actuator {1e3 * length:6.1f} mm, {1e-3 * force:6.2f} kN")
    depth, length, force = ({run: values[k] for run, values in found.items()} for k in range(3))
    order = lambda values: " < ".join(sorted(RUNS, key=values.get))
    print(f"  depth:      {order(depth)}\n  elongation: {order(length)}")
    return [(f"15 Hz dives less deep than {other}", depth["15-hz"] < depth[other]) for other in RUNS[1:]] + [
        ("imposed 15 Hz is more elongated than 15 Hz", length["15-hz-imposed"] > length["15-hz"]),
        ("and with less force", force["15-hz-imposed"] < force["15-hz"])]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    study = pathlib.Path(sys.argv[1])
    beds = sorted(path.name[len(RUNS[0]):] for path in study.glob(RUNS[0] + "-bed-*") if path.is_dir())
    if beds:
        # few stones: how often a claim holds is a finding, not a demand
        claims = [compare(study, bed) for bed in beds]
        for k, (words, _) in enumerate(claims[0]):
            print(f"  {sum(c[k][1] for c in claims)} of {len(beds)} beds: {words}")
        sys.exit(0)
    claims = compare(study, "")
    for words, holds in claims:
        print(f"  {'ok  ' if holds else 'FAIL'} {words}")
    sys.exit(0 if all(holds for _, holds in claims) else 1)


if __name__ == "__main__":
    main()
