// Cylinder against half space: four rim points of the lower cap, the one nearest to the lowest moved onto it,
// and the lowest of the upper cap (so a lying cylinder has two).
#include <cmath>

#include "collision/narrow/pair_functions.hpp"
#include "collision/shapes/cylinder.hpp"
#include "collision/shapes/plane.hpp"

namespace grus {

void cylinder_plane(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  const Collider& c = *a.collider;
  const Vec3 up = plane::normal(b, false);
  const Vec3 down_C = a.R.conjugate() * Vec3(-up);
  const bool top_is_low = down_C.z() >= 0.0;
  const Real low = top_is_low ? c.half.z() : -c.half.z();
  ManifoldCandidates candidates;
  const auto add = [&](const Vec3& p_C, int feature) {
    const Vec3 x = a.p + a.R * p_C;
    const Real gap = plane::height(b, up, x);
    if (gap <= max_gap) candidates.add(manifold_point(x, -up, gap, static_cast<std::uint32_t>(feature)));
  };
  cylinder::cap(c, low, down_C, 4, [&](const Vec3& p, int k) { add(p, (top_is_low ? 0 : 8) + k); });
  // a standing cylinder has no lowest point of the upper cap worth a contact
  if (std::abs(down_C.z()) < feature_cos) {
    const Vec2 r = cylinder::radial(down_C) * c.radius;
    add({r.x(), r.y(), -low}, top_is_low ? 12 : 4);
  }
  reduce(candidates.span(), up, 1e-9 * cylinder::bound_radius(c), out);
}

}  // namespace grus
