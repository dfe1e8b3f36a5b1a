// The constant part of a run, frames/scene.json: bodies and their shapes, and what follows from them.
import { FileFault, type Frame } from "./frame";
import { add, length, product, rotate, type Quaternion, type Vector } from "./vectors";

export type ShapeKind = "sphere" | "capsule" | "cylinder" | "box" | "plane" | "disk" | "polygon" | "tube" | "ring" | "polyhedron" | "triangle";

export interface Polyhedron {
  vertices: number[]; // 3 per vertex, m, at scale 1
  face_begin: number[];
  face_vertices: number[]; // counter-clockwise seen from outside
}

export interface SceneFile {
  version: number;
  name: string;
  planar: boolean;
  dynamic_count: number;
  body_count: number;
  gravity: number[];
  moving: boolean[];
  body_names: string[];
  group_names: string[];
  group_of: number[];
  polyhedra?: Polyhedron[];
  triangles?: number[];
  colliders: {
    kind: ShapeKind[];
    body: number[];
    radius: number[];
    half: number[];
    position: number[];
    rotation: number[];
    vertex_begin: number[];
    vertex_count: number[];
    vertices: number[];
    geometry?: number[];
    scale?: number[];
  };
}

export interface Collider {
  kind: ShapeKind;
  body: number;
  radius: number;
  half: Vector;
  position: Vector; // in the body frame
  rotation: Quaternion;
  vertices: number[]; // of a polygon, 2 per vertex; of a triangle, 3
  geometry: number; // of a polyhedron: position in polyhedra
  scale: number;
  bound: number; // radius of a ball about the collider's origin that holds it; 0 for half spaces and hollow shapes
}

const framesVersion = 1;

export class RunScene {
  readonly colliders: Collider[] = [];
  readonly polyhedra: Polyhedron[];
  readonly size: Float32Array; // per body: radius of the ball about its origin that holds its shapes, m
  readonly up: Vector;

  constructor(readonly file: SceneFile) {
    if (file.version !== framesVersion) {
      throw new FileFault(`frames/scene.json: version ${file.version} of the frames was found, this page reads version ${framesVersion}.`);
    }
    this.polyhedra = file.polyhedra ?? [];
    const g = file.gravity as Vector;
    this.up = length(g) > 0 ? [-g[0] / length(g), -g[1] / length(g), -g[2] / length(g)] : file.planar ? [0, 1, 0] : [0, 0, 1];
    const table = file.colliders;
    const three = (list: number[], i: number): Vector => [list[3 * i], list[3 * i + 1], list[3 * i + 2]];
    for (let i = 0; i < table.kind.length; i++) {
      const q = table.rotation.slice(4 * i, 4 * i + 4) as Quaternion;
      const collider: Collider = {
        kind: table.kind[i],
        body: table.body[i],
        radius: table.radius[i],
        half: three(table.half, i),
        position: three(table.position, i),
        rotation: q,
        vertices: table.vertices.slice(2 * table.vertex_begin[i], 2 * (table.vertex_begin[i] + table.vertex_count[i])),
        geometry: table.geometry ? table.geometry[i] : -1,
        scale: table.scale ? table.scale[i] : 1,
        bound: 0,
      };
      if (collider.kind === "triangle") collider.vertices = (file.triangles ?? []).slice(9 * collider.geometry, 9 * collider.geometry + 9);
      if (collider.kind === "polyhedron" && !this.polyhedra[collider.geometry]) {
        throw new FileFault(`frames/scene.json: collider ${i} has a shape that is not there.`);
      }
      collider.bound = this.boundOf(collider);
      this.colliders.push(collider);
    }
    this.size = new Float32Array(file.body_count);
    for (const c of this.colliders) {
      if (c.bound > 0) this.size[c.body] = Math.max(this.size[c.body], c.bound + length(c.position));
    }
  }

  get planar() {
    return this.file.planar;
  }
  get bodyCount() {
    return this.file.body_count;
  }
  get dynamicCount() {
    return this.file.dynamic_count;
  }

  // Linked, or kinematic with a motion; dynamic bodies always.
  moves(body: number): boolean {
    return body < this.dynamicCount || this.file.moving[body - this.dynamicCount];
  }
  nameOf(body: number): string {
    return this.file.body_names[body] || `body ${body}`;
  }
  groupOf(body: number): number {
    return body < this.dynamicCount ? (this.file.group_of[body] ?? -1) : -1;
  }

  private farthest(vertices: number[], stride: number): number {
    let r = 0;
    for (let k = 0; k < vertices.length; k += stride) {
      r = Math.max(r, Math.hypot(...vertices.slice(k, k + stride)));
    }
    return r;
  }

  private boundOf(c: Collider): number {
    switch (c.kind) {
      case "sphere":
      case "disk":
        return c.radius;
      case "capsule":
        return c.radius + (this.planar ? c.half[0] || c.half[2] : c.half[2]);
      case "cylinder":
        return Math.hypot(c.radius, c.half[2]);
      case "box":
        return this.planar ? Math.hypot(c.half[0], c.half[1]) : length(c.half);
      case "polygon":
        return this.farthest(c.vertices, 2);
      case "triangle":
        return this.farthest(c.vertices, 3);
      case "polyhedron":
        return c.scale * this.farthest(this.polyhedra[c.geometry].vertices, 3);
      default:
        return 0;
    }
  }
}

export interface Pose {
  position: Vector;
  rotation: Quaternion;
}

export function bodyPose(frame: Frame, body: number): Pose {
  const p = frame.position, q = frame.rotation;
  return {
    position: [p[3 * body], p[3 * body + 1], p[3 * body + 2]],
    rotation: [q[4 * body], q[4 * body + 1], q[4 * body + 2], q[4 * body + 3]],
  };
}

export function colliderPose(frame: Frame, c: Collider): Pose {
  const body = bodyPose(frame, c.body);
  return { position: add(body.position, rotate(body.rotation, c.position)), rotation: product(body.rotation, c.rotation) };
}
