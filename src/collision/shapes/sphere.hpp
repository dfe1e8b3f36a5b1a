// Sphere: a point grown by the radius.
#pragma once

#include "collision/placed_shape.hpp"
#include "collision/shapes/feature.hpp"

namespace grus::sphere {

inline Vec3 support(const Collider&, const Vec3&) { return Vec3::Zero(); }
inline Real margin(const Collider& c) { return c.radius; }
inline void feature(const Collider&, const Vec3&, Feature& out) { out.add(Vec3::Zero(), 0); }
inline Vec3 half_extent(const Collider& c, const Mat3&) { return Vec3::Constant(c.radius); }
inline Real bound_radius(const Collider& c) { return c.radius; }

}  // namespace grus::sphere
