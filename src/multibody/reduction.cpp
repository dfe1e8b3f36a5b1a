#include "multibody/reduction.hpp"

#include <algorithm>
#include <cmath>

namespace grus {

namespace {

// The iteration for the midpoint velocity contracts with h ||df/dv||/(2 m): some 1e-3 for a machine that turns a degree
// per step, so a few rounds reach rounding. One that needs more has a damper too stiff to be explicit.
constexpr int max_midpoint_rounds = 50;
constexpr Real midpoint_tolerance = 1e-14;

Eigen::Map<const Eigen::VectorXd> vector(std::span<const Real> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}
Eigen::Map<Eigen::VectorXd> vector(std::span<Real> x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

void set_driven_positions(const Mechanism& mechanism, Real time, const Inputs& inputs, std::span<Real> q) {
  for (const Coordinate& c : mechanism.coordinates)
    if (c.role == CoordinateRole::driven) q[static_cast<std::size_t>(c.position)] = (*c.drive)(time, inputs);
}

void set_driven_velocities(const Mechanism& mechanism, const IntegratorOptions& integrator, Real time,
                           const Inputs& inputs, std::vector<Real>& v) {
  v.assign(static_cast<std::size_t>(mechanism.velocity_count), 0.0);
  for (Index k = 0; k < mechanism.velocity_count; ++k) {
    const Coordinate& c = mechanism.coordinates[static_cast<std::size_t>(k)];
    if (c.role == CoordinateRole::driven) v[static_cast<std::size_t>(k)] = driven_velocity(c, integrator, time, inputs);
  }
}

void take_twists(const MechanismKinematics& kinematics, std::vector<Twist>& twists) {
  twists.resize(kinematics.velocity.size());
  for (std::size_t i = 0; i < twists.size(); ++i) twists[i] = {kinematics.velocity[i], kinematics.omega[i]};
}

// all = T v_u + affine
void expand(const VelocityMap& map, const Partition& partition, std::span<const Real> all_start, Eigen::VectorXd& u,
            std::vector<Real>& all) {
  u.resize(static_cast<Eigen::Index>(partition.independent.size()));
  for (Eigen::Index k = 0; k < u.size(); ++k)
    u[k] = all_start[static_cast<std::size_t>(partition.independent[static_cast<std::size_t>(k)])];
  all.resize(all_start.size());
  vector(std::span(all)).noalias() = map.T * u + map.affine;
}

}  // namespace

Real driven_velocity(const Coordinate& coordinate, const IntegratorOptions& integrator, Real time,
                     const Inputs& inputs) {
  const Real h = integrator.step;
  // Before the start a drive need not be defined.
  const Real before = std::max(time - integrator.theta * h, 0.0);
  return ((*coordinate.drive)(before + h, inputs) - (*coordinate.drive)(before, inputs)) / h;
}

bool predict_mechanism(const Mechanism& mechanism, const IntegratorOptions& integrator, const State& state,
                       const Inputs& inputs, ReducedMechanism& r) {
  const Real h = integrator.step, ahead = (1.0 - integrator.theta) * h;
  const std::span<const Real> q = positions(mechanism, state), v = velocities(mechanism, state);
  set_partition(mechanism, std::span(state.joint_dependent).subspan(mechanism.first_velocity, mechanism.velocity_count),
                r.partition);
  const auto memory = std::span(state.memory).subspan(mechanism.first_memory, mechanism.memories.size());
  r.forces.memory.assign(memory.begin(), memory.end());
  r.input.assign(inputs.end.begin(), inputs.end.end());
  r.q.assign(q.begin(), q.end());
  integrate_positions(mechanism, v, ahead, r.q);
  set_driven_positions(mechanism, state.time + ahead, inputs, r.q);
  const ClosureReport closure = close_loops(mechanism, r.partition, r.q, r.kinematics, r.loops);
  if (!closure.converged) return false;

  // v_n holds the driven velocities of t_n.
  map_velocities(mechanism, r.partition, v, r.loops, r.start);
  set_driven_velocities(mechanism, integrator, state.time + h, inputs, r.travel);
  r.driven_acceleration.assign(v.size(), 0.0);
  for (const Index k : r.partition.driven) r.driven_acceleration[k] = (r.travel[k] - v[k]) / h;
  map_velocities(mechanism, r.partition, r.travel, r.loops, r.end);

  if (r.partition.driven.empty()) {
    r.drive_twist.assign(mechanism.links.size(), Twist{});
  } else {
    move(mechanism, std::span(r.end.affine.data(), v.size()), r.kinematics);
    take_twists(r.kinematics, r.drive_twist);
  }
  expand(r.start, r.partition, v, r.independent_start, r.velocity_start);
  move(mechanism, r.velocity_start, r.kinematics);
  take_twists(r.kinematics, r.start_twist);
  return true;
}

namespace {

// A = T^T (M + implicit parts) T and its factor; false when it is not positive definite.
bool factor_mass(ReducedMechanism& r) {
  r.mass_T.noalias() = r.mass * r.end.T;
  if (r.has_implicit) r.mass_T.noalias() += r.implicit_mass * r.end.T;
  r.A.noalias() = r.end.T.transpose() * r.mass_T;
  r.factor.compute(r.A);
  return r.factor.info() == Eigen::Success;
}

// v_u + h A^-1 T^T (f - M a_0 - c) with the velocity-dependent terms at r.bias_velocity, into r.work.
void step_free(const Mechanism& mechanism, const IntegratorOptions& integrator, const Vec3& gravity,
               ReducedMechanism& r) {
  bias_accelerations(mechanism, r.partition, r.kinematics, r.driven_acceleration, r.loops, r.bias_acceleration);
  inverse_dynamics(mechanism, r.kinematics, r.bias_acceleration, gravity, r.dynamics, r.generalised);
  std::fill(r.applied.begin(), r.applied.end(), 0.0);
  add_forces(force_step(mechanism, integrator, r), r.bias_velocity, r.velocity_start, r.forces, r.applied);
  for (std::size_t k = 0; k < r.load.size(); ++k) r.applied[k] += r.load[k];
  auto force = vector(std::span(r.generalised));
  force = vector(std::span<const Real>(r.applied)) - force;
  // Implicit forces see the velocities in q_m change, where T is constant: the part of a_0 that turns the map is not in
  // it.
  if (r.has_implicit) {
    r.affine_change = (r.end.affine - r.start.affine) / integrator.step;
    force.noalias() -= r.implicit_mass * r.affine_change;
  }
  r.work.noalias() = r.end.T.transpose() * force;
  r.work *= integrator.step;
  r.factor.solveInPlace(r.work);
  r.work += r.independent_start;
}

// The free velocity, with the bias terms at v_n or, by iteration, at the middle.
bool iterate_bias(const Mechanism& mechanism, const IntegratorOptions& integrator, const Vec3& gravity,
                  ReducedMechanism& r) {
  step_free(mechanism, integrator, gravity, r);
  r.free_velocity = r.work;
  if (integrator.bias == BiasKind::explicit_euler) return r.free_velocity.allFinite();
  for (int round = 0; round < max_midpoint_rounds; ++round) {
    // T is that of q_m for both ends, so the mean of the velocities is the map of the means.
    r.work = 0.5 * (r.independent_start + r.free_velocity);
    vector(std::span(r.bias_velocity)).noalias() = r.end.T * r.work;
    vector(std::span(r.bias_velocity)) += 0.5 * (r.start.affine + r.end.affine);
    move(mechanism, r.bias_velocity, r.kinematics);
    step_free(mechanism, integrator, gravity, r);
    const Real change = (r.work - r.free_velocity).lpNorm<Eigen::Infinity>();
    r.free_velocity = r.work;
    if (change <= midpoint_tolerance * r.free_velocity.lpNorm<Eigen::Infinity>()) return true;
  }
  return false;
}

}  // namespace

ForceStep force_step(const Mechanism& mechanism, const IntegratorOptions& integrator, const ReducedMechanism& r) {
  return {mechanism, r.kinematics, r.q, r.time, integrator.step, integrator.theta, r.input};
}

bool free_mechanism_velocity(const Mechanism& mechanism, const IntegratorOptions& integrator, const Vec3& gravity,
                             Real time, std::span<const std::uint32_t> held, ReducedMechanism& r) {
  const auto count = static_cast<std::size_t>(mechanism.velocity_count);
  r.time = time;
  r.generalised.resize(count);
  r.applied.resize(count);
  r.bias_acceleration.resize(count);
  r.bias_velocity = r.velocity_start;
  mass_matrix(mechanism, r.kinematics, r.dynamics, r.mass);
  begin_forces(force_step(mechanism, integrator, r), held, r.forces);
  return reduce_again(mechanism, integrator, gravity, r);
}

bool reduce_again(const Mechanism& mechanism, const IntegratorOptions& integrator, const Vec3& gravity,
                  ReducedMechanism& r) {
  const auto n = static_cast<Eigen::Index>(mechanism.velocity_count);
  const ForceStep step = force_step(mechanism, integrator, r);
  do {
    r.implicit_mass.setZero(n, n);
    r.has_implicit = add_implicit_mass(step, r.forces, r.implicit_mass);
    if (!factor_mass(r) || !iterate_bias(mechanism, integrator, gravity, r)) return false;
  } while (hold_exceeded_forces(
      mechanism, integrator, std::span(r.free_velocity.data(), static_cast<std::size_t>(r.free_velocity.size())), r));
  return true;
}

bool hold_exceeded_forces(const Mechanism& mechanism, const IntegratorOptions& integrator,
                          std::span<const Real> independent, ReducedMechanism& r) {
  r.travel.resize(r.velocity_start.size());
  vector(std::span(r.travel)).noalias() = r.end.T * vector(independent);
  vector(std::span(r.travel)) += r.end.affine;
  return hold_exceeded(force_step(mechanism, integrator, r), r.travel, r.forces);
}

ForceWork work_of_forces(const Mechanism& mechanism, const IntegratorOptions& integrator, ReducedMechanism& r) {
  r.travel.resize(r.velocity_start.size());
  auto mean = vector(std::span(r.travel));
  mean = 0.5 * (vector(std::span<const Real>(r.velocity_start)) + vector(std::span<const Real>(r.velocity_end)));
  std::fill(r.generalised.begin(), r.generalised.end(), 0.0);
  r.external.assign(r.generalised.size(), 0.0);
  r.stored.assign(r.generalised.size(), 0.0);
  add_ledger_forces(force_step(mechanism, integrator, r), r.bias_velocity, r.velocity_end, r.forces, r.generalised,
                    r.external, r.stored);
  const Real h = integrator.step;
  for (std::size_t k = 0; k < r.load.size(); ++k) r.external[k] += r.load[k];
  return {-h * mean.dot(vector(std::span<const Real>(r.generalised))),
          h * mean.dot(vector(std::span<const Real>(r.external))),
          h * mean.dot(vector(std::span<const Real>(r.stored)))};
}

MechanismReport finish_mechanism(const Mechanism& mechanism, const IntegratorOptions& integrator, Real end,
                                 const Inputs& inputs, std::span<const Real> independent,
                                 std::span<const Real> recovery, State& state, ReducedMechanism& r) {
  const Real h = integrator.step;
  const std::span<Real> q = positions(mechanism, state), v = velocities(mechanism, state);
  r.velocity_end.resize(v.size());
  vector(std::span(r.velocity_end)).noalias() = r.end.T * vector(independent) + r.end.affine;

  r.travel.resize(v.size());
  vector(std::span(r.travel)) = integrator.theta * vector(std::span<const Real>(r.velocity_end));
  if (!recovery.empty()) vector(std::span(r.travel)).noalias() += r.end.T * vector(recovery);
  std::copy(r.q.begin(), r.q.end(), q.begin());
  integrate_positions(mechanism, r.travel, h, q);
  set_driven_positions(mechanism, end, inputs, q);

  MechanismReport report;
  const ClosureReport closure = close_loops(mechanism, r.partition, q, r.at_end, r.loops_end);
  report.closed = closure.converged;
  report.loop_error = closure.error;
  if (!closure.converged) return report;
  map_velocities(mechanism, r.partition, r.velocity_end, r.loops_end, r.map_end);
  vector(v).noalias() = r.map_end.T * vector(independent) + r.map_end.affine;

  if (mechanism.closed_count > 0) {
    r.loop_velocity.noalias() = r.loops_end.J * vector(v);
    report.loop_velocity = r.loop_velocity.lpNorm<Eigen::Infinity>();
    const PartitionQuality quality = partition_quality(mechanism, r.partition, r.loops_end);
    if (quality.now < partition_hysteresis * quality.best) {
      const Partition better = choose_partition(mechanism, r.loops_end);
      report.partition_changed = better.dependent != r.partition.dependent;
      const std::span<std::uint32_t> dependent =
          std::span(state.joint_dependent).subspan(mechanism.first_velocity, mechanism.velocity_count);
      std::fill(dependent.begin(), dependent.end(), 0U);
      for (const Index k : better.dependent) dependent[static_cast<std::size_t>(k)] = 1U;
    }
  }
  return report;
}

}  // namespace grus
