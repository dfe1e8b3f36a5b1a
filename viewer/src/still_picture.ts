// A still picture where WebGL is missing: the outlines of all shapes of one frame, filled, the farthest first, seen from
// the corner without perspective. Every shape but a tube and a ring is convex, so its outline is the hull of its points.
import { boundsOf } from "./bounds";
import { BodyColours } from "./colours";
import { element } from "./dom";
import type { Frame } from "./frame";
import { FrameStore } from "./frame_store";
import { colliderPose, type Collider, type RunScene } from "./run_scene";
import type { FrameSource } from "./run_source";
import { cssColour } from "./theme";
import { add, dot, minus, rotate, type Vector } from "./vectors";
import { axesOf, presets } from "./views";

type Point = [number, number];

const ringPoints = 24; // of a circle that is drawn as corners
const margin = 1.06; // of the picture around the scene
const width = 1280, height = 800;

export function hasWebGL(): boolean {
  try {
    return element("canvas", {}).getContext("webgl2") !== null;
  } catch {
    return false;
  }
}

function ring(radius: number, z: number): Vector[] {
  return Array.from({ length: ringPoints }, (_, i) => {
    const angle = (2 * Math.PI * i) / ringPoints;
    return [radius * Math.cos(angle), radius * Math.sin(angle), z];
  });
}

// Points of the collider's frame whose hull is its outline, and the radius of a ball about each of them.
function outline(c: Collider, scene: RunScene): { points: Vector[]; radius: number } {
  const triples = (list: number[], stride: number, scale: number): Vector[] =>
    Array.from({ length: Math.floor(list.length / stride) }, (_, i) => [scale * list[stride * i], scale * list[stride * i + 1], stride > 2 ? scale * list[stride * i + 2] : 0]);
  switch (c.kind) {
    case "sphere":
    case "disk":
      return { points: [[0, 0, 0]], radius: c.radius };
    case "capsule":
      return { points: scene.planar ? [[-c.half[0], 0, 0], [c.half[0], 0, 0]] : [[0, 0, -c.half[2]], [0, 0, c.half[2]]], radius: c.radius };
    case "cylinder":
      return { points: [...ring(c.radius, -c.half[2]), ...ring(c.radius, c.half[2])], radius: 0 };
    case "box":
      return { points: Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((k) => ((i >> k) & 1 ? 1 : -1) * c.half[k]) as Vector), radius: 0 };
    case "polygon":
      return { points: triples(c.vertices, 2, 1), radius: 0 };
    case "triangle":
      return { points: triples(c.vertices, 3, 1), radius: 0 };
    case "polyhedron":
      return { points: triples(scene.polyhedra[c.geometry].vertices, 3, c.scale), radius: 0 };
    default:
      return { points: [], radius: 0 }; // half spaces and hollow shapes would cover what is in them
  }
}

// Andrew's monotone chain.
function hull(points: Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (o: Point, a: Point, b: Point) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (list: Point[]) => {
    const chain: Point[] = [];
    for (const p of list) {
      while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], p) <= 0) chain.pop();
      chain.push(p);
    }
    chain.pop();
    return chain;
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
}

// The canvas with this frame; `samples` give the ranges of colours and size, as in the moving picture.
export function stillPicture(scene: RunScene, frame: Frame, samples: Frame[]): HTMLCanvasElement {
  const canvas = element("canvas", { class: "picture still", role: "img", "aria-label": `Still picture of ${scene.file.name} at ${frame.time} s` });
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d")!;
  const bounds = boundsOf(scene, samples), { right, above, toward } = axesOf(scene, presets.corner);
  const corners = Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((k) => ((i >> k) & 1 ? bounds.high[k] : bounds.low[k])) as Vector);
  const reach = (axis: Vector) => Math.max(...corners.map((corner) => Math.abs(dot(axis, minus(corner, bounds.center)))));
  const scale = Math.min(width / 2 / reach(right), height / 2 / reach(above)) / margin; // pixels per metre
  const project = (p: Vector): Point => {
    const d = minus(p, bounds.center);
    return [width / 2 + scale * dot(right, d), height / 2 - scale * dot(above, d)];
  };
  const colours = new BodyColours(scene), rgba = new Uint8Array(4 * scene.bodyCount);
  colours.widenSpeeds(samples);
  colours.paint(frame, colours.names[0], rgba);
  context.fillStyle = cssColour("--paper");
  context.fillRect(0, 0, width, height);
  context.lineJoin = "round";
  const placed = scene.colliders
    .filter((c) => rgba[4 * c.body + 3] > 0)
    .map((c) => ({ c, pose: colliderPose(frame, c) }))
    .filter(({ pose }) => pose.position.every(Number.isFinite))
    .sort((a, b) => dot(toward, a.pose.position) - dot(toward, b.pose.position));
  for (const { c, pose } of placed) {
    const { points, radius } = outline(c, scene);
    const flat = points.map((p) => project(add(pose.position, rotate(pose.rotation, p))));
    if (flat.length === 0) continue;
    context.fillStyle = context.strokeStyle = `rgb(${rgba[4 * c.body]} ${rgba[4 * c.body + 1]} ${rgba[4 * c.body + 2]})`;
    context.beginPath();
    if (flat.length === 1) context.arc(flat[0][0], flat[0][1], scale * radius, 0, 2 * Math.PI);
    else hull(flat).forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    context.closePath();
    if (flat.length > 1 && radius > 0) {
      context.lineCap = "round";
      context.lineWidth = 2 * scale * radius;
      context.stroke();
    } else {
      context.fill();
      context.strokeStyle = "rgb(0 0 0 / 45%)";
      context.lineWidth = 1;
      context.stroke();
    }
  }
  return canvas;
}

// The last frame of a run with a sentence about what is missing.
export async function stillOf(source: FrameSource): Promise<HTMLElement> {
  const store = new FrameStore(source), [scene] = await Promise.all([source.scene(), store.refresh()]);
  if (store.count === 0) return element("p", { class: "note" }, "The run has no frames.");
  const samples = await Promise.all([...new Set([0, (store.count - 1) >> 1, store.count - 1])].map((n) => store.get(n)));
  const last = samples[samples.length - 1];
  const words = `This browser has no WebGL, so the run cannot be played or turned here: its last frame, at ${Number(last.time.toPrecision(6))} s, without walls.`;
  return element("figure", { class: "still" }, stillPicture(scene, last, samples), element("figcaption", { class: "note" }, words));
}
