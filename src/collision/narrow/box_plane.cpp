// Box on a half space: one point per corner near the surface, reduced to those that carry the torque.
#include "collision/narrow/pair_functions.hpp"
#include "collision/shapes/box.hpp"
#include "collision/shapes/plane.hpp"

namespace grus {

void box_plane(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  const Vec3 up = plane::normal(b, false);
  ManifoldCandidates candidates;
  for (int i = 0; i < 8; ++i) {
    const Vec3 x = a.p + a.R * box::corner(*a.collider, i);
    const Real gap = plane::height(b, up, x) - a.collider->radius;
    if (gap <= max_gap)
      candidates.add(manifold_point(x - a.collider->radius * up, -up, gap, static_cast<std::uint32_t>(i)));
  }
  reduce(candidates.span(), up, 1e-7 * a.collider->half.norm(), out);
}

}  // namespace grus
