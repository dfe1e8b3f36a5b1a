// Bodies as batches: all shapes with faces in one draw call, all balls in another. Shapes lie in the frames of their
// bodies and never change; the shaders move them by the pose texture.
import * as THREE from "three";
import type { Bounds } from "./bounds";
import type { RunScene } from "./run_scene";
import { ballMesh, isBall, placeMesh, solidMesh, type Mesh } from "./shapes";
import { isContainer, type Wall } from "./walls";

function geometryOf(points: Float32Array, normals: Int8Array, bodies: Uint32Array, indices: Uint32Array): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
  geometry.setAttribute("facing", new THREE.BufferAttribute(normals, 4, true));
  geometry.setAttribute("body", new THREE.BufferAttribute(bodies, 1));
  geometry.setIndex(new THREE.BufferAttribute(indices, 1));
  return geometry;
}

// Of shapes with faces; fixed and kinematic bodies first, so that planar scenes, drawn in order, have grains on top.
export function solidGeometry(scene: RunScene, bounds: Bounds): THREE.BufferGeometry | null {
  const known = new Map<string, Mesh>();
  const solids = scene.colliders.filter((c) => !isBall(c) && !isContainer(scene, c, bounds));
  const placed = solids.map((c) => ({ c, mesh: solidMesh(scene, c, known) })).filter((s): s is { c: (typeof solids)[number]; mesh: Mesh } => s.mesh !== null);
  if (placed.length === 0) return null;
  placed.sort((a, b) => Number(a.c.body < scene.dynamicCount) - Number(b.c.body < scene.dynamicCount));
  let vertices = 0, corners = 0;
  for (const { mesh } of placed) {
    vertices += mesh.rims.length;
    corners += mesh.indices.length;
  }
  const points = new Float32Array(3 * vertices), normals = new Int8Array(4 * vertices);
  const bodies = new Uint32Array(vertices), indices = new Uint32Array(corners);
  let at = 0, corner = 0;
  for (const { c, mesh } of placed) {
    const count = placeMesh(mesh, c, points, normals, at);
    bodies.fill(c.body, at, at + count);
    for (const i of mesh.indices) indices[corner++] = at + i;
    at += count;
  }
  return geometryOf(points, normals, bodies, indices);
}

export function ballGeometry(scene: RunScene): THREE.BufferGeometry | null {
  const balls = scene.colliders.filter(isBall);
  if (balls.length === 0) return null;
  const mesh = ballMesh(scene.planar, balls.length), count = mesh.rims.length;
  const normals = new Int8Array(4 * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) normals[4 * i + k] = Math.round(127 * mesh.normals[3 * i + k]);
    normals[4 * i + 3] = Math.round(127 * mesh.rims[i]);
  }
  const geometry = new THREE.InstancedBufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(mesh.points), 3));
  geometry.setAttribute("facing", new THREE.BufferAttribute(normals, 4, true));
  geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(mesh.indices), 1));
  const places = new Float32Array(4 * balls.length), bodies = new Uint32Array(balls.length);
  balls.forEach((c, i) => {
    places.set([...c.position, c.radius], 4 * i);
    bodies[i] = c.body;
  });
  geometry.setAttribute("ball", new THREE.InstancedBufferAttribute(places, 4));
  geometry.setAttribute("body", new THREE.InstancedBufferAttribute(bodies, 1));
  geometry.instanceCount = balls.length;
  return geometry;
}

export function wallGeometry(walls: Wall[]): THREE.BufferGeometry | null {
  if (walls.length === 0) return null;
  const points: number[] = [], normals: number[] = [], bodies: number[] = [], indices: number[] = [];
  for (const { body, mesh } of walls) {
    const first = bodies.length;
    points.push(...mesh.points);
    mesh.rims.forEach((rim, i) => {
      normals.push(...mesh.normals.slice(3 * i, 3 * i + 3).map((n) => Math.round(127 * n)), Math.round(127 * rim));
      bodies.push(body);
    });
    for (const i of mesh.indices) indices.push(first + i);
  }
  return geometryOf(new Float32Array(points), new Int8Array(normals), new Uint32Array(bodies), new Uint32Array(indices));
}

export function edgeGeometry(walls: Wall[]): THREE.BufferGeometry | null {
  const points = walls.flatMap((w) => w.edges.flat()), bodies = walls.flatMap((w) => w.edges.map(() => w.body));
  if (bodies.length === 0) return null;
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points), 3));
  geometry.setAttribute("body", new THREE.BufferAttribute(new Uint32Array(bodies), 1));
  return geometry;
}
