// Rotations on the group: unit quaternions moved by the exponential map, never by adding to components.
#pragma once

#include <cmath>

#include "math/vector.hpp"

namespace grus {

// exp: rotation vector (axis times angle, rad) -> unit quaternion.
inline Quat exp_rotation(const Vec3& rotation_vector) {
  const Real angle2 = rotation_vector.squaredNorm();
  const Real half = 0.5 * std::sqrt(angle2);
  // sin(x)/x by its series below 1e-4 rad, where the quotient loses digits.
  const Real scale = half < 1e-4 ? 0.5 * (1.0 - half * half / 6.0) : 0.5 * std::sin(half) / half;
  return Quat(std::cos(half), scale * rotation_vector.x(), scale * rotation_vector.y(), scale * rotation_vector.z());
}

// log: unit quaternion -> rotation vector with angle in [0, pi].
inline Vec3 log_rotation(const Quat& q) {
  const Real sign = q.w() < 0.0 ? -1.0 : 1.0;
  const Vec3 v = sign * q.vec();
  const Real s = v.norm();
  if (s < 1e-12) return 2.0 * v;
  return (2.0 * std::atan2(s, sign * q.w()) / s) * v;
}

// q moved by a rotation vector given in the world frame; renormalised, so rounding cannot drift.
inline Quat rotated(const Quat& q, const Vec3& rotation_vector_W) {
  return (exp_rotation(rotation_vector_W) * q).normalized();
}

// The smallest turn that takes the unit vector a to the unit vector b: twice the turn from a to half way h = a + b.
// For b = -a half a turn about t2 of tangents(a), so that a turn in the plane stays in the plane. The error is rounding
// over |h|, some 1e-8 at worst. (Eigen's setFromTwoVectors finds the axis of the half turn by a singular value
// decomposition: five seconds of compile time for every includer.)
inline Quat rotation_between(const Vec3& a, const Vec3& b) {
  const Vec3 h = a + b;
  const Real length = h.norm();
  if (length < 1e-8) {
    Vec3 t1, t2;
    tangents(a, t1, t2);
    return Quat(0.0, t2.x(), t2.y(), t2.z());
  }
  const Vec3 v = a.cross(h) / length;
  return Quat(a.dot(h) / length, v.x(), v.y(), v.z()).normalized();
}

inline Quat rotation_about_z(Real angle) { return Quat(std::cos(0.5 * angle), 0.0, 0.0, std::sin(0.5 * angle)); }

}  // namespace grus
