// A small software renderer for spatial scenes: orthographic, exact balls, triangles with smooth normals, a depth
// buffer, one light with a shadow map, and darkening where the depth jumps, which tells touching grains apart.
// Works without a graphics card and gives the same picture everywhere.

const nothing = -Infinity;
const backdrop = 1 << 24;  // flag in a colour: a wall, pale in any light, darkened by shadows only

class Raster {
  // axes: right, up, toward the viewer (unit vectors of the world); scale in pixels per metre.
  constructor(width, height, axes, center, scale, depthOnly) {
    Object.assign(this, { width, height, axes, center, scale, depthOnly });
    this.depth = new Float32Array(width * height).fill(nothing);
    if (depthOnly) return;
    this.color = new Uint32Array(width * height);
    this.normalX = new Float32Array(width * height);
    this.normalY = new Float32Array(width * height);
  }

  // World to pixels; depth in pixels too, larger is nearer.
  project(p) {
    const d = [p[0] - this.center[0], p[1] - this.center[1], p[2] - this.center[2]];
    const [right, up, toward] = this.axes;
    return [this.width / 2 + this.scale * dot(right, d), this.height / 2 - this.scale * dot(up, d), this.scale * dot(toward, d)];
  }

  ball(x, y, z, radius, color) {
    const { width, height, depth, axes, center, scale } = this;
    const dx = x - center[0], dy = y - center[1], dz = z - center[2];
    const [r, u, w] = axes;
    const px = width / 2 + scale * (r[0] * dx + r[1] * dy + r[2] * dz);
    const py = height / 2 - scale * (u[0] * dx + u[1] * dy + u[2] * dz);
    const pz = scale * (w[0] * dx + w[1] * dy + w[2] * dz);
    const R = Math.max(0.75, scale * radius), R2 = R * R;
    const y0 = Math.max(0, Math.ceil(py - R - 0.5)), y1 = Math.min(height - 1, Math.floor(py + R - 0.5));
    for (let j = y0; j <= y1; j++) {
      const ey = j + 0.5 - py, span2 = R2 - ey * ey;
      if (span2 <= 0) continue;
      const span = Math.sqrt(span2);
      const x0 = Math.max(0, Math.ceil(px - span - 0.5)), x1 = Math.min(width - 1, Math.floor(px + span - 0.5));
      for (let i = x0; i <= x1; i++) {
        const ex = i + 0.5 - px, h2 = span2 - ex * ex;
        const h = h2 > 0 ? Math.sqrt(h2) : 0, at = j * width + i;
        if (pz + h <= depth[at]) continue;
        depth[at] = pz + h;
        if (this.depthOnly) continue;
        this.color[at] = color;
        this.normalX[at] = ex / R;
        this.normalY[at] = -ey / R;
      }
    }
  }

  // Corners and normals in the world. Normals that look away are turned: both sides of a sheet are painted.
  triangle(a, b, c, na, nb, nc, color) {
    const { width, height, depth, axes } = this;
    const A = this.project(a), B = this.project(b), C = this.project(c);
    const area = (B[0] - A[0]) * (C[1] - A[1]) - (B[1] - A[1]) * (C[0] - A[0]);
    if (Math.abs(area) < 1e-9) return;
    const x0 = Math.max(0, Math.floor(Math.min(A[0], B[0], C[0]))), x1 = Math.min(width - 1, Math.ceil(Math.max(A[0], B[0], C[0])));
    const y0 = Math.max(0, Math.floor(Math.min(A[1], B[1], C[1]))), y1 = Math.min(height - 1, Math.ceil(Math.max(A[1], B[1], C[1])));
    const view = (n) => axes.map((e) => dot(e, n));
    const [VA, VB, VC] = this.depthOnly ? [] : [view(na), view(nb), view(nc)];
    for (let j = y0; j <= y1; j++) {
      for (let i = x0; i <= x1; i++) {
        const x = i + 0.5, y = j + 0.5;
        const wb = ((x - A[0]) * (C[1] - A[1]) - (y - A[1]) * (C[0] - A[0])) / area;
        const wc = ((B[0] - A[0]) * (y - A[1]) - (B[1] - A[1]) * (x - A[0])) / area;
        const wa = 1 - wb - wc;
        if (wa < 0 || wb < 0 || wc < 0) continue;
        const z = wa * A[2] + wb * B[2] + wc * C[2], at = j * width + i;
        if (z <= depth[at]) continue;
        depth[at] = z;
        if (this.depthOnly) continue;
        const nx = wa * VA[0] + wb * VB[0] + wc * VC[0], ny = wa * VA[1] + wb * VB[1] + wc * VC[1], nz = wa * VA[2] + wb * VB[2] + wc * VC[2];
        const size = (Math.hypot(nx, ny, nz) || 1) * (nz < 0 ? -1 : 1);
        this.color[at] = color;
        this.normalX[at] = nx / size;
        this.normalY[at] = ny / size;
      }
    }
  }

  // light: unit vector to the light in view axes; up: the world's up in view axes; shadow: a Raster seen from the
  // light, or null; grain: a typical grain's radius in pixels; reach: step of the depth taps in pixels.
  shade({ light, up, shadow, grain, reach }) {
    const { width, height, depth, color, normalX, normalY } = this;
    const image = new ImageData(width, height);
    const out = new Uint32Array(image.data.buffer);
    const toLight = shadow ? this.mapTo(shadow) : null;
    const half = unit(add(light, [0, 0, 1]));
    const taps = [[reach, 0], [-reach, 0], [0, reach], [0, -reach], [2 * reach, 2 * reach], [-2 * reach, 2 * reach], [2 * reach, -2 * reach], [-2 * reach, -2 * reach]];
    for (let j = 0; j < height; j++) {
      for (let i = 0; i < width; i++) {
        const at = j * width + i, z = depth[at];
        if (z === nothing) continue;
        const nx = normalX[at], ny = normalY[at], nz = Math.sqrt(Math.max(0, 1 - nx * nx - ny * ny));
        let hidden = 0;
        for (const [di, dj] of taps) {
          const x = i + di, y = j + dj;
          if (x < 0 || y < 0 || x >= width || y >= height) continue;
          const other = depth[y * width + x];
          // the slope of the surface itself is no jump
          if (other !== nothing) hidden += Math.min(1, Math.max(0, (other - z) / grain - 0.25));
        }
        const lit = shadow ? shadowAt(shadow, toLight, i + 0.5, j + 0.5, z, nx, ny, nz, light) : 1;
        const facing = Math.max(0, nx * light[0] + ny * light[1] + nz * light[2]);
        const sky = 0.5 + 0.5 * (nx * up[0] + ny * up[1] + nz * up[2]);
        const gloss = Math.pow(Math.max(0, nx * half[0] + ny * half[1] + nz * half[2]), 30);
        const ambient = (0.4 + 0.26 * sky) * Math.exp(-0.16 * hidden);
        const c = color[at], wall = c & backdrop;
        const brightness = wall ? 0.86 + 0.1 * sky + 0.06 * facing - 0.16 * (1 - lit) * (facing > 0) - 0.035 * hidden : ambient + 0.58 * facing * lit * Math.exp(-0.06 * hidden);
        const shine = wall ? 0 : 22 * gloss * lit;
        const red = Math.min(255, (c & 255) * brightness + shine), green = Math.min(255, ((c >> 8) & 255) * brightness + shine), blue = Math.min(255, ((c >> 16) & 255) * brightness + shine);
        out[at] = red | (green << 8) | (blue << 16) | (255 << 24);
      }
    }
    return image;
  }

  // Linear map from this raster's pixels and depth to the pixels and depth of another one.
  mapTo(other) {
    const columns = [];
    const factor = other.scale / this.scale;
    for (const [axis, sign] of [[0, 1], [1, -1], [2, 1]]) {
      const e = this.axes[axis];
      columns.push([factor * sign * dot(other.axes[0], e), -factor * sign * dot(other.axes[1], e), factor * sign * dot(other.axes[2], e)]);
    }
    const origin = other.project(this.center);
    const from = [this.width / 2, this.height / 2, 0];
    return { columns, origin, from };
  }
}

// Part of the light that reaches a point: four taps around it, against jagged edges.
function shadowAt(shadow, map, x, y, z, nx, ny, nz, light) {
  const facing = nx * light[0] + ny * light[1] + nz * light[2];
  if (facing <= 0) return 0;
  const { columns, origin, from } = map;
  const dx = x - from[0], dy = y - from[1], dz = z - from[2];
  const sx = origin[0] + columns[0][0] * dx + columns[1][0] * dy + columns[2][0] * dz;
  const sy = origin[1] + columns[0][1] * dx + columns[1][1] * dy + columns[2][1] * dz;
  const sz = origin[2] + columns[0][2] * dx + columns[1][2] * dy + columns[2][2] * dz;
  const { width, height, depth } = shadow;
  const bias = 1.5 + 1.5 / Math.max(0.15, facing);
  let free = 0;
  for (let k = 0; k < 4; k++) {
    const i = Math.floor(sx + ((k & 1) - 0.5) * 2.2), j = Math.floor(sy + ((k >> 1) - 0.5) * 2.2);
    if (i < 0 || j < 0 || i >= width || j >= height || depth[j * width + i] <= sz + bias) free += 0.25;
  }
  return free;
}
