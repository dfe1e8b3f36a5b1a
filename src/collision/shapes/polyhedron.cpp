#include "collision/shapes/polyhedron.hpp"

#include <algorithm>
#include <cmath>

namespace grus::polyhedron {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

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
  std::array<Real, Lanes::width> best;
  best.fill(-1e300);
  for (const Lanes& l : p.vertex_lanes)
    for (std::size_t k = 0; k < Lanes::width; ++k) {
      const Real value = dx * l.x[k] + dy * l.y[k] + dz * l.z[k];
      best[k] = value > best[k] ? value : best[k];
    }
  return *std::max_element(best.begin(), best.end());
}

[[gnu::noinline]] Index support_vertex(const Polyhedron& p, const Vec3& d) {
  if (p.vertex_count() > climb_from) return climb(p, d).vertex;
  const Real dx = d.x(), dy = d.y(), dz = d.z();
  // the number of the lane is kept as a Real, so that the choice is one blend of the same width
  std::array<Real, Lanes::width> best, lane;
  best.fill(-1e300);
  lane.fill(0.0);
  Real number = 0.0;
  for (const Lanes& l : p.vertex_lanes) {
    for (std::size_t k = 0; k < Lanes::width; ++k) {
      const Real value = dx * l.x[k] + dy * l.y[k] + dz * l.z[k];
      lane[k] = value > best[k] ? number : lane[k];
      best[k] = value > best[k] ? value : best[k];
    }
    number += 1.0;
  }
  std::size_t column = 0;
  for (std::size_t k = 1; k < Lanes::width; ++k)
    if (best[k] > best[column] || (best[k] == best[column] && lane[k] < lane[column])) column = k;
  const auto vertex = static_cast<Index>(lane[column]) * static_cast<Index>(Lanes::width) + static_cast<Index>(column);
  return std::min(vertex, p.vertex_count() - 1);  // the repeated last vertex
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
