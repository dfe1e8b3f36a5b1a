// One sliding contact in space: the safe solver. A sliding impulse is r = r_N (1, mu d), d = (cos phi, sin phi), and
//
//   r_N = -q_N / D,   D = W_NN + mu W_NT . d > 0,   u_T = q_T + r_N (W_TN + mu W_TT d) = -s d,  s >= 0
//
// so that f(phi) = d x D u_T = 0, where D u_T = q_T D - q_N (W_TN + mu W_TT d) is linear in (1, cos phi, sin phi).
// With t = tan(phi/2) on |phi| <= 90 degrees, and again with d reversed, f is a quartic p(t) on [-1, 1]. All its
// roots are found by the chain p''', p'', p', p: between two neighbouring roots of a derivative the function is
// monotone, so each root has its bracket. It always terminates, and misses no simple root however narrow; sampling
// the angle does miss them when W is badly scaled. Among the candidates the one with the smallest natural map is taken.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/cone.hpp"
#include "solvers/delassus.hpp"

namespace grus::local {
namespace detail {

using Quartic = std::array<Real, 5>;  // p[0] + p[1] t + ...

inline Real value(const Quartic& p, int degree, Real t) {
  Real sum = p[static_cast<std::size_t>(degree)];
  for (int i = degree - 1; i >= 0; --i) sum = sum * t + p[static_cast<std::size_t>(i)];
  return sum;
}

// The root in [low, high], f_low and f_high of opposite sign: regula falsi with the Illinois rule, bisection when it
// stalls. Ends when the bracket cannot shrink.
inline Real bracketed_root(const Quartic& p, int degree, Real low, Real high, Real f_low, Real f_high) {
  int side = 0;
  for (int i = 0; i < 100; ++i) {
    Real t = (low * f_high - high * f_low) / (f_high - f_low);
    if (i % 4 == 3 || !(t > low && t < high)) t = 0.5 * (low + high);
    if (!(t > low && t < high)) break;
    const Real f = value(p, degree, t);
    if (f == 0.0) return t;
    if ((f < 0.0) == (f_low < 0.0)) {
      low = t;
      f_low = f;
      if (side == -1) f_high *= 0.5;
      side = -1;
    } else {
      high = t;
      f_high = f;
      if (side == 1) f_low *= 0.5;
      side = 1;
    }
  }
  return std::abs(f_low) < std::abs(f_high) ? low : high;
}

struct Points {
  std::array<Real, 12> t{};
  int count = 0;
  void add(Real x) { t[static_cast<std::size_t>(count++)] = x; }
};

// Roots of p and of its first derivative in [-1, 1], with both ends. The latter catch a double root that rounding
// lifts off the axis.
inline Points candidate_points(const Quartic& p) {
  std::array<Quartic, 4> chain;  // chain[k]: the k-th derivative
  chain[0] = p;
  for (std::size_t k = 1; k < 4; ++k) {
    chain[k].fill(0.0);
    for (std::size_t i = 0; i < 5 - k; ++i) chain[k][i] = chain[k - 1][i + 1] * static_cast<Real>(i + 1);
  }
  std::array<Real, 6> breaks{-1.0, 1.0};
  int break_count = 2;
  Points all;
  for (int k = 3; k >= 0; --k) {
    const Quartic& g = chain[static_cast<std::size_t>(k)];
    std::array<Real, 6> next{-1.0};
    int next_count = 1;
    for (int i = 0; i + 1 < break_count; ++i) {
      const Real low = breaks[static_cast<std::size_t>(i)], high = breaks[static_cast<std::size_t>(i + 1)];
      const Real f_low = value(g, 4 - k, low), f_high = value(g, 4 - k, high);
      if ((f_low < 0.0) == (f_high < 0.0)) continue;
      const Real root = bracketed_root(g, 4 - k, low, high, f_low, f_high);
      next[static_cast<std::size_t>(next_count++)] = root;
      if (k <= 1) all.add(root);
    }
    next[static_cast<std::size_t>(next_count++)] = 1.0;
    breaks = next;
    break_count = next_count;
  }
  all.add(-1.0);
  all.add(1.0);
  return all;
}

}  // namespace detail

// The best sliding impulse, for q_N < 0. `fallback` (inside the cone) is returned when no direction is better.
inline Vec3 solve_sliding_angle(const SymMat3& w, const Vec3& q, Real mu, const Vec3& fallback) {
  const Real rho = 3.0 / trace(w);
  Vec3 best = fallback;
  Real least = natural_map(best, w * best + q, mu, rho).squaredNorm();
  const auto consider = [&](Real d1, Real d2) {
    const Real coupling = w.xx + mu * (w.xy * d1 + w.xz * d2);
    if (!(coupling > 0.0)) return;
    const Real normal = -q[0] / coupling;
    const Vec3 r(normal, mu * normal * d1, mu * normal * d2);
    const Real defect = natural_map(r, w * r + q, mu, rho).squaredNorm();
    if (!(defect < least)) return;
    least = defect;
    best = r;
  };

  // D u_T = a + b cos phi + c sin phi, two components each.
  const Real b1 = mu * (q[1] * w.xy - q[0] * w.yy), c1 = mu * (q[1] * w.xz - q[0] * w.yz);
  const Real b2 = mu * (q[2] * w.xy - q[0] * w.yz), c2 = mu * (q[2] * w.xz - q[0] * w.zz);
  for (const Real sign : {1.0, -1.0}) {
    const Real a1 = sign * (q[1] * w.xx - q[0] * w.xy), a2 = sign * (q[2] * w.xx - q[0] * w.xz);
    const detail::Quartic p{a2 + b2, 2.0 * (c2 - b1 - a1), -2.0 * b2 - 4.0 * c1, -2.0 * (c2 - b1 + a1), b2 - a2};
    const detail::Points points = detail::candidate_points(p);
    for (int i = 0; i < points.count; ++i) {
      const Real t = points.t[static_cast<std::size_t>(i)], scale = sign / (1.0 + t * t);
      consider(scale * (1.0 - t * t), scale * 2.0 * t);
    }
  }
  return best;
}

}  // namespace grus::local
