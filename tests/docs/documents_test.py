"""Every path, make target, preset and grus command that README.md and docs/ name exists."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
EXAMPLE_READMES = sorted((ROOT / "examples").glob("*/README.md"))
# What a build or a run makes, by the start of its name: not in the tree.
GENERATED = ("build", "out")


def without_fences(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


def code(text):
    """Inline code and the lines of fenced blocks."""
    spans = re.findall(r"`([^`\n]+)`", without_fences(text))
    for block in re.findall(r"^```[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        spans.extend(line.strip() for line in block.splitlines())
    spans.extend(line.strip() for line in re.findall(r"^    (.+)$", text, re.MULTILINE))
    return spans


def anchors(path):
    """Anchors of the headings of a page, as code hosts make them."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", without_fences(path.read_text()), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.add(slug)
    return found


def spans():
    """(document, piece of code) over all documents."""
    for path in DOCUMENTS + EXAMPLE_READMES:
        for span in code(path.read_text()):
            yield str(path.relative_to(ROOT)), span


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        faults = []
        for path in DOCUMENTS + EXAMPLE_READMES:
            for target in re.findall(r"\]\(([^)\s]+)\)", without_fences(path.read_text())):
                if re.match(r"[a-z]+:", target):
                    continue
                file, _, anchor = target.partition("#")
                page = (path.parent / file) if file else path
                if not page.exists() or (anchor and anchor not in anchors(page)):
                    faults.append(f"{path.relative_to(ROOT)}: {target}")
        self.assertEqual(faults, [])

    def test_every_picture_is_drawn_by_make_pictures(self):
        script = (ROOT / "tools/pictures.sh").read_text()
        pictures = [p for kind in ("png", "svg") for top in ("examples", "docs") for p in (ROOT / top).rglob(f"*.{kind}")]
        self.assertGreater(len(pictures), 20)
        missing = [str(p.relative_to(ROOT)) for p in pictures
                   if f"picture {p.parent.name} {p.name} " not in script and f"{p.parent.name}/{p.name}" not in script]
        self.assertEqual(sorted(missing), [])

    def test_paths_exist(self):
        tops = {p.name for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith(GENERATED)}
        faults = []
        for document, span in spans():
            for word in re.findall(r"(?<![\w./<-])[\w.-]+(?:/[\w.<>*-]+)+/?", span):
                if word.split("/")[0] not in tops:
                    continue
                # <name> stands for something the reader is about to write: its folder must exist.
                pattern = word.rstrip("/.")
                if "<" in pattern:
                    pattern = pattern[: pattern.index("<")].rpartition("/")[0]
                if not list(ROOT.glob(pattern)):
                    faults.append(f"{document}: {word}")
        self.assertEqual(faults, [])

    def test_make_targets_exist(self):
        targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        named = [(d, m.group(1)) for d, s in spans() if (m := re.match(r"(?:\$ )?make ([a-z][a-z-]*)", s))]
        self.assertIn(("README.md", "demo"), named)
        self.assertIn(("README.md", "test"), named)
        self.assertEqual([f"{d}: make {t}" for d, t in named if t not in targets], [])

    def test_presets_exist(self):
        presets = {p["name"] for p in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
        named = [(d, name) for d, s in spans() for name in re.findall(r"--preset[ =](\w+)", s)]
        self.assertEqual([f"{d}: {name}" for d, name in named if name not in presets], [])

    def test_grus_commands_and_their_options_exist(self):
        program = os.environ["GRUS_PROGRAM"]
        helps = {}
        faults = []
        for document, span in spans():
            found = re.match(r"(?:\$ )?(?:build/)?grus ([a-z][a-z-]*)(.*)", span)
            if not found:
                continue
            command, rest = found.groups()
            if command not in helps:
                result = subprocess.run([program, command, "--help"], capture_output=True, text=True, timeout=20)
                helps[command] = result.stdout if result.returncode == 0 else None
            if helps[command] is None:
                faults.append(f"{document}: grus {command}")
                continue
            for option in re.findall(r"(?<!\S)\[?(--[a-z][a-z-]*)", rest.partition("#")[0]):
                if option not in helps[command]:
                    faults.append(f"{document}: grus {command} {option}")
        self.assertEqual(faults, [])
        self.assertIn("run", helps, "the documents name no grus command")

    def test_scenes_of_the_documents_are_clean(self):
        blocks = []
        for path in DOCUMENTS:
            blocks.extend(re.findall(r"^```yaml\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL))
        scenes = [block for block in blocks if re.search(r"^time:", block, re.MULTILINE)]
        self.assertTrue(scenes)
        with tempfile.TemporaryDirectory() as folder:
            for scene in scenes:
                file = pathlib.Path(folder) / "scene.yaml"
                file.write_text(scene)
                result = subprocess.run([os.environ["GRUS_PROGRAM"], "check", file], capture_output=True, text=True)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr + scene)

    def test_every_example_is_in_the_gallery_of_the_readme(self):
        text = (ROOT / "README.md").read_text()
        missing = [p.parent.name for p in EXAMPLE_READMES if f"(examples/{p.parent.name}/" not in text]
        self.assertEqual(missing, [], "run tools/gallery.py")


if __name__ == "__main__":
    unittest.main()
