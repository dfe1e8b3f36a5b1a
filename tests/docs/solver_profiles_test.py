"""benchmarks/solvers/profiles.py: verdicts at one limit for all, which they name; unequal limits are refused."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/solvers/profiles.py"
HEADER = "problem,contacts,rows,dimension,tolerance,limit,solver,status,iterations,error,seconds\n"


def row(problem, solver, status, limit="0.5", seconds=0.01):
    return f"{problem},10,0,3,0.0001,{limit},{solver},{status},7,1e-05,{seconds}\n"


class SolverProfiles(unittest.TestCase):
    def run_on(self, rows, duels=""):
        """Exit code, what it says, and times.md."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "results.csv").write_text(HEADER + "".join(rows))
            (folder / "duels.csv").write_text("problem,contacts,tolerance,siconos,auto_seconds,siconos_seconds,ratio\n" + duels)
            done = subprocess.run([sys.executable, "-B", TOOL, folder / "results.csv", folder / "duels.csv", folder / "out"],
                                  capture_output=True, text=True)
            page = folder / "out/times.md"
            return done.returncode, done.stderr, page.read_text() if page.exists() else ""

    def test_the_verdict_names_its_limit_and_what_was_missed(self):
        code, said, page = self.run_on([
            row("both", "auto", "solved"), row("both", "nlgs", "failed"), row("both", "siconos-nsgs", "solved"),
            row("theirs", "auto", "failed"), row("theirs", "nlgs", "failed"), row("theirs", "siconos-nsgs", "solved"),
            row("nobodys", "auto", "ended"), row("nobodys", "nlgs", "failed"), row("nobodys", "siconos-nsgs", "ended"),
            row("ours", "auto", "solved"), row("ours", "nlgs", "solved")], "both,10,0.0001,siconos-nsgs,0.01,0.04,4\n")
        self.assertEqual(code, 0, said)
        self.assertIn("- Within 0.5 s of the processor for every solver: `auto` solves 2 of 4; missed: theirs, nobodys.", page)
        self.assertIn("of the 3 on which Siconos can be run, one of its solvers or another solves 2, `auto` 1; "
                      "missed by `auto` and solved by Siconos: theirs.", page)
        self.assertIn("1 duels of what both solve: least 4,", page)
        self.assertIn("auto 2 of 4, nlgs 1 of 4, siconos-nsgs 2 of 3.", page)
        self.assertIn("| ours | 10 | 10 / 7 auto | 10 / 7 auto | not run | - |", page)

    def test_unequal_limits_are_refused(self):
        code, said, page = self.run_on([row("both", "auto", "solved", "20"), row("both", "siconos-nsgs", "failed", "0.5")])
        self.assertEqual((code, page), (1, ""))
        self.assertIn("unequal limits (0.5 s, 20 s)", said)


if __name__ == "__main__":
    unittest.main()
