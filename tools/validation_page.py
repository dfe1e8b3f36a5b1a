"""The page of `make validate`: from the results of runs to docs/validation.md.

A result is what tools/validate.py found on disk of one run: its state, its stamp (who made it) and its summary.json.
"""
import dataclasses
import math
import re

NOT_RUN, UNFINISHED, BROKEN, DONE = "not run", "unfinished", "broken down", "done"


@dataclasses.dataclass
class Result:
    name: str  # example/scene or example/scene/run
    state: str = NOT_RUN
    stamp: dict = dataclasses.field(default_factory=dict)  # program, inputs, commit, machine, exit
    summary: dict = dataclasses.field(default_factory=dict)
    older: str = ""  # why the result is not one of the present program and scene; empty: it is

    def checks(self):
        return self.summary.get("checks", []) if self.state == DONE else []

    def failures(self):
        """Words for everything that failed; a run that could not be judged is a failure, one that was not made is not."""
        if self.state == BROKEN:
            return [f"{self.name}: the run broke down (exit {self.stamp.get('exit')})"]
        failed = [f"{self.name}: {c['name']} = {number(c['value'])}, bound {c['bound']}" for c in self.checks() if not c["pass"]]
        if self.state == DONE and self.stamp.get("exit") != 0 and not failed:
            return [f"{self.name}: exit {self.stamp.get('exit')} without a failed check"]
        return failed


@dataclasses.dataclass
class Findings:
    """What the findings.py of an example says of a study; None stands for a study with missing runs."""
    name: str
    holds: bool | None = None
    text: str = ""
    older: bool = False

    def failures(self):
        return [f"{self.name}: findings.py: a claim about the runs together does not hold"] if self.holds is False else []


def number(value, digits=4):
    """A value of summary.json; null stands for a number that does not exist."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "not a number"
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(cell(c) for c in row) + " |" for row in rows]


def maker_of(result):
    """Who made a result: what two results must share to be listed under one number."""
    stamp = result.stamp
    version = result.summary.get("version", "unknown")
    return f"version {version}, commit {stamp.get('commit', 'unknown')}, on {stamp.get('machine', 'an unknown machine')}", result.older


def makers_of(results):
    """{maker: its number}, those of the present program first."""
    made = {maker_of(r) for r in results if r.state in (BROKEN, DONE)}
    return {maker: k + 1 for k, maker in enumerate(sorted(made, key=lambda m: (m[1] != "", m)))}


def measured(numbers, key):
    """A number that summaries of older programs lack."""
    return number(numbers[key], 3) if key in numbers else "-"


def run_row(result, makers):
    empty = ["-"] * 11
    if result.state in (NOT_RUN, UNFINISHED):
        return [result.name, result.state, *empty, "-"]
    maker = makers[maker_of(result)]
    if result.state == BROKEN:
        return [result.name, f"**broken down** (exit {result.stamp.get('exit')})", *empty, maker]
    s, checks = result.summary, result.checks()
    passed = sum(c["pass"] for c in checks)
    verdict = f"{passed} of {len(checks)}" if not result.failures() else f"**{passed} of {len(checks)}**"
    return [result.name, verdict, number(s.get("wall_s"), 3), s.get("threads"), s.get("steps"), s.get("bodies"),
            number(s.get("tolerance"), 3), number(s.get("residual_p99"), 3), number(s.get("residual_max"), 3),
            s.get("unconverged_steps"), measured(s, "residual_mechanism_max"), measured(s, "penetration_max"),
            measured(s.get("energy", {}), "balance_error_part"), maker]


def totals(results, findings):
    """The words at the head of the page."""
    present = [r for r in results if r.state in (BROKEN, DONE) and not r.older]
    older = [r for r in results if r.state in (BROKEN, DONE) and r.older]
    missing = [r for r in results if r.state in (NOT_RUN, UNFINISHED)]
    failed = sum(len(x.failures()) for x in present) + sum(len(f.failures()) for f in findings if not f.older)
    checks = sum(len(r.checks()) for r in present)
    lines = [f"Of {len(results)} runs, {len(present)} were made by the present program: {checks} checks, "
             + (f"**{failed} failed**." if failed else "none failed.")]
    if older:
        lines.append(f"{len(older)} runs are older than the program or their scene; they are marked, and not counted in this.")
    if missing:
        lines.append(f"{len(missing)} were not run or not finished: the table lists them.")
    return lines


def checks_section(result):
    lines = [f"### {result.name}", ""]
    title = result.summary.get("title")
    lines += [title + ("." if title and title[-1] not in ".!?" else ""), ""] if title else []
    if result.older:
        lines += [f"Older: {result.older}.", ""]
    if result.state == BROKEN:
        return lines + [f"**FAILED**: the run broke down (exit {result.stamp.get('exit')}).", ""]
    checks = result.checks()
    lines += table(["check", "value", "bound", "pass"],
                   [[c["name"], number(c["value"]), c["bound"], "yes" if c["pass"] else "**FAILED**"] for c in checks]) if checks else ["No checks."]
    warnings = result.summary.get("warnings", [])
    if warnings:
        lines += ["", "It warns:", ""] + [f"- {cell(w)}" for w in warnings]
    return lines + [""]


def findings_section(finding):
    lines = [f"### {finding.name}", ""]
    if finding.holds is None:
        return lines + ["Not judged: not all of its runs are there.", ""]
    verdict = "Every claim that is asserted holds." if finding.holds else "**FAILED**: not every claim holds."
    older = " Older runs are among them." if finding.older else ""
    return lines + [verdict + older, "", "```", finding.text.rstrip("\n"), "```", ""]


def page(results, findings):
    """The text of docs/validation.md."""
    makers = makers_of(results)
    lines = ["# Validation", "",
             "What `make validate` found: every example at full size, with its checks. `tools/validate.py` writes this page from the",
             "results under `out/validate`, also from those of a campaign that is not finished.", ""]
    lines += totals(results, findings) + [""]
    failed = [words + (" (older)" if x.older else "") for x in [*results, *findings] for words in x.failures()]
    if failed:
        lines += ["## Failed", ""] + [f"- {cell(words)}" for words in failed] + [""]
    lines += ["## Runs", "",
              "`residual` is the scaled natural map of [theory](theory.md), its 99th percentile over the steps and its largest value;",
              "unconverged steps missed the tolerance within `solver.max_iterations`. `machine` is what the worst contact or row of a mechanism was off by in",
              "the worst step, in m/s; `penetration` the largest, in m; `energy error` that of the balance, as a part of the energy turned over ([files](files.md)).",
              "Wall time is in seconds and includes the wait for other work of the machine.", ""]
    lines += table(["run", "checks passed", "wall time", "threads", "steps", "bodies", "tolerance", "residual p99", "residual max",
                    "unconverged steps", "machine", "penetration", "energy error", "made by"], [run_row(r, makers) for r in results])
    if makers:
        lines += ["", "Made by:", ""]
        lines += [f"{k}. {words}" + (f" (older: {older})" if older else "") for (words, older), k in makers.items()]
    made = [r for r in results if r.state in (BROKEN, DONE)]
    lines += ["", "## Checks", ""] + [line for r in made for line in checks_section(r)]
    if findings:
        lines += ["## Findings", "", "What the `findings.py` of an example says of the runs of a study together.", ""]
        lines += [line for f in findings for line in findings_section(f)]
    return "\n".join(lines).rstrip("\n") + "\n"


def runs_shown(text):
    """Names of the runs that a page has results of."""
    found = re.findall(r"^### (\S+)$", text.partition("## Checks")[2].partition("\n## Findings")[0], re.MULTILINE)
    return set(found)
