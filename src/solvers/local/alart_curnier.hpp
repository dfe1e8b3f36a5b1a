// One contact in space: Newton's method on the map of Alart and Curnier (1991),
//
//   z_N = r_N - rho_N u_N,  z_T = r_T - rho_T u_T,  u = W r + q,  rho_N = 1/W_NN,  rho_T = 2/(W_11 + W_22)
//   F_N = r_N - max(0, z_N),   F_T = r_T - P(z_T),  P: the projection on the disk of radius mu max(0, z_N)
//
// with a step halved until ||F|| falls. Quadratic near the solution, and cheap from a warm start; it may cycle or stop
// far away when mu is large and W couples normal and tangent strongly. The caller then takes sliding_angle.hpp.
#pragma once

#include <cmath>

#include "solvers/cone.hpp"
#include "solvers/delassus.hpp"

namespace grus::local {

struct AlartCurnier {
  // Relative to the size of r; a few rounding errors of W r.
  static constexpr Real tolerance = 1e-14;
  static constexpr int max_steps = 12;
  static constexpr int max_halvings = 3;
};

namespace detail {

// F and, in columns, its derivative.
inline Vec3 alart_curnier_map(const SymMat3& w, const Vec3& q, Real mu, const Vec3& r, Real rho_n, Real rho_t,
                              Mat3& jacobian) {
  const Vec3 u = w * r + q;
  const Real z_n = r[0] - rho_n * u[0];
  if (z_n <= 0.0) {
    jacobian.setIdentity();
    return r;
  }
  jacobian.row(0) = rho_n * Vec3(w.xx, w.xy, w.xz).transpose();
  const Real z1 = r[1] - rho_t * u[1], z2 = r[2] - rho_t * u[2];
  const Real length = std::sqrt(z1 * z1 + z2 * z2), radius = mu * z_n;
  const Vec3 w1(w.xy, w.yy, w.yz), w2(w.xz, w.yz, w.zz);
  if (length <= radius) {
    jacobian.row(1) = rho_t * w1.transpose();
    jacobian.row(2) = rho_t * w2.transpose();
    return Vec3(rho_n * u[0], rho_t * u[1], rho_t * u[2]);
  }
  const Real d1 = z1 / length, d2 = z2 / length, turn = radius / length;
  const Vec3 dz_n(1.0 - rho_n * w.xx, -rho_n * w.xy, -rho_n * w.xz);
  const Vec3 dz_1(-rho_t * w.xy, 1.0 - rho_t * w.yy, -rho_t * w.yz);
  const Vec3 dz_2(-rho_t * w.xz, -rho_t * w.yz, 1.0 - rho_t * w.zz);
  // d(z_T/|z_T|) is along the perpendicular p = (-d2, d1).
  const Vec3 dp = turn * (d1 * dz_2 - d2 * dz_1);
  jacobian.row(1) = (Vec3(0.0, 1.0, 0.0) - mu * d1 * dz_n + d2 * dp).transpose();
  jacobian.row(2) = (Vec3(0.0, 0.0, 1.0) - mu * d2 * dz_n - d1 * dp).transpose();
  return Vec3(rho_n * u[0], r[1] - radius * d1, r[2] - radius * d2);
}

// x with m x = b by cofactors; false when m is singular to rounding.
inline bool solve3(const Mat3& m, const Vec3& b, Vec3& x) {
  const Vec3 c0 = m.col(0), c1 = m.col(1), c2 = m.col(2);
  const Vec3 c12 = c1.cross(c2);
  const Real det = c0.dot(c12);
  if (!(std::abs(det) > 1e-14 * c0.norm() * c12.norm())) return false;
  x = Vec3(b.dot(c12), c0.dot(b.cross(c2)), c0.dot(c1.cross(b))) / det;
  return true;
}

}  // namespace detail

// On success r is a solution inside the cone; otherwise false and r is meaningless.
inline bool solve_alart_curnier(const SymMat3& w, const Vec3& q, Real mu, Vec3& r) {
  const Real rho_n = 1.0 / w.xx, rho_t = 2.0 / (w.yy + w.zz);
  // The free part of the map sets the scale when r is zero.
  const Real floor2 = rho_n * rho_n * q[0] * q[0];
  constexpr Real tolerance2 = AlartCurnier::tolerance * AlartCurnier::tolerance;
  Mat3 jacobian;
  Vec3 f = detail::alart_curnier_map(w, q, mu, r, rho_n, rho_t, jacobian);
  Real size = f.squaredNorm();
  for (int step = 0; step < AlartCurnier::max_steps; ++step) {
    if (size <= tolerance2 * std::max(floor2, r.squaredNorm())) {
      const Real tangential = tangential_norm(r), bound = mu * r[0];
      if (!(r[0] >= 0.0)) return false;
      if (tangential > bound) r.tail<2>() *= bound / tangential;
      return true;
    }
    Vec3 move;
    if (!detail::solve3(jacobian, f, move)) return false;
    Real length = 1.0;
    for (int halving = 0;; ++halving) {
      const Vec3 trial = r - length * move;
      f = detail::alart_curnier_map(w, q, mu, trial, rho_n, rho_t, jacobian);
      const Real trial_size = f.squaredNorm();
      if (trial_size < size || halving == AlartCurnier::max_halvings) {
        r = trial;
        size = trial_size;
        break;
      }
      length *= 0.5;
    }
  }
  return false;
}

}  // namespace grus::local
