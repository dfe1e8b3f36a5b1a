#include "integrators/mechanism_stages.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "contact/dense_sides.hpp"
#include "core/error.hpp"
#include "core/grow.hpp"
#include "integrators/wall_swing.hpp"
#include "multibody/condition.hpp"
#include "multibody/memories.hpp"
#include "multibody/reactions.hpp"
#include "solvers/delassus.hpp"

namespace grus {

namespace {

constexpr const char* no_free_velocity =
    "the mass matrix is not positive definite, a force is not a number, or a damper is too stiff for this time.step "
    "(say implicit: true)";

[[noreturn]] void give_up(std::size_t mechanism, const State& state, const char* why) {
  throw NumericalError(fmt::format("mechanism {}: {} in the step from t = {:.6g} s", mechanism + 1, why, state.time));
}

// The independent velocities of mechanism d in a vector over all blocks.
std::span<const Real> dense_part(const ContactProblem& problem, const std::vector<Real>& velocity, std::size_t d) {
  return std::span(velocity).subspan(static_cast<std::size_t>(problem.dense_begin[d]),
                                     static_cast<std::size_t>(problem.dense_begin[d + 1] - problem.dense_begin[d]));
}

// Adds the impulses of contacts and scalar rows on mechanism d to `generalised` [velocity_count], N s or N m s.
void add_impulses(const Model& model, Workspace& work, std::size_t d, std::span<Real> generalised) {
  const Mechanism& mechanism = model.mechanisms[d];
  const MechanismKinematics& kinematics = work.mechanisms[d].kinematics;
  for (std::size_t c = 0; c < work.contacts.size(); ++c) {
    const ContactPoint& contact = work.contacts[c];
    const auto add = [&](Index body, Real sign) {
      if (!model.is_linked(body) || model.mechanism_of_body(body) != static_cast<Index>(d)) return;
      const Vec3 impulse = to_world(contact_frame(work.problem, static_cast<Index>(c)), work.solution.impulse[c]);
      add_generalised_force(mechanism, kinematics, body - mechanism.first_body, contact.position, impulse, Vec3::Zero(),
                            sign, generalised);
    };
    add(contact.body_a, -1.0);
    add(contact.body_b, 1.0);
  }
  for (std::size_t r = 0; r < work.joint_rows.size(); ++r) {
    const JointRow& row = work.joint_rows[r];
    if (row.kind == JointRow::Kind::condition) continue;
    if (row.kind == JointRow::Kind::force) {
      if (row.mechanism != static_cast<Index>(d)) continue;
      ForceScratch& forces = work.mechanisms[d].forces;
      find_gradient(force_step(mechanism, model.integrator, work.mechanisms[d]),
                    static_cast<std::size_t>(row.index - mechanism.first_law), forces);
      for (std::size_t k = 0; k < generalised.size(); ++k)
        generalised[k] += work.solution.row_impulse[r] * forces.gradient[k];
      continue;
    }
    const Index k = row.index - mechanism.first_velocity;
    if (k < 0 || k >= mechanism.velocity_count) continue;
    const Real sign = row.kind == JointRow::Kind::upper_limit ? -1.0 : 1.0;
    generalised[static_cast<std::size_t>(k)] += sign * work.solution.row_impulse[r];
  }
}

}  // namespace

void predict_mechanisms(const Model& model, const State& state, Workspace& work) {
  const Real h = model.integrator.step;
  const Real fall = model.gravity.norm() * h * h;
  for (std::size_t d = 0; d < model.mechanisms.size(); ++d) {
    const Mechanism& mechanism = model.mechanisms[d];
    ReducedMechanism& reduced = work.mechanisms[d];
    if (!predict_mechanism(mechanism, model.integrator, state, work.inputs, reduced))
      give_up(d, state, "the loops do not close, or it is in a singular position");
    for (Index link = 0; link < mechanism.link_count(); ++link) {
      const Index body = mechanism.first_body + link;
      const Twist& twist = reduced.start_twist[link];
      work.pose_m[body] = reduced.kinematics.X_WB[link];
      work.linked_start[body - model.dynamic_count] = twist;
      work.linked_drive[body - model.dynamic_count] = reduced.drive_twist[link];
      work.reach[body] = h * (twist.linear.norm() + twist.angular.norm() * work.extent[body]) + fall +
                         swing_of_walls(model, state, work, body, h * twist.angular);
    }
  }
}

namespace {

// The loads on mechanism d in q_m.
void set_loads(const Model& model, const Loads& loads, std::size_t d, ReducedMechanism& reduced) {
  const Mechanism& mechanism = model.mechanisms[d];
  reduced.link_loads.clear();
  reduced.load.clear();
  if (loads.empty()) return;
  reduced.load.resize(static_cast<std::size_t>(mechanism.velocity_count), 0.0);
  if (!loads.joints.empty())
    std::copy_n(loads.joints.begin() + mechanism.first_velocity, mechanism.velocity_count, reduced.load.begin());
  for (const BodyLoad& load : loads.bodies) {
    if (!model.is_linked(load.body) || model.mechanism_of_body(load.body) != static_cast<Index>(d)) continue;
    const Index link = load.body - mechanism.first_body;
    const Pose& X_WB = reduced.kinematics.X_WB[link];
    const LinkLoad at_point{link, X_WB.position + X_WB.rotation * load.at, load.force, load.torque};
    add_generalised_force(mechanism, reduced.kinematics, link, at_point.point, load.force, load.torque, 1.0,
                          reduced.load);
    reduced.link_loads.push_back(at_point);
  }
}

}  // namespace

void free_mechanism_velocities(const Model& model, const State& state, const Loads& loads, Workspace& work) {
  const Real middle = state.time + (1.0 - model.integrator.theta) * model.integrator.step;
  for (std::size_t d = 0; d < model.mechanisms.size(); ++d) {
    const Mechanism& mechanism = model.mechanisms[d];
    set_loads(model, loads, d, work.mechanisms[d]);
    const auto held = std::span(state.held_force).subspan(mechanism.first_law, mechanism.law_count());
    if (!free_mechanism_velocity(mechanism, model.integrator, model.gravity, middle, held, work.mechanisms[d]))
      give_up(d, state, no_free_velocity);
  }
  add_dense_blocks(work.mechanisms, work.problem);
}

bool hold_exceeded_forces(const Model& model, const State& state, Workspace& work) {
  bool any = false;
  for (std::size_t d = 0; d < model.mechanisms.size(); ++d) {
    const Mechanism& mechanism = model.mechanisms[d];
    ReducedMechanism& reduced = work.mechanisms[d];
    const std::span<const Real> independent = dense_part(work.problem, work.solution.velocity, d);
    if (!hold_exceeded_forces(mechanism, model.integrator, independent, reduced)) continue;
    any = true;
    if (!reduce_again(mechanism, model.integrator, model.gravity, reduced)) give_up(d, state, no_free_velocity);
  }
  if (any) add_dense_blocks(work.mechanisms, work.problem);
  return any;
}

void build_machine_rows(const Model& model, const State& state, Workspace& work) {
  build_dense_sides(model, work.mechanisms, work.contacts, work.dense_sides, work.problem);
  build_joint_rows({model, state, work.mechanisms, work.pose_m, work.active}, work.dense_sides, work.joint_rows,
                   work.problem, work.solution);
}

void rebuild_machine_rows(const Model& model, const State& state, Workspace& work) {
  const auto is_force = [](const JointRow& row) { return row.kind == JointRow::Kind::force; };
  const auto kept = std::find_if(work.joint_rows.begin(), work.joint_rows.end(), is_force) - work.joint_rows.begin();
  work.row_guess.assign(work.solution.row_impulse.begin(), work.solution.row_impulse.begin() + kept);
  build_machine_rows(model, state, work);
  std::copy(work.row_guess.begin(), work.row_guess.end(), work.solution.row_impulse.begin());
}

void advance_mechanisms(const Model& model, State& state, Workspace& work, bool recovered, Real end) {
  for (std::size_t d = 0; d < model.mechanisms.size(); ++d) {
    const std::span<const Real> z =
        recovered ? dense_part(work.problem, work.recovery.velocity, d) : std::span<const Real>{};
    work.mechanism_reports[d] =
        finish_mechanism(model.mechanisms[d], model.integrator, end, work.inputs,
                         dense_part(work.problem, work.solution.velocity, d), z, state, work.mechanisms[d]);
    if (!work.mechanism_reports[d].closed) give_up(d, state, "the loops do not close at the end");
    remember(model.mechanisms[d], model.integrator, state.time, end, state, work.mechanisms[d].forces.values);
  }

  std::fill(state.limit_impulse.begin(), state.limit_impulse.end(), 0.0);
  std::fill(state.friction_impulse.begin(), state.friction_impulse.end(), 0.0);
  std::fill(state.condition_impulse.begin(), state.condition_impulse.end(), 0.0);
  std::fill(state.held_force.begin(), state.held_force.end(), 0U);
  for (std::size_t r = 0; r < work.joint_rows.size(); ++r) {
    const JointRow& row = work.joint_rows[r];
    const auto i = static_cast<std::size_t>(row.index);
    const Real impulse = work.solution.row_impulse[r];
    switch (row.kind) {
      case JointRow::Kind::lower_limit:
        state.limit_impulse[i] += impulse;
        break;
      case JointRow::Kind::upper_limit:
        state.limit_impulse[i] -= impulse;
        break;
      case JointRow::Kind::friction:
        state.friction_impulse[i] = impulse;
        break;
      case JointRow::Kind::force: {
        const Mechanism& mechanism = model.mechanisms[static_cast<std::size_t>(row.mechanism)];
        LawStep& law = work.mechanisms[static_cast<std::size_t>(row.mechanism)].forces.laws[i - mechanism.first_law];
        law.excess = impulse;
        // On a driven coordinate no impulse moves anything: there the force is a matter of the next step alone.
        if (row_delassus(work.problem, static_cast<Index>(r)) != 0.0)
          state.held_force[i] =
              impulse == work.problem.row_upper[r] ? 1U : (impulse == work.problem.row_lower[r] ? 2U : 0U);
        break;
      }
      case JointRow::Kind::condition:
        state.condition_impulse[i] = impulse;
        break;
    }
  }
}

namespace {

// Of gravity on mechanism d in the step, J: m g.v at the mean of the velocities at both ends, as q_m sees them.
Real work_of_gravity(const Model& model, Workspace& work, std::size_t d) {
  const Mechanism& mechanism = model.mechanisms[d];
  const ReducedMechanism& reduced = work.mechanisms[d];
  assign_with_room(work.generalised_impulse, static_cast<std::size_t>(mechanism.velocity_count), 0.0);
  for (Index link = 0; link < mechanism.link_count(); ++link)
    add_generalised_force(mechanism, reduced.kinematics, link, reduced.kinematics.X_WB[link].position,
                          model.integrator.step * mechanism.links[link].mass * model.gravity, Vec3::Zero(), 1.0,
                          work.generalised_impulse);
  Real sum = 0.0;
  for (std::size_t k = 0; k < work.generalised_impulse.size(); ++k)
    sum += work.generalised_impulse[k] * 0.5 * (reduced.velocity_start[k] + reduced.velocity_end[k]);
  return sum;
}

// Recovery leaves most machines in most steps where they are.
bool is_moved(std::span<const Real> pseudo_velocities) {
  return std::any_of(pseudo_velocities.begin(), pseudo_velocities.end(), [](Real z) { return z != 0.0; });
}

// Placed by finish_mechanism.
Real end_kinetic_energy(const Mechanism& mechanism, const State& state, ReducedMechanism& reduced) {
  move(mechanism, velocities(mechanism, state), reduced.at_end);
  return kinetic_energy(mechanism, reduced.at_end);
}

}  // namespace

Real check_mechanisms(const Model& model, const State& state, Workspace& work, bool recovered, StepReport& report,
                      EnergyFlows& flows) {
  const Real h = model.integrator.step;
  Real kinetic = 0.0;
  // Work of the rows, as of contacts: r.(u_n + u_{n+1})/2. Joints of the absolute lane do none; held forces are counted
  // with the other forces.
  for (std::size_t r = 0; r < work.joint_rows.size(); ++r) {
    const JointRow& row = work.joint_rows[r];
    if (row.kind == JointRow::Kind::condition || row.kind == JointRow::Kind::force) continue;
    flows.dissipated_joint -= work.solution.row_impulse[r] * 0.5 * (row.start_velocity + work.row_end[r]);
  }
  for (std::size_t d = 0; d < model.mechanisms.size(); ++d) {
    const Mechanism& mechanism = model.mechanisms[d];
    ReducedMechanism& reduced = work.mechanisms[d];
    report.loop_error = std::max(report.loop_error, work.mechanism_reports[d].loop_error);
    report.loop_velocity = std::max(report.loop_velocity, work.mechanism_reports[d].loop_velocity);
    report.partition_changes += work.mechanism_reports[d].partition_changed ? 1 : 0;

    assign_with_room(work.generalised_impulse, static_cast<std::size_t>(mechanism.velocity_count), 0.0);
    add_impulses(model, work, d, work.generalised_impulse);
    find_reactions(mechanism, model.integrator, model.gravity, dense_part(work.problem, work.solution.velocity, d),
                   work.generalised_impulse, reduced, work.reactions[d]);
    settle_forces(force_step(mechanism, model.integrator, reduced), reduced.bias_velocity, reduced.velocity_end,
                  reduced.forces);
    const ForceWork done = work_of_forces(mechanism, model.integrator, reduced);
    flows.dissipated_joint += done.dissipated;
    flows.forces += done.external;
    flows.conservative += done.stored + work_of_gravity(model, work, d);
    for (const Index k : reduced.partition.driven)
      flows.drives += h * work.reactions[d].residual[k] * 0.5 * (reduced.velocity_start[k] + reduced.velocity_end[k]);
    if (recovered && is_moved(dense_part(work.problem, work.recovery.velocity, d)))
      flows.recovery +=
          recovery_energy(mechanism, model.integrator, model.gravity, state.time, state, reduced, work.recovery_energy);
    kinetic += end_kinetic_energy(mechanism, state, reduced);
  }
  for (const JointCondition& condition : model.joint_conditions) {
    const auto pose = [&](Index body) {
      return body == no_index ? Pose{} : Pose{state.position[body], state.rotation[body]};
    };
    report.condition_error = std::max(
        report.condition_error, std::abs(condition_gradient(condition, pose(condition.a), pose(condition.b)).value));
  }
  return kinetic;
}

}  // namespace grus
