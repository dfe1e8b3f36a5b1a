// Small vectors and matrices. Storage in flat arrays of unaligned 3-vectors (24 bytes).
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "core/types.hpp"

namespace grus {

using Vec2 = Eigen::Matrix<Real, 2, 1, Eigen::DontAlign>;
using Vec3 = Eigen::Matrix<Real, 3, 1, Eigen::DontAlign>;
using Mat2 = Eigen::Matrix<Real, 2, 2, Eigen::DontAlign>;
using Mat3 = Eigen::Matrix<Real, 3, 3, Eigen::DontAlign>;
using Quat = Eigen::Quaternion<Real, Eigen::DontAlign>;

// Tangents t1, t2 with (n, t1, t2) right-handed and orthonormal; a function of n alone.
// In the plane (n_z = 0) t1 is n turned by +90 degrees about z and t2 is z.
inline void tangents(const Vec3& n, Vec3& t1, Vec3& t2) {
  if (n.z() == 0.0) {
    t1 = Vec3(-n.y(), n.x(), 0.0);
    t2 = Vec3(0.0, 0.0, 1.0);
    return;
  }
  // Duff et al. 2017, "Building an orthonormal basis, revisited": no singular direction.
  const Real sign = std::copysign(1.0, n.z());
  const Real a = -1.0 / (sign + n.z());
  const Real b = n.x() * n.y() * a;
  t1 = Vec3(1.0 + sign * n.x() * n.x() * a, sign * b, -sign * n.x());
  t2 = Vec3(b, sign + n.y() * n.y() * a, -n.y());
}

inline Mat3 cross_matrix(const Vec3& a) {
  Mat3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

}  // namespace grus
