// Planar: a point grown by the radius.
#pragma once

#include "collision/placed_shape.hpp"

namespace grus::disk {

inline Vec3 half_extent(const Collider& c) { return {c.radius, c.radius, 0.0}; }
inline Real bound_radius(const Collider& c) { return c.radius; }

}  // namespace grus::disk
