"""Every source file opens with a comment that says what it is, and nothing is left open in one."""
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Spelled in two halves, so that this file does not find itself.
LEFT_OPEN = re.compile(r"\b(" + "|".join(["TO" "DO", "FIX" "ME", "XX" "X", "HA" "CK", "not imple" "mented"]) + r")\b")
TURNED_OFF = re.compile("|".join(["GTEST_" "SKIP", "DIS" "ABLED_", r"EXPECT_TRUE\(tr" r"ue\)", r"SUC" r"CEED\(\)"]))


def files(*suffixes):
    """The files of the project: what git knows, or everything outside build folders when there is no git."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode == 0:
        names = [ROOT / name for name in listing.stdout.split("\0") if name]
    else:
        names = [p for p in ROOT.rglob("*") if not p.relative_to(ROOT).parts[0].startswith(("build", "out", "."))]
    # A corpus holds what nobody should write.
    return sorted(p for p in names if p.suffix in suffixes and p.exists() and "corpus" not in p.parts)


class SourceFiles(unittest.TestCase):
    def refuse(self, suffixes, is_faulty):
        """No file with one of the suffixes may have is_faulty(path, text)."""
        found = files(*suffixes)
        self.assertTrue(found)
        self.assertEqual([str(p.relative_to(ROOT)) for p in found if is_faulty(p, p.read_text())], [])

    def test_headers_open_with_a_comment(self):
        self.refuse([".hpp"], lambda path, text: not text.startswith("// "))

    def test_sources_open_with_a_comment_or_the_header_they_belong_to(self):
        def is_faulty(path, text):
            first = re.match(r'#include "(?:[\w.-]+/)*([\w.-]+)\.hpp"', text)
            belongs = first and first.group(1) == path.stem.removesuffix("_test")
            return not (text.startswith("// ") or belongs)

        self.refuse([".cpp"], is_faulty)

    def test_scripts_open_with_a_comment(self):
        self.refuse([".py", ".sh"], lambda path, text: not re.match(r'(#!.*\n)?("""|# )', text))

    def test_headers_guard_themselves(self):
        self.refuse([".hpp"], lambda path, text: text.count("#pragma once") != 1)

    def test_nothing_is_left_open(self):
        kinds = [".hpp", ".cpp", ".py", ".sh", ".cmake", ".txt", ".md", ".yaml"]
        self.refuse(kinds, lambda path, text: LEFT_OPEN.search(text))

    def test_no_test_is_turned_off(self):
        self.refuse([".cpp"], lambda path, text: TURNED_OFF.search(text))

    def test_lines_end_cleanly(self):
        def is_faulty(path, text):
            return not text.endswith("\n") or text.endswith("\n\n") or "\t" in text or "\r" in text

        self.refuse([".hpp", ".cpp", ".py", ".sh", ".md", ".cmake"], is_faulty)


if __name__ == "__main__":
    unittest.main()
