#!/usr/bin/env python3
"""Writes parts/wall.yaml: the bricks of a wall in running bond, one body each.

    examples/masonry-wall/wall.py

Full courses begin at the end of the wall, the others half a brick later, closed by a half brick at both ends. A brick belongs to the
group `left` or `right` when it lies on that side of the middle, to `middle` when it lies across.
"""
import pathlib

COURSES, BRICKS = 10, 12  # an even number, so that the middle of a full course is a joint


def bricks(course):
    """(centre, length) in bricks from the left end."""
    if course % 2 == 0:
        return [(k + 0.5, 1) for k in range(BRICKS)]
    return [(0.25, 0.5)] + [(k + 1, 1) for k in range(BRICKS - 1)] + [(BRICKS - 0.25, 0.5)]


def group(centre):
    return "middle" if centre == BRICKS / 2 else "left" if centre < BRICKS / 2 else "right"


def main():
    lines = ["# Bricks, named course-column from below and from the left. Written by wall.py.", f"parameters: {{bricks: {BRICKS}, brick: 0.2}}  # m, length of a brick; width and height are half of it", "bodies:"]
    for course in range(COURSES):
        for column, (centre, length) in enumerate(bricks(course)):
            size = f"[{'brick' if length == 1 else 'brick/2'}, brick/2, brick/2]"
            lines.append(f"  - {{name: b{course + 1}-{column + 1}, group: {group(centre)}, shape: {{box: {{size: {size}}}}}, "
                         f"position: [{centre}*brick, 0, {course + 0.5}*brick/2]}}")
    (pathlib.Path(__file__).resolve().parent / "parts" / "wall.yaml").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
