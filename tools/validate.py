#!/usr/bin/env python3
"""Runs every example scene at full size and shows its checks.

    tools/validate.py PROGRAM [CASE]

CASE is an example's name or part of it, or EXAMPLE/SCENE for one scene, or EXAMPLE/SCENE/RUN for one run of a study.
Results go to out/validate/EXAMPLE/SCENE/. An example with a findings.py has claims that no single run can check: it is
called with the results of each study that ran whole. Exit 1 when a run, a check or a finding fails.
"""
import json
import pathlib
import subprocess
import sys


def cases_of(program, wanted):
    """(example, path of a scene, run or "") of everything that CASE names."""
    listing = subprocess.run([program, "examples", "--json"], check=True, capture_output=True, text=True).stdout
    name, _, rest = wanted.partition("/")
    scene_name, _, run = rest.partition("/")
    cases = []
    for example in json.loads(listing):
        if name not in example["name"] or (rest and name != example["name"]):
            continue
        for scene in example["scenes"]:
            path = pathlib.Path(scene)
            if not path.exists():
                path = pathlib.Path("examples") / example["name"] / scene
            if scene_name in ("", path.stem):
                cases.append((example["name"], path, run))
    return cases


def findings_of(example, out):
    """Failures among the claims about the runs of a study."""
    script = pathlib.Path("examples") / example / "findings.py"
    if not script.exists() or "runs" not in json.loads((out / "summary.json").read_text()):
        return 0
    return 1 if subprocess.run([sys.executable, "-B", script, out]).returncode else 0


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
    cases = cases_of(program, wanted)
    if not cases:
        sys.exit(f"validate: no example or scene is called '{wanted}'; see '{program} examples'")
    failures = checks = 0
    for example, path, run in cases:
        out = pathlib.Path("out/validate") / example / path.stem
        print(f"{path} {run}".rstrip(), flush=True)
        only = ["--only", run] if run else []
        status = subprocess.run([program, "run", str(path), "--out", str(out), "--quiet", *only]).returncode
        study, out = out, out / run
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
        failures += failed + (0 if run else findings_of(example, study))
    print(f"{checks} checks, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
