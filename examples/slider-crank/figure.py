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
MODELS = [("chain", "#2a78d6"), ("cut-y-free", "#1baf7a"), ("absolute", "#e34948")]
STEPS = ["1e-5", "1e-4"]
WIDTH, HEIGHT, LEFT, TOP, GAP = 480, 300, 60, 34, 30  # of a panel and around it
END, LIMIT = 0.14, 1.25  # s, mm


def path(program, model, step, folder):
    """Points (s, mm) of the slider's height."""
    subprocess.run([program, "run", HERE / f"{model}.yaml", "--no-report", "--out", folder, "--set", f"time.step={step}",
                    "--set", "outputs.series=2e-4", "--set", "outputs.frames=false"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # checks may fail at the large step
    with open(folder / "series.csv") as file:
        return [(float(row["t"]), 1e3 * float(row["slider.y"])) for row in csv.DictReader(file)]


def panel(x0, step, curves):
    x = lambda t: x0 + WIDTH * t / END
    y = lambda mm: TOP + HEIGHT * (1 - (mm + LIMIT) / (2 * LIMIT))
    out = [f'<text x="{x0}" y="{TOP - 12}">h = {step} s</text>']
    for mm in (-1, 0, 1):
        dash = ' stroke-dasharray="4 4"' if mm else ""
        out.append(f'<path d="M{x0} {y(mm):.1f}h{WIDTH}" stroke="#999"{dash}/>')
        out.append(f'<text x="{x0 - 8}" y="{y(mm) + 4:.1f}" text-anchor="end">{mm}</text>')
    for t in (0, 0.05, 0.1):
        out.append(f'<text x="{x(t):.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{t:g}</text>')
    out.append(f'<text x="{x0 + WIDTH}" y="{TOP + HEIGHT + 18}" text-anchor="end">t in s</text>')
    for color, points in curves:
        line = " ".join(f"{x(t):.1f},{y(mm):.1f}" for t, mm in points)
        out.append(f'<polyline points="{line}" stroke="{color}" stroke-width="1.4"/>')
    return out


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    width, height = 2 * (LEFT + WIDTH) + GAP, TOP + HEIGHT + 60
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" fill="none" font-size="13"'
           ' font-family="Inter, sans-serif">', "<style>text{fill:#333}</style>",
           f'<rect width="{width}" height="{height}" fill="#fff"/>',
           f'<text transform="translate(18 {TOP + HEIGHT / 2}) rotate(-90)" text-anchor="middle">'
           "height of the slider in mm</text>"]
    with tempfile.TemporaryDirectory() as folder:
        for k, step in enumerate(STEPS):
            curves = [(color, path(program, model, step, pathlib.Path(folder) / f"{model}-{step}"))
                      for model, color in MODELS]
            out += panel(LEFT + k * (WIDTH + LEFT), step, curves)
    for k, (model, color) in enumerate(MODELS):
        x = LEFT + 130 * k
        out.append(f'<path d="M{x} {height - 18}h24" stroke="{color}" stroke-width="3"/>')
        out.append(f'<text x="{x + 30}" y="{height - 13}">{model}</text>')
    (HERE / "figure.svg").write_text("\n".join(out + ["</svg>"]) + "\n")


if __name__ == "__main__":
    main()
