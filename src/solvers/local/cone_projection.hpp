// One contact by projections on its cone with an adaptive step (De Saxce and Feng 1998; the local iteration of Acary et
// al. 2018, section 7.2):
//
//   r <- P_K(r - rho F(r)),   F(r) = u + mu ||u_T|| e_N,   u = W r + q
//
// A step is taken when rho ||F(r') - F(r)|| <= longest ||r' - r||, else rho shrinks; short steps let it grow. First
// order: some tens of projections where the exact solution takes one formula. It needs no inverse and no symmetry.
#pragma once

#include "solvers/local/contact_kernel.hpp"

namespace grus::local {

struct ConeProjection {
  static constexpr int max_steps = 100;
  static constexpr Real tolerance = 1e-14;  // relative change of r; a few rounding errors
  static constexpr Real longest = 0.9, shortest = 0.3;
  static constexpr Real shrink = 2.0 / 3.0, growth = 1.5;

  static Vec3 solve(const SpatialKernel& kernel, const Vec3& q, const Vec3& guess) {
    if (kernel.kind == KernelKind::inert) return Vec3::Zero();
    return iterate(kernel.w, q, kernel.friction, kernel.weight, guess);
  }

  static Vec2 solve(const PlanarKernel& kernel, const Vec2& q, const Vec2& guess) {
    if (kernel.kind == KernelKind::inert) return Vec2::Zero();
    return iterate(in_space(kernel.w), Vec3(q[0], q[1], 0.0), kernel.friction, kernel.weight,
                   Vec3(guess[0], guess[1], 0.0))
        .head<2>();
  }

 private:
  static Vec3 iterate(const SymMat3& w, const Vec3& q, Real mu, Real weight, const Vec3& guess) {
    const auto bipotential_velocity = [&](const Vec3& r) {
      Vec3 u = w * r + q;
      u[0] += mu * tangential_norm(u);
      return u;
    };
    Real rho = 1.0 / weight;
    Vec3 r = project_on_cone(guess, mu), f = bipotential_velocity(r);
    for (int step = 0; step < max_steps; ++step) {
      const Vec3 trial = project_on_cone(r - rho * f, mu);
      const Real move2 = (trial - r).squaredNorm();
      if (!(move2 > tolerance * tolerance * trial.squaredNorm())) return trial;
      const Vec3 f_trial = bipotential_velocity(trial);
      const Real ratio = rho * std::sqrt((f_trial - f).squaredNorm() / move2);
      if (ratio > longest) {
        rho *= shrink * std::min(1.0, 1.0 / ratio);
        continue;
      }
      r = trial;
      f = f_trial;
      if (ratio < shortest) rho *= growth;
    }
    return r;
  }
};

}  // namespace grus::local
