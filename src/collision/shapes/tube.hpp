// The inside of an endless hollow cylinder about z: solid where the distance from the axis exceeds the radius.
#pragma once

#include "collision/placed_shape.hpp"

namespace grus::tube {

inline Vec3 axis(const PlacedShape& s) { return s.R * Vec3::UnitZ(); }

// From the axis to x, perpendicular to the axis.
inline Vec3 offset(const PlacedShape& s, const Vec3& axis_W, const Vec3& x) {
  const Vec3 d = x - s.p;
  return d - axis_W.dot(d) * axis_W;
}

}  // namespace grus::tube
