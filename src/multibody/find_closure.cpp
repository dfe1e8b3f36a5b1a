#include "multibody/find_closure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

#include "core/random.hpp"

namespace grus {

namespace {

// Conditions as lengths and their J in coordinates without units, columns that may not move zeroed.
struct ScaledLoops {
  MechanismKinematics kinematics;
  LoopScratch scratch;
  Eigen::VectorXd h;
  Eigen::MatrixXd J;

  void evaluate(const Mechanism& mechanism, std::span<const std::uint8_t> movable, std::span<const Real> q) {
    const Index count = static_cast<Index>(mechanism.loops.size());
    place(mechanism, q, kinematics);
    evaluate_loops(mechanism, kinematics, count, scratch);
    scale_jacobian(mechanism, scratch.J, J);
    h = scratch.h;
    for (Index i = 0; i < count; ++i) h[i] *= condition_scale(mechanism, mechanism.loops[i]);
    for (Index k = 0; k < mechanism.velocity_count; ++k)
      if (!movable[k]) J.col(k).setZero();
  }
  Real error() const { return h.size() == 0 ? 0.0 : h.lpNorm<Eigen::Infinity>(); }
};

// 1/size for turns and balls: from coordinates without units to velocities.
std::vector<Real> unit_scales(const Mechanism& mechanism) {
  std::vector<Real> scales(mechanism.coordinates.size(), 1.0);
  for (const JointAxis& axis : mechanism.axes) {
    if (axis.kind == AxisKind::slide) continue;
    for (Index i = 0; i < (axis.kind == AxisKind::ball ? 3 : 1); ++i) scales[axis.velocity + i] = 1.0 / mechanism.size;
  }
  return scales;
}

// From one guess. Returns the largest error; q is where it was reached.
Real descend(const Mechanism& mechanism, std::span<const std::uint8_t> movable, std::span<Real> q) {
  constexpr int max_iterations = 200;
  const Real longest_step = 0.3 * mechanism.size;  // an arc of 0.3 rad: beyond it the linear picture is no guide
  const std::vector<Real> scales = unit_scales(mechanism);
  std::vector<Real> step(scales.size()), trial(q.begin(), q.end());
  ScaledLoops loops, next;
  loops.evaluate(mechanism, movable, q);
  Real mu = 0.0;
  for (int i = 0; i < max_iterations && loops.error() > 1e-15 * mechanism.size; ++i) {
    Eigen::MatrixXd normal = loops.J * loops.J.transpose();
    const Real largest = normal.diagonal().maxCoeff();
    if (!(largest > 0.0)) break;
    // J J^T of redundant conditions is singular: never without a trace of mu
    normal.diagonal().array() += std::max(mu, 1e-13) * largest;
    Eigen::VectorXd y = -(loops.J.transpose() * normal.ldlt().solve(loops.h));
    const Real longest = y.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(longest)) break;
    if (longest > longest_step) y *= longest_step / longest;
    for (std::size_t k = 0; k < step.size(); ++k) step[k] = scales[k] * y[static_cast<Index>(k)];
    std::copy(q.begin(), q.end(), trial.begin());
    integrate_positions(mechanism, step, 1.0, trial);
    next.evaluate(mechanism, movable, trial);
    if (next.h.squaredNorm() < loops.h.squaredNorm()) {
      std::swap(loops, next);
      std::copy(trial.begin(), trial.end(), q.begin());
      mu = mu < 1e-6 ? 0.0 : 0.1 * mu;
    } else if (mu > 1e6) {
      break;
    } else {
      mu = std::max(10.0 * mu, 1e-4);
    }
  }
  return loops.error();
}

}  // namespace

void nudge_positions(const Mechanism& mechanism, std::span<const std::uint8_t> movable, Real amplitude,
                     std::uint64_t seed, std::span<Real> q) {
  Random random(seed);
  const std::vector<Real> scales = unit_scales(mechanism);
  std::vector<Real> step(scales.size(), 0.0);
  for (std::size_t k = 0; k < step.size(); ++k) {
    const Real amount = random.uniform(-1.0, 1.0) * amplitude * mechanism.size * scales[k];
    if (movable[k]) step[k] = amount;
  }
  integrate_positions(mechanism, step, 1.0, q);
}

Real find_closure(const Mechanism& mechanism, std::span<const std::uint8_t> movable, std::span<Real> q) {
  const std::vector<Real> guess(q.begin(), q.end());
  std::vector<Real> trial = guess;
  Real best = std::numeric_limits<Real>::infinity();
  std::uint64_t seed = 0;
  const bool can_move = std::any_of(movable.begin(), movable.end(), [](std::uint8_t m) { return m != 0; });
  for (const Real amplitude : {0.0, 0.01, 0.03, 0.1, 0.3, 0.6, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0}) {
    trial = guess;
    nudge_positions(mechanism, movable, amplitude, ++seed, trial);
    const Real error = descend(mechanism, movable, trial);
    if (error < best) {
      best = error;
      std::copy(trial.begin(), trial.end(), q.begin());
    }
    if (best <= closed_well_enough * mechanism.size || !can_move) break;
  }
  return best;
}

}  // namespace grus
