// The cone of Coulomb with n facets, from inside (section 3.1.2 of paper 002):
//
//   K^ = { r_N e_N + D beta : beta >= 0, sum beta <= mu r_N },   D = [d_1 ... d_n],  d_i = (cos, sin)(2 pi i/n)
//
// With it the law is a linear complementarity problem: u_N >= 0 with r_N, and the impulse that dissipates most in the
// polygon,  lambda + d_i . u_T >= 0 with beta_i,  mu r_N - sum beta >= 0 with lambda.
//
// A polygon that stands still pulls the slip towards its corners: the direction of r_T is off by up to pi/n, and
// velocities converge with the first order only. Here the polygon of each contact is turned so that the middle of a
// facet faces z_T = r_T - rho_T u_T, the tangential impulse before it is cut back; where the sweeps come to rest the
// direction of slip is right, and what is left is the radius mu r_N cos(pi/n) of the facet: the error falls as 1/n^2.
// In the plane d = +1, -1 and K^ = K.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "solvers/cone.hpp"
#include "solvers/delassus.hpp"

namespace grus::local {

struct FacetDirections {
  std::vector<Vec2> d;

  // n corners, the middle of a facet along T1; n = 2: the plane, both along T1.
  explicit FacetDirections(Index n) {
    if (n == 2) {
      d = {Vec2(1.0, 0.0), Vec2(-1.0, 0.0)};
      return;
    }
    for (Index i = 0; i < n; ++i) {
      const Real angle = (2.0 * static_cast<Real>(i) + 1.0) * std::numbers::pi / static_cast<Real>(n);
      d.emplace_back(std::cos(angle), std::sin(angle));
    }
  }

  Index count() const { return static_cast<Index>(d.size()); }
};

// The tangent axes turned so that the first points along z_T.
class TangentTurn {
 public:
  // With rho_T = 2/tr W_TT the direction is right at once where W_TT is isotropic, and overshoots where it is not.
  static constexpr Real damping = 2.0;

  TangentTurn(const SymMat3& w, const Vec3& q, const Vec3& guess) {
    const Vec3 u = w * guess + q;
    const Real rho = damping * 2.0 / (w.yy + w.zz), z1 = guess[1] - rho * u[1], z2 = guess[2] - rho * u[2];
    const Real length = std::sqrt(z1 * z1 + z2 * z2);
    if (!(length > 0.0)) return;
    cos_ = z1 / length;
    sin_ = z2 / length;
  }

  Vec3 turned(const Vec3& x) const { return {x[0], cos_ * x[1] + sin_ * x[2], cos_ * x[2] - sin_ * x[1]}; }
  Vec3 back(const Vec3& x) const { return {x[0], cos_ * x[1] - sin_ * x[2], cos_ * x[2] + sin_ * x[1]}; }
  SymMat3 turned(const SymMat3& w) const {
    const Vec3 a = turned(Vec3(w.xx, w.xy, w.xz));
    const Vec3 b = turned(Vec3(0.0, w.yy, w.yz)), c = turned(Vec3(0.0, w.yz, w.zz));
    const Vec3 first = turned(Vec3(0.0, b[1], c[1])), second = turned(Vec3(0.0, b[2], c[2]));
    return {a[0], a[1], a[2], first[1], first[2], second[2]};
  }

 private:
  Real cos_ = 1.0, sin_ = 0.0;
};

}  // namespace grus::local
