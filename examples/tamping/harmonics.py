#!/usr/bin/env python3
"""Fits the first harmonic of the chassis on its suspension in free air at 15 Hz and writes parts/harmonics.yaml.

    examples/tamping/harmonics.py build/grus

The run with imposed vibration is driven by it. The fit is over whole cycles of the last second of air.yaml, after the
run-up has died out, so that sine, cosine and constant are orthogonal and the coefficients are plain sums.
"""
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FREQUENCY = 15  # Hz
BEGIN, END = 3, 4  # s: 15 cycles
RUN_UP = 0.3  # s, as in parts/machine.yaml: phases are those of the flywheel, which is run_up/2 late
COLUMNS = [("x", "m"), ("z", "m"), ("angle", "rad")]


def fit(times, values):
    """Mean, amplitude and phase of mean + amplitude sin(2 pi f (t - run_up/2) + phase)."""
    angles = [2 * math.pi * FREQUENCY * (t - RUN_UP / 2) for t in times]
    mean = sum(values) / len(values)
    sine = 2 / len(values) * sum(v * math.sin(a) for v, a in zip(values, angles))
    cosine = 2 / len(values) * sum(v * math.cos(a) for v, a in zip(values, angles))
    return mean, math.hypot(sine, cosine), math.atan2(cosine, sine)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        # The checks of air.yaml are for 35 Hz.
        subprocess.run([pathlib.Path(sys.argv[1]).resolve(), "run", HERE / "air.yaml", "--quiet", "--no-report", "--out", folder,
                        "--set", f"frequency={FREQUENCY}"], stdout=subprocess.DEVNULL)
        with open(pathlib.Path(folder) / "series.csv") as file:
            rows = [row for row in csv.DictReader(file) if BEGIN < float(row["t"]) + 1e-9 <= END + 1e-6 and float(row["t"]) > BEGIN + 1e-6]
    lines = ["# Motion of the chassis on its suspension in free air at 15 Hz, first harmonic:",
             "# mean + amplitude sin(2 pi frequency (t - run_up/2) + phase). Written by harmonics.py from air.yaml.", "parameters:"]
    times = [float(row["t"]) for row in rows]
    for name, unit in COLUMNS:
        mean, amplitude, phase = fit(times, [float(row[f"suspension.{name}"]) for row in rows])
        lines += [f"  {name}_mean: {mean:.6g}  # {unit}", f"  {name}_amplitude: {amplitude:.6g}  # {unit}", f"  {name}_phase: {phase:.6g}  # rad"]
    (HERE / "parts/harmonics.yaml").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
