// The programs of the graphics card. Bodies are moved there: a texture holds the pose of every body, another one its
// colour, and a vertex knows its body. A frame is then two small uploads, whatever the number and kind of shapes.

export const poseRow = 1024; // texels per row of both textures

const common = /* glsl */ `
precision highp float;
precision highp int;
uniform highp sampler2D poses;   // per body: position, then rotation (x, y, z, w)
uniform lowp sampler2D colours;  // per body; alpha 0: not released yet
vec4 poseTexel(int i) { return texelFetch(poses, ivec2(i % ${poseRow}, i / ${poseRow}), 0); }
vec4 colourTexel(int i) { return texelFetch(colours, ivec2(i % ${poseRow}, i / ${poseRow}), 0); }
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
`;

// BALLS: instances of a unit ball, each with a centre in its body's frame and a radius.
export const bodyVertex = /* glsl */ `
${common}
in vec4 facing;  // normal in the body frame; w: 0 on the outline of a planar shape
in uint body;
#ifdef BALLS
in vec4 ball;
#endif
uniform int picked;
out vec3 world;
out vec3 normalW;
out float rim;
flat out vec4 tint;
flat out float chosen;
flat out uint id;
void main() {
  int b = int(body);
  vec4 place = poseTexel(2 * b), q = poseTexel(2 * b + 1);
  tint = colourTexel(b);
#ifdef BALLS
  vec3 local = ball.xyz + ball.w * position;
#else
  vec3 local = position;
#endif
  world = place.xyz + turned(q, local);
  normalW = turned(q, facing.xyz);
  rim = facing.w;
  id = body;
  chosen = b == picked ? 1.0 : 0.0;
  gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
  if (tint.a == 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
`;

const sectionCut = /* glsl */ `
uniform vec4 section;  // unit normal and offset; beyond it everything is cut away; normal 0: no section
bool cutAway() { return dot(section.xyz, world) > section.w && section.xyz != vec3(0.0); }
`;

// Light from one side with shadows, sky from above. Behind a cut the inside of a body looks like a cut face.
export const bodyFragment = /* glsl */ `
precision highp float;
precision highp int;
in vec3 world;
in vec3 normalW;
in float rim;
flat in vec4 tint;
flat in float chosen;
${sectionCut}
uniform vec3 toLight, up, paper, accent, outlineColour, wallColour;
uniform float fade;  // 0: full colours, 1: paper; bodies step back behind force chains
uniform float unlit; // 1: planar scenes, flat colours with outlines
uniform mat4 shadowMatrix;
uniform highp sampler2D shadowMap;
uniform float shadowTexel;
uniform float backdrop;  // 1: a wall, pale in any light, darkened by shadows only
out vec4 colour;

float litPart(float lean) {
  vec3 p = (shadowMatrix * vec4(world, 1.0)).xyz * 0.5 + 0.5;
  if (p.x < 0.0 || p.y < 0.0 || p.x > 1.0 || p.y > 1.0 || p.z > 1.0) return 1.0;
  // over the pattern of 1.8 texels a face that leans by an angle changes its depth by tan(angle) / 2200 of the map's range
  float bias = 0.0008 + 0.0005 * min(12.0, sqrt(1.0 - lean * lean) / max(lean, 0.01)), free = 0.0;
  for (int i = -1; i <= 1; i++)
    for (int j = -1; j <= 1; j++)
      free += texture(shadowMap, p.xy + 1.3 * shadowTexel * vec2(float(i), float(j))).r + bias >= p.z ? 1.0 : 0.0;
  return free / 9.0;
}

void main() {
  if (cutAway()) discard;
  vec3 base = mix(mix(tint.rgb, wallColour, backdrop), accent, 0.65 * chosen * (1.0 - backdrop));
  if (unlit > 0.5) {
    float line = 1.0 - smoothstep(0.8, 1.8, rim / max(fwidth(rim), 1e-6));
    // of bodies smaller than a few pixels the outline would hide the colour
    line *= 1.0 - smoothstep(0.12, 0.4, fwidth(rim));
    base = mix(base, outlineColour, 0.75 * line);
    colour = vec4(mix(base, paper, fade), 0.0);
    return;
  }
  bool inside = !gl_FrontFacing && section.xyz != vec3(0.0);
  vec3 n = gl_FrontFacing ? normalize(normalW) : (inside ? section.xyz : -normalize(normalW));
  float facing = max(0.0, dot(n, toLight)), sky = 0.5 + 0.5 * dot(n, up);
  float lit = inside ? 1.0 : facing > 0.0 ? litPart(facing) : 0.0;
  vec3 half_ = normalize(toLight + normalize(cameraPosition - world));
  float gloss = pow(max(0.0, dot(n, half_)), 30.0) * lit;
  float bright = mix(0.5 + 0.26 * sky + 0.52 * facing * lit, 0.88 + 0.1 * sky + 0.06 * facing - (facing > 0.0 ? 0.16 * (1.0 - lit) : 0.0), backdrop);
  vec3 shaded = base * bright + (1.0 - backdrop) * 0.07 * gloss;
  colour = vec4(mix(shaded, paper, fade), inside ? 0.0 : mix(1.0, 0.3, backdrop) * (1.0 - fade));
}
`;

export const depthFragment = /* glsl */ `
precision highp float;
in vec3 world;
${sectionCut}
out vec4 colour;
void main() {
  if (cutAway()) discard;
  colour = vec4(1.0);
}
`;

// The body's number plus one, in bytes: 0 is nothing.
export const pickFragment = /* glsl */ `
precision highp float;
precision highp int;
in vec3 world;
flat in uint id;
${sectionCut}
out vec4 colour;
void main() {
  if (cutAway()) discard;
  uint number = id + 1u;
  colour = vec4(float(number & 255u), float((number >> 8) & 255u), float((number >> 16) & 255u), float(number >> 24)) / 255.0;
}
`;

// Hatching of planar walls: stripes on the screen, fading away from the surface.
export const hatchFragment = /* glsl */ `
precision highp float;
in float rim;
flat in vec4 tint;
uniform vec3 paper, hatchColour;
uniform float pixelRatio;
out vec4 colour;
void main() {
  float stripe = abs(fract((gl_FragCoord.x + gl_FragCoord.y) / (9.0 * pixelRatio)) - 0.5) * 9.0 * pixelRatio;
  float ink = 1.0 - smoothstep(0.4 * pixelRatio, 1.2 * pixelRatio, stripe);
  colour = vec4(mix(paper, hatchColour, (0.25 + 0.75 * ink) * (1.0 - 0.85 * rim)), 0.0);
}
`;

export const edgeVertex = /* glsl */ `
${common}
in uint body;
void main() {
  int b = int(body);
  gl_Position = projectionMatrix * viewMatrix * vec4(poseTexel(2 * b).xyz + turned(poseTexel(2 * b + 1), position), 1.0);
}
`;

export const plainFragment = /* glsl */ `
precision highp float;
uniform vec3 lineColour;
uniform float opacity;
out vec4 colour;
void main() { colour = vec4(lineColour, opacity); }
`;

// Ribbons of a width in pixels between two points: force chains. `corner` is (0 or 1 along, -1 or 1 across).
export const ribbonVertex = /* glsl */ `
precision highp float;
in vec4 from;  // point; w: strength from 0 to 1
in vec3 to;
uniform vec2 viewport;  // pixels
uniform float widest;   // pixels
uniform vec4 section;
out float strength;
void main() {
  strength = from.w;
  vec4 a = projectionMatrix * viewMatrix * vec4(from.xyz, 1.0), b = projectionMatrix * viewMatrix * vec4(to, 1.0);
  vec2 pa = a.xy / a.w * viewport, pb = b.xy / b.w * viewport;
  vec2 along = pb - pa;
  along = dot(along, along) > 1e-12 ? normalize(along) : vec2(1.0, 0.0);
  float width = 0.5 + widest * strength;
  vec4 p = position.x < 0.5 ? a : b;
  p.xy += (vec2(-along.y, along.x) * position.y + along * (position.x - 0.5)) * width / viewport * p.w;
  bool hidden = section.xyz != vec3(0.0) && dot(section.xyz, to) > section.w;
  gl_Position = a.w <= 0.0 || b.w <= 0.0 || hidden ? vec4(2.0, 2.0, 2.0, 1.0) : p;
}
`;

export const ribbonFragment = /* glsl */ `
precision highp float;
in float strength;
uniform vec3 lineColour;
out vec4 colour;
void main() { colour = vec4(lineColour, 0.12 + 0.88 * strength); }
`;

export const screenVertex = /* glsl */ `
precision highp float;
out vec2 at;
void main() {
  at = 0.5 * position.xy + 0.5;
  gl_Position = vec4(position.xy, 0.0, 1.0);
}
`;

// Darkens hollows: what lies behind the middle between two opposite neighbours on the screen, by up to a few grains. It tells
// touching grains apart. Depths of the buffer are linear on the screen along a plane, so that flat faces stay clean. Alpha
// of the picture says how much a surface takes of it.
export const screenFragment = /* glsl */ `
precision highp float;
in vec2 at;
uniform sampler2D picture;
uniform highp sampler2D depth;
uniform vec2 pixel;        // size of a pixel in the texture
uniform float nearPlane, farPlane, orthographic;
uniform float grain;       // m, radius of a typical grain
uniform float grainPixels; // its size on the screen at unit distance (orthographic: anywhere), pixels
out vec4 colour;
const int pairs = 10;  // of opposite neighbours
// How much nearer than here, in grains; a body far in front hides nothing, it only stands there.
float nearer(float here, vec2 where, float metres) {
  float n = (here - texture(depth, where).r) * metres / grain;
  return clamp(n, -2.0, 2.0) * (1.0 - smoothstep(3.0, 6.0, n));
}
void main() {
  vec4 seen = texture(picture, at);
  float hidden = 0.0;
  if (seen.a > 0.0) {
    float here = texture(depth, at).r, span = farPlane - nearPlane;
    float z = orthographic > 0.5 ? 1.0 : nearPlane * farPlane / (farPlane - here * span);
    float metres = orthographic > 0.5 ? span : z * z * span / (nearPlane * farPlane);  // per unit of depth
    float size = grainPixels / z, radius = clamp(size, 2.0, 20.0);
    // Each pixel turns the pattern by an angle of its own (interleaved gradient noise, Jimenez 2014): fine grain instead of bands.
    float turn = 6.2832 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    for (int i = 0; i < pairs; i++) {
      float angle = turn + 2.39996 * float(i), r = radius * sqrt((float(i) + 0.5) / float(pairs));
      vec2 side = r * pixel * vec2(cos(angle), sin(angle));
      hidden += clamp(nearer(here, at + side, metres) + nearer(here, at - side, metres) - 0.1, 0.0, 1.0);
    }
    // bodies much larger than the pattern need no help to be told apart
    hidden *= clamp(24.0 / size, 0.4, 1.0) / float(pairs);
  }
  colour = vec4(seen.rgb * exp(-1.1 * hidden * seen.a), 1.0);
}
`;
