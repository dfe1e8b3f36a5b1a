// Pictures of frames, planar and spatial, and the viewer around them.

const speedMap = ["#3d6690", "#4796a5", "#98c2a0", "#ecd38c", "#ec9a57", "#cd4a35"];
const sizeMap = ["#5d7f8c", "#a9b59a", "#dcc68f", "#c98f5c", "#8c4b3c"];
const groupColors = ["#c7ab7a", "#4d8093", "#b9583f", "#7d9a5c", "#8a6a9e", "#d9a441", "#5f6f7d", "#c58a9b"];

function rgb(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}
function mix(map, t) {
  const x = Math.min(1, Math.max(0, t)) * (map.length - 1), i = Math.min(map.length - 2, Math.floor(x));
  const a = rgb(map[i]), b = rgb(map[i + 1]);
  return a.map((v, k) => v + (b[k] - v) * (x - i));
}
const packed = ([r, g, b]) => (r & 255) | ((g & 255) << 8) | ((b & 255) << 16);
const cssRgb = (c) => `rgb(${c & 255},${(c >> 8) & 255},${(c >> 16) & 255})`;
const mapCss = (map) => `linear-gradient(90deg, ${map.join(", ")})`;

// What bodies can be coloured by, with the range over the whole run so that colours mean the same in every frame.
function colorModes(scene) {
  const modes = {};
  let top = 0;
  for (const frame of scene.frames) {
    const speeds = Array.from(frame.speed.subarray(0, Math.min(frame.active, scene.dynamic))).filter(Number.isFinite).sort((a, b) => a - b);
    if (speeds.length) top = Math.max(top, speeds[Math.min(speeds.length - 1, Math.floor(speeds.length * 0.98))]);
  }
  modes.speed = { label: "speed", map: speedMap, low: 0, high: top || 1, unit: "m/s" };
  let low = Infinity, high = 0;
  for (let body = 0; body < scene.dynamic; body++) {
    low = Math.min(low, scene.size[body]);
    high = Math.max(high, scene.size[body]);
  }
  if (high > 1.02 * low) modes.size = { label: "size", map: sizeMap, low, high, unit: "m" };
  const groups = new Set(scene.group.filter((g) => g >= 0));
  if (groups.size > 1) modes.group = { label: "group", groups: [...groups] };
  modes.first = modes.group ? "group" : modes.size ? "size" : "speed";
  return modes;
}

function bodyColors(scene, frame, modes, name) {
  const colors = new Uint32Array(scene.count);
  const fixed = packed(rgb(cssColor("--solid"))), moving = packed(rgb(cssColor("--moving")));
  for (let body = scene.dynamic; body < scene.count; body++) colors[body] = scene.moving[body - scene.dynamic] ? moving : fixed;
  const mode = modes[name];
  const table = mode.map ? Array.from({ length: 256 }, (_, i) => packed(mix(mode.map, i / 255))) : null;
  const plain = packed(rgb(groupColors[6]));
  for (let body = 0; body < scene.dynamic; body++) {
    if (name === "group") {
      const g = scene.group[body];
      colors[body] = g >= 0 ? packed(rgb(groupColors[g % groupColors.length])) : plain;
    } else {
      const value = name === "speed" ? frame.speed[body] : scene.size[body];
      const t = (value - mode.low) / (mode.high - mode.low || 1);
      colors[body] = table[Math.min(255, Math.max(0, Math.round(255 * t)))] || plain;
    }
  }
  return colors;
}

// Contacts as segments from the centre of each dynamic body to the contact point, weakest first.
function forceSegments(scene, frame) {
  const { position, impulse, bodies } = frame.contacts;
  const order = Array.from(impulse.keys()).sort((a, b) => impulse[a] - impulse[b]);
  const strongest = order.length ? impulse[order[order.length - 1]] : 0;
  const segments = [];
  for (const i of order) {
    const strength = strongest > 0 ? impulse[i] / strongest : 0;
    if (strength < 0.01) continue;
    const p = [position[3 * i], position[3 * i + 1], position[3 * i + 2]];
    for (const body of [bodies[2 * i], bodies[2 * i + 1]]) {
      if (body >= 0 && body < scene.dynamic) segments.push({ from: bodyPosition(frame, body), to: p, strength });
    }
  }
  return { segments, strongest };
}

function drawForces(g, scene, frame, toPixel, width) {
  g.lineCap = "round";
  g.strokeStyle = cssColor("--force");
  for (const { from, to, strength } of forceSegments(scene, frame).segments) {
    const [x0, y0] = toPixel(from), [x1, y1] = toPixel(to);
    g.globalAlpha = 0.25 + 0.75 * Math.sqrt(strength);
    g.lineWidth = 0.5 + width * Math.sqrt(strength);
    g.beginPath();
    g.moveTo(x0, y0);
    g.lineTo(x1, y1);
    g.stroke();
  }
  g.globalAlpha = 1;
}

// ---- planar scenes: vector drawing -------------------------------------------------------------------------------

function planarPath(g, c) {
  g.beginPath();
  if (c.kind === Kind.capsule) {
    const half = c.half[0] || c.half[2];
    g.arc(half, 0, c.radius, -Math.PI / 2, Math.PI / 2);
    g.arc(-half, 0, c.radius, Math.PI / 2, -Math.PI / 2);
    g.closePath();
  } else if (c.kind === Kind.box) {
    g.rect(-c.half[0], -c.half[1], 2 * c.half[0], 2 * c.half[1]);
  } else if (c.kind === Kind.polygon) {
    for (let k = 0; k < c.vertices.length; k += 2) g.lineTo(c.vertices[k], c.vertices[k + 1]);
    g.closePath();
  } else {
    g.arc(0, 0, c.radius, 0, 2 * Math.PI);
  }
}

function hatchPattern(g) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 12;
  const t = tile.getContext("2d");
  t.fillStyle = cssColor("--wall");
  t.fillRect(0, 0, 12, 12);
  t.strokeStyle = cssColor("--hatch");
  t.lineWidth = 1.2;
  t.beginPath();
  for (const s of [-12, 0, 12]) {
    t.moveTo(s, 12);
    t.lineTo(s + 12, 0);
  }
  t.stroke();
  return g.createPattern(tile, "repeat");
}

function paintPlanar(canvas, width, height, scene, number, options) {
  const g = sharpContext(canvas, width, height);
  const frame = scene.frames[number], { low, high } = scene.bounds;
  const margin = 0.06;
  const scale = options.zoom * Math.min((width * (1 - margin)) / (high[0] - low[0]), (height * (1 - margin)) / (high[1] - low[1]));
  const cx = (low[0] + high[0]) / 2 + options.shift[0], cy = (low[1] + high[1]) / 2 + options.shift[1];
  const toPixel = (p) => [width / 2 + scale * (p[0] - cx), height / 2 - scale * (p[1] - cy)];
  const ratio = window.devicePixelRatio || 1;
  const place = (p, angle) => {
    const [x, y] = toPixel(p), cos = Math.cos(angle) * scale * ratio, sin = Math.sin(angle) * scale * ratio;
    g.setTransform(cos, -sin, -sin, -cos, x * ratio, y * ratio);
  };
  const reset = () => g.setTransform(ratio, 0, 0, ratio, 0, 0);
  const colors = bodyColors(scene, frame, scene.modes, options.color);
  const hatch = hatchPattern(g), wallLine = cssColor("--wall-line"), outline = cssColor("--outline");
  const angleOf = (q) => 2 * Math.atan2(q[2], q[3]);

  // half spaces and hollow circles first: everything else lies inside them
  const corners = [[-0.1, -0.1], [1.1, -0.1], [1.1, 1.1], [-0.1, 1.1]].map(([x, y]) => [cx + ((x - 0.5) * width) / scale, cy + ((y - 0.5) * height) / scale, 0]);
  const planes = scene.others.filter((c) => c.kind === Kind.plane).map((c) => {
    const { position, rotation } = colliderPose(frame, c), normal = rotate(rotation, [0, 1, 0]);
    return { normal, offset: dot(normal, position) };
  });
  const free = planes.reduce((points, { normal, offset }) => clipPolygon(points, normal, offset), corners);
  const trace = () => {
    g.beginPath();
    for (const p of free) g.lineTo(...toPixel(p));
    g.closePath();
  };
  const rings = scene.others.filter((c) => c.kind === Kind.ring).map((c) => [toPixel(colliderPose(frame, c).position), c.radius * scale]);
  const circle = ([x, y], r) => {
    g.beginPath();
    g.arc(x, y, r, 0, 2 * Math.PI);
  };
  // a hatched band on the solid side, then the surface as a line
  const band = 12;
  g.strokeStyle = hatch;
  g.lineWidth = 2 * band;
  if (planes.length && free.length) {
    g.save();
    trace();
    g.rect(0, 0, width, height);
    g.clip("evenodd");
    trace();
    g.stroke();
    g.restore();
  }
  for (const [middle, r] of rings) {
    circle(middle, r + band);
    g.stroke();
  }
  g.strokeStyle = wallLine;
  g.lineWidth = 1.5;
  if (planes.length && free.length) {
    trace();
    g.stroke();
  }
  for (const [middle, r] of rings) {
    circle(middle, r);
    g.stroke();
  }

  const faded = options.forces ? 0.35 : 1;
  const drawShape = (c, body) => {
    const pose = c.position ? colliderPose(frame, c) : { position: bodyPosition(frame, body), rotation: bodyRotation(frame, body) };
    const R = c.radius * scale, round = c.kind === Kind.disk || c.kind === Kind.sphere;
    place(pose.position, angleOf(pose.rotation));
    planarPath(g, c);
    reset();
    g.globalAlpha = body < scene.dynamic ? faded : 1;
    g.fillStyle = cssRgb(colors[body]);
    g.fill();
    if (!round || R > 2.2) {
      g.strokeStyle = outline;
      g.lineWidth = Math.min(1.2, Math.max(0.5, R > 0 ? R / 9 : 1));
      g.stroke();
    }
    if (round && R > 4) {
      // a spoke shows the turning
      place(pose.position, angleOf(pose.rotation));
      g.beginPath();
      g.moveTo(0.35 * c.radius, 0);
      g.lineTo(0.9 * c.radius, 0);
      reset();
      g.stroke();
    }
    g.globalAlpha = 1;
  };
  for (const c of scene.others) {
    if (c.body >= scene.dynamic && c.kind !== Kind.plane && c.kind !== Kind.ring) drawShape(c, c.body);
  }
  for (let i = 0; i < scene.ballBody.length; i++) {
    const body = scene.ballBody[i];
    if (body < frame.active || body >= scene.dynamic) drawShape({ kind: Kind.disk, radius: scene.ballRadius[i] }, body);
  }
  for (const c of scene.others) if (c.body < frame.active) drawShape(c, c.body);
  if (options.forces) drawForces(g, scene, frame, toPixel, Math.max(2, 0.5 * scale * median(scene.size.subarray(0, scene.dynamic))));
}

function median(values) {
  const sorted = Array.from(values).sort((a, b) => a - b);
  return sorted.length ? sorted[sorted.length >> 1] : 1;
}

// ---- spatial scenes ----------------------------------------------------------------------------------------------

function viewAxes(scene, yaw, pitch) {
  const up = Math.hypot(...scene.gravity) > 0 ? unit(scaled(scene.gravity, -1)) : [0, 0, 1];
  // "north" is y where up is z, else z
  const north = Math.abs(up[2]) > 0.9 ? unit(cross(up, [1, 0, 0])) : unit(cross(cross(up, [0, 0, 1]), up));
  const east = cross(north, up);
  const back = add(scaled(north, -Math.cos(yaw)), scaled(east, Math.sin(yaw)));  // from the scene to the viewer, level
  const toward = unit(add(scaled(back, Math.cos(pitch)), scaled(up, Math.sin(pitch))));
  const right = unit(cross(up, back));
  return { axes: [right, cross(toward, right), toward], up };
}

// Faces of half spaces within the picture: a large square on each plane, cut by the other planes of the container.
function planeFaces(scene, frame) {
  const { low, high, reach } = scene.bounds;
  const center = low.map((l, k) => (l + high[k]) / 2);
  const planes = scene.others.filter((c) => c.kind === Kind.plane).map((c) => {
    const { position, rotation } = colliderPose(frame, c);
    const normal = rotate(rotation, [0, 0, 1]);
    return { normal, offset: dot(normal, position), body: c.body };
  });
  // a tube's own floor ends at the tube
  const tubes = scene.others.filter((c) => c.kind === Kind.tube).map((c) => ({ ...colliderPose(frame, c), radius: c.radius, body: c.body }));
  const up = viewAxes(scene, 0, 0).up;
  const limits = [];
  for (let k = 0; k < 3; k++) {
    const e = [0, 0, 0];
    e[k] = 1;
    const grow = (Math.abs(dot(e, up)) > 0.7 ? 0.1 : 0.3) * reach;
    limits.push({ normal: e, offset: low[k] - grow }, { normal: scaled(e, -1), offset: -(high[k] + grow) });
  }
  const faces = [];
  for (const plane of planes) {
    const n = plane.normal, t1 = unit(Math.abs(n[2]) < 0.9 ? cross(n, [0, 0, 1]) : cross(n, [1, 0, 0])), t2 = cross(n, t1);
    const foot = add(center, scaled(n, plane.offset - dot(n, center)));
    let corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => add(foot, add(scaled(t1, 3 * a * reach), scaled(t2, 3 * b * reach))));
    for (const cut of planes) if (cut !== plane && Math.abs(dot(cut.normal, n)) < 0.999) corners = clipPolygon(corners, cut.normal, cut.offset - 1e-6 * reach);
    for (const tube of tubes) {
      if (tube.body !== plane.body || Math.abs(dot(rotate(tube.rotation, [0, 0, 1]), n)) < 0.999) continue;
      for (let k = 0; k < 40; k++) {
        const inward = rotate(tube.rotation, [-Math.cos((k * Math.PI) / 20), -Math.sin((k * Math.PI) / 20), 0]);
        corners = clipPolygon(corners, inward, dot(inward, tube.position) - tube.radius);
      }
    }
    // the picture's own box cuts only along the plane, so that a floor below the grains stays
    for (const cut of limits) if (Math.abs(dot(cut.normal, n)) < 0.7) corners = clipPolygon(corners, cut.normal, cut.offset);
    if (corners.length >= 3) faces.push({ corners, normal: n });
  }
  return faces;
}

// Everything that is no plain ball, in the world: triangles, edges of containers, balls of clusters and capsules.
// scale in pixels per metre: small round shapes need few facets.
function solidMeshes(scene, frame, colors, axes, scale) {
  const [, , toward] = axes;
  const { low, high, reach } = scene.bounds;
  const center = low.map((l, k) => (l + high[k]) / 2);
  const wall = packed(rgb(cssColor("--wall-solid"))) | backdrop;
  const triangles = [], outlines = [], balls = [];
  const put = (corners, normals, color, casts) => triangles.push({ corners, normals, color, casts });

  for (const { corners, normal } of planeFaces(scene, frame)) {
    for (let i = 0; i < corners.length; i++) outlines.push([corners[i], corners[(i + 1) % corners.length]]);
    if (dot(normal, toward) <= 0) continue;  // seen from behind: its outline is enough
    for (let i = 1; i + 1 < corners.length; i++) put([corners[0], corners[i], corners[i + 1]], [normal, normal, normal], wall, false);
  }
  for (const c of scene.others) {
    if (c.kind === Kind.plane || (c.body < scene.dynamic && c.body >= frame.active)) continue;
    const pose = colliderPose(frame, c);
    const toWorld = (p) => add(pose.position, rotate(pose.rotation, p));
    if (c.kind === Kind.sphere || c.kind === Kind.disk) {
      balls.push({ position: pose.position, radius: c.radius, color: colors[c.body] });
      continue;
    }
    let mesh;
    const tube = c.kind === Kind.tube;
    if (c.kind === Kind.box) mesh = boxMesh(c.half);
    else if (c.kind === Kind.polyhedron) mesh = polyhedronMesh(scene.polyhedra[c.vertices[0]], c.vertices[1]);
    else if (c.kind === Kind.triangle) mesh = triangleMesh(c.vertices);
    else if (tube) {
      const axis = rotate(pose.rotation, [0, 0, 1]);
      const extent = 0.5 * axis.reduce((s, a, k) => s + Math.abs(a) * (high[k] - low[k]), 0);
      const shift = dot(axis, add(center, scaled(pose.position, -1)));
      mesh = cylinderMesh(c.radius, extent, false, true, 60);
      pose.position = add(pose.position, scaled(axis, shift));
    } else {
      mesh = cylinderMesh(c.radius, c.half[2], c.kind === Kind.cylinder, false, Math.round(Math.min(40, Math.max(8, 5 * Math.sqrt(scale * c.radius)))));
      if (c.kind === Kind.capsule) for (const s of [-1, 1]) balls.push({ position: toWorld([0, 0, s * c.half[2]]), radius: c.radius, color: colors[c.body] });
    }
    // Walls of a container made of boxes: faces between the viewer and the grains are outlined only.
    const extent = c.kind === Kind.box ? [...c.half].sort((a, b) => b - a) : [0, 0];
    const container = tube || (c.body >= scene.dynamic && extent[1] > 0.2 * reach);
    for (let k = 0; k < mesh.triangles.length; k += 9) {
      const corners = [0, 3, 6].map((o) => toWorld(mesh.triangles.slice(k + o, k + o + 3)));
      const normals = [0, 3, 6].map((o) => rotate(pose.rotation, mesh.normals.slice(k + o, k + o + 3)));
      if (dot(normals[0], toward) <= 0) continue;
      if (container && !tube) {
        const middle = scaled(add(add(corners[0], corners[1]), corners[2]), 1 / 3);
        const from = add(middle, scaled(center, -1));
        if (dot(normals[0], from) > 0 && dot(from, toward) > 0) continue;
      }
      put(corners, normals, container ? wall : colors[c.body], !container);
    }
    if (container) for (let k = 0; k < mesh.edges.length; k += 6) outlines.push([toWorld(mesh.edges.slice(k, k + 3)), toWorld(mesh.edges.slice(k + 3, k + 6))]);
  }
  return { triangles, outlines, balls };
}

// Scale and centre that show the grains and the faces around them, seen along `axes`.
function spatialFit(scene, axes, width, height) {
  const { low, high } = scene.bounds;
  const points = planeFaces(scene, scene.frames[0]).flatMap((face) => face.corners);
  for (let corner = 0; corner < 8; corner++) points.push([0, 1, 2].map((k) => ((corner >> k) & 1 ? high[k] : low[k])));
  const middle = low.map((l, k) => (l + high[k]) / 2);
  const range = (axis) => {
    const values = points.map((p) => dot(axis, p) - dot(axis, middle));
    return [Math.min(...values), Math.max(...values)];
  };
  const [x0, x1] = range(axes[0]), [y0, y1] = range(axes[1]);
  const center = add(middle, add(scaled(axes[0], (x0 + x1) / 2), scaled(axes[1], (y0 + y1) / 2)));
  return { scale: 0.95 * Math.min(width / (x1 - x0), height / (y1 - y0)), center };
}

// Edges of the container, in short pieces: those behind a grain are left out. `slack` in pixels of depth lets an edge
// lie in its own face.
function drawOutlines(g, raster, outlines, perPixel, slack) {
  g.strokeStyle = cssColor("--wall-line");
  g.globalAlpha = 0.45;
  g.lineWidth = 1;
  g.beginPath();
  const pieces = 60;
  for (const [from, to] of outlines) {
    const a = raster.project(from), b = raster.project(to);
    for (let k = 0; k < pieces; k++) {
      const at = (t) => a.map((v, i) => v + (b[i] - v) * t);
      const p = at(k / pieces), q = at((k + 1) / pieces), m = at((k + 0.5) / pieces);
      const i = Math.floor(m[0]), j = Math.floor(m[1]);
      const inside = i >= 0 && j >= 0 && i < raster.width && j < raster.height;
      if (!inside || raster.depth[j * raster.width + i] > m[2] + slack) continue;
      g.moveTo(p[0] * perPixel, p[1] * perPixel);
      g.lineTo(q[0] * perPixel, q[1] * perPixel);
    }
  }
  g.stroke();
  g.globalAlpha = 1;
}

function paintSpatial(canvas, width, height, scene, number, options) {
  const frame = scene.frames[number];
  const { axes, up } = viewAxes(scene, options.yaw, options.pitch);
  const ratio = window.devicePixelRatio || 1;
  const fine = options.fine ? Math.max(1, Math.min(2, 2400 / (width * ratio))) : 1;
  const W = Math.round(width * ratio * fine), H = Math.round(height * ratio * fine);
  const start = viewAxes(scene, scene.start.yaw, scene.start.pitch).axes;
  const fit = spatialFit(scene, start, W, H), scale = options.zoom * fit.scale;
  const { low, high, reach } = scene.bounds;
  const center = fit.center.map((c, k) => c - (options.shift[0] * axes[0][k] + options.shift[1] * axes[1][k]));
  const raster = new Raster(W, H, axes, center, scale, false);
  const colors = bodyColors(scene, frame, scene.modes, options.color);
  const { triangles, outlines, balls } = solidMeshes(scene, frame, colors, axes, scale);

  const drawBalls = (target) => {
    for (let i = 0; i < scene.ballBody.length; i++) {
      const body = scene.ballBody[i];
      if (body >= frame.active && body < scene.dynamic) continue;
      target.ball(frame.position[3 * body], frame.position[3 * body + 1], frame.position[3 * body + 2], scene.ballRadius[i], colors[body]);
    }
    for (const b of balls) target.ball(...b.position, b.radius, b.color);
  };
  drawBalls(raster);
  for (const t of triangles) raster.triangle(...t.corners, ...t.normals, t.color);

  const towardLight = unit(add(add(scaled(up, 1), scaled(axes[0], -0.45)), scaled(axes[2], 0.4)));
  let shadow = null;
  if (options.fine) {
    const side = unit(cross(Math.abs(dot(towardLight, up)) > 0.95 ? axes[0] : up, towardLight));
    const middle = low.map((l, k) => (l + high[k]) / 2);
    const extent = Math.hypot(...low.map((l, k) => high[k] - l)) || reach;
    const size = 1400;
    shadow = new Raster(size, size, [side, cross(towardLight, side), towardLight], middle, size / (1.1 * extent), true);
    drawBalls(shadow);
    for (const t of triangles) if (t.casts) shadow.triangle(...t.corners, ...t.normals, 0);
  }
  const view = (v) => axes.map((e) => dot(e, v));
  const grain = Math.max(2, scale * (scene.dynamic ? median(scene.size.subarray(0, scene.dynamic)) : reach / 20));
  const image = raster.shade({ light: view(towardLight), up: view(up), shadow, grain, reach: Math.max(1, Math.round(fine)) });

  const buffer = document.createElement("canvas");
  buffer.width = W;
  buffer.height = H;
  buffer.getContext("2d").putImageData(image, 0, 0);
  const g = sharpContext(canvas, width, height);
  g.imageSmoothingQuality = "high";
  g.globalAlpha = options.forces ? 0.28 : 1;
  g.drawImage(buffer, 0, 0, width, height);
  g.globalAlpha = 1;
  const toPixel = (p) => {
    const [x, y] = raster.project(p);
    return [x / (ratio * fine), y / (ratio * fine)];
  };
  drawOutlines(g, raster, outlines, 1 / (ratio * fine), 0.02 * reach * scale);
  if (options.forces) drawForces(g, scene, frame, toPixel, Math.max(2, (0.6 * grain) / (ratio * fine)));
}

// ---- viewer ------------------------------------------------------------------------------------------------------

function prepareScene(data) {
  const scene = decodeScene(data);
  scene.bounds = sceneBounds(scene);
  scene.modes = colorModes(scene);
  scene.start = { yaw: 0.55, pitch: 0.32 };
  const { low, high } = scene.bounds;
  scene.aspect = scene.planar ? Math.min(0.8, Math.max(0.36, (1.06 * (high[1] - low[1])) / (high[0] - low[0]))) : 0.62;
  return scene;
}

function newView(scene) {
  return { ...scene.start, zoom: 1, shift: [0, 0], color: scene.modes.first, forces: false, fine: true };
}

function paint(canvas, width, height, scene, number, view) {
  (scene.planar ? paintPlanar : paintSpatial)(canvas, width, height, scene, number, view);
}

function colorLegend(scene, name) {
  const mode = scene.modes[name];
  if (mode.groups) {
    return element("div", { class: "color-key" }, ...mode.groups.map((g) => element("span", {}, element("i", { style: `background: ${groupColors[g % groupColors.length]}` }), scene.groupNames[g] || "group " + g)));
  }
  const text = (x) => (name === "size" ? withPrefix(2 * x, "m") : numberText(x, 3) + " " + mode.unit);
  return element("div", { class: "color-key" }, name === "size" ? "diameter" : "speed", element("b", {}, text(mode.low)), element("u", { style: `background: ${mapCss(mode.map)}` }), element("b", {}, text(mode.high)));
}

class Viewer {
  constructor(scene, timeStep) {
    this.scene = scene;
    this.timeStep = timeStep;
    this.number = scene.frames.length - 1;
    this.view = newView(scene);
    this.canvas = element("canvas", { class: "picture", role: "img", "aria-label": "picture of a frame" });
    this.stage = element("div", { class: "stage" }, this.canvas);
    this.label = element("output", {});
    this.key = element("div");
    this.node = element("div", { class: "viewer" }, this.stage, this.controls(), this.key);
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.stage);
  }

  controls() {
    const { scene } = this;
    const last = scene.frames.length - 1;
    this.slider = element("input", { type: "range", min: 0, max: last, value: last, "aria-label": "frame" });
    this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
    this.playButton = element("button", { type: "button" }, "Play");
    this.playButton.addEventListener("click", () => this.play());
    const color = element("select", { "aria-label": "colour by" });
    for (const name of ["speed", "size", "group"]) {
      if (scene.modes[name]) color.append(element("option", { value: name, selected: name === this.view.color }, "colour: " + scene.modes[name].label));
    }
    color.addEventListener("change", () => {
      this.view.color = color.value;
      this.draw();
    });
    const forces = element("input", { type: "checkbox" });
    forces.addEventListener("change", () => {
      this.view.forces = forces.checked;
      this.draw();
    });
    const hasContacts = scene.frames.some((f) => f.contacts.total > 0);
    return element("div", { class: "controls" }, last > 0 ? this.playButton : null, last > 0 ? this.slider : null, this.label, color, hasContacts ? element("label", {}, forces, "force chains") : null);
  }

  listen() {
    let at = null;
    this.stage.addEventListener("pointerdown", (event) => {
      at = [event.clientX, event.clientY];
      this.stage.setPointerCapture(event.pointerId);
    });
    this.stage.addEventListener("pointermove", (event) => {
      if (!at) return;
      const dx = event.clientX - at[0], dy = event.clientY - at[1];
      at = [event.clientX, event.clientY];
      if (this.scene.planar || event.shiftKey) {
        const { low, high } = this.scene.bounds, perPixel = (high[0] - low[0]) / (this.stage.clientWidth * this.view.zoom);
        const sign = this.scene.planar ? -1 : 1;
        this.view.shift = [this.view.shift[0] + sign * dx * perPixel, this.view.shift[1] - sign * dy * perPixel];
      } else {
        this.view.yaw += 0.008 * dx;
        this.view.pitch = Math.min(1.5, Math.max(-0.3, this.view.pitch + 0.008 * dy));
      }
      this.rough();
    });
    this.stage.addEventListener("pointerup", () => (at = null));
    this.stage.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.view.zoom = Math.min(50, Math.max(0.2, this.view.zoom * Math.exp(-0.0015 * event.deltaY)));
      this.rough();
    }, { passive: false });
    this.stage.addEventListener("dblclick", () => {
      Object.assign(this.view, this.scene.start, { zoom: 1, shift: [0, 0] });
      this.draw();
    });
  }

  // A quick picture now, the fine one when the hand rests.
  rough() {
    this.view.fine = false;
    if (!this.pending) this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
    });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.view.fine = true;
      this.draw();
    }, 220);
  }

  show(number) {
    this.number = number;
    this.slider.value = number;
    this.rough();
  }

  showTime(time) {
    const times = this.scene.frames.map((f) => f.time);
    this.show(nearest(times, time));
  }

  play() {
    if (this.playing) {
      clearInterval(this.playing);
      this.playing = 0;
      this.playButton.textContent = "Play";
      return;
    }
    if (this.number === this.scene.frames.length - 1) this.number = -1;
    this.playButton.textContent = "Pause";
    this.playing = setInterval(() => {
      if (this.number >= this.scene.frames.length - 1) this.play();
      else this.show(this.number + 1);
    }, 50);
  }

  draw() {
    const width = this.stage.clientWidth;
    if (width < 40) return;
    const frame = this.scene.frames[this.number];
    paint(this.canvas, width, Math.round(width * this.scene.aspect), this.scene, this.number, this.view);
    this.label.textContent = `t = ${numberText(frame.time, 5)} s`;
    const key = colorLegend(this.scene, this.view.color);
    if (this.view.forces) {
      let strongest = 0;
      for (const x of frame.contacts.impulse) strongest = Math.max(strongest, x);
      key.append(element("span", {}, element("i", { style: "background: var(--force)" }), this.timeStep > 0 ? `strongest contact ${withPrefix(strongest / this.timeStep, "N")}` : `strongest contact ${numberText(strongest)} N s`));
    }
    this.key.replaceChildren(key);
  }
}
