#include "multibody/find_closure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

#include "core/random.hpp"

namespace grus {

namespace {

bool turns_about_z(const Quat& rotation) { return rotation.x() == 0.0 && rotation.y() == 0.0; }

bool is_planar(const Mechanism& mechanism) {
  for (const Link& link : mechanism.links)
    if (!turns_about_z(link.X_PJ.rotation) || !turns_about_z(link.X_JB.rotation)) return false;
  for (const JointAxis& axis : mechanism.axes) {
    const bool in_plane = axis.kind == AxisKind::slide ? axis.axis.z() == 0.0 : std::abs(axis.axis.z()) == 1.0;
    if (!in_plane || axis.kind == AxisKind::ball) return false;
  }
  return true;
}

// An axis of A that must point along one of B, a.b = 1. Cuts hold axes by right angles, which half a turn leaves right;
// without these a body may end up fastened the wrong way round.
struct Alignment {
  Index group = 0, a = no_index, b = no_index;
  Vec3 axis_A, axis_B;  // body frames
};

// As cuts are written (compile_cuts.cpp):
//   pin    x.z' = y.z' = 0          z = x cross y along z'
//   rigid  x.y' = y.z' = z.x' = 0   each of x, y, z along its own
//   plane  x.y' = 0                 y = z cross x along y'
std::vector<Alignment> find_alignments(const Mechanism& mechanism) {
  std::vector<Alignment> alignments;
  const bool planar = is_planar(mechanism);
  const std::size_t count = mechanism.loops.size();
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    const JointCondition& first = mechanism.loops[begin];
    std::vector<Vec3> a, b;
    for (end = begin; end < count && mechanism.loops[end].group == first.group; ++end) {
      if (mechanism.loops[end].kind != ConditionKind::perpendicular) continue;
      a.push_back(mechanism.loops[end].axis_A);
      b.push_back(mechanism.loops[end].axis_B);
    }
    const auto add = [&](const Vec3& axis_A, const Vec3& axis_B) {
      alignments.push_back({first.group, first.a, first.b, axis_A, axis_B});
    };
    if (a.size() == 1 && planar) add(Vec3::UnitZ().cross(a[0]), b[0]);
    if (a.size() == 2) add(a[0].cross(a[1]), b[0]);
    for (std::size_t i = 0; a.size() == 3 && i < 3; ++i) add(a[i], b[(i + 2) % 3]);
  }
  return alignments;
}

// What is to be closed, and what may move for it.
struct Search {
  const Mechanism& mechanism;
  std::span<const std::uint8_t> movable;
  std::vector<Alignment> alignments;
};

// Conditions as lengths, then 1 - a.b of the alignments, which has no gradient once they hold; J in coordinates without
// units, columns that may not move zeroed.
struct ScaledLoops {
  MechanismKinematics kinematics;
  LoopScratch scratch;
  Eigen::VectorXd h;
  Eigen::MatrixXd J;
  Real error = 0.0;          // of the conditions alone, m
  Index flipped = no_index;  // loop of the first alignment that points backwards

  void evaluate(const Search& search, std::span<const Real> q) {
    const Mechanism& mechanism = search.mechanism;
    const Index count = static_cast<Index>(mechanism.loops.size());
    const Index total = count + static_cast<Index>(search.alignments.size());
    place(mechanism, q, kinematics);
    evaluate_loops(mechanism, kinematics, count, scratch);
    scale_jacobian(mechanism, scratch.J, scratch.scaled);
    h.setZero(total);
    J.setZero(total, mechanism.velocity_count);
    J.topRows(count) = scratch.scaled;
    for (Index i = 0; i < count; ++i) h[i] = condition_scale(mechanism, mechanism.loops[i]) * scratch.h[i];
    error = count == 0 ? 0.0 : h.head(count).lpNorm<Eigen::Infinity>();
    flipped = no_index;
    for (Index i = count; i < total; ++i) add_alignment(mechanism, search.alignments[i - count], i);
    for (Index k = 0; k < mechanism.velocity_count; ++k)
      if (!search.movable[k]) J.col(k).setZero();
  }

  // The alignments only turn things, so that `size` cancels between row and columns.
  void add_alignment(const Mechanism& mechanism, const Alignment& alignment, Index row) {
    const auto axis = [&](Index link, const Vec3& a) {
      return link == no_index ? a : Vec3(kinematics.X_WB[link].rotation * a);
    };
    const Vec3 a = axis(alignment.a, alignment.axis_A), b = axis(alignment.b, alignment.axis_B);
    const Vec3 torque = a.cross(b), none = Vec3::Zero();
    h[row] = mechanism.size * (1.0 - a.dot(b));
    if (a.dot(b) <= 0.0 && flipped == no_index) flipped = alignment.group;
    scratch.step.assign(mechanism.coordinates.size(), 0.0);
    add_generalised_force(mechanism, kinematics, alignment.b, none, none, torque, 1.0, scratch.step);
    add_generalised_force(mechanism, kinematics, alignment.a, none, none, torque, -1.0, scratch.step);
    for (Index k = 0; k < mechanism.velocity_count; ++k) J(row, k) = scratch.step[k];
  }
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

// From one guess; q is where it ended.
FoundClosure descend(const Search& search, std::span<Real> q) {
  const Mechanism& mechanism = search.mechanism;
  constexpr int max_iterations = 200;
  const Real longest_step = 0.3 * mechanism.size;  // an arc of 0.3 rad: beyond it the linear picture is no guide
  const std::vector<Real> scales = unit_scales(mechanism);
  std::vector<Real> step(scales.size()), trial(q.begin(), q.end());
  ScaledLoops loops, next;
  loops.evaluate(search, q);
  Real mu = 0.0;
  for (int i = 0; i < max_iterations && loops.h.lpNorm<Eigen::Infinity>() > 1e-15 * mechanism.size; ++i) {
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
    next.evaluate(search, trial);
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
  return {loops.error, loops.flipped};
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

FoundClosure find_closure(const Mechanism& mechanism, std::span<const std::uint8_t> movable, std::span<Real> q) {
  if (mechanism.loops.empty()) return {};
  const Search search{mechanism, movable, find_alignments(mechanism)};
  const bool can_move = std::any_of(movable.begin(), movable.end(), [](std::uint8_t m) { return m != 0; });
  const std::vector<Real> guess(q.begin(), q.end());
  std::vector<Real> trial = guess;
  FoundClosure best{std::numeric_limits<Real>::infinity(), no_index};
  std::uint64_t seed = 0;
  for (const Real amplitude : {0.0, 0.01, 0.03, 0.1, 0.3, 0.6, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0}) {
    trial = guess;
    nudge_positions(mechanism, movable, amplitude, ++seed, trial);
    const FoundClosure found = descend(search, trial);
    const bool good = found.is_good(mechanism);
    if (good || found.error < best.error) {
      best = found;
      std::copy(trial.begin(), trial.end(), q.begin());
    }
    if (good || !can_move) break;
  }
  return best;
}

}  // namespace grus
