// What a sweep over an assembled W keeps of each diagonal block, and the exact solution of one contact with it.
//
// W_cc of a file may be slightly unsymmetric, the local solvers take symmetric blocks. They get the symmetric part W_s
// together with q_c = u_c - W_s r_c, u_c by the true W: where the sweep comes to rest W_s r_c + q_c = u_c, so that the
// limit obeys the law with the true W.
#pragma once

#include "solvers/local/diagonal.hpp"
#include "solvers/local/local_solver.hpp"
#include "solvers/local/planar.hpp"

namespace grus::local {

enum class KernelKind : std::uint8_t {
  inert,      // no impulse can change the gap: r = 0
  isotropic,  // diag(w_N, w_T, w_T): closed form
  regular,    // -W^-1 is kept
  singular,
};

struct SpatialKernel {
  static constexpr int dim = 3;
  SymMat3 w;
  SymMat3 minus_inverse;
  Real friction = 0.0;
  Real weight = 0.0;  // 1/rho
  KernelKind kind = KernelKind::inert;

  SpatialKernel() = default;
  // `block` row by row.
  SpatialKernel(const Real* block, Real mu, Real rho) : friction(mu) {
    if (rho == 0.0) return;
    weight = 1.0 / rho;
    w = {block[0], 0.5 * (block[1] + block[3]), 0.5 * (block[2] + block[6]),
         block[4], 0.5 * (block[5] + block[7]), block[8]};
    // Off isotropy by less than this is rounding of the assembly.
    constexpr Real rounding = 1e-14;
    const Real bound = rounding * w.xx;
    if (std::abs(w.xy) <= bound && std::abs(w.xz) <= bound && std::abs(w.yz) <= bound &&
        std::abs(w.yy - w.zz) <= bound && w.yy > 0.0) {
      kind = KernelKind::isotropic;
      return;
    }
    Real det = 0.0;
    for (int k = 0; k < 3; ++k) {
      const Vec3 column = minus_inverse_times(w, Vec3(Vec3::Unit(k)), det);
      if (k == 0) minus_inverse.xx = column[0];
      if (k == 1) minus_inverse.xy = column[0], minus_inverse.yy = column[1];
      if (k == 2) minus_inverse.xz = column[0], minus_inverse.yz = column[1], minus_inverse.zz = column[2];
    }
    kind = det > singular_determinant * w.xx * w.yy * w.zz ? KernelKind::regular : KernelKind::singular;
  }

  Vec3 times(const Vec3& r) const { return w * r; }
};

struct PlanarKernel {
  static constexpr int dim = 2;
  PlanarDelassus w;
  Real friction = 0.0;
  Real weight = 0.0;  // 1/rho
  KernelKind kind = KernelKind::inert;

  PlanarKernel() = default;
  PlanarKernel(const Real* block, Real mu, Real rho) : friction(mu) {
    if (rho == 0.0) return;
    weight = 1.0 / rho;
    w = {block[0], 0.5 * (block[1] + block[2]), block[3]};
    kind = KernelKind::regular;
  }

  Vec2 times(const Vec2& r) const { return {w.nn * r[0] + w.nt * r[1], w.nt * r[0] + w.tt * r[1]}; }
};

// A planar contact as one in space that no velocity leaves: T2 decoupled, as stiff as T1.
inline SymMat3 in_space(const PlanarDelassus& w) { return {w.nn, w.nt, 0.0, w.tt, 0.0, w.tt}; }

// The exact solution, as local_solver.hpp with what can be prepared once.
struct Exact {
  static Vec3 solve(const SpatialKernel& kernel, const Vec3& q, const Vec3& guess) {
    if (!(q[0] < 0.0) || kernel.kind == KernelKind::inert) return Vec3::Zero();
    const SymMat3& w = kernel.w;
    const Real mu = kernel.friction;
    if (kernel.kind == KernelKind::isotropic) {
      Real normal = -q[0] / w.xx;
      const Real scale = -1.0 / w.yy;
      Vec2 tangent(scale * q[1], scale * q[2]);
      solve_diagonal(normal, tangent, mu);
      return {normal, tangent[0], tangent[1]};
    }
    if (kernel.kind == KernelKind::singular || mu == 0.0) return solve_local(w, q, mu, guess);
    const Vec3 stick = kernel.minus_inverse * q;
    if (stick[0] > 0.0 && stick[1] * stick[1] + stick[2] * stick[2] <= mu * mu * stick[0] * stick[0]) return stick;
    return solve_slip(w, q, mu, guess, true, stick);
  }

  static Vec2 solve(const PlanarKernel& kernel, const Vec2& q, const Vec2&) {
    if (kernel.kind == KernelKind::inert) return Vec2::Zero();
    return solve_planar(kernel.w, q, kernel.friction);
  }
};

// Newton's method of Alart and Curnier alone, as in section 4.4 of paper 002; the exact solution where it fails.
struct Newton {
  static Vec3 solve(const SpatialKernel& kernel, const Vec3& q, const Vec3& guess) {
    if (!(q[0] < 0.0) || kernel.kind == KernelKind::inert) return Vec3::Zero();
    Vec3 r = guess;
    return solve_alart_curnier(kernel.w, q, kernel.friction, r) ? r : Exact::solve(kernel, q, guess);
  }

  static Vec2 solve(const PlanarKernel& kernel, const Vec2& q, const Vec2& guess) {
    if (!(q[0] < 0.0) || kernel.kind == KernelKind::inert) return Vec2::Zero();
    Vec3 r(guess[0], guess[1], 0.0);
    if (!solve_alart_curnier(in_space(kernel.w), Vec3(q[0], q[1], 0.0), kernel.friction, r))
      return Exact::solve(kernel, q, guess);
    return r.head<2>();
  }
};

}  // namespace grus::local
