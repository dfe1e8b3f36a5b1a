#include "collision/shapes/polyhedron.hpp"

#include <algorithm>
#include <cmath>

#include "collision/shapes/lane_reals.hpp"

namespace grus::polyhedron {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

constexpr Real lowest = -1e300;  // also what NaN leads to

struct Extreme {
  Index vertex;
  Real value;
};

// From the best of a few spread vertices uphill: on a convex surface the first top is the top. Equal heights (a face
// across d) end the climb within rounding of it.
Extreme climb(const Polyhedron& p, const Vec3& d) {
  constexpr Index starts = 8;
  const Index stride = std::max<Index>(1, p.vertex_count() / starts);
  Extreme best{0, p.vertices[0].dot(d)};
  const auto look = [&](Index v) {
    const Real value = p.vertices[at(v)].dot(d);
    if (!(value > best.value)) return false;
    best = {v, value};
    return true;
  };
  for (Index v = stride; v < p.vertex_count(); v += stride) look(v);
  for (bool rising = true; rising;) {
    rising = false;
    const Index begin = p.neighbour_begin[at(best.vertex)], end = p.neighbour_begin[at(best.vertex) + 1];
    for (Index k = begin; k < end; ++k) rising |= look(p.neighbours[at(k)]);
  }
  return best;
}

}  // namespace

// Not inlined, so that the products are fused alike wherever it is called: equal directions give equal bits.
[[gnu::noinline]] Real reach(const Polyhedron& p, const Vec3& d) {
  if (p.vertex_count() > climb_from) return climb(p, d).value;
  const Real dx = d.x(), dy = d.y(), dz = d.z();
  LaneReals best = LaneReals{} + lowest, value;
  for (const Lanes& l : p.vertex_lanes) {
    dots(l, dx, dy, dz, value);
    best = value > best ? value : best;
  }
  return largest(best);
}

[[gnu::noinline]] Index support_vertex(const Polyhedron& p, const Vec3& d) {
  if (p.vertex_count() > climb_from) return climb(p, d).vertex;
  const Real dx = d.x(), dy = d.y(), dz = d.z();
  // numbers of vertices are kept as Reals, so that the choice is one blend of the same width
  LaneReals best = LaneReals{} + lowest, value, vertex{0, 1, 2, 3, 4, 5, 6, 7}, number = vertex;
  for (const Lanes& l : p.vertex_lanes) {
    dots(l, dx, dy, dz, value);
    vertex = value > best ? number : vertex;
    best = value > best ? value : best;
    number += static_cast<Real>(Lanes::width);
  }
  // of equals the first; of the repeated last vertex the vertex
  const LaneReals others = LaneReals{} + lowest;
  const Real first = -largest(best >= largest(best) ? -vertex : others);
  return std::min(static_cast<Index>(first), p.vertex_count() - 1);
}

void feature(const Polyhedron& p, Real scale, const Vec3& d, Feature& out) {
  const Index top = support_vertex(p, d);
  const Index begin = p.neighbour_begin[at(top)], end = p.neighbour_begin[at(top) + 1];
  Index face = no_index, other = no_index;
  Real facing = feature_cos, sine = feature_sin;
  for (Index k = begin; k < end; ++k) {
    const Index f = p.neighbour_faces[at(k)];
    const Real cosine = p.face_normal[at(f)].dot(d);
    if (cosine > facing) {
      facing = cosine;
      face = f;
    }
  }
  for (Index k = begin; k < end && face == no_index; ++k) {
    const Vec3 e = p.vertices[at(p.neighbours[at(k)])] - p.vertices[at(top)];
    const Real tilt = std::abs(e.dot(d)) / e.norm();
    if (tilt < sine) {
      sine = tilt;
      other = p.neighbours[at(k)];
    }
  }
  const auto add = [&](Index v) { out.add(scale * p.vertices[at(v)], v); };
  if (face != no_index) {
    out.normal = p.face_normal[at(face)];
    const Index first = p.face_begin[at(face)], corners = p.face_begin[at(face) + 1] - first;
    const Index kept = std::min<Index>(corners, Feature::capacity);
    for (Index k = 0; k < kept; ++k) add(p.face_vertices[at(first + (kept == corners ? k : k * corners / kept))]);
  } else if (other != no_index) {
    add(std::min(top, other));
    add(std::max(top, other));
  } else {
    add(top);
  }
}

Bounds bounds(const PlacedShape& s) {
  const Mat3 R = s.R.toRotationMatrix();
  Bounds b;
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = R.row(k);
    b.high[k] = s.p[k] + s.collider->scale * reach(*s.polyhedron, axis);
    b.low[k] = s.p[k] - s.collider->scale * reach(*s.polyhedron, -axis);
  }
  return b;
}

}  // namespace grus::polyhedron
