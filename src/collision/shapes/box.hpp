// Box: half sizes half.xyz (half.xy in a planar scene), grown by the radius (0 for sharp edges).
// Corner i has the sign of coordinate k from bit k of i.
#pragma once

#include <cmath>

#include "collision/placed_shape.hpp"
#include "collision/shapes/feature.hpp"

namespace grus::box {

inline Vec3 corner(const Collider& c, int i) {
  return {(i & 1) ? c.half.x() : -c.half.x(), (i & 2) ? c.half.y() : -c.half.y(), (i & 4) ? c.half.z() : -c.half.z()};
}

inline int support_corner(const Vec3& d) { return (d.x() >= 0.0) | (d.y() >= 0.0) << 1 | (d.z() >= 0.0) << 2; }
inline Vec3 support(const Collider& c, const Vec3& d) { return corner(c, support_corner(d)); }
inline Real margin(const Collider& c) { return c.radius; }

inline void feature(const Collider& c, const Vec3& d, Feature& out) {
  int k = 0, thin = 0;
  d.cwiseAbs().maxCoeff(&k);
  d.cwiseAbs().minCoeff(&thin);
  const int top = support_corner(d);
  if (std::abs(d[k]) > feature_cos) {
    // the four corners of face k, counter-clockwise about k
    const int u = 1 << ((k + 1) % 3), v = 1 << ((k + 2) % 3);
    const int base = top & (1 << k);
    out.normal = Vec3::Zero();
    out.normal[k] = base ? 1.0 : -1.0;
    for (const int i : {base, base | u, base | u | v, base | v}) out.add(corner(c, i), i);
  } else if (std::abs(d[thin]) < feature_sin) {
    out.add(corner(c, top & ~(1 << thin)), top & ~(1 << thin));
    out.add(corner(c, top | (1 << thin)), top | (1 << thin));
  } else {
    out.add(corner(c, top), top);
  }
}

inline Vec3 half_extent(const Collider& c, const Mat3& R) { return R.cwiseAbs() * c.half + Vec3::Constant(c.radius); }
inline Real bound_radius(const Collider& c) { return c.half.norm() + c.radius; }

}  // namespace grus::box
