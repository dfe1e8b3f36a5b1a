// One contact in space with a full W_cc: the choice of method.
//
//   separation   q_N >= 0                                      r = 0
//   frictionless mu = 0                                        r_N = -q_N/W_NN
//   stick        -W^-1 q in the cone                           exact
//   slip         alart_curnier.hpp from the old impulse, sliding_angle.hpp when that fails
//
// The order makes the answer a function of its arguments where strong coupling allows more than one. The result always
// lies in the cone.
#pragma once

#include "solvers/local/alart_curnier.hpp"
#include "solvers/local/sliding_angle.hpp"

namespace grus::local {

// -W^-1 q. A W singular to rounding is lifted by a little of its trace: u is then off by that little, not by a jump.
inline Vec3 sticking_impulse(const SymMat3& w, const Vec3& q) {
  constexpr Real singular = 1e-13;  // of Hadamard's bound det W <= W_NN W_11 W_22; free of scale
  const auto solve = [&q](const SymMat3& m, Real& det) {
    const Real c_xx = m.yy * m.zz - m.yz * m.yz, c_xy = m.xz * m.yz - m.xy * m.zz, c_xz = m.xy * m.yz - m.xz * m.yy;
    const Real c_yy = m.xx * m.zz - m.xz * m.xz, c_yz = m.xy * m.xz - m.xx * m.yz, c_zz = m.xx * m.yy - m.xy * m.xy;
    det = m.xx * c_xx + m.xy * c_xy + m.xz * c_xz;
    const Real scale = -1.0 / det;
    return Vec3(scale * (c_xx * q[0] + c_xy * q[1] + c_xz * q[2]), scale * (c_xy * q[0] + c_yy * q[1] + c_yz * q[2]),
                scale * (c_xz * q[0] + c_yz * q[1] + c_zz * q[2]));
  };
  Real det = 0.0;
  const Vec3 r = solve(w, det);
  if (det > singular * w.xx * w.yy * w.zz) return r;
  SymMat3 lifted = w;
  const Real lift = 1e-12 * trace(w);
  lifted.xx += lift;
  lifted.yy += lift;
  lifted.zz += lift;
  return solve(lifted, det);
}

inline Vec3 solve_local(const SymMat3& w, const Vec3& q, Real mu, const Vec3& guess) {
  if (q[0] >= 0.0) return Vec3::Zero();
  if (mu == 0.0) return Vec3(-q[0] / w.xx, 0.0, 0.0);
  const Vec3 stick = sticking_impulse(w, q);
  if (stick[0] > 0.0 && stick[1] * stick[1] + stick[2] * stick[2] <= mu * mu * stick[0] * stick[0]) return stick;
  Vec3 r = guess;
  if (solve_alart_curnier(w, q, mu, r)) return r;
  return solve_sliding_angle(w, q, mu, project_on_cone(stick, mu));
}

}  // namespace grus::local
