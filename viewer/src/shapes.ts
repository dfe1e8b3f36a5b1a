// Shapes as triangles in the frame of their collider. A mesh is made once per distinct shape and copied into batches.
import type { Collider, Polyhedron, RunScene } from "./run_scene";
import { add, cross, minus, unit, type Vector } from "./vectors";

export interface Mesh {
  points: number[]; // 3 per vertex
  normals: number[]; // 3 per vertex, unit
  rims: number[]; // 1 per vertex: 0 on the outline of a planar shape, 1 where there is none
  indices: number[];
}

export const emptyMesh = (): Mesh => ({ points: [], normals: [], rims: [], indices: [] });

// Facets around a circle: fine enough that the eye sees none at the sizes machines are drawn.
const roundFacets = 40;

function vertex(mesh: Mesh, p: Vector, n: Vector, rim = 1): number {
  mesh.points.push(...p);
  mesh.normals.push(...n);
  mesh.rims.push(rim);
  return mesh.rims.length - 1;
}

// A flat convex face; corners counter-clockwise seen from its front.
export function addFace(mesh: Mesh, corners: Vector[]): void {
  let n: Vector = [0, 0, 0];
  for (let i = 1; i + 1 < corners.length; i++) n = add(n, cross(minus(corners[i], corners[0]), minus(corners[i + 1], corners[0])));
  n = unit(n);
  const first = mesh.rims.length;
  for (const p of corners) vertex(mesh, p, n);
  for (let i = 1; i + 1 < corners.length; i++) mesh.indices.push(first, first + i, first + i + 1);
}

// A convex outline in the plane z = 0, seen from above, as a fan whose rim is known: the painter draws it as a line.
function planarFace(corners: [number, number][], z = 0): Mesh {
  const mesh = emptyMesh();
  const middle = corners.reduce(([x, y], [a, b]) => [x + a / corners.length, y + b / corners.length], [0, 0]);
  const hub = vertex(mesh, [middle[0], middle[1], z], [0, 0, 1], 1);
  corners.forEach(([x, y]) => vertex(mesh, [x, y, z], [0, 0, 1], 0));
  corners.forEach((_, i) => mesh.indices.push(hub, hub + 1 + i, hub + 1 + ((i + 1) % corners.length)));
  return mesh;
}

export function boxFaces(half: Vector): Vector[][] {
  const faces: Vector[][] = [];
  for (let axis = 0; axis < 3; axis++) {
    const u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const sign of [-1, 1]) {
      const corner = (a: number, b: number): Vector => {
        const p: Vector = [0, 0, 0];
        p[axis] = sign * half[axis];
        p[u] = a * half[u];
        p[v] = sign * b * half[v];
        return p;
      };
      faces.push([corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)]);
    }
  }
  return faces;
}

// A body of revolution about z: rings of (radius, height, normal's radial part, normal's axial part), from below to above.
function revolved(mesh: Mesh, rings: [number, number, number, number][], facets = roundFacets): void {
  const first = mesh.rims.length;
  for (const [r, z, nr, nz] of rings) {
    for (let i = 0; i <= facets; i++) {
      const a = (2 * Math.PI * i) / facets, c = Math.cos(a), s = Math.sin(a);
      vertex(mesh, [r * c, r * s, z], [nr * c, nr * s, nz]);
    }
  }
  const stride = facets + 1;
  for (let k = 0; k + 1 < rings.length; k++) {
    for (let i = 0; i < facets; i++) {
      const a = first + k * stride + i, b = a + 1, c = a + stride, d = c + 1;
      mesh.indices.push(a, b, d, a, d, c);
    }
  }
}

function cylinderMesh(radius: number, half: number): Mesh {
  const mesh = emptyMesh();
  revolved(mesh, [[0, -half, 0, -1], [radius, -half, 0, -1]]);
  revolved(mesh, [[radius, -half, 1, 0], [radius, half, 1, 0]]);
  revolved(mesh, [[radius, half, 0, 1], [0, half, 0, 1]]);
  return mesh;
}

function capsuleMesh(radius: number, half: number): Mesh {
  const mesh = emptyMesh(), rings: [number, number, number, number][] = [];
  const steps = 8;
  for (const side of [-1, 1]) {
    for (let i = 0; i <= steps; i++) {
      const a = ((side < 0 ? i - steps : i) / steps) * (Math.PI / 2);
      rings.push([radius * Math.cos(a), side * half + radius * Math.sin(a), Math.cos(a), Math.sin(a)]);
    }
  }
  revolved(mesh, rings, 28);
  return mesh;
}

// The inside of a tube about z, normals to the axis.
export function tubeMesh(radius: number, low: number, high: number): Mesh {
  const mesh = emptyMesh();
  revolved(mesh, [[radius, high, -1, 0], [radius, low, -1, 0]], 72);
  return mesh;
}

function polyhedronMesh(p: Polyhedron): Mesh {
  const mesh = emptyMesh();
  const at = (i: number): Vector => [p.vertices[3 * i], p.vertices[3 * i + 1], p.vertices[3 * i + 2]];
  for (let f = 0; f + 1 < p.face_begin.length; f++) addFace(mesh, p.face_vertices.slice(p.face_begin[f], p.face_begin[f + 1]).map(at));
  return mesh;
}

function planarCapsule(radius: number, half: number): Mesh {
  const corners: [number, number][] = [];
  const steps = 16;
  for (const side of [1, -1]) {
    for (let i = 0; i <= steps; i++) {
      const a = (i / steps - 0.5) * Math.PI + (side < 0 ? Math.PI : 0);
      corners.push([side * half + radius * Math.cos(a), radius * Math.sin(a)]);
    }
  }
  return planarFace(corners);
}

// Of unit radius, for balls of all sizes; facets by how many balls there are, so that a heap stays quick to draw.
export function ballMesh(planar: boolean, count: number): Mesh {
  return planar ? diskMesh() : sphereMesh(count <= 1200 ? 3 : count <= 6000 ? 2 : 1);
}

// A spoke shows the turning; as a part of the outline it has its colour.
function diskMesh(): Mesh {
  const corners: [number, number][] = [];
  for (let i = 0; i < 48; i++) corners.push([Math.cos((Math.PI * i) / 24), Math.sin((Math.PI * i) / 24)]);
  const mesh = planarFace(corners);
  const width = 0.035, first = mesh.rims.length;
  for (const [x, y] of [[0.35, -width], [0.9, -width], [0.9, width], [0.35, width]]) vertex(mesh, [x, y, 0], [0, 0, 1], 0);
  mesh.indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
  return mesh;
}

// An octahedron whose faces are cut in four `levels` times and pushed onto the ball.
function sphereMesh(levels: number): Mesh {
  const axes: Vector[] = [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]];
  let faces: Vector[][] = axes.flatMap((a, i) => [[a, axes[(i + 1) % 4], [0, 0, 1]], [axes[(i + 1) % 4], a, [0, 0, -1]]] as Vector[][]);
  for (let level = 0; level < levels; level++) {
    faces = faces.flatMap(([a, b, c]) => {
      const ab = unit(add(a, b)), bc = unit(add(b, c)), ca = unit(add(c, a));
      return [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]];
    });
  }
  const mesh = emptyMesh(), known = new Map<string, number>();
  for (const face of faces) {
    for (const p of face) {
      const key = p.map((x) => x.toFixed(6)).join();
      if (!known.has(key)) known.set(key, vertex(mesh, p, p));
      mesh.indices.push(known.get(key)!);
    }
  }
  return mesh;
}

// Mesh of a solid collider at scale 1 and a key that equal shapes share; null for balls, half spaces and hollow shapes.
export function solidMesh(scene: RunScene, c: Collider, known: Map<string, Mesh>): Mesh | null {
  const once = (key: string, make: () => Mesh) => {
    let mesh = known.get(key);
    if (!mesh) known.set(key, (mesh = make()));
    return mesh;
  };
  switch (c.kind) {
    case "polyhedron":
      return once(`polyhedron ${c.geometry}`, () => polyhedronMesh(scene.polyhedra[c.geometry]));
    case "box":
      return once(`box ${c.half}`, () => {
        if (scene.planar) return planarFace([[-c.half[0], -c.half[1]], [c.half[0], -c.half[1]], [c.half[0], c.half[1]], [-c.half[0], c.half[1]]]);
        const mesh = emptyMesh();
        for (const face of boxFaces(c.half)) addFace(mesh, face);
        return mesh;
      });
    case "capsule":
      return once(`capsule ${c.radius} ${c.half}`, () => (scene.planar ? planarCapsule(c.radius, c.half[0] || c.half[2]) : capsuleMesh(c.radius, c.half[2])));
    case "cylinder":
      return once(`cylinder ${c.radius} ${c.half[2]}`, () => cylinderMesh(c.radius, c.half[2]));
    case "polygon": {
      const corners: [number, number][] = [];
      for (let k = 0; k < c.vertices.length; k += 2) corners.push([c.vertices[k], c.vertices[k + 1]]);
      return once(`polygon ${c.vertices}`, () => planarFace(corners));
    }
    case "triangle": {
      const v = c.vertices, corners = [0, 3, 6].map((k) => [v[k], v[k + 1], v[k + 2]] as Vector);
      const mesh = emptyMesh();
      addFace(mesh, corners);
      return mesh;
    }
    default:
      return null;
  }
}

export const isBall = (c: Collider) => c.kind === "sphere" || c.kind === "disk";

// Copies `mesh` with the collider's pose and scale into arrays at a vertex; returns the number of vertices.
export function placeMesh(mesh: Mesh, c: Collider, points: Float32Array, normals: Int8Array, at: number): number {
  const count = mesh.rims.length;
  const [qx, qy, qz, qw] = c.rotation, [px, py, pz] = c.position, s = c.kind === "polyhedron" ? c.scale : 1;
  for (let i = 0; i < count; i++) {
    for (let pass = 0; pass < 2; pass++) {
      const from = pass === 0 ? mesh.points : mesh.normals, f = pass === 0 ? s : 1;
      const x = f * from[3 * i], y = f * from[3 * i + 1], z = f * from[3 * i + 2];
      const tx = 2 * (qy * z - qz * y), ty = 2 * (qz * x - qx * z), tz = 2 * (qx * y - qy * x);
      const rx = x + qw * tx + qy * tz - qz * ty, ry = y + qw * ty + qz * tx - qx * tz, rz = z + qw * tz + qx * ty - qy * tx;
      if (pass === 0) {
        points[3 * (at + i)] = px + rx;
        points[3 * (at + i) + 1] = py + ry;
        points[3 * (at + i) + 2] = pz + rz;
      } else {
        normals[4 * (at + i)] = Math.round(127 * rx);
        normals[4 * (at + i) + 1] = Math.round(127 * ry);
        normals[4 * (at + i) + 2] = Math.round(127 * rz);
        normals[4 * (at + i) + 3] = Math.round(127 * mesh.rims[i]);
      }
    }
  }
  return count;
}

