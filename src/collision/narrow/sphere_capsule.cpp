// Sphere against capsule: the point of the segment nearest to the centre.
#include "collision/narrow/pair_functions.hpp"

namespace grus {

void sphere_capsule(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  const Vec3 axis = b.R * Vec3::UnitZ();
  const Real half = b.collider->half.z();
  const Vec3 nearest = b.p + std::clamp(axis.dot(a.p - b.p), -half, half) * axis;
  const Vec3 d = nearest - a.p;
  const Real distance = d.norm();
  const Real gap = distance - a.collider->radius - b.collider->radius;
  if (gap > max_gap) return;
  // a centre on the axis is pushed out sideways: x of the capsule is perpendicular to it
  const Vec3 n = direction_or(d, distance, b.R * Vec3::UnitX());
  out.add(manifold_point(a.p + a.collider->radius * n, n, gap, 0));
}

}  // namespace grus
