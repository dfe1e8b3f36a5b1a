// Separated cores: GJK; overlapping ones: EPA. Both name the normal only as well as their iteration converged,
// so it is compared with the exact normals nearby (faces of either shape, common perpendicular of two edges):
// s(n) <= s(n*) for every unit n, so a candidate that separates as much is as good, and it is free of rounding.
#include "collision/narrow/convex_convex.hpp"

#include <cmath>

#include "collision/narrow/clip.hpp"
#include "collision/narrow/epa.hpp"
#include "collision/narrow/gjk.hpp"
#include "collision/narrow/pair_functions.hpp"

namespace grus {

namespace {

// Of the size: what an exact normal may lose against the iterated one. It is the best of all where it is the normal at
// all, so it loses rounding only; more would pull the normal of two corners towards a face nearby.
constexpr Real normal_slack = 1e-13;

}  // namespace

void sharpen_normal(const ConvexCore& a, const ConvexCore& b, Real size, ConvexSeparation& s) {
  s.distance = separation_along(a, b, s.normal);
  Feature feature_a, feature_b;
  a.feature(s.normal, feature_a);
  b.feature(-s.normal, feature_b);
  const Vec3 iterated = s.normal;
  Real best = s.distance - normal_slack * size;
  const auto consider = [&](const Vec3& n) {
    if (n.dot(iterated) < 0.9) return;
    const Real distance = separation_along(a, b, n);
    if (distance < best) return;
    best = distance;
    s.distance = distance;
    s.normal = n;
  };
  if (feature_a.count >= 3) consider(feature_a.normal);
  if (feature_b.count >= 3) consider(-feature_b.normal);
  if (feature_a.count == 2 && feature_b.count == 2) {
    const Vec3 ea = feature_a.points[1] - feature_a.points[0], eb = feature_b.points[1] - feature_b.points[0];
    const Vec3 n = ea.cross(eb);
    const Real length = n.norm();
    if (length > 1e-3 * ea.norm() * eb.norm()) consider(n.dot(iterated) >= 0.0 ? Vec3(n / length) : Vec3(-n / length));
  }
}

bool convex_separation(const ConvexCore& a, const ConvexCore& b, Real limit, Real size, ConvexSeparation& out) {
  GjkStatus status = gjk(a, b, std::max(limit, 0.0), size, out);
  if (status == GjkStatus::beyond_limit) return false;
  // out of digits, GJK may end just inside: a separation is one that its normal proves
  if (status == GjkStatus::separated && separation_along(a, b, out.normal) < 0.0) status = GjkStatus::overlapping;
  if (status == GjkStatus::overlapping && !epa(a, b, size, out)) {
    // flat cores in one plane: any direction across it parts them at once
    const Vec3 across = (a.R.col(2)).cross(b.R.col(2));
    out.normal = direction_or(across, across.norm() > 1e-9 ? across.norm() : 0.0, a.R.col(0));
    out.distance = 0.0;
    out.on_a = a.support(out.normal);
  }
  sharpen_normal(a, b, size, out);
  return true;
}

void convex_convex(const PlacedShape& shape_a, const PlacedShape& shape_b, Real max_gap, Manifold& out) {
  const ConvexCore a(shape_a, shape_a.p), b(shape_b, shape_a.p);
  const Real size = shape_a.collider->bound_radius + shape_b.collider->bound_radius;
  ConvexSeparation s;
  if (!convex_separation(a, b, max_gap + a.margin + b.margin, size, s)) return;
  convex_manifold(
      a, b, s,
      {shape_a.p, s.normal, a.margin, b.margin, max_gap, size, merging_distance(*shape_a.collider, *shape_b.collider)},
      out);
}

}  // namespace grus
