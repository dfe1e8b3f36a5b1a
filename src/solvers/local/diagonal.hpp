// One contact whose W_cc is diag(w_N, w_T, w_T), as between spheres: closed form.
//
//   r_N = max(0, -q_N/w_N),   r_T = -q_T/w_T cut back to length mu r_N
//
// Exact: normal and tangent are not coupled, and cutting the sticking impulse back along itself leaves u_T antiparallel
// to r_T because the tangential part is isotropic.
#pragma once

#include <cmath>

#include "math/vector.hpp"

namespace grus::local {

inline Vec3 solve_diagonal(Real w_normal, Real w_tangent, const Vec3& q, Real mu) {
  if (q[0] >= 0.0) return Vec3::Zero();
  const Real normal = -q[0] / w_normal;
  Real t1 = -q[1] / w_tangent, t2 = -q[2] / w_tangent;
  const Real length2 = t1 * t1 + t2 * t2, bound = mu * normal;
  if (length2 > bound * bound) {
    const Real scale = bound / std::sqrt(length2);
    t1 *= scale;
    t2 *= scale;
  }
  return Vec3(normal, t1, t2);
}

}  // namespace grus::local
