// Small vectors and rotations for what is computed once per scene. The thousands of bodies are moved by the shaders.

export type Vector = [number, number, number];
export type Quaternion = [number, number, number, number]; // x, y, z, w

export const add = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scaled = (a: Vector, s: number): Vector => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a: Vector): number => Math.hypot(a[0], a[1], a[2]);
export const unit = (a: Vector): Vector => scaled(a, 1 / (length(a) || 1));

export function rotate(q: Quaternion, v: Vector): Vector {
  const [x, y, z, w] = q;
  const tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]), tz = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}

export const inverse = (q: Quaternion): Quaternion => [-q[0], -q[1], -q[2], q[3]];

export function product(a: Quaternion, b: Quaternion): Quaternion {
  const [ax, ay, az, aw] = a, [bx, by, bz, bw] = b;
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

// Convex polygon cut by the half space dot(n, p) >= offset.
export function clipPolygon(points: Vector[], n: Vector, offset: number): Vector[] {
  const kept: Vector[] = [];
  for (let i = 0; i < points.length; i++) {
    const a = points[i], b = points[(i + 1) % points.length];
    const da = dot(n, a) - offset, db = dot(n, b) - offset;
    if (da >= 0) kept.push(a);
    if (da >= 0 !== db >= 0) kept.push(add(a, scaled(minus(b, a), da / (da - db))));
  }
  return kept;
}
