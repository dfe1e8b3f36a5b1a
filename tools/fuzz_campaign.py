#!/usr/bin/env python3
"""Feeds every reader with mutations and prints the table of docs/security.md.

  tools/fuzz_campaign.py RELEASE_TREE COVERAGE_TREE INPUTS [READER ...]

The optimised tree takes all inputs, the one that counts lines (preset coverage) a tenth of them: new lines are rare by then.
Seeds are made by the program itself, so what writes a format counts as reached where it shares a file with what reads it.
"""
import os
import pathlib
import re
import subprocess
import sys
import time

# Sequences of random numbers: not that of the tests.
SEQUENCE = "2"

# Which files read what. Those that only write (scene/reference.cpp, problem/fclib_write.cpp) are left out.
# Readers of the same files are counted together.
MESH = ["src/io/mesh_file.cpp"]
FRAMES = ["src/io/frames.cpp", "src/io/frames_json.cpp", "src/io/foreign_json.cpp"]
SOURCES = {
    "scene": ["src/io/scene/*.cpp"],
    "urdf": ["src/io/urdf.cpp", "src/io/urdf_check.cpp", "src/io/xml_outline.cpp"],
    "stl_text": MESH,
    "stl_binary": MESH,
    "obj": MESH,
    "fclib": ["src/io/problem/fclib_problem.cpp", "src/io/problem/global_form.cpp", "src/io/problem/matrix_entries.cpp"],
    "dat": ["src/io/problem/siconos_text.cpp"],
    "bed": ["src/io/bed_file.cpp"],
    "checkpoint": ["src/io/checkpoint.cpp"],
    "frame_index": FRAMES,
    "frame_scene": FRAMES,
    "frame_part": FRAMES,
    "series": ["src/io/series.cpp"],
    "summary": ["src/io/summary.cpp", "src/io/foreign_json.cpp"],
    # HDF5 runs in a process of its own, which ends without leaving its counts.
    "fclib_file": [],
    "bed_file": [],
    "checkpoint_file": [],
    # One function of a file that does much else.
    "marker": [],
    "http": ["src/view/http_request.cpp", "src/view/run_files.cpp"],
}
WRITERS = {"src/io/scene/reference.cpp"}


def run(tree, reader, inputs):
    """Seeds, inputs that were read, seconds; raises with the output when the test fails."""
    start = time.monotonic()
    environment = dict(os.environ, GRUS_FUZZ_INPUTS=str(inputs), GRUS_FUZZ_SEED=SEQUENCE)
    result = subprocess.run(
        [tree / "robustness", f"--gtest_filter=*MutatedInput*/{reader}"],
        env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    found = re.search(rf"{reader}: (\d+) mutations of (\d+) inputs, (\d+) of them read", result.stdout)
    if result.returncode != 0 or not found:
        sys.exit(f"{reader} failed with {result.returncode}:\n{result.stdout}")
    return int(found[2]), int(found[3]), time.monotonic() - start


def reader_files(source, reader):
    names = {str(path.relative_to(source)) for pattern in SOURCES[reader] for path in source.glob(pattern)}
    return names - WRITERS


def count_lines(source, tree, names):
    """Lines of the files that were executed, and those that can be."""
    counts = {}
    for data in tree.glob("src/**/*.gcda"):
        text = subprocess.run(
            ["gcov", "--no-output", "--object-directory", data.parent, data],
            cwd=tree, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
        ).stdout
        for path, percent, lines in re.findall(r"File '([^']+)'\nLines executed:([\d.]+)% of (\d+)", text):
            name = os.path.relpath(os.path.join(tree, path), source)
            if name in names:
                counts[name] = (float(percent) / 100 * int(lines), int(lines))
    return sum(c[0] for c in counts.values()), sum(c[1] for c in counts.values())


def coverage(source, tree, reader, inputs):
    """In words; a dash where nothing can be counted."""
    if not SOURCES[reader]:
        return "-"
    for data in tree.glob("**/*.gcda"):
        data.unlink()
    for peer in (name for name in SOURCES if SOURCES[name] == SOURCES[reader]):
        run(tree, peer, inputs)
    executed, lines = count_lines(source, tree, reader_files(source, reader))
    return f"{100 * executed / lines:.0f} % of {lines}"


def main():
    source = pathlib.Path(__file__).resolve().parent.parent
    release, counting = (pathlib.Path(tree).resolve() for tree in sys.argv[1:3])
    inputs = int(sys.argv[3])
    print("| reader | seeds | mutations | read | s | lines reached |\n|---|---|---|---|---|---|")
    for reader in sys.argv[4:] or SOURCES:
        seeds, read, seconds = run(release, reader, inputs)
        reached = coverage(source, counting, reader, max(1, inputs // 10))
        print(f"| {reader} | {seeds} | {inputs} | {read} | {seconds:.0f} | {reached} |", flush=True)


if __name__ == "__main__":
    main()
