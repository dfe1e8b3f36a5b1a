// Bounded shapes inside a tube. The distance from the axis is a convex function of the point, so over a convex
// shape it is largest at extreme points: end balls of a capsule, corners of a box, rims of a cylinder.
#include <array>
#include <cmath>
#include <numbers>

#include "collision/narrow/pair_functions.hpp"
#include "collision/shapes/box.hpp"
#include "collision/shapes/cylinder.hpp"
#include "collision/shapes/tube.hpp"

namespace grus {

namespace {

// Contact of a ball with the tube; the normal points from the ball outwards into the wall.
ManifoldPoint ball_in_tube(const Vec3& x, Real radius, const PlacedShape& b, const Vec3& axis, std::uint32_t feature) {
  const Vec3 d = tube::offset(b, axis, x);
  const Real rho = d.norm();
  const Vec3 n = direction_or(d, rho, b.R * Vec3::UnitX());
  return manifold_point(x + radius * n, n, b.collider->radius - rho - radius, feature);
}

void add_ball(const Vec3& x, Real radius, const PlacedShape& b, const Vec3& axis, Real max_gap, std::uint32_t feature,
              ManifoldCandidates& out) {
  const ManifoldPoint point = ball_in_tube(x, radius, b, axis, feature);
  if (point.gap <= max_gap) out.add(point);
}

// The points of largest distance from the axis on the circle centre + u cos(f) + v sin(f), all given relative to
// and perpendicular to the axis: local maxima of |x|^2, a curve of two harmonics with at most two. They are
// bracketed by samples and polished by Newton's method.
struct RimExtremes {
  std::array<Real, 2> angle{};
  int count = 0;

  RimExtremes(const Vec3& centre, const Vec3& u, const Vec3& v) {
    constexpr int samples = 32;
    const auto squared = [&](Real f) { return (centre + std::cos(f) * u + std::sin(f) * v).squaredNorm(); };
    const Real step = 2.0 * std::numbers::pi / samples;
    std::array<Real, samples> value;
    for (int k = 0; k < samples; ++k) value[static_cast<std::size_t>(k)] = squared(k * step);
    for (int k = 0; k < samples && count < 2; ++k) {
      const Real here = value[static_cast<std::size_t>(k)];
      const Real before = value[static_cast<std::size_t>((k + samples - 1) % samples)];
      const Real after = value[static_cast<std::size_t>((k + 1) % samples)];
      if (here > before && here >= after)
        angle[static_cast<std::size_t>(count++)] = polished(centre, u, v, k * step, step);
    }
    // a circle about the axis is equally far everywhere
    if (count == 0) count = 1;
  }

 private:
  static Real polished(const Vec3& centre, const Vec3& u, const Vec3& v, Real guess, Real step) {
    Real f = guess;
    for (int i = 0; i < 20; ++i) {
      const Vec3 x = centre + std::cos(f) * u + std::sin(f) * v;
      const Vec3 dx = std::cos(f) * v - std::sin(f) * u;
      const Real slope = x.dot(dx);
      const Real curvature = dx.squaredNorm() - x.dot(x - centre);
      if (!(curvature < 0.0)) break;
      const Real next = std::clamp(f - slope / curvature, guess - step, guess + step);
      if (next == f) break;
      f = next;
    }
    return f;
  }
};

}  // namespace

void sphere_tube(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  const ManifoldPoint point = ball_in_tube(a.p, a.collider->radius, b, tube::axis(b), 0);
  if (point.gap <= max_gap) out.add(point);
}

void capsule_tube(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  const Vec3 axis = tube::axis(b), half = a.R * Vec3(0, 0, a.collider->half.z());
  ManifoldCandidates candidates;
  add_ball(a.p - half, a.collider->radius, b, axis, max_gap, 0, candidates);
  add_ball(a.p + half, a.collider->radius, b, axis, max_gap, 1, candidates);
  for (const ManifoldPoint& point : candidates.span()) out.add(point);
}

void box_tube(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  const Vec3 axis = tube::axis(b);
  ManifoldCandidates candidates;
  for (int i = 0; i < 8; ++i)
    add_ball(a.p + a.R * box::corner(*a.collider, i), a.collider->radius, b, axis, max_gap,
             static_cast<std::uint32_t>(i), candidates);
  const Vec3 d = tube::offset(b, axis, a.p);
  reduce(candidates.span(), direction_or(d, d.norm(), b.R * Vec3::UnitX()), 1e-7 * a.collider->bound_radius, out);
}

void cylinder_tube(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  const Collider& c = *a.collider;
  const Vec3 axis = tube::axis(b);
  const auto across = [&](const Vec3& d) { return Vec3(d - axis.dot(d) * axis); };
  const Vec3 u = a.R * Vec3(c.radius, 0, 0), v = a.R * Vec3(0, c.radius, 0);
  for (const int end : {0, 1}) {
    const Vec3 centre = a.p + a.R * Vec3(0, 0, end == 0 ? -c.half.z() : c.half.z());
    const RimExtremes rim(tube::offset(b, axis, centre), across(u), across(v));
    for (int k = 0; k < rim.count; ++k) {
      const Real f = rim.angle[static_cast<std::size_t>(k)];
      const ManifoldPoint point = ball_in_tube(centre + std::cos(f) * u + std::sin(f) * v, 0.0, b, axis,
                                               static_cast<std::uint32_t>(2 * end + k));
      if (point.gap <= max_gap) out.add(point);
    }
  }
}

}  // namespace grus
