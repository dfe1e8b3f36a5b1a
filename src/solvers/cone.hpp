// Coulomb's cone K = { r : ||r_T|| <= mu r_N } in the order (N, T1, T2): its projection and the natural map.
//
//   d = r - P_K(r - rho (u + mu ||u_T|| e_N)),   d = 0  <=>  (u, r) obeys Signorini-Coulomb (De Saxce)
//
// A planar contact has T2 = 0 in every vector; the formulas are the same. A scalar row has an interval for its cone.
#pragma once

#include <cmath>
#include <limits>

#include "math/vector.hpp"

namespace grus {

inline Real tangential_norm(const Vec3& x) { return std::sqrt(x[1] * x[1] + x[2] * x[2]); }

// The nearest point of K. NaN stays NaN: no comparison below hides it.
inline Vec3 project_on_cone(const Vec3& z, Real mu) {
  const Real tangential = tangential_norm(z);
  // without friction mu z_N is zero for any z_N
  if (z[0] >= 0.0 && tangential <= mu * z[0]) return z;
  if (mu * tangential <= -z[0]) return Vec3::Zero();
  const Real normal = (z[0] + mu * tangential) / (1.0 + mu * mu);
  // tangential = 0 here only for a NaN normal component.
  const Real scale = tangential > 0.0 ? mu * normal / tangential : 0.0;
  return Vec3(normal, scale * z[1], scale * z[2]);
}

inline Vec3 natural_map(const Vec3& r, const Vec3& u, Real mu, Real rho) {
  Vec3 z = r - rho * u;
  z[0] -= rho * mu * tangential_norm(u);
  return r - project_on_cone(z, mu);
}

// The part of a defect that is not rounding of what it is a difference of: an impulse, and a velocity times rho. A
// contact that slides at metres a second and is hardly pressed has a defect of rounding that no solver can remove, and
// the scale of what it pushes may be as small.
inline Real beyond_rounding(Real defect, Real impulse, Real velocity) {
  constexpr Real rounding = 16.0 * std::numeric_limits<Real>::epsilon();
  const Real rest = defect - rounding * (impulse + velocity);
  return rest < 0.0 ? 0.0 : rest;
}

// The nearest point of [lower, upper], the set of a scalar row. NaN, also in the bounds, and bounds out of order give
// NaN: std::clamp would hide them.
inline Real clamp_impulse(Real r, Real lower, Real upper) {
  if (!(lower <= upper)) return std::numeric_limits<Real>::quiet_NaN();
  return r < lower ? lower : (r > upper ? upper : r);
}

inline Real row_natural_map(Real r, Real u, Real lower, Real upper, Real rho) {
  return r - clamp_impulse(r - rho * u, lower, upper);
}

}  // namespace grus
