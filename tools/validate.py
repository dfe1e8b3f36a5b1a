#!/usr/bin/env python3
"""Runs every example scene at full size, shows its checks and writes docs/validation.md.

    tools/validate.py PROGRAM [CASE] [--missing | --page]

CASE is an example's name or part of it, or EXAMPLE/SCENE for one scene, or EXAMPLE/SCENE/RUN for one run of a study.
--missing runs only what this program has not made whole yet, and resumes what was interrupted; --page runs nothing.

Results go to out/validate/EXAMPLE/SCENE/ or, of a study, EXAMPLE/SCENE/RUN/, and stay there. Beside each lies a stamp: the
program (hash of its bytes), the inputs of the example, the commit, the machine. The page is written after every run from
all results that are there; those of another program or of changed inputs are marked as older. An example with a
findings.py has claims that no single run can check: it is called with each study whose runs are all there.

docs/validation.md is left alone when it shows runs that are not on this disk and only a CASE was asked for, or the
campaign has not reached its end; the page of this disk is out/validate/validation.md in any case. Exit 1 when a run, a check or a finding of what was asked for fails.
"""
import argparse
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import subprocess
import sys

import validation_page
from validation_page import BROKEN, DONE, NOT_RUN, UNFINISHED, Findings, Result

OUT = pathlib.Path("out/validate")
PAGE = pathlib.Path("docs/validation.md")
INTERRUPTED = 130  # exit code of the program after writing a checkpoint
# Files of an example that no run reads.
NOT_INPUTS = {".md", ".png", ".svg", ".py", ".pyc"}
# What a program is built from, and what it runs: changes that are not committed are mentioned beside the commit.
SOURCES = ["CMakeLists.txt", "CMakePresets.json", "cmake", "cli", "include", "src", "viewer", "examples"]


@dataclasses.dataclass(frozen=True)
class Case:
    example: str
    scene: pathlib.Path
    run: str  # of a study; empty: the scene is one run

    @property
    def study(self):
        return f"{self.example}/{self.scene.stem}"

    @property
    def name(self):
        return f"{self.study}/{self.run}".rstrip("/")

    @property
    def folder(self):
        return OUT / self.name

    @property
    def stamp_file(self):
        return OUT / f"{self.name}.stamp.json"


def all_cases(program):
    """Every run of every scene of the gallery, in its order."""
    listing = subprocess.run([program, "examples", "--json"], check=True, capture_output=True, text=True).stdout
    cases = []
    for example in json.loads(listing):
        folder = pathlib.Path(os.path.relpath(pathlib.Path(example["path"]).parent))
        for scene in example["scenes"]:
            runs = example["runs"].get(scene) or [""]
            cases += [Case(example["name"], folder / scene, run) for run in runs]
    return cases


def is_wanted(case, wanted):
    name, _, rest = wanted.partition("/")
    if not rest:
        return name in case.example
    return case.name == wanted or case.study == wanted


def digest(paths):
    total = hashlib.sha256()
    for path in paths:
        total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]


def inputs_digest(case):
    files = [p for p in sorted(case.scene.parent.rglob("*")) if p.is_file() and p.suffix not in NOT_INPUTS]
    return digest(files)


def machine():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown processor")
    return f"{model}, {os.cpu_count()} threads"


@functools.cache
def commit():
    """The commit of the tree, and whether it was changed since."""
    def git(*words):
        return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--", *SOURCES)
        return git("rev-parse", "--short=10", "HEAD") + (" with changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def write_whole(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(text)
    part.replace(path)


def read_json(path):
    """The object in a file; empty when there is none or it is damaged."""
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def result_of(case, program_digest):
    """What is on disk of a run."""
    stamp = read_json(case.stamp_file)
    if not stamp:
        return Result(case.name)
    result = Result(case.name, stamp=stamp)
    if stamp.get("program") != program_digest:
        result.older = "another program"
    elif stamp.get("inputs") != inputs_digest(case):
        result.older = "the scene has changed since"
    if "exit" not in stamp:
        result.state = UNFINISHED
        return result
    result.summary = read_json(case.folder / "summary.json")
    # Exit 1 with a whole summary means a failed check.
    whole = stamp["exit"] in (0, 1) and result.summary.get("status") == "done"
    result.state = DONE if whole else BROKEN
    return result


def is_up_to_date(result):
    return result.state == DONE and not result.older


def exit_code(command):
    """Of a command that is left the time to write its checkpoint when the user interrupts."""
    running = subprocess.Popen(command)
    while True:
        try:
            return running.wait()
        except KeyboardInterrupt:
            continue


def make_run(case, program, program_digest, resume):
    """Runs one case; its stamp has no exit code until the run has ended."""
    before = read_json(case.stamp_file)
    stamp = {"program": program_digest, "inputs": inputs_digest(case), "commit": commit(), "machine": machine()}
    # A run of two programs would be the result of neither.
    going_on = resume and "exit" not in before and all(before.get(key) == stamp[key] for key in ("program", "inputs"))
    write_whole(case.stamp_file, json.dumps(stamp, indent=2) + "\n")
    # The tree is this tool's own, also where a run of an older program left no list of its files.
    command = [program, "run", str(case.scene), "--out", str(OUT / case.study), "--quiet", "--force"]
    command += ["--only", case.run] if case.run else []
    command += ["--resume"] if going_on else []
    stamp["exit"] = exit_code(command)
    if stamp["exit"] == INTERRUPTED:
        sys.exit(INTERRUPTED)  # the stamp stays without an exit code
    write_whole(case.stamp_file, json.dumps(stamp, indent=2) + "\n")


def findings_of(cases, results):
    """What findings.py says of every study of an example that has one."""
    found = []
    studies = {}
    for case in cases:
        if case.run and (case.scene.parent / "findings.py").exists():
            studies.setdefault(case.study, []).append(case)
    for name, runs in studies.items():
        finding = Findings(name)
        if all(results[run.name].state == DONE for run in runs):
            script = runs[0].scene.parent / "findings.py"
            said = subprocess.run([sys.executable, "-B", script, OUT / name], capture_output=True, text=True)
            finding = Findings(name, said.returncode == 0, said.stdout + said.stderr, any(results[run.name].older for run in runs))
        found.append(finding)
    return found


def show(result):
    """Prints one line per check."""
    for check in result.checks():
        verdict = "ok  " if check["pass"] else "FAIL"
        print(f"  {verdict} {result.name}: {check['name']} = {check['value']} (bound {check['bound']})")
    if result.failures() and all(check["pass"] for check in result.checks()):
        print(f"  FAIL {result.failures()[0]}")
    sys.stdout.flush()


def write_page(cases, program_digest, keep):
    """Writes the page; returns results by name, findings and where it is. `keep`: not over one that shows more runs."""
    results = {case.name: result_of(case, program_digest) for case in cases}
    findings = findings_of(cases, results)
    text = validation_page.page(list(results.values()), findings)
    write_whole(OUT / "validation.md", text)
    shown = validation_page.runs_shown(PAGE.read_text()) if PAGE.exists() else set()
    lost = {name for name in shown & results.keys() if results[name].state in (NOT_RUN, UNFINISHED)}
    if keep and lost:
        return results, findings, OUT / "validation.md"
    write_whole(PAGE, text)
    return results, findings, PAGE


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("case", nargs="?", default="")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    cases = all_cases(options.program)
    wanted = [case for case in cases if is_wanted(case, options.case)]
    if not wanted:
        sys.exit(f"validate: no example, scene or run is called '{options.case}'; see '{options.program} examples'")
    program_digest = digest([pathlib.Path(options.program)])
    for case in wanted if not options.page else []:
        if options.missing and is_up_to_date(result_of(case, program_digest)):
            continue
        print(case.name, flush=True)
        make_run(case, options.program, program_digest, options.missing)
        show(result_of(case, program_digest))
        write_page(cases, program_digest, keep=True)
    results, findings, page = write_page(cases, program_digest, keep=bool(options.case))
    asked = [results[case.name] for case in wanted]
    asked_findings = [f for f in findings if f.name in {case.study for case in wanted}]
    for finding in asked_findings:
        print(f"findings of {finding.name}:\n{finding.text}" if finding.holds is not None else f"findings of {finding.name}: runs are missing")
    failures = [words for x in [*asked, *asked_findings] for words in x.failures()]
    print(f"{sum(len(r.checks()) for r in asked)} checks, {len(failures)} failures; page: {page}")
    if page != PAGE:
        print(f"{PAGE} is left as it is: it shows runs that are not under {OUT}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
