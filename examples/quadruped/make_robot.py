#!/usr/bin/env python3
"""Writes the robot of this example: robot.urdf and the meshes it names.

A four-legged walker of 12.4 kg with three joints a leg, dimensions and masses as common for this class of robot (assumed).
Trunk and shanks are meshes, taken by their convex hulls; feet are balls fixed to the shanks, their mass lumped in the
file as real descriptions do.
"""
import itertools
import math
import pathlib

HERE = pathlib.Path(__file__).resolve().parent

TRUNK = (0.40, 0.20, 0.11)  # m
CHAMFER = 0.03
HIP = (0.19, 0.06)          # m, of the hip joints from the centre of the trunk
OFFSET = 0.08               # m, from the hip's axis to the plane of the leg
THIGH = SHANK = 0.21        # m
FOOT = 0.022                # m, radius
EFFORT = {"hip": 23.7, "thigh": 23.7, "knee": 35.5}  # N m


def chamfered_box(size, c):
    """Corners of a box whose twelve edges are cut: 24 points."""
    half = [0.5 * s for s in size]
    points = []
    for sign in itertools.product((-1, 1), repeat=3):
        for k in range(3):
            points.append(tuple(s * (h if i == k else h - c) for i, (s, h) in enumerate(zip(sign, half))))
    return points


def hull_faces(points):
    """Faces of a small convex point set: every plane through three points that has all others behind it."""
    faces = {}
    for a, b, c in itertools.combinations(range(len(points)), 3):
        pa, pb, pc = points[a], points[b], points[c]
        u = [pb[i] - pa[i] for i in range(3)]
        v = [pc[i] - pa[i] for i in range(3)]
        n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        length = math.sqrt(sum(x * x for x in n))
        if length < 1e-12:
            continue
        n = tuple(x / length for x in n)
        heights = [sum(n[i] * (p[i] - pa[i]) for i in range(3)) for p in points]
        if max(heights) > 1e-9:
            n, heights = tuple(-x for x in n), [-h for h in heights]
        if max(heights) > 1e-9:
            continue
        members = tuple(i for i, h in enumerate(heights) if h > -1e-9)
        faces[members] = n
    ordered = []
    for members, n in sorted(faces.items()):
        centre = [sum(points[i][k] for i in members) / len(members) for k in range(3)]
        helper = (1, 0, 0) if abs(n[0]) < 0.9 else (0, 1, 0)
        e1 = (n[1] * helper[2] - n[2] * helper[1], n[2] * helper[0] - n[0] * helper[2], n[0] * helper[1] - n[1] * helper[0])
        e2 = (n[1] * e1[2] - n[2] * e1[1], n[2] * e1[0] - n[0] * e1[2], n[0] * e1[1] - n[1] * e1[0])

        def angle(i):
            d = [points[i][k] - centre[k] for k in range(3)]
            return math.atan2(sum(d[k] * e2[k] for k in range(3)), sum(d[k] * e1[k] for k in range(3)))

        ordered.append((sorted(members, key=angle), n))
    return ordered


def write_stl(path, points):
    lines = [f"solid {path.stem}"]
    for corners, n in hull_faces(points):
        for k in range(1, len(corners) - 1):
            lines.append("facet normal " + " ".join(f"{x:.6g}" for x in n))
            lines.append("outer loop")
            lines += ["vertex " + " ".join(f"{x:.6g}" for x in points[i]) for i in (corners[0], corners[k], corners[k + 1])]
            lines += ["endloop", "endfacet"]
    lines.append(f"endsolid {path.stem}")
    path.write_text("\n".join(lines) + "\n")


def write_obj(path, points):
    lines = [f"o {path.stem}"] + ["v " + " ".join(f"{x:.6g}" for x in p) for p in points]
    lines += ["f " + " ".join(str(i + 1) for i in corners) for corners, _ in hull_faces(points)]
    path.write_text("\n".join(lines) + "\n")


def box_inertia(mass, size):
    x, y, z = (s * s for s in size)
    return [mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12]


def inertial(mass, size, at=(0, 0, 0)):
    ixx, iyy, izz = box_inertia(mass, size)
    return (f'    <inertial><origin xyz="{at[0]:g} {at[1]:g} {at[2]:g}"/><mass value="{mass:g}"/>'
            f'<inertia ixx="{ixx:.6g}" ixy="0" ixz="0" iyy="{iyy:.6g}" iyz="0" izz="{izz:.6g}"/></inertial>')


def collision(geometry, at=(0, 0, 0), rpy=(0, 0, 0)):
    return (f'    <collision><origin xyz="{at[0]:g} {at[1]:g} {at[2]:g}" rpy="{rpy[0]:g} {rpy[1]:g} {rpy[2]:g}"/>'
            f"<geometry>{geometry}</geometry></collision>")


def joint(name, kind, parent, child, at, axis=None, limits=None, effort=0.0):
    text = [f'  <joint name="{name}" type="{kind}">', f'    <parent link="{parent}"/><child link="{child}"/>',
            f'    <origin xyz="{at[0]:g} {at[1]:g} {at[2]:g}"/>']
    if axis:
        text.append(f'    <axis xyz="{axis[0]} {axis[1]} {axis[2]}"/>')
        text.append(f'    <limit lower="{limits[0]}" upper="{limits[1]}" effort="{effort}" velocity="30"/>')
        text.append('    <dynamics damping="0.05" friction="0.1"/>')
    return "\n".join(text + ["  </joint>"])


def link(name, *parts):
    return "\n".join([f'  <link name="{name}">', *parts, "  </link>"])


def leg(name, x, y):
    side = 1 if y > 0 else -1
    yield joint(f"{name}_hip", "revolute", "trunk", f"{name}_hip", (x, y, 0), (1, 0, 0), (-0.8, 0.8), EFFORT["hip"])
    yield link(f"{name}_hip", inertial(0.5, (0.06, 0.06, 0.06)),
               collision('<cylinder radius="0.04" length="0.05"/>', (0, 0.5 * side * OFFSET, 0), (math.pi / 2, 0, 0)))
    yield joint(f"{name}_thigh", "revolute", f"{name}_hip", f"{name}_thigh", (0, side * OFFSET, 0), (0, 1, 0), (-1.0, 3.0),
                EFFORT["thigh"])
    yield link(f"{name}_thigh", inertial(0.6, (0.04, 0.03, THIGH), (0, 0, -THIGH / 3)),
               collision(f'<box size="0.036 0.026 {THIGH}"/>', (0, 0, -THIGH / 2)))
    yield joint(f"{name}_knee", "revolute", f"{name}_thigh", f"{name}_shank", (0, 0, -THIGH), (0, 1, 0), (-2.7, -0.6),
                EFFORT["knee"])
    yield link(f"{name}_shank", inertial(0.25, (0.03, 0.02, SHANK), (0, 0, -SHANK / 2)),
               collision('<mesh filename="package://quadruped/meshes/shank.obj" scale="0.001 0.001 0.001"/>'))
    yield joint(f"{name}_ankle", "fixed", f"{name}_shank", f"{name}_foot", (0, 0, -SHANK))
    yield link(f"{name}_foot", collision(f'<sphere radius="{FOOT}"/>'))


def shank_points():
    """A tapered, eight-cornered rod in millimetres, as drawing programs export it."""
    points = []
    for z, a, b in ((-10, 15, 10), (-200, 9, 8)):
        points += [(sx * a, sy * b, z) for sx in (-1, 1) for sy in (-1, 1)]
    return points


def main():
    meshes = HERE / "meshes"
    meshes.mkdir(exist_ok=True)
    write_stl(meshes / "trunk.stl", chamfered_box(TRUNK, CHAMFER))
    write_obj(meshes / "shank.obj", shank_points())
    parts = ['<?xml version="1.0"?>', "<!-- written by make_robot.py -->", '<robot name="quadruped">',
             link("base"), joint("base_joint", "fixed", "base", "trunk", (0, 0, 0)),
             link("trunk", inertial(7.0, TRUNK), collision('<mesh filename="package://quadruped/meshes/trunk.stl"/>'))]
    for name, sx, sy in (("front_left", 1, 1), ("front_right", 1, -1), ("rear_left", -1, 1), ("rear_right", -1, -1)):
        parts += leg(name, sx * HIP[0], sy * HIP[1])
    (HERE / "robot.urdf").write_text("\n".join(parts + ["</robot>"]) + "\n")


if __name__ == "__main__":
    main()
