// An independent judge of distances, from support functions alone:
//   signed distance of two convex sets = max over unit n of  s(n) = -(h_A(n) + h_B(-n))
// by dense sampling of directions and pattern search from the best samples. Written apart from the library: its
// support functions are those of the whole shapes, not of cores.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "collision/placed_shape.hpp"
#include "math/vector.hpp"

namespace grus::test {

// h(n) = max over the shape of n.x, relative to `origin`.
inline Real support_value(const PlacedShape& s, const Vec3& n, const Vec3& origin, bool planar) {
  const Collider& c = *s.collider;
  const Vec3 d = s.R.toRotationMatrix().transpose() * n;
  Real local = 0.0;
  switch (c.kind) {
    case ShapeKind::sphere:
    case ShapeKind::disk:
      local = c.radius;
      break;
    case ShapeKind::capsule:
      local = std::abs(planar ? d.x() : d.z()) * c.half.z() + c.radius;
      break;
    case ShapeKind::cylinder:
      local = std::abs(d.z()) * c.half.z() + c.radius * std::sqrt(d.x() * d.x() + d.y() * d.y());
      break;
    case ShapeKind::box:
      local = d.cwiseAbs().dot(c.half) + c.radius;
      break;
    case ShapeKind::polygon:
      local = -1e300;
      for (Index i = 0; i < c.vertex_count; ++i) local = std::max(local, s.vertices[i].dot(Vec2(d.x(), d.y())));
      local += c.radius;
      break;
    case ShapeKind::polyhedron:
      local = -1e300;
      for (const Vec3& v : s.polyhedron->vertices) local = std::max(local, c.scale * v.dot(d));
      break;
    default:
      break;
  }
  return n.dot(s.p - origin) + local;
}

inline Real separation(const PlacedShape& a, const PlacedShape& b, const Vec3& n, bool planar) {
  return -(support_value(a, n, a.p, planar) + support_value(b, -n, a.p, planar));
}

struct OracleResult {
  Real gap;
  Vec3 normal;
};

// Maximum of f over unit vectors (of the plane, or of space).
template <class F>
OracleResult maximize(const F& f, bool planar) {
  std::vector<std::pair<Real, Vec3>> samples;
  const int count = planar ? 720 : 1500;
  for (int i = 0; i < count; ++i) {
    Vec3 n;
    if (planar) {
      const Real angle = 2.0 * std::numbers::pi * i / count;
      n = Vec3(std::cos(angle), std::sin(angle), 0.0);
    } else {
      // spiral of equal areas
      const Real z = 1.0 - (2.0 * i + 1.0) / count, r = std::sqrt(1.0 - z * z), angle = 2.399963229728653 * i;
      n = Vec3(r * std::cos(angle), r * std::sin(angle), z);
    }
    samples.emplace_back(f(n), n);
  }
  const std::size_t keep = planar ? 6 : 24;
  std::partial_sort(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(keep), samples.end(),
                    [](const auto& x, const auto& y) { return x.first > y.first; });
  OracleResult best{-1e300, Vec3::UnitX()};
  for (std::size_t k = 0; k < keep; ++k) {
    auto [value, n] = samples[k];
    Real step = planar ? 0.01 : 0.08;
    // directions of the search turn from round to round, so that ridges of f are followed
    for (int round = 0; step > 1e-11; ++round) {
      Vec3 t1, t2;
      tangents(n, t1, t2);
      const Real turn = 0.7 * round;
      Vec3 best_n = n;
      Real best_value = value;
      const int rays = planar ? 2 : 8;
      for (int r = 0; r < rays; ++r) {
        const Real angle = turn + 2.0 * std::numbers::pi * r / rays;
        const Vec3 along = planar ? Vec3(r == 0 ? t1 : -t1) : Vec3(std::cos(angle) * t1 + std::sin(angle) * t2);
        const Vec3 m = (n + step * along).normalized();
        const Real v = f(m);
        if (v > best_value) {
          best_value = v;
          best_n = m;
        }
      }
      if (best_value > value) {
        value = best_value;
        n = best_n;
      } else {
        step *= 0.6;
      }
      if (round > 600) break;
    }
    if (value > best.gap) best = {value, n};
  }
  return best;
}

inline OracleResult oracle_distance(const PlacedShape& a, const PlacedShape& b, bool planar) {
  return maximize([&](const Vec3& n) { return separation(a, b, n, planar); }, planar);
}

// Signed distance of a point from a convex shape, negative inside.
inline Real oracle_point_distance(const PlacedShape& s, const Vec3& x, bool planar) {
  return maximize([&](const Vec3& n) { return n.dot(x - s.p) - support_value(s, n, s.p, planar); }, planar).gap;
}

// Distance of a convex shape to the wall of a tube or ring: radius - max over radial u of u.(x - p).
inline Real oracle_inside(const PlacedShape& a, const PlacedShape& b) {
  const bool planar = b.collider->kind == ShapeKind::ring;
  const Mat3 R = planar ? Mat3(Mat3::Identity()) : Mat3(b.R.toRotationMatrix());
  const OracleResult far = maximize([&](const Vec3& u) { return support_value(a, R * u, b.p, planar); }, true);
  return b.collider->radius - far.gap;
}

}  // namespace grus::test
