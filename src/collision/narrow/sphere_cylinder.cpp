// Sphere against cylinder: in the half plane through the axis and the centre the cylinder is a rectangle.
#include <cmath>

#include "collision/narrow/pair_functions.hpp"

namespace grus {

void sphere_cylinder(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  const Real radius = b.collider->radius, half = b.collider->half.z();
  const Vec3 c = b.R.conjugate() * (a.p - b.p);
  const Real rho = std::hypot(c.x(), c.y());
  const Vec3 radial = direction_or(Vec3(c.x(), c.y(), 0.0), rho, Vec3::UnitX());
  const Real side = c.z() >= 0.0 ? 1.0 : -1.0;
  const Real over_rim = rho - radius, over_cap = std::abs(c.z()) - half;

  Vec3 outward;  // from the cylinder to the centre of the sphere
  Real distance;
  if (over_rim > 0.0 && over_cap > 0.0) {
    distance = std::hypot(over_rim, over_cap);
    outward = (over_rim * radial + over_cap * side * Vec3::UnitZ()) / distance;
  } else if (over_rim > over_cap) {
    distance = over_rim;
    outward = radial;
  } else {
    distance = over_cap;
    outward = side * Vec3::UnitZ();
  }
  const Real gap = distance - a.collider->radius;
  if (gap > max_gap) return;
  const Vec3 n = -(b.R * outward);
  out.add(manifold_point(a.p + a.collider->radius * n, n, gap, 0));
}

}  // namespace grus
