// Capsule: the segment from -half.z to half.z along z, grown by the radius.
#pragma once

#include <cmath>

#include "collision/placed_shape.hpp"
#include "collision/shapes/feature.hpp"

namespace grus::capsule {

inline Vec3 support(const Collider& c, const Vec3& d) { return {0.0, 0.0, d.z() >= 0.0 ? c.half.z() : -c.half.z()}; }
inline Real margin(const Collider& c) { return c.radius; }

inline void feature(const Collider& c, const Vec3& d, Feature& out) {
  const bool lies = std::abs(d.z()) < feature_sin;
  if (lies || d.z() < 0.0) out.add({0.0, 0.0, -c.half.z()}, 0);
  if (lies || d.z() >= 0.0) out.add({0.0, 0.0, c.half.z()}, 1);
}

inline Vec3 half_extent(const Collider& c, const Mat3& R) {
  return R.col(2).cwiseAbs() * c.half.z() + Vec3::Constant(c.radius);
}
inline Real bound_radius(const Collider& c) { return c.half.z() + c.radius; }

}  // namespace grus::capsule
