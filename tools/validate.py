#!/usr/bin/env python3
"""Runs every example scene at full size and shows its checks.

    tools/validate.py PROGRAM [CASE]

CASE is an example's name or part of it. Results go to out/validate/EXAMPLE/SCENE/. Exit 1 when a run or a check fails.
"""
import json
import pathlib
import subprocess
import sys


def runs_of(folder):
    """The summaries below a run's folder: its own, or those of the runs of a study."""
    summary = json.loads((folder / "summary.json").read_text())
    if "runs" not in summary:
        return [(folder.name, summary)]
    found = []
    for run in sorted(folder.glob("*/summary.json")):
        found.append((f"{folder.name}/{run.parent.name}", json.loads(run.read_text())))
    return found


def show(name, summary):
    """Prints one line per check; returns the number of failed ones."""
    failed = 0
    for check in summary.get("checks", []):
        failed += not check["pass"]
        verdict = "ok  " if check["pass"] else "FAIL"
        print(f"  {verdict} {name}: {check['name']} = {check['value']} (bound {check['bound']})")
    return failed


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program = sys.argv[1]
    wanted = sys.argv[2] if len(sys.argv) == 3 else ""
    listing = subprocess.run([program, "examples", "--json"], check=True, capture_output=True, text=True).stdout
    examples = [e for e in json.loads(listing) if wanted in e["name"]]
    if not examples:
        sys.exit(f"validate: no example is called '{wanted}'; see '{program} examples'")
    failures = checks = 0
    for example in examples:
        for scene in example["scenes"]:
            path = pathlib.Path(scene)
            if not path.exists():
                path = pathlib.Path("examples") / example["name"] / scene
            out = pathlib.Path("out/validate") / example["name"] / path.stem
            print(f"{path}", flush=True)
            status = subprocess.run([program, "run", str(path), "--out", str(out), "--quiet"]).returncode
            # Exit 1 with a summary means a failed check, shown below; anything else without one is a failed run.
            if status not in (0, 1) or not (out / "summary.json").exists():
                print(f"  FAIL exit {status}")
                failures += 1
                continue
            failed = 0
            for name, summary in runs_of(out):
                failed += show(name, summary)
                checks += len(summary.get("checks", []))
            if status == 1 and failed == 0:
                print("  FAIL exit 1 without a failed check: numerical failure")
                failed = 1
            failures += failed
    print(f"{checks} checks, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
