#include "multibody/loops.hpp"

#include <algorithm>
#include <cmath>

namespace grus {

namespace {

// The ground when there is no link.
Pose pose_of(const MechanismKinematics& kinematics, Index link) {
  return link == no_index ? Pose{} : kinematics.X_WB[link];
}

BodyMotion motion_of(const MechanismKinematics& kinematics, Index link) {
  if (link == no_index) return {};
  return {kinematics.X_WB[link], kinematics.velocity[link], kinematics.omega[link], kinematics.bias_acceleration[link],
          kinematics.bias_alpha[link]};
}

Real condition_error(const Mechanism& mechanism, const MechanismKinematics& kinematics,
                     const JointCondition& condition) {
  const Pose X_WA = pose_of(kinematics, condition.a);
  const Pose X_WB = pose_of(kinematics, condition.b);
  return condition_scale(mechanism, condition) * std::abs(condition_gradient(condition, X_WA, X_WB).value);
}

void factor_dependent(const Mechanism& mechanism, const Partition& partition, LoopScratch& scratch) {
  scratch.J_v.resize(mechanism.closed_count, mechanism.closed_count);
  for (Index j = 0; j < mechanism.closed_count; ++j) scratch.J_v.col(j) = scratch.J.col(partition.dependent[j]);
  scratch.lu_v.compute(scratch.J_v);
}

bool may_depend(const Coordinate& coordinate) {
  return coordinate.role == CoordinateRole::automatic || coordinate.role == CoordinateRole::dependent;
}

// Complete pivoting over all velocities whose role allows it, those of the user first.
void eliminate_allowed(const Mechanism& mechanism, LoopScratch& scratch) {
  scale_jacobian(mechanism, scratch.J, scratch.scaled);
  scratch.use.resize(mechanism.coordinates.size());
  for (Index k = 0; k < mechanism.velocity_count; ++k) {
    const Coordinate& coordinate = mechanism.coordinates[k];
    const bool by_user = coordinate.role == CoordinateRole::dependent;
    scratch.use[k] = !may_depend(coordinate) ? ColumnUse::never : by_user ? ColumnUse::first : ColumnUse::then;
  }
  eliminate(scratch.scaled, scratch.use, 0.0, scratch.elimination);
}

}  // namespace

Partition partition_of(const Mechanism& mechanism, std::span<const std::uint32_t> dependent) {
  Partition partition;
  set_partition(mechanism, dependent, partition);
  return partition;
}

void set_partition(const Mechanism& mechanism, std::span<const std::uint32_t> dependent, Partition& partition) {
  partition.independent.clear();
  partition.dependent.clear();
  partition.driven.clear();
  for (Index k = 0; k < mechanism.velocity_count; ++k) {
    if (mechanism.coordinates[k].role == CoordinateRole::driven)
      partition.driven.push_back(k);
    else if (dependent[k] != 0)
      partition.dependent.push_back(k);
    else
      partition.independent.push_back(k);
  }
}

Real condition_scale(const Mechanism& mechanism, const JointCondition& condition) {
  return condition.kind == ConditionKind::perpendicular ? mechanism.size : 1.0;
}

void evaluate_loops(const Mechanism& mechanism, const MechanismKinematics& kinematics, Index count,
                    LoopScratch& scratch) {
  scratch.J.resize(count, mechanism.velocity_count);
  scratch.h.resize(count);
  for (Index i = 0; i < count; ++i) {
    const JointCondition& condition = mechanism.loops[i];
    const ConditionGradient g =
        condition_gradient(condition, pose_of(kinematics, condition.a), pose_of(kinematics, condition.b));
    scratch.h[i] = g.value;
    scratch.step.assign(mechanism.coordinates.size(), 0.0);
    add_generalised_force(mechanism, kinematics, condition.b, g.point, g.force, g.torque, 1.0, scratch.step);
    add_generalised_force(mechanism, kinematics, condition.a, g.point, g.force, g.torque, -1.0, scratch.step);
    for (Index k = 0; k < mechanism.velocity_count; ++k) scratch.J(i, k) = scratch.step[k];
  }
}

void scale_jacobian(const Mechanism& mechanism, const Eigen::MatrixXd& J, Eigen::MatrixXd& scaled) {
  scaled = J;
  for (Index i = 0; i < scaled.rows(); ++i) scaled.row(i) *= condition_scale(mechanism, mechanism.loops[i]);
  for (const JointAxis& axis : mechanism.axes) {
    if (axis.kind == AxisKind::slide) continue;
    scaled.middleCols(axis.velocity, axis.kind == AxisKind::ball ? 3 : 1) /= mechanism.size;
  }
}

ClosureReport close_loops(const Mechanism& mechanism, const Partition& partition, std::span<Real> q,
                          MechanismKinematics& kinematics, LoopScratch& scratch) {
  GRUS_ASSERT(static_cast<Index>(partition.dependent.size()) == mechanism.closed_count);
  // Newton-Raphson doubles the digits, so a handful is normal; beyond this it wanders.
  constexpr Index max_iterations = 30;
  const Real tolerance = 1e-12 * mechanism.size;
  const Real rounding = 1e-15 * mechanism.size;
  ClosureReport report;
  Real last = std::numeric_limits<Real>::infinity();
  for (;; ++report.iterations) {
    place(mechanism, q, kinematics);
    evaluate_loops(mechanism, kinematics, mechanism.closed_count, scratch);
    factor_dependent(mechanism, partition, scratch);
    Real error = 0.0;
    for (Index i = 0; i < mechanism.closed_count; ++i)
      error = std::max(error, condition_scale(mechanism, mechanism.loops[i]) * std::abs(scratch.h[i]));
    // Until the error no longer falls or is a few roundings: nothing is left to drift.
    report.converged = error <= tolerance;
    if (report.converged && (error > 0.5 * last || error <= rounding)) break;
    if (!std::isfinite(scratch.h.sum()) || report.iterations == max_iterations) break;
    last = error;
    scratch.solution = scratch.lu_v.solve(scratch.h);
    scratch.step.assign(mechanism.coordinates.size(), 0.0);
    for (Index j = 0; j < mechanism.closed_count; ++j) scratch.step[partition.dependent[j]] = -scratch.solution[j];
    integrate_positions(mechanism, scratch.step, 1.0, q);
  }
  for (const JointCondition& condition : mechanism.loops)
    report.error = std::max(report.error, condition_error(mechanism, kinematics, condition));
  return report;
}

void map_velocities(const Mechanism& mechanism, const Partition& partition, std::span<const Real> driven_velocity,
                    const LoopScratch& scratch, VelocityMap& map) {
  const Index independent = static_cast<Index>(partition.independent.size());
  map.T.setZero(mechanism.velocity_count, independent);
  map.affine.setZero(mechanism.velocity_count);
  for (Index j = 0; j < independent; ++j) map.T(partition.independent[j], j) = 1.0;
  for (const Index k : partition.driven) map.affine[k] = driven_velocity[k];
  if (mechanism.closed_count == 0) return;

  // one solve for J_u and, as a last column, J_c c'
  map.rhs.setZero(mechanism.closed_count, independent + 1);
  for (Index j = 0; j < independent; ++j) map.rhs.col(j) = -scratch.J.col(partition.independent[j]);
  for (const Index k : partition.driven) map.rhs.col(independent) -= driven_velocity[k] * scratch.J.col(k);
  map.solution = scratch.lu_v.solve(map.rhs);
  for (Index i = 0; i < mechanism.closed_count; ++i) {
    map.T.row(partition.dependent[i]) = map.solution.row(i).head(independent);
    map.affine[partition.dependent[i]] = map.solution(i, independent);
  }
}

void bias_accelerations(const Mechanism& mechanism, const Partition& partition, const MechanismKinematics& kinematics,
                        std::span<const Real> driven_acceleration, LoopScratch& scratch, std::span<Real> acceleration) {
  std::fill(acceleration.begin(), acceleration.end(), 0.0);
  for (const Index k : partition.driven) acceleration[k] = driven_acceleration[k];
  if (mechanism.closed_count == 0) return;
  scratch.rhs.resize(mechanism.closed_count);
  for (Index i = 0; i < mechanism.closed_count; ++i) {
    const JointCondition& condition = mechanism.loops[i];
    scratch.rhs[i] = condition_bias(condition, motion_of(kinematics, condition.a), motion_of(kinematics, condition.b));
  }
  for (const Index k : partition.driven) scratch.rhs += driven_acceleration[k] * scratch.J.col(k);
  scratch.solution = scratch.lu_v.solve(scratch.rhs);
  for (Index i = 0; i < mechanism.closed_count; ++i) acceleration[partition.dependent[i]] = -scratch.solution[i];
}

PartitionQuality partition_quality(const Mechanism& mechanism, const Partition& partition, LoopScratch& scratch) {
  if (mechanism.closed_count == 0) return {};
  eliminate_allowed(mechanism, scratch);
  const Elimination& e = scratch.elimination;
  const Real largest = e.largest();
  const bool full = static_cast<Index>(e.rows.size()) == mechanism.closed_count;
  PartitionQuality quality;
  quality.best = full ? e.smallest() / largest : 0.0;

  scale_jacobian(mechanism, scratch.J, scratch.scaled);
  std::fill(scratch.use.begin(), scratch.use.end(), ColumnUse::never);
  for (const Index k : partition.dependent) scratch.use[k] = ColumnUse::first;
  eliminate(scratch.scaled, scratch.use, 0.0, scratch.elimination);
  quality.now = static_cast<Index>(e.rows.size()) == mechanism.closed_count ? e.smallest() / largest : 0.0;
  return quality;
}

Partition choose_partition(const Mechanism& mechanism, LoopScratch& scratch) {
  std::vector<std::uint32_t> dependent(mechanism.coordinates.size(), 0);
  if (mechanism.closed_count > 0) {
    eliminate_allowed(mechanism, scratch);
    for (const Index k : scratch.elimination.columns) dependent[k] = 1;
  }
  return partition_of(mechanism, dependent);
}

}  // namespace grus
