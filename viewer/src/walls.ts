// Half spaces, tubes and the boxes of containers: the backdrop of a picture, cut to what the picture shows. A wall that
// stands between the viewer and the grains must not hide them, so walls have one side, and their edges are lines.
import type { Bounds } from "./bounds";
import type { Frame } from "./frame";
import { bodyPose, colliderPose, type Collider, type RunScene } from "./run_scene";
import { addFace, boxFaces, emptyMesh, tubeMesh, type Mesh } from "./shapes";
import { add, clipPolygon, cross, dot, inverse, minus, rotate, scaled, unit, type Vector } from "./vectors";

// One wall, with points in the frame of its body.
export interface Wall {
  body: number;
  mesh: Mesh;
  edges: Vector[]; // two per line
}

// A fixed box whose second largest half side exceeds this part of the scene is a wall of a container.
const containerPart = 0.2;
// How far floors and walls go beyond the grains, parts of the scene: along the floor and up. Walls end above the grains, also
// where a machine is taller: they hold the grains, and would hide the machine.
const floorMargin = 0.3, heightMargin = 0.1;

export function isContainer(scene: RunScene, c: Collider, bounds: Bounds): boolean {
  if (scene.planar || c.kind !== "box" || c.body < scene.dynamicCount) return false;
  const sides = [...c.half].sort((a, b) => b - a);
  return sides[1] > containerPart * bounds.reach;
}

interface HalfSpace {
  normal: Vector;
  offset: number;
  body: number;
}

function halfSpaces(scene: RunScene, frame: Frame): HalfSpace[] {
  const axis: Vector = scene.planar ? [0, 1, 0] : [0, 0, 1];
  return scene.colliders
    .filter((c) => c.kind === "plane")
    .map((c) => {
      const { position, rotation } = colliderPose(frame, c), normal = rotate(rotation, axis);
      return { normal, offset: dot(normal, position), body: c.body };
    });
}

// Into the frame of the body that carries the wall, so that a shaken box shakes.
function carried(frame: Frame, body: number, p: Vector): Vector {
  const pose = bodyPose(frame, body);
  return rotate(inverse(pose.rotation), minus(p, pose.position));
}

function outline(corners: Vector[]): Vector[] {
  return corners.flatMap((p, i) => [p, corners[(i + 1) % corners.length]]);
}

function faceWall(frame: Frame, body: number, corners: Vector[]): Wall {
  const local = corners.map((p) => carried(frame, body, p)), mesh = emptyMesh();
  addFace(mesh, local);
  return { body, mesh, edges: outline(local) };
}

// Faces of half spaces: a large square on each plane, cut by the other planes, by its own tube and by the picture.
function planeWalls(scene: RunScene, frame: Frame, { low, high, center, reach, grains }: Bounds): Wall[] {
  const planes = halfSpaces(scene, frame);
  const tubes = scene.colliders.filter((c) => c.kind === "tube");
  const limits: { normal: Vector; offset: number }[] = [];
  for (let k = 0; k < 3; k++) {
    const e: Vector = [0, 0, 0];
    e[k] = 1;
    const upright = Math.abs(dot(e, scene.up)) > 0.7, grow = (upright ? heightMargin : floorMargin) * reach;
    const [from, to] = upright && grains ? [grains.low[k], grains.high[k]] : [low[k], high[k]];
    limits.push({ normal: e, offset: from - grow }, { normal: scaled(e, -1), offset: -(to + grow) });
  }
  const walls: Wall[] = [];
  for (const plane of planes) {
    const n = plane.normal, t1 = unit(Math.abs(n[2]) < 0.9 ? cross([0, 0, 1], n) : cross([1, 0, 0], n)), t2 = cross(n, t1);
    const foot = add(center, scaled(n, plane.offset - dot(n, center)));
    let corners = ([[-1, -1], [1, -1], [1, 1], [-1, 1]] as const).map(([a, b]) => add(foot, add(scaled(t1, 4 * a * reach), scaled(t2, 4 * b * reach))));
    for (const cut of planes) {
      if (cut !== plane && Math.abs(dot(cut.normal, n)) < 0.999) corners = clipPolygon(corners, cut.normal, cut.offset - 1e-6 * reach);
    }
    for (const tube of tubes) {
      const pose = colliderPose(frame, tube);
      if (tube.body !== plane.body || Math.abs(dot(rotate(pose.rotation, [0, 0, 1]), n)) < 0.999) continue;
      for (let k = 0; k < 72; k++) {
        const inward = rotate(pose.rotation, [-Math.cos((k * Math.PI) / 36), -Math.sin((k * Math.PI) / 36), 0]);
        corners = clipPolygon(corners, inward, dot(inward, pose.position) - tube.radius);
      }
    }
    // the picture's own box cuts only along the plane, so that a floor below the grains stays
    for (const cut of limits) if (Math.abs(dot(cut.normal, n)) < 0.7) corners = clipPolygon(corners, cut.normal, cut.offset);
    if (corners.length >= 3) walls.push(faceWall(frame, plane.body, corners));
  }
  return walls;
}

function tubeWall(frame: Frame, c: Collider, { low, high, center }: Bounds): Wall {
  const pose = colliderPose(frame, c), axis = rotate(pose.rotation, [0, 0, 1]);
  const extent = 0.5 * axis.reduce((sum, a, k) => sum + Math.abs(a) * (high[k] - low[k]), 0);
  const shift = dot(axis, minus(center, pose.position));
  const mesh = tubeMesh(c.radius, shift - extent, shift + extent);
  const place = (p: Vector) => add(c.position, rotate(c.rotation, p));
  const points: number[] = [], normals: number[] = [];
  for (let i = 0; i < mesh.rims.length; i++) {
    points.push(...place(mesh.points.slice(3 * i, 3 * i + 3) as Vector));
    normals.push(...rotate(c.rotation, mesh.normals.slice(3 * i, 3 * i + 3) as Vector));
  }
  const circle = (z: number) => outline(Array.from({ length: 72 }, (_, i) => place([c.radius * Math.cos((i * Math.PI) / 36), c.radius * Math.sin((i * Math.PI) / 36), z])));
  return { body: c.body, mesh: { ...mesh, points, normals }, edges: [...circle(shift - extent), ...circle(shift + extent)] };
}

// Of a box only the faces that look at the middle of the scene.
function containerWall(frame: Frame, c: Collider, bounds: Bounds): Wall {
  const middle = carried(frame, c.body, bounds.center), mesh = emptyMesh(), edges: Vector[] = [];
  for (const face of boxFaces(c.half)) {
    const corners = face.map((p) => add(c.position, rotate(c.rotation, p)));
    edges.push(...outline(corners));
    const normal = unit(cross(minus(corners[1], corners[0]), minus(corners[2], corners[0])));
    if (dot(normal, minus(middle, corners[0])) > 0) addFace(mesh, corners);
  }
  return { body: c.body, mesh, edges };
}

export function wallsOf(scene: RunScene, frame: Frame, bounds: Bounds): Wall[] {
  if (scene.planar) return planarWalls(scene, frame, bounds);
  const walls = planeWalls(scene, frame, bounds);
  for (const c of scene.colliders) {
    if (c.kind === "tube") walls.push(tubeWall(frame, c, bounds));
    else if (isContainer(scene, c, bounds)) walls.push(containerWall(frame, c, bounds));
  }
  return walls;
}

// In the plane a wall is a strip of hatching on the solid side, `rim` growing from 0 at the surface.
function planarWalls(scene: RunScene, frame: Frame, { center, reach }: Bounds): Wall[] {
  const walls: Wall[] = [], far = 3 * reach, band = 0.03 * reach;
  const strip = (body: number, inner: Vector[], outer: Vector[]) => {
    const mesh = emptyMesh();
    inner.forEach((p, i) => {
      mesh.points.push(...carried(frame, body, p), ...carried(frame, body, outer[i]));
      mesh.normals.push(0, 0, 1, 0, 0, 1);
      mesh.rims.push(0, 1);
      const a = 2 * i;
      if (i + 1 < inner.length) mesh.indices.push(a, a + 1, a + 3, a, a + 3, a + 2);
    });
    const edges = inner.slice(1).flatMap((p, i) => [carried(frame, body, inner[i]), carried(frame, body, p)]);
    walls.push({ body, mesh, edges });
  };
  const planes = halfSpaces(scene, frame);
  for (const plane of planes) {
    const along: Vector = [plane.normal[1], -plane.normal[0], 0];
    const foot = add(center, scaled(plane.normal, plane.offset - dot(plane.normal, center)));
    let from = -far, to = far;
    for (const cut of planes) {
      const slope = dot(cut.normal, along), gap = cut.offset - dot(cut.normal, foot);
      if (Math.abs(slope) < 1e-3) continue;
      if (slope > 0) from = Math.max(from, gap / slope);
      else to = Math.min(to, gap / slope);
    }
    if (to <= from) continue;
    const inner = [add(foot, scaled(along, from)), add(foot, scaled(along, to))];
    strip(plane.body, inner, inner.map((p) => add(p, scaled(plane.normal, -band))));
  }
  for (const c of scene.colliders) {
    if (c.kind !== "ring") continue;
    const { position } = colliderPose(frame, c);
    const circle = (r: number) => Array.from({ length: 121 }, (_, i) => add(position, [r * Math.cos((i * Math.PI) / 60), r * Math.sin((i * Math.PI) / 60), 0]));
    strip(c.body, circle(c.radius), circle(c.radius + band));
  }
  return walls;
}
