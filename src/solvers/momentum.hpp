// Momentum on a sweep (Nesterov 1983, with restarts as O'Donoghue and Candes 2015), S the sweep:
//
//   y_k = r_k + b_k (r_k - r_(k-1)),   r_(k+1) = S(y_k),   b_k = min(1 - slack, (theta_k - 1)/theta_(k+1))
//   theta_1 = 1,   theta_(k+1) = (1 + sqrt(1 + 4 theta_k^2))/2
//
// Velocities are linear in the impulses, so w = v + b (v - v_old) are those of y: an extrapolation costs a pass over
// impulses and velocities, and v and r never drift apart. y may lie outside the cones: the relaxation of a contact ends
// inside whatever it starts from, and every r_k is the result of a sweep. (Projecting y, with its velocities computed
// anew, was measured and saves nothing.)
//
// Contact problems are not convex, and active sets change: momentum that helps early runs away later. The guard looks
// at the increments ||S(y) - y|| of the sweeps alone, in the norm of the residual, which every sweep gives away:
// when one exceeds the least since the last restart, squared, by `growth_limit`, the next sweep is a plain one, theta
// starts again, and the slack that keeps b below 1 grows from what was just too much. Sweeps without a restart let it
// shrink. A run between two restarts that ends higher than it began is paid for with plain sweeps, 1, 3, 7, ... for
// every such run in turn: where momentum cannot work at all (a sweep that turns as it contracts) the iteration becomes
// plain Gauss-Seidel.
//
// Measured on beds of 1100-1500 spheres, boxes, capsules and disks (benchmarks/sweeps_to_tolerance.cpp). Rejected:
// nonlinear conjugate gradients around the sweep (Silcowitz et al. 2010; about twice the sweeps), Anderson of window 8
// (stalls on half of them, and reads 16 vectors a sweep), restarts on the sign of (y - r).(r - r_old) (stalls:
// the sweep is no gradient step), momentum contact by contact inside the sweep (no gain at b = 0.3, stalls above), a
// fixed bound on b (0.8 as good in most cases, but some need less), sweeps to and fro (symmetric Gauss-Seidel, with
// momentum on each pair of them: 1.7 times the sweeps; on each single one: 6 times, it restarts all the time).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/grow.hpp"
#include "core/types.hpp"

namespace grus {

// The coefficients b of an iteration.
class MomentumControl {
 public:
  // Takes the squared increment of the sweep just made; returns b for the extrapolation before the next.
  Real next(Real increment) {
    if (plain_ > 0) {
      --plain_;
      return 0.0;
    }
    if (theta_ == 1.0) first_ = increment;
    const Real following = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * theta_ * theta_));
    const Real b = std::min(1.0 - slack_, (theta_ - 1.0) / following);
    if (!(increment <= growth_limit * least_)) {
      slack_ = std::min(most_slack, slack_growth * (1.0 - b));
      penalty_ = increment < first_ ? 0 : std::min(most_penalty, 2 * penalty_ + 1);
      plain_ = penalty_;
      theta_ = 1.0;
      least_ = std::numeric_limits<Real>::infinity();
      return 0.0;
    }
    theta_ = following;
    least_ = std::min(least_, increment);
    slack_ = std::max(least_slack, slack_decay * slack_);
    return b;
  }

 private:
  // Between 1.2 and 2 the sweeps to 1e-4 change by a tenth either way; at 4 the iteration wanders.
  static constexpr Real growth_limit = 1.5;
  static constexpr Real slack_growth = 1.5, slack_decay = 0.99;
  static constexpr Real least_slack = 0.1, most_slack = 0.5;
  static constexpr Index most_penalty = 1 << 20;

  Real theta_ = 1.0;
  Real slack_ = least_slack;
  // Squared increments of the run since the last restart.
  Real first_ = 0.0;
  Real least_ = std::numeric_limits<Real>::infinity();
  Index plain_ = 0;    // sweeps without momentum still to come
  Index penalty_ = 0;  // of the last restart
};

// Disposable; keeps its capacity.
struct MomentumScratch {
  std::vector<Real> impulse, velocity;  // r_(k-1), v_(k-1) as flat vectors (concept Sweep)
};

// From the result r_k of a sweep to y_k; remembers r_k.
template <class S>
void extrapolate(S& sweeper, Real b, MomentumScratch& last) {
  resize_with_room(last.impulse, static_cast<std::size_t>(sweeper.impulse_size()));
  resize_with_room(last.velocity, static_cast<std::size_t>(sweeper.velocity_size()));
  // Without momentum what was remembered is not looked at: it may be of another problem.
  const auto remember = [](std::vector<Real>& old) {
    return [&old](const Real* values, Index count, Index place) { std::copy_n(values, count, old.data() + place); };
  };
  const auto move_on = [b](std::vector<Real>& old) {
    return [b, &old](Real* values, Index count, Index place) {
      Real* const before = old.data() + place;
      for (Index i = 0; i < count; ++i) {
        const Real now = values[i];
        values[i] = now + b * (now - before[i]);
        before[i] = now;
      }
    };
  };
  const auto visit_both = [&](const auto& run) {
    sweeper.impulse_runs(run(last.impulse));
    sweeper.velocity_runs(run(last.velocity));
  };
  if (b == 0.0) {
    visit_both(remember);
  } else {
    visit_both(move_on);
  }
}

}  // namespace grus
