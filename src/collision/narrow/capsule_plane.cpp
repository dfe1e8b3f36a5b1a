// Capsule on a half space: one point under each end.
#include "collision/narrow/pair_functions.hpp"
#include "collision/shapes/plane.hpp"

namespace grus {

void capsule_plane(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  const Vec3 up = plane::normal(b, false);
  const Vec3 half = a.R * Vec3(0, 0, a.collider->half.z());
  for (const std::uint32_t end : {0u, 1u}) {
    const Vec3 centre = end == 0u ? Vec3(a.p - half) : Vec3(a.p + half);
    const Real gap = plane::height(b, up, centre) - a.collider->radius;
    if (gap <= max_gap) out.add(manifold_point(centre - a.collider->radius * up, -up, gap, end));
  }
}

}  // namespace grus
