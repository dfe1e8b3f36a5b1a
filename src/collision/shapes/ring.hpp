// Planar: the inside of a hollow circle: solid where the distance from the centre exceeds the radius.
#pragma once

#include "collision/placed_shape.hpp"

namespace grus::ring {

inline Vec3 offset(const PlacedShape& s, const Vec3& x) { return x - s.p; }

}  // namespace grus::ring
