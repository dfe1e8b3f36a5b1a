#include "model/stone_shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace grus {

namespace {

using std::numbers::pi;

Real extent_along(const std::vector<Vec3>& points, const Vec3& direction) {
  Real low = std::numeric_limits<Real>::infinity(), high = -low;
  for (const Vec3& p : points) {
    const Real x = p.dot(direction);
    low = std::min(low, x);
    high = std::max(high, x);
  }
  return high - low;
}

// The two points of largest distance after projection across `across` (zero: no projection).
Vec3 longest(const std::vector<Vec3>& points, const Vec3& across) {
  Vec3 best = Vec3::Zero();
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      Vec3 d = points[j] - points[i];
      d -= across * across.dot(d);
      if (d.squaredNorm() > best.squaredNorm()) best = d;
    }
  }
  return best;
}

// Edge of the smallest square about the shadow along `axis`. The square of angle a needs max(w(a), w(a + 90 deg));
// between the angles where a corner changes it is a sine, so a degree apart and then golden sections find the least.
Real smallest_square(const std::vector<Vec3>& points, const Vec3& u, const Vec3& v) {
  const auto edge = [&](Real angle) {
    const Real c = std::cos(angle), s = std::sin(angle);
    return std::max(extent_along(points, c * u + s * v), extent_along(points, c * v - s * u));
  };
  constexpr int samples = 90;
  constexpr Real spacing = 0.5 * pi / samples;
  int best = 0;
  Real least = edge(0.0);
  for (int k = 1; k < samples; ++k) {
    const Real e = edge(k * spacing);
    if (e < least) {
      least = e;
      best = k;
    }
  }
  const Real golden = 0.5 * (std::sqrt(5.0) - 1.0);
  Real low = (best - 1) * spacing, high = (best + 1) * spacing;
  for (int k = 0; k < 40; ++k) {
    const Real a = high - golden * (high - low), b = low + golden * (high - low);
    if (edge(a) < edge(b))
      high = b;
    else
      low = a;
  }
  return std::min(least, edge(0.5 * (low + high)));
}

Real surface(const Polyhedron& polyhedron) {
  Real area = 0.0;
  for (std::size_t f = 0; f + 1 < polyhedron.face_begin.size(); ++f) {
    const auto vertex = [&](Index k) -> const Vec3& {
      const Index i = polyhedron.face_vertices[static_cast<std::size_t>(polyhedron.face_begin[f] + k)];
      return polyhedron.vertices[static_cast<std::size_t>(i)];
    };
    Vec3 sum = Vec3::Zero();
    for (Index k = 1; k + 1 < polyhedron.face_begin[f + 1] - polyhedron.face_begin[f]; ++k)
      sum += (vertex(k) - vertex(0)).cross(vertex(k + 1) - vertex(0));
    area += 0.5 * sum.norm();
  }
  return area;
}

}  // namespace

StoneMeasures measure_stone(const ConvexHull& stone) {
  const std::vector<Vec3>& points = stone.polyhedron.vertices;
  StoneMeasures result;
  const Vec3 along = longest(points, Vec3::Zero());
  const Vec3 l = along.normalized();
  const Vec3 across = longest(points, l);
  const Vec3 i = (across - l * l.dot(across)).normalized();
  const Vec3 s = l.cross(i);
  result.length = along.norm();
  result.width = extent_along(points, i);
  result.thickness = extent_along(points, s);
  result.axes.col(0) = l;
  result.axes.col(1) = i;
  result.axes.col(2) = s;
  result.sieve_size = smallest_square(points, i, s);
  result.sphericity = std::cbrt(pi) * std::pow(6.0 * stone.integrals.volume, 2.0 / 3.0) / surface(stone.polyhedron);
  return result;
}

}  // namespace grus
