"""tools/validate.py on a made-up gallery: what failed, is missing or older is said on the page and by the exit code."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/validate.py"

# Stands for build/grus: lists the gallery of gallery.json, and gives a run the summary and the exit code of results/SCENE-RUN.
PROGRAM = """#!/bin/sh
here=$(dirname "$0")
if [ "$1" = examples ]; then exec cat "$here/gallery.json"; fi
scene=$(basename "$2" .yaml) run= resumed=
while [ $# -gt 0 ]; do
  case $1 in
    --out) out=$2 ;;
    --only) run=$2 ;;
    --resume) resumed=" resumed" ;;
  esac
  shift
done
echo "$scene/$run$resumed" >>"$here/calls.txt"
mkdir -p "$out/$run"
rm -f "$out/$run/summary.json"
result=$here/results/$scene-$run
if [ -e "$result.json" ]; then cp "$result.json" "$out/$run/summary.json"; fi
exit $(cat "$result.exit")
"""

FINDINGS = """import pathlib, sys
print("  ok   slow is slower than fast")
sys.exit(int((pathlib.Path(__file__).parent / "verdict.md").read_text()))
"""


def summary(value, passed, **more):
    return {"status": "done", "title": "A title", "version": "9.8.7", "threads": 2, "steps": 1234, "bodies": 5, "wall_s": 1.25,
            "tolerance": 1e-3, "residual_p99": 9e-4, "residual_max": 2.5e-3, "unconverged_steps": 17,
            "residual_mechanism_max": 4e-4, "penetration_max": 3e-5, "energy": {"balance_error_part": 0.0625},
            "checks": [{"name": "stands", "value": value, "bound": "< 0.5", "pass": passed}], "warnings": [], **more}


class Validate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "docs").mkdir()
        for example, scenes in {"ball": ["ball"], "sweep": ["sweep"]}.items():
            (self.root / "examples" / example).mkdir(parents=True)
            for scene in scenes:
                (self.root / "examples" / example / f"{scene}.yaml").write_text("time: {step: 1}\n")
        (self.root / "examples/sweep/findings.py").write_text(FINDINGS)
        (self.root / "examples/sweep/verdict.md").write_text("0")
        self.program = self.root / "grus"
        self.write_program()
        (self.root / "gallery.json").write_text(json.dumps([
            {"name": "ball", "path": str(self.root / "examples/ball/ball.yaml"), "scenes": ["ball.yaml"], "runs": {}},
            {"name": "sweep", "path": str(self.root / "examples/sweep/sweep.yaml"), "scenes": ["sweep.yaml"],
             "runs": {"sweep.yaml": ["slow", "fast"]}}]))
        self.results = {"ball/": {"exit": 0, "summary": summary(0.25, True)},
                        "sweep/slow": {"exit": 0, "summary": summary(0.125, True)},
                        "sweep/fast": {"exit": 0, "summary": summary(0.375, True)}}

    def write_program(self, note=""):
        self.program.write_text(PROGRAM + note)
        self.program.chmod(0o755)

    def validate(self, *arguments):
        """Exit code and the page in docs/."""
        shutil.rmtree(self.root / "results", ignore_errors=True)
        (self.root / "results").mkdir()
        for name, result in self.results.items():
            file = self.root / "results" / name.replace("/", "-")
            file.with_suffix(".exit").write_text(str(result["exit"]))
            if "summary" in result:
                file.with_suffix(".json").write_text(json.dumps(result["summary"]))
        (self.root / "calls.txt").write_text("")
        # The tree of this test lies in no repository, whatever surrounds the temporary folder.
        done = subprocess.run([sys.executable, "-B", TOOL, self.program, *arguments], cwd=self.root, capture_output=True, text=True,
                              env={"PATH": "/usr/bin:/bin", "GIT_CEILING_DIRECTORIES": str(self.root.parent)})
        self.output = done.stdout + done.stderr
        self.calls = (self.root / "calls.txt").read_text().split("\n")[:-1]
        page = self.root / "docs/validation.md"
        return done.returncode, page.read_text() if page.exists() else ""

    def row(self, page, name):
        rows = [line for line in page.split("\n") if line.startswith(f"| {name} |")]
        self.assertEqual(len(rows), 1, page)
        return [cell.strip() for cell in rows[0].strip("|").split("|")]

    def test_a_whole_campaign(self):
        code, page = self.validate()
        self.assertEqual(code, 0, self.output)
        self.assertEqual(self.calls, ["ball/", "sweep/slow", "sweep/fast"])
        self.assertEqual(self.row(page, "ball/ball")[1:], ["1 of 1", "1.25", "2", "1234", "5", "0.001", "0.0009", "0.0025", "17",
                                                              "0.0004", "3e-05", "0.0625", "1"])
        self.assertIn("| stands | 0.25 | < 0.5 | yes |", page)
        self.assertIn("Of 3 runs, 3 were made by the present program: 3 checks, none failed.", page)
        self.assertIn("version 9.8.7, commit unknown", page)
        self.assertIn("threads", page.partition("Made by:")[2])
        self.assertIn("ok   slow is slower than fast", page)
        self.assertNotIn("FAILED", page)

    def test_numbers_that_an_older_summary_lacks(self):
        for key in ("residual_mechanism_max", "penetration_max", "energy"):
            del self.results["ball/"]["summary"][key]
        self.results["sweep/slow"]["summary"]["residual_mechanism_max"] = None
        _, page = self.validate()
        self.assertEqual(self.row(page, "ball/ball")[10:], ["-", "-", "-", "1"])
        self.assertEqual(self.row(page, "sweep/sweep/slow")[10], "not a number")

    def test_a_failed_check_is_shown_and_exits_with_1(self):
        self.results["sweep/fast"] = {"exit": 1, "summary": summary(0.75, False)}
        code, page = self.validate()
        self.assertEqual(code, 1)
        self.assertIn("| stands | 0.75 | < 0.5 | **FAILED** |", page)
        self.assertIn("**1 failed**", page)
        self.assertIn("- sweep/sweep/fast: stands = 0.75, bound < 0.5", page)
        self.assertEqual(self.row(page, "sweep/sweep/fast")[1], "**0 of 1**")
        self.assertEqual(self.validate("ball")[0], 0, "a case answers for itself alone")
        self.assertEqual(self.validate("sweep/sweep/fast")[0], 1)

    def test_a_value_that_does_not_exist(self):
        self.results["ball/"] = {"exit": 1, "summary": summary(None, False)}
        code, page = self.validate("ball")
        self.assertEqual(code, 1)
        self.assertIn("| stands | not a number | < 0.5 | **FAILED** |", page)

    def test_a_run_that_broke_down(self):
        self.validate()
        self.results["ball/"] = {"exit": 1}
        code, page = self.validate()
        self.assertEqual(code, 1)
        self.assertIn("broken down", self.row(page, "ball/ball")[1])
        self.assertIn("- ball/ball: the run broke down (exit 1)", page)

    def test_exit_1_without_a_failed_check_is_a_failure(self):
        self.results["ball/"]["exit"] = 1
        code, page = self.validate("ball")
        self.assertEqual(code, 1)
        self.assertIn("- ball/ball: exit 1 without a failed check", page)

    def test_what_was_not_run_is_listed(self):
        code, page = self.validate("sweep/sweep/slow")
        self.assertEqual(code, 0, self.output)
        self.assertEqual(self.calls, ["sweep/slow"])
        self.assertEqual(self.row(page, "ball/ball")[1], "not run")
        self.assertEqual(self.row(page, "sweep/sweep/fast")[1], "not run")
        self.assertIn("2 were not run or not finished", page)
        self.assertIn("Not judged: not all of its runs are there.", page)

    def test_a_case_updates_its_rows_only(self):
        self.validate()
        self.results["ball/"]["summary"] = summary(0.0625, True)
        self.results["sweep/slow"]["summary"] = summary(0.0, True)
        code, page = self.validate("ball/ball")
        self.assertEqual(code, 0)
        self.assertIn("| stands | 0.0625 |", page)
        self.assertIn("| stands | 0.125 |", page)
        self.assertIn("Of 3 runs, 3 were made", page)

    def test_findings_that_do_not_hold(self):
        (self.root / "examples/sweep/verdict.md").write_text("1")
        code, page = self.validate()
        self.assertEqual(code, 1)
        self.assertIn("**FAILED**: not every claim holds.", page)
        self.assertIn("**1 failed**", page)

    def test_results_of_another_program_or_scene_are_marked(self):
        self.validate()
        self.write_program("# changed\n")
        _, page = self.validate("sweep")
        self.assertIn("older: another program", page)
        self.assertIn("Of 3 runs, 2 were made by the present program: 2 checks", page)
        (self.root / "examples/sweep/sweep.yaml").write_text("time: {step: 2}\n")
        (self.root / "examples/ball/README.md").write_text("no input of a run")
        _, page = self.validate("ball")
        self.assertIn("older: the scene has changed since", page)
        self.assertIn("Of 3 runs, 1 were made by the present program", page)
        self.assertIn("Older runs are among them.", page)

    def test_missing_runs_only_what_is_not_there(self):
        self.validate("ball")
        code, _ = self.validate("--missing")
        self.assertEqual((code, self.calls), (0, ["sweep/slow", "sweep/fast"]))
        self.results["sweep/slow"]["exit"] = 130
        self.write_program("# changed\n")
        code, _ = self.validate("--missing")
        self.assertEqual((code, self.calls), (130, ["ball/", "sweep/slow"]))
        self.results["sweep/slow"]["exit"] = 0
        code, page = self.validate("--missing")
        self.assertEqual((code, self.calls), (0, ["sweep/slow resumed", "sweep/fast"]), self.output)
        self.assertIn("Of 3 runs, 3 were made", page)
        self.validate()
        self.assertEqual(self.calls, ["ball/", "sweep/slow", "sweep/fast"], "by default nothing is skipped")

    def test_an_interrupted_run_is_unfinished(self):
        self.results["sweep/slow"]["exit"] = 130
        code, page = self.validate("ball")
        self.assertEqual(self.validate()[0], 130)
        _, page = self.validate("--page")
        self.assertEqual(self.calls, [])
        self.assertEqual(self.row(page, "sweep/sweep/slow")[1], "unfinished")

    def test_a_page_with_runs_from_elsewhere_is_left_alone_by_a_case(self):
        _, whole = self.validate()
        for path in (self.root / "out/validate/sweep/sweep").glob("*.stamp.json"):
            path.unlink()
        code, page = self.validate("ball")
        self.assertEqual((code, page), (0, whole))
        self.assertIn("is left as it is", self.output)
        self.assertIn("| sweep/sweep/slow | not run |", (self.root / "out/validate/validation.md").read_text())
        self.results["sweep/slow"]["exit"] = 130
        code, page = self.validate()
        self.assertEqual((code, page), (130, whole), "nor by a campaign that is interrupted")
        _, page = self.validate("--page")
        self.assertIn("| sweep/sweep/slow | unfinished |", page)

    def test_the_program_lists_the_runs_of_studies(self):
        said = subprocess.run([os.environ["GRUS_PROGRAM"], "examples", "--json"], capture_output=True, text=True, check=True)
        runs = {example["name"]: example["runs"] for example in json.loads(said.stdout)}
        self.assertEqual(runs["tamping"]["tamping.yaml"], ["15-hz", "30-hz", "45-hz", "15-hz-imposed"])
        self.assertEqual(len(runs["tamping"]["spread.yaml"]), 12)
        self.assertEqual(runs["woodpecker"], {})

    def test_an_unknown_case(self):
        code, page = self.validate("nothing")
        self.assertEqual((code, page), (1, ""))
        self.assertIn("nothing", self.output)


if __name__ == "__main__":
    unittest.main()
