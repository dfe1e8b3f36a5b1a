// Triangle of a mesh wall. As a convex core it is flat and has two sides; which contacts of it count is decided in
// narrow/triangle_pairs.cpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "collision/placed_shape.hpp"
#include "collision/shapes/feature.hpp"

namespace grus::triangle {

inline int support_vertex(const MeshTriangle& t, const Vec3& d) {
  int best = 0;
  for (int i = 1; i < 3; ++i)
    if (t.vertices[i].dot(d) > t.vertices[best].dot(d)) best = i;
  return best;
}

inline Vec3 support(const MeshTriangle& t, const Vec3& d) { return t.vertices[support_vertex(t, d)]; }

inline Vec3 edge(const MeshTriangle& t, int i) { return t.vertices[(i + 1) % 3] - t.vertices[i]; }

inline void feature(const MeshTriangle& t, const Vec3& d, Feature& out) {
  const Real cosine = t.normal.dot(d);
  if (std::abs(cosine) > feature_cos) {
    // counter-clockwise about d on either side
    out.normal = cosine > 0.0 ? t.normal : Vec3(-t.normal);
    for (const int i : {0, 1, 2}) out.add(t.vertices[i], i);
    return;
  }
  const int top = support_vertex(t, d);
  int flat = -1;
  Real sine = feature_sin;
  for (const int i : {top, (top + 2) % 3}) {
    const Vec3 e = edge(t, i);
    const Real tilt = std::abs(e.dot(d)) / e.norm();
    if (tilt < sine) {
      sine = tilt;
      flat = i;
    }
  }
  if (flat < 0) return out.add(t.vertices[top], top);
  out.add(t.vertices[flat], flat);
  out.add(t.vertices[(flat + 1) % 3], (flat + 1) % 3);
}

inline Bounds bounds(const PlacedShape& s) {
  Bounds b{s.p + s.R * s.triangle->vertices[0], s.p + s.R * s.triangle->vertices[0]};
  for (int i = 1; i < 3; ++i) {
    const Vec3 x = s.p + s.R * s.triangle->vertices[i];
    b.low = b.low.cwiseMin(x);
    b.high = b.high.cwiseMax(x);
  }
  return b;
}

inline Real bound_radius(const MeshTriangle& t) {
  Real r2 = 0.0;
  for (const Vec3& v : t.vertices) r2 = std::max(r2, v.squaredNorm());
  return std::sqrt(r2);
}

}  // namespace grus::triangle
