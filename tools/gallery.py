#!/usr/bin/env python3
"""Rewrites the gallery of README.md, between its two marks, from the first lines of examples/*/README.md.

    tools/gallery.py          writes README.md
    tools/gallery.py --check  exit 1 when README.md is not up to date
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
START, END = "<!-- gallery -->\n", "<!-- end of gallery -->\n"


def row(folder):
    """One row: name, first sentence of the example's README, its picture when there is one."""
    text = (folder / "README.md").read_text()
    body = re.sub(r"\A#[^\n]*\n+", "", text)
    paragraph = re.sub(r"\s+", " ", body.split("\n\n")[0]).strip()
    sentence = re.split(r"(?<=[.!?]) ", paragraph)[0].replace("|", "\\|")
    link = f"[{folder.name}](examples/{folder.name}/README.md)"
    pictures = [p for p in (folder / "figure.png", folder / "figure.svg") if p.exists()]
    picture = f'<img src="{pictures[0].relative_to(ROOT)}" width="240" alt="{folder.name}">' if pictures else ""
    return f"| {link} | {sentence} | {picture} |"


def main():
    readme = ROOT / "README.md"
    text = readme.read_text()
    head, _, rest = text.partition(START)
    _, _, tail = rest.partition(END)
    folders = sorted(p.parent for p in (ROOT / "examples").glob("*/README.md"))
    table = ["| example | shows | |", "|---|---|---|", *map(row, folders)] if folders else []
    new = head + START + "\n" + "\n".join(table) + "\n\n" + END + tail
    if "--check" in sys.argv[1:]:
        sys.exit(0 if new == text else "README.md: the gallery is not up to date; run tools/gallery.py")
    readme.write_text(new)


if __name__ == "__main__":
    main()
