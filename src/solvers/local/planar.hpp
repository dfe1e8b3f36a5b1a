// One contact in the plane: the law of contact_problem.hpp solved in closed form for
//
//   u = W r + q,   W = [nn nt; nt tt] symmetric positive (semi)definite
//
// by trying, in this order: separation (q_N >= 0, r = 0), stick (u = 0, r in the cone), slip in each direction d = +-1:
//
//   r_N = -q_N / D,  D = W_NN + mu d W_NT,  r_T = d mu r_N,  u_T = q_T + r_N (W_NT + d mu W_TT),  valid when d u_T <= 0
//
// With strong coupling (mu |W_NT| > W_NN) D may be negative: that direction has no solution, pressing would lift the
// contact less than friction drags it in. For W positive definite one of the cases always holds; with strong coupling
// more than one may, and the order above makes the choice a function of (W, q, mu) alone. When rounding makes every
// case fail by a hair (or W is singular, where sticking and slipping with u_T = 0 meet) the least violated slip is
// taken.
#pragma once

#include <cmath>

#include "math/vector.hpp"

namespace grus::local {

struct PlanarDelassus {
  Real nn = 0.0, nt = 0.0, tt = 0.0;
};

inline Vec2 solve_planar(const PlanarDelassus& w, const Vec2& q, Real mu) {
  if (q[0] >= 0.0) return Vec2::Zero();
  // A machine of one coordinate has W of rank one: below this, det is rounding, and sticking a slip with u_T = 0.
  constexpr Real singular = 1e-13;
  const Real det = w.nn * w.tt - w.nt * w.nt;
  if (det > singular * w.nn * w.tt) {
    const Real normal = (w.nt * q[1] - w.tt * q[0]) / det;
    const Real tangent = (w.nt * q[0] - w.nn * q[1]) / det;
    if (std::abs(tangent) <= mu * normal) return Vec2(normal, tangent);
  }
  Vec2 best = Vec2::Zero();
  Real least = 0.0;
  bool found = false;
  for (const Real d : {1.0, -1.0}) {
    const Real coupling = w.nn + mu * d * w.nt;
    if (!(coupling > 0.0)) continue;
    const Real normal = -q[0] / coupling;
    const Real violation = d * q[1] + normal * (d * w.nt + mu * w.tt);
    if (found && !(violation < least)) continue;
    best = Vec2(normal, d * mu * normal);
    least = violation;
    found = true;
  }
  return best;
}

}  // namespace grus::local
