// Half space: solid where the coordinate along its axis (z; y in a planar scene) is negative.
#pragma once

#include "collision/placed_shape.hpp"

namespace grus::plane {

inline Vec3 normal(const PlacedShape& s, bool planar) { return s.R * (planar ? Vec3::UnitY() : Vec3::UnitZ()); }

// Signed distance of x from the surface.
inline Real height(const PlacedShape& s, const Vec3& normal_W, const Vec3& x) { return normal_W.dot(x - s.p); }

}  // namespace grus::plane
