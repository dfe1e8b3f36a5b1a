"""Includes follow the arrows: src/X includes only what the DEPS of its CMake target reach, and docs/architecture.md
shows the same arrows."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def arrows():
    """Folder of src/ -> folders its CMake target names in DEPS."""
    found = {}
    for lists in sorted((ROOT / "src").glob("*/CMakeLists.txt")):
        text = re.sub(r"#.*", "", lists.read_text())
        call = re.search(r"grus_library\(\s*grus_(\w+)([^)]*)\)", text)
        if call:
            found[lists.parent.name] = set(re.findall(r"\bgrus_(\w+)", call.group(2)))
    return found


def reach(folder, direct):
    """Everything the arrows of a folder lead to, itself included."""
    seen = {folder}
    front = [folder]
    while front:
        for target in direct[front.pop()]:
            if target not in seen:
                seen.add(target)
                front.append(target)
    return seen


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".hpp", ".cpp"))


class Arrows(unittest.TestCase):
    def test_every_folder_is_one_target_named_after_it(self):
        for folder in (ROOT / "src").iterdir():
            if sources(folder):
                self.assertIn(folder.name, arrows(), f"src/{folder.name} has no grus_library")

    def test_includes_follow_the_arrows(self):
        direct = arrows()
        self.assertGreaterEqual(len(direct), 9)
        faults = []
        for folder in direct:
            allowed = reach(folder, direct) | {"grus"}
            for path in sources(ROOT / "src" / folder):
                against = [n for n in INCLUDE.findall(path.read_text()) if n.split("/")[0] not in allowed]
                faults.extend(f"{path.relative_to(ROOT)} includes {name}" for name in against)
        self.assertEqual(faults, [])

    def test_solvers_see_no_mechanics(self):
        self.assertEqual(reach("solvers", arrows()), {"solvers", "math", "core"})

    def test_arrows_form_no_circle(self):
        direct = arrows()
        for folder in direct:
            for target in direct[folder]:
                self.assertNotIn(folder, reach(target, direct), f"{folder} -> {target} -> ... -> {folder}")

    def test_the_program_and_the_public_headers_include_public_headers_only(self):
        own = {p.name for p in sources(ROOT / "cli")}
        faults = []
        for path in sources(ROOT / "cli") + sources(ROOT / "include"):
            for name in INCLUDE.findall(path.read_text()):
                if not (name.startswith("grus/") or (path.parent.name == "cli" and name in own)):
                    faults.append(f"{path.relative_to(ROOT)} includes {name}")
        self.assertEqual(faults, [])

    def test_architecture_page_shows_these_arrows(self):
        text = (ROOT / "docs/architecture.md").read_text()
        rows = re.findall(r"^\| `src/(\w+)` \|[^|]*\| ([^|]*) \|$", text, re.MULTILINE)
        shown = {name: set() if targets == "nothing" else set(targets.split(", ")) for name, targets in rows}
        self.assertEqual(shown, arrows())


if __name__ == "__main__":
    unittest.main()
