// One contact whose W_cc is diag(w_N, w_T, w_T), as between spheres: closed form.
//
//   r_N = max(0, -q_N/w_N),   r_T = -q_T/w_T cut back to length mu r_N
//
// Exact: normal and tangent are not coupled, and cutting the sticking impulse back along itself leaves u_T antiparallel
// to r_T because the tangential part is isotropic. For the same reason no tangent axes are needed: the tangential
// impulse may be two components in a frame or a vector in world axes.
#pragma once

#include <cmath>

#include "math/vector.hpp"

namespace grus::local {

// (normal, tangent): in, the sticking impulse -q_N/w_N, -q_T/w_T; out, the solution.
template <class Tangent>
inline void solve_diagonal(Real& normal, Tangent& tangent, Real mu) {
  if (!(normal > 0.0)) {
    normal = 0.0;
    tangent.setZero();
    return;
  }
  const Real length2 = tangent.squaredNorm(), bound = mu * normal;
  if (length2 > bound * bound) tangent *= bound / std::sqrt(length2);
}

}  // namespace grus::local
