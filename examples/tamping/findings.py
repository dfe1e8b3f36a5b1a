#!/usr/bin/env python3
"""Checks what the four runs of the study say together (paper 000, section 6): exit 1 when a claim does not hold.

    examples/tamping/findings.py out/tamping

Asserted: with its dynamics the machine dives less deep at 15 Hz than with imposed vibration and than at 30 and 45 Hz, and squeezes
less than with imposed vibration, against a larger force. The order among 30, 45 and imposed 15 Hz is reported.
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


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    depth, length, force = {}, {}, {}
    for run in RUNS:
        with open(pathlib.Path(sys.argv[1]) / run / "series.csv") as file:
            rows = list(csv.DictReader(file))
        # below the chassis at the start, so that it is positive downwards
        depth[run] = float(rows[0]["chassis.z"]) - mean(rows, "chassis.z", DIVE)
        length[run] = mean(rows, "actuator.length", SQUEEZE)
        force[run] = mean(rows, "actuator.force", SQUEEZE)
        print(f"  {run:14} dive {1e3 * depth[run]:6.1f} mm, actuator {1e3 * length[run]:6.1f} mm, {1e-3 * force[run]:6.2f} kN")
    claims = [(f"15 Hz dives less deep than {other}", depth["15-hz"] < depth[other]) for other in RUNS[1:]]
    claims += [("imposed 15 Hz is more elongated than 15 Hz", length["15-hz-imposed"] > length["15-hz"]),
               ("and with less force", force["15-hz-imposed"] < force["15-hz"])]
    for words, holds in claims:
        print(f"  {'ok  ' if holds else 'FAIL'} {words}")
    order = lambda values: " < ".join(sorted(RUNS, key=values.get))
    print(f"  depth:      {order(depth)}\n  elongation: {order(length)}")
    sys.exit(0 if all(holds for _, holds in claims) else 1)


if __name__ == "__main__":
    main()
