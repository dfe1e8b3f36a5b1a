// One sliding contact in space, as an equation in the angle of sliding. A sliding impulse is r = r_N (1, mu d), d =
// (cos phi, sin phi), and
//
//   r_N = -q_N / D,   D = W_NN + mu W_NT . d > 0,   u_T = q_T + r_N (W_TN + mu W_TT d) = -s d,  s >= 0
//
// so that f(phi) = d x D u_T = 0, where D u_T = q_T D - q_N (W_TN + mu W_TT d) is linear in (1, cos phi, sin phi).
//
// newton_sliding_angle: Newton's method in phi from the old direction. One unknown instead of the three of
// alart_curnier.hpp and a third of its time, but it gives up where f is not rising, 1-4 % of warm starts.
//
// solve_sliding_angle: all roots. With t = tan(phi/2) on |phi| <= 90 degrees, and again with d reversed, f is a quartic
// p(t) on [-1, 1]. Its roots are found by the chain p''', p'', p', p: between two neighbouring roots of a derivative
// the function is monotone, so each root has its bracket. It always terminates, and misses no simple root however
// narrow; sampling the angle does miss them when W is badly scaled. Among the candidates the one with the smallest
// natural map is taken.
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

// D u_T = a + b cos phi + c sin phi, two components each.
struct SlidingEquation {
  Real a1, a2, b1, b2, c1, c2;

  SlidingEquation(const SymMat3& w, const Vec3& q, Real mu)
      : a1(q[1] * w.xx - q[0] * w.xy),
        a2(q[2] * w.xx - q[0] * w.xz),
        b1(mu * (q[1] * w.xy - q[0] * w.yy)),
        b2(mu * (q[2] * w.xy - q[0] * w.yz)),
        c1(mu * (q[1] * w.xz - q[0] * w.yz)),
        c2(mu * (q[2] * w.xz - q[0] * w.zz)) {}
};

// On success r (in: the old impulse) is a sliding solution inside the cone; otherwise false and r is as it was.
inline bool newton_sliding_angle(const SymMat3& w, const Vec3& q, Real mu, Vec3& r) {
  constexpr int max_steps = 8;
  constexpr Real longest_step = 0.7;  // rad; farther the linear model means nothing
  constexpr Real last_step = 1e-8;    // rad; the error after it is of the order of its square
  const SlidingEquation e(w, q, mu);
  // From rest the sliding direction opposes the velocity of a frictionless contact.
  Real d1 = r[1], d2 = r[2], length2 = d1 * d1 + d2 * d2;
  if (!(length2 > 0.0)) {
    d1 = -e.a1;
    d2 = -e.a2;
    length2 = d1 * d1 + d2 * d2;
  }
  const Real scale = 1.0 / std::sqrt(length2);
  d1 *= scale;
  d2 *= scale;
  for (int i = 0; i < max_steps; ++i) {
    const Real v1 = e.a1 + e.b1 * d1 + e.c1 * d2, v2 = e.a2 + e.b2 * d1 + e.c2 * d2;
    const Real turn1 = e.c1 * d1 - e.b1 * d2, turn2 = e.c2 * d1 - e.b2 * d2;  // dv/dphi
    const Real slip = -(d1 * v1 + d2 * v2);
    const Real slope = slip + d1 * turn2 - d2 * turn1;
    if (!(slope > 0.0)) return false;
    const Real step = std::clamp((d2 * v1 - d1 * v2) / slope, -longest_step, longest_step);
    const Real norm = 1.0 / std::sqrt(1.0 + step * step), old1 = d1;
    d1 = norm * (d1 - step * d2);
    d2 = norm * (d2 + step * old1);
    if (std::abs(step) > last_step) continue;
    const Real coupling = w.xx + mu * (w.xy * d1 + w.xz * d2);
    if (!(coupling > 0.0 && slip >= 0.0)) return false;
    const Real normal = -q[0] / coupling;
    r = Vec3(normal, mu * normal * d1, mu * normal * d2);
    return true;
  }
  return false;
}

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

  const SlidingEquation e(w, q, mu);
  for (const Real sign : {1.0, -1.0}) {
    const Real a1 = sign * e.a1, a2 = sign * e.a2, cross = e.c2 - e.b1;
    const detail::Quartic p{a2 + e.b2, 2.0 * (cross - a1), -2.0 * e.b2 - 4.0 * e.c1, -2.0 * (cross + a1), e.b2 - a2};
    const detail::Points points = detail::candidate_points(p);
    for (int i = 0; i < points.count; ++i) {
      const Real t = points.t[static_cast<std::size_t>(i)], scale = sign / (1.0 + t * t);
      consider(scale * (1.0 - t * t), scale * 2.0 * t);
    }
  }
  return best;
}

}  // namespace grus::local
