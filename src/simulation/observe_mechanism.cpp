#include "simulation/observe_mechanism.hpp"

#include "multibody/reactions.hpp"

namespace grus {

namespace {

struct View {
  const Mechanism& mechanism;
  const MechanismKinematics& now;  // at the state
  std::span<const Real> q, v, inputs, memory;
  Real time;
  const ReducedMechanism* last;  // of the last step; null before the first

  std::vector<Real> values() const {
    std::vector<Real> result;
    force_values(mechanism, time, q, v, inputs, memory, result);
    return result;
  }
};

// The force of a law over the last step; before the first one that of the start, at (x, rate).
Real law_force(const View& view, std::size_t number, Real x, Real rate) {
  if (view.last != nullptr) return view.last->forces.laws[number].acted;
  return joint_force_value(law_of(view.mechanism, number), x, rate, view.time, view.values(), view.inputs);
}

// Total of the springs, motors and expressions on a coordinate.
Real applied_force(const View& view, Index coordinate) {
  const std::vector<Real> values = view.values();
  Real sum = 0.0;
  for (std::size_t i = 0; i < view.mechanism.joint_forces.size(); ++i)
    if (view.mechanism.joint_forces[i].coordinate == coordinate)
      sum += law_force(view, i, values[1 + 2 * coordinate], values[2 + 2 * coordinate]);
  return sum;
}

// Of a coordinate over the last step: force times this is its power, as the ledger of energy counts it.
Real mean_rate(const View& view, Index coordinate) {
  if (view.last == nullptr) return view.v[coordinate];
  const auto k = static_cast<std::size_t>(coordinate);
  return 0.5 * (view.last->velocity_start[k] + view.last->velocity_end[k]);
}

Real coordinate_value(const View& view, const Workspace& work, const Probe& probe) {
  using Quantity = Probe::Quantity;
  const Coordinate& coordinate = view.mechanism.coordinates[probe.coordinate];
  const Real rate = view.v[probe.coordinate];
  if (probe.quantity == Quantity::position) return view.values()[1 + 2 * probe.coordinate];
  if (probe.quantity == Quantity::rate) return rate;
  const std::vector<Real>& drives = work.reactions[probe.mechanism].residual;
  const bool is_driven = coordinate.role == CoordinateRole::driven;
  if (is_driven && drives.empty()) return not_a_number;
  const Real force = is_driven ? drives[probe.coordinate] : applied_force(view, probe.coordinate);
  return probe.quantity == Quantity::power ? force * mean_rate(view, probe.coordinate) : force;
}

Real spring_value(const View& view, const Probe& probe) {
  const PointForce& spring = view.mechanism.point_forces[probe.spring];
  const PointLine line = point_line(spring, view.now);
  const auto velocity = [&](Index link, const Vec3& p) -> Vec3 {
    return link == no_index ? Vec3(Vec3::Zero()) : point_velocity(view.now, link, p);
  };
  const Real rate = line.direction.dot(velocity(spring.b, line.p_B) - velocity(spring.a, line.p_A));
  switch (probe.quantity) {
    case Probe::Quantity::length:
      return line.length;
    case Probe::Quantity::rate:
      return rate;
    default:
      return law_force(view, view.mechanism.joint_forces.size() + static_cast<std::size_t>(probe.spring), line.length,
                       rate);
  }
}

// Loads of the contacts of the last step on the links of a mechanism, N.
std::vector<LinkLoad> contact_loads(const Model& model, const State& state, const Workspace& work, Index mechanism) {
  std::vector<LinkLoad> loads;
  const auto add = [&](Index body, const Vec3& point, const Vec3& force) {
    if (model.is_linked(body) && model.mechanism_of_body(body) == mechanism)
      loads.push_back({body - model.mechanisms[mechanism].first_body, point, force, Vec3::Zero()});
  };
  for (std::size_t c = 0; c < work.contacts.size(); ++c) {
    const Vec3 force = state.impulse[c] / model.integrator.step;
    add(work.contacts[c].body_b, work.contacts[c].position, force);
    add(work.contacts[c].body_a, work.contacts[c].position, -force);
  }
  return loads;
}

// Reaction on side b of a joint between free bodies, about its point there.
Wrench free_joint_wrench(const Model& model, const State& state, const Workspace& work, Index joint) {
  Wrench wrench;
  for (std::size_t i = 0; i < model.joint_conditions.size(); ++i) {
    const JointCondition& condition = model.joint_conditions[i];
    if (condition.group != joint) continue;
    const auto pose = [&](Index body) { return body == no_index ? Pose{} : work.pose_m[body]; };
    const ConditionGradient g = condition_gradient(condition, pose(condition.a), pose(condition.b));
    const Real lambda = state.condition_impulse[i] / model.integrator.step;
    wrench.force += lambda * g.force;
    wrench.torque += lambda * g.torque;
  }
  return wrench;
}

Real reaction(const CompiledScene& scene, const State& state, Workspace& work, const Probe& probe) {
  const Model& model = scene.model;
  Wrench wrench;
  if (probe.mechanism == no_index) {
    wrench = free_joint_wrench(model, state, work, probe.cut);
  } else {
    const Reactions& reactions = work.reactions[probe.mechanism];
    if (reactions.acceleration.empty()) return not_a_number;
    const Mechanism& mechanism = model.mechanisms[probe.mechanism];
    ReducedMechanism& reduced = work.mechanisms[probe.mechanism];
    wrench = probe.cut != no_index
                 ? loop_wrench(mechanism, reduced, reactions, probe.cut)
                 : joint_wrench(mechanism, model.integrator, probe.link,
                                contact_loads(model, state, work, probe.mechanism), reduced, reactions);
  }
  return (probe.quantity == Probe::Quantity::torque ? wrench.torque : wrench.force)[probe.component];
}

}  // namespace

Real mechanism_value(const CompiledScene& scene, const State& state, const CarriedBodies& carried, Workspace& work,
                     const Probe& probe) {
  if (probe.source == Probe::Source::joint) return reaction(scene, state, work, probe);
  const Mechanism& mechanism = scene.model.mechanisms[probe.mechanism];
  const View view{mechanism,
                  carried.linked.mechanisms[probe.mechanism],
                  positions(mechanism, state),
                  velocities(mechanism, state),
                  state.input_end,
                  std::span(state.memory).subspan(mechanism.first_memory, mechanism.memories.size()),
                  state.time,
                  work.reactions[probe.mechanism].acceleration.empty() ? nullptr : &work.mechanisms[probe.mechanism]};
  return probe.source == Probe::Source::coordinate ? coordinate_value(view, work, probe) : spring_value(view, probe);
}

}  // namespace grus
