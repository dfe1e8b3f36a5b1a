// What a picture of a run must hold: a box around the grains and the machines.
import type { Frame } from "./frame";
import { colliderPose, type Collider, type RunScene } from "./run_scene";
import { rotate, type Quaternion, type Vector } from "./vectors";

export interface Bounds {
  low: Vector;
  high: Vector;
  center: Vector;
  reach: number; // m, the largest side
  grains: { low: Vector; high: Vector } | null; // of the grains alone; null when there are none
}

// Grains that flew off must not shrink the rest: this part of the extremes is left out, of many grains.
const strayPart = 0.001;
const manyGrains = 200;
// A wall this much larger than all grains together is scenery: it is drawn, but the picture is not fitted to it.
const sceneryFactor = 2;
// A machine that has gone farther than this part of the scene from where all began is away.
const awayPart = 0.2;

function colliderExtent(c: Collider, rotation: Quaternion, planar: boolean): Vector {
  if (c.kind === "tube" || c.kind === "ring") {
    const axis = rotate(rotation, [0, 0, 1]);
    return axis.map((a) => c.radius * Math.sqrt(Math.max(0, 1 - a * a))) as Vector;
  }
  if (c.kind !== "box") return [c.bound, c.bound, planar ? 0 : c.bound];
  const half: Vector = planar ? [c.half[0], c.half[1], 0] : c.half;
  const sum: Vector = [0, 0, 0];
  for (let axis = 0; axis < 3; axis++) {
    const e: Vector = [0, 0, 0];
    e[axis] = half[axis];
    rotate(rotation, e).forEach((x, k) => (sum[k] += Math.abs(x)));
  }
  return sum;
}

// `whole`: bounds of the run, when the frames are one that is to fill the picture.
export function boundsOf(scene: RunScene, frames: Frame[], whole: Bounds | null = null): Bounds {
  const values: number[][] = [[], [], []];
  let largest = 0;
  for (const frame of frames) {
    for (let body = 0; body < frame.active; body++) {
      for (let k = 0; k < 3; k++) {
        const x = frame.position[3 * body + k];
        if (Number.isFinite(x)) values[k].push(x - scene.size[body], x + scene.size[body]);
      }
      largest = Math.max(largest, scene.size[body]);
    }
  }
  const low: Vector = [Infinity, Infinity, Infinity], high: Vector = [-Infinity, -Infinity, -Infinity];
  values.forEach((list, k) => {
    if (list.length === 0) return;
    list.sort((a, b) => a - b);
    const skip = list.length > 2 * manyGrains ? Math.floor(list.length * strayPart) : 0;
    low[k] = list[skip];
    high[k] = list[list.length - 1 - skip];
  });
  const grains = Math.max(...high.map((h, k) => h - low[k]));
  const alone = Number.isFinite(grains) ? { low: [...low] as Vector, high: [...high] as Vector } : null;
  // Machines and walls where they begin, and where they go unless that is away: a gate that drops out is not followed.
  frames.forEach((frame, i) => {
    const begun = whole ?? (i === 0 ? null : { low: [...low], high: [...high] });
    const far = begun ? awayPart * Math.max(...begun.high.map((h, k) => h - begun.low[k])) : 0;
    for (const c of scene.colliders) {
      if (c.body < scene.dynamicCount || c.kind === "plane") continue;
      const { position, rotation } = colliderPose(frame, c);
      const extent = colliderExtent(c, rotation, scene.planar);
      if (Number.isFinite(grains) && Math.max(...extent) > sceneryFactor * grains) continue;
      if (begun && position.some((x, k) => x < begun.low[k] - far || x > begun.high[k] + far)) continue;
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(low[k], position[k] - extent[k]);
        high[k] = Math.max(high[k], position[k] + extent[k]);
      }
    }
  });
  for (let k = 0; k < 3; k++) if (!(low[k] <= high[k])) [low[k], high[k]] = [-1, 1];
  // A lone ball on a plane: look at more than the ball.
  const span = Math.max(...high.map((h, k) => h - low[k]), 3 * largest, 1e-9);
  for (let k = 0; k < 3; k++) {
    const lack = 0.25 * span - (high[k] - low[k]);
    if (lack > 0 && !(scene.planar && k === 2)) [low[k], high[k]] = [low[k] - lack / 2, high[k] + lack / 2];
  }
  return { low, high, center: low.map((l, k) => (l + high[k]) / 2) as Vector, reach: span, grains: alone };
}
