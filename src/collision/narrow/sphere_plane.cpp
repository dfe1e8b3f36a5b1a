// Sphere or disk on a half space: gap = height of the centre - radius.
#include "collision/narrow/pair_functions.hpp"
#include "collision/shapes/plane.hpp"

namespace grus {

namespace {

void ball_plane(const PlacedShape& a, const PlacedShape& b, const Vec3& up, Real max_gap, Manifold& out) {
  const Real gap = plane::height(b, up, a.p) - a.collider->radius;
  if (gap > max_gap) return;
  out.add(manifold_point(a.p - a.collider->radius * up, -up, gap, 0));
}

}  // namespace

void sphere_plane(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  ball_plane(a, b, plane::normal(b, false), max_gap, out);
}

void disk_plane(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  ball_plane(a, b, plane::normal(b, true), max_gap, out);
}

}  // namespace grus
