// Shapes as data for the painters. A mesh is {triangles: [9 numbers each], normals: [9 numbers each], edges: [6 each]}
// in the frame of the collider; balls are painted exactly and need no mesh.

const Kind = { sphere: 0, capsule: 1, cylinder: 2, box: 3, plane: 4, disk: 5, polygon: 6, tube: 7, ring: 8, polyhedron: 9, triangle: 10 };

function rotate(q, v) {
  const [x, y, z, w] = q;
  const tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]), tz = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => scaled(a, 1 / (Math.hypot(...a) || 1));

function newMesh() {
  return { triangles: [], normals: [], edges: [] };
}
function addTriangle(mesh, a, b, c, na, nb, nc) {
  mesh.triangles.push(...a, ...b, ...c);
  mesh.normals.push(...na, ...nb, ...nc);
}
function addQuad(mesh, a, b, c, d, n) {
  addTriangle(mesh, a, b, c, n, n, n);
  addTriangle(mesh, a, c, d, n, n, n);
}

function boxMesh(half) {
  const mesh = newMesh();
  for (let axis = 0; axis < 3; axis++) {
    const u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const sign of [-1, 1]) {
      const corner = (a, b) => {
        const p = [0, 0, 0];
        p[axis] = sign * half[axis];
        p[u] = a * half[u];
        p[v] = b * half[v];
        return p;
      };
      const n = [0, 0, 0];
      n[axis] = sign;
      addQuad(mesh, corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1), n);
    }
    for (const a of [-1, 1]) {
      for (const b of [-1, 1]) {
        const p = [0, 0, 0], q = [0, 0, 0];
        p[u] = q[u] = a * half[u];
        p[v] = q[v] = b * half[v];
        p[axis] = -half[axis];
        q[axis] = half[axis];
        mesh.edges.push(...p, ...q);
      }
    }
  }
  return mesh;
}

// Side of a cylinder about z in `count` facets; `inward` turns its normals to the axis, `caps` closes it.
function cylinderMesh(radius, half, caps, inward, count) {
  const mesh = newMesh(), sign = inward ? -1 : 1;
  const ring = (i) => [Math.cos((2 * Math.PI * i) / count), Math.sin((2 * Math.PI * i) / count), 0];
  for (let i = 0; i < count; i++) {
    const a = ring(i), b = ring(i + 1), na = scaled(a, sign), nb = scaled(b, sign);
    const at = (d, z) => [radius * d[0], radius * d[1], z];
    addTriangle(mesh, at(a, -half), at(b, -half), at(b, half), na, nb, nb);
    addTriangle(mesh, at(a, -half), at(b, half), at(a, half), na, nb, na);
    for (const z of [-half, half]) {
      if (inward) mesh.edges.push(...at(a, z), ...at(b, z));
      const n = [0, 0, Math.sign(z)];
      if (caps) addTriangle(mesh, [0, 0, z], at(a, z), at(b, z), n, n, n);
    }
  }
  return mesh;
}

// vertices: 3 numbers each; faces: [n, v1, ..., vn, n, ...], counter-clockwise.
function polyhedronMesh([vertices, faces], scale) {
  const mesh = newMesh(), at = (i) => scaled(vertices.slice(3 * i, 3 * i + 3), scale);
  for (let k = 0; k < faces.length; k += faces[k] + 1) {
    const corners = faces.slice(k + 1, k + 1 + faces[k]).map(at);
    let n = [0, 0, 0];
    for (let i = 1; i + 1 < corners.length; i++) n = add(n, cross(minus(corners[i], corners[0]), minus(corners[i + 1], corners[0])));
    n = unit(n);
    for (let i = 1; i + 1 < corners.length; i++) addTriangle(mesh, corners[0], corners[i], corners[i + 1], n, n, n);
  }
  return mesh;
}
// Both sides of a mesh wall are painted: it is seen from behind as often as not.
function triangleMesh(v) {
  const mesh = newMesh(), a = v.slice(0, 3), b = v.slice(3, 6), c = v.slice(6, 9);
  const n = unit(cross(minus(b, a), minus(c, a))), back = scaled(n, -1);
  addTriangle(mesh, a, b, c, n, n, n);
  addTriangle(mesh, a, c, b, back, back, back);
  return mesh;
}

// Convex polygon cut by the half space dot(n, p) >= offset.
function clipPolygon(points, n, offset) {
  const kept = [];
  for (let i = 0; i < points.length; i++) {
    const a = points[i], b = points[(i + 1) % points.length];
    const da = dot(n, a) - offset, db = dot(n, b) - offset;
    if (da >= 0) kept.push(a);
    if (da >= 0 !== db >= 0) kept.push(add(a, scaled(add(b, scaled(a, -1)), da / (da - db))));
  }
  return kept;
}

// The picture's data with typed arrays, one object per collider.
function decodeScene(scene) {
  const ballBody = decode(scene.shapes.ball_body, Int32Array), ballRadius = decode(scene.shapes.ball_radius, Float32Array);
  const others = scene.shapes.others.map(([kind, body, radius, half, position, rotation, vertices]) => ({ kind, body, radius, half, position, rotation, vertices }));
  const frames = scene.frames.map((f) => ({
    time: f.time,
    step: f.step,
    active: f.active,
    position: decode(f.position, Float32Array),
    rotation: decode(f.rotation, Int16Array),
    speed: decode(f.speed, Float32Array),
    contacts: {
      total: f.contacts.total,
      position: decode(f.contacts.position, Float32Array),
      impulse: decode(f.contacts.impulse, Float32Array),
      bodies: decode(f.contacts.bodies, Int32Array),
    },
  }));
  const dynamic = scene.bodies.dynamic;
  const size = new Float32Array(scene.bodies.count);  // of the largest ball around a shape of the body
  for (let i = 0; i < ballBody.length; i++) size[ballBody[i]] = Math.max(size[ballBody[i]], ballRadius[i]);
  for (const c of others) {
    let r = c.radius;
    if (c.kind === Kind.box) r = scene.planar ? Math.hypot(c.half[0], c.half[1]) : Math.hypot(...c.half);
    if (c.kind === Kind.capsule) r = c.radius + Math.max(...c.half);
    if (c.kind === Kind.cylinder) r = Math.hypot(c.radius, c.half[2]);
    if (c.kind === Kind.polygon) for (let k = 0; k < c.vertices.length; k += 2) r = Math.max(r, Math.hypot(c.vertices[k], c.vertices[k + 1]));
    if (c.kind === Kind.polyhedron) {
      const [vertices] = scene.shapes.polyhedra[c.vertices[0]];
      for (let k = 0; k < vertices.length; k += 3) r = Math.max(r, c.vertices[1] * Math.hypot(vertices[k], vertices[k + 1], vertices[k + 2]));
    }
    if (c.kind === Kind.triangle) for (let k = 0; k < 9; k += 3) r = Math.max(r, Math.hypot(c.vertices[k], c.vertices[k + 1], c.vertices[k + 2]));
    c.bound = r;
    if (c.kind === Kind.plane) continue;
    size[c.body] = Math.max(size[c.body], r + Math.hypot(...c.position));
  }
  return { planar: scene.planar, gravity: scene.gravity, count: scene.bodies.count, dynamic, group: decode(scene.bodies.group, Int16Array), groupNames: scene.bodies.group_names, moving: scene.bodies.moving, ballBody, ballRadius, others, polyhedra: scene.shapes.polyhedra || [], frames, size, notes: scene.notes };
}

function bodyPosition(frame, body) {
  return [frame.position[3 * body], frame.position[3 * body + 1], frame.position[3 * body + 2]];
}
function bodyRotation(frame, body) {
  const q = [0, 1, 2, 3].map((k) => frame.rotation[4 * body + k] / 32767);
  return scaledQuaternion(q);
}
function scaledQuaternion(q) {
  const n = Math.hypot(...q) || 1;
  return q.map((x) => x / n);
}
function quaternionProduct(a, b) {
  const [ax, ay, az, aw] = a, [bx, by, bz, bw] = b;
  return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz];
}
// Pose of a collider in the world.
function colliderPose(frame, c) {
  const q = bodyRotation(frame, c.body);
  return { position: add(bodyPosition(frame, c.body), rotate(q, c.position)), rotation: quaternionProduct(q, c.rotation) };
}

// Box around the grains of all frames, free of the few that fly off, grown by bodies of comparable size.
function sceneBounds(scene) {
  const axes = [[], [], []];
  let largest = 0;
  for (const frame of scene.frames) {
    const stride = Math.max(1, Math.floor(frame.active / 5000));
    for (let body = 0; body < frame.active; body += stride) {
      for (let k = 0; k < 3; k++) {
        const x = frame.position[3 * body + k];
        if (!Number.isFinite(x)) continue;
        axes[k].push(x - scene.size[body], x + scene.size[body]);
      }
      largest = Math.max(largest, scene.size[body]);
    }
  }
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  axes.forEach((values, k) => {
    if (values.length === 0) return;
    values.sort((a, b) => a - b);
    const skip = values.length > 400 ? Math.floor(values.length * 0.001) : 0;
    low[k] = values[skip];
    high[k] = values[values.length - 1 - skip];
  });
  const frame = scene.frames[0];
  const reach = Math.max(...high.map((h, k) => h - low[k]));
  for (const c of scene.others) {
    if (c.body < scene.dynamic || c.kind === Kind.plane) continue;
    const { position, rotation } = colliderPose(frame, c);
    const extent = colliderExtent(c, rotation, scene.planar);
    if (Number.isFinite(reach) && Math.max(...extent) > 2 * reach) continue;
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], position[k] - extent[k]);
      high[k] = Math.max(high[k], position[k] + extent[k]);
    }
  }
  for (let i = 0; i < scene.ballBody.length; i++) {
    const body = scene.ballBody[i];
    if (body < scene.dynamic) continue;
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], frame.position[3 * body + k] - scene.ballRadius[i]);
      high[k] = Math.max(high[k], frame.position[3 * body + k] + scene.ballRadius[i]);
    }
  }
  for (let k = 0; k < 3; k++) if (!(low[k] <= high[k])) [low[k], high[k]] = [-1, 1];
  // A lone ball on a plane: look at more than the ball.
  const span = Math.max(...high.map((h, k) => h - low[k]), 3 * largest, 1e-9);
  for (let k = 0; k < 3; k++) {
    const lack = 0.25 * span - (high[k] - low[k]);
    if (lack > 0 && !(scene.planar && k === 2)) [low[k], high[k]] = [low[k] - lack / 2, high[k] + lack / 2];
  }
  return { low, high, reach: span };
}

function colliderExtent(c, rotation, planar) {
  if (c.kind === Kind.tube) {
    const axis = rotate(rotation, [0, 0, 1]);
    return axis.map((a) => c.radius * Math.sqrt(Math.max(0, 1 - a * a)));
  }
  if (c.kind !== Kind.box) return planar ? [c.bound, c.bound, 0] : [c.bound, c.bound, c.bound];
  const half = planar ? [c.half[0], c.half[1], 0] : c.half;
  const sum = [0, 0, 0];
  for (let axis = 0; axis < 3; axis++) {
    const e = [0, 0, 0];
    e[axis] = half[axis];
    rotate(rotation, e).forEach((x, k) => (sum[k] += Math.abs(x)));
  }
  return sum;
}
