#include "integrators/stages.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "integrators/energy.hpp"
#include "integrators/gyroscopic.hpp"
#include "integrators/mechanism_stages.hpp"
#include "integrators/wall_swing.hpp"
#include "math/rotation.hpp"
#include "model/finite_state.hpp"
#include "solvers/delassus.hpp"
#include "solvers/worst_contact.hpp"

namespace grus {

namespace {

// Bodies and contacts per task and per chunk of a sum. Sums depend on it, so it is fixed.
constexpr Index grain = 512;

// Velocity components of block i in the layout of the contact problem.
Vec3 linear_of(const ContactProblem& problem, const std::vector<Real>& velocity, Index i) {
  const Real* v = &velocity[static_cast<std::size_t>(i) * problem.block_size()];
  return problem.dimension == 3 ? Vec3(v[0], v[1], v[2]) : Vec3(v[0], v[1], 0.0);
}
Vec3 angular_of(const ContactProblem& problem, const std::vector<Real>& velocity, Index i) {
  const Real* v = &velocity[static_cast<std::size_t>(i) * problem.block_size()];
  return problem.dimension == 3 ? Vec3(v[3], v[4], v[5]) : Vec3(0.0, 0.0, v[2]);
}
void set_block(ContactProblem& problem, Index i, const Vec3& linear, const Vec3& angular) {
  Real* v = &problem.free_velocity[static_cast<std::size_t>(i) * problem.block_size()];
  if (problem.dimension == 3) {
    for (int k = 0; k < 3; ++k) {
      v[k] = linear[k];
      v[3 + k] = angular[k];
    }
  } else {
    v[0] = linear.x();
    v[1] = linear.y();
    v[2] = angular.z();
  }
}

// R J^-1 R^T
SymMat3 inverse_inertia_W(const Quat& rotation, const Vec3& inertia) {
  const Mat3 R = rotation.toRotationMatrix();
  const Mat3 W = R * inertia.cwiseInverse().asDiagonal() * R.transpose();
  return {W(0, 0), W(0, 1), W(0, 2), W(1, 1), W(1, 2), W(2, 2)};
}

}  // namespace

Workspace::Workspace(const Model& model)
    : extent(static_cast<std::size_t>(model.body_count), 0.0),
      kinematic_start(model.motion.size()),
      kinematic_end(model.motion.size()),
      pose_m(static_cast<std::size_t>(model.body_count)),
      angle_m(model.planar ? static_cast<std::size_t>(model.dynamic_count) : 0, 0.0),
      reach(static_cast<std::size_t>(model.body_count), 0.0),
      mechanisms(model.mechanisms.size()),
      linked_start(static_cast<std::size_t>(model.linked_count)),
      linked_drive(static_cast<std::size_t>(model.linked_count)),
      mechanism_reports(model.mechanisms.size()),
      reactions(model.mechanisms.size()) {
  problem.dimension = model.planar ? 2 : 3;
  for (const Collider& collider : model.colliders) {
    const Real radius = is_unbounded(collider.kind) ? 0.0 : collider.bound_radius;
    extent[collider.body] = std::max(extent[collider.body], collider.p_BC.norm() + radius);
  }
}

void drive(const Model& model, const State& state, Workspace& work) {
  const Real h = model.integrator.step, theta = model.integrator.theta;
  work.active = model.active_count(state.time);
  const Real end = state.time + h;
  for (std::size_t k = 0; k < model.motion.size(); ++k) {
    const Motion& motion = model.motion[k];
    const Index body = model.kinematic_begin() + static_cast<Index>(k);
    work.pose_m[body] = motion.at(state.time + (1.0 - theta) * h, work.inputs);
    work.kinematic_start[k] = motion.mean_twist(state.time + (0.5 - theta) * h, h, work.inputs);
    work.kinematic_end[k] = motion.mean_twist(end + (0.5 - theta) * h, h, work.inputs);
    const Twist& twist = work.kinematic_end[k];
    if (!(work.pose_m[body].position + twist.linear + twist.angular).allFinite())
      throw NumericalError(
          fmt::format("the motion of kinematic body {} is not a number in the step to t = {:.6g} s", k, end));
    work.reach[body] = h * (twist.linear.norm() + twist.angular.norm() * work.extent[body]) +
                       swing_of_walls(model, state, work, body, h * twist.angular);
  }
}

void predict(const Model& model, const State& state, Workspace& work, const Parallel& parallel) {
  const Real h = model.integrator.step, theta = model.integrator.theta;
  const Real fall = model.gravity.norm() * h * h;
  parallel.each(model.dynamic_count, grain, [&](Index i) {
    Pose& pose = work.pose_m[i];
    if (i >= work.active) {
      pose = {state.position[i], state.rotation[i]};
      return;
    }
    pose.position = state.position[i] + (1.0 - theta) * h * state.velocity[i];
    const Vec3 turn = (1.0 - theta) * h * state.angular_velocity[i];
    if (model.planar) {
      work.angle_m[i] = state.angle[i] + turn.z();
      pose.rotation = rotation_about_z(work.angle_m[i]);
    } else {
      pose.rotation = rotated(state.rotation[i], turn);
    }
    work.reach[i] = h * (state.velocity[i].norm() + state.angular_velocity[i].norm() * work.extent[i]) + fall;
  });
}

namespace {

Vec3 torque_about_centre(const Workspace& work, const BodyLoad& load) {
  return load.torque + (work.pose_m[load.body].rotation * load.at).cross(load.force);
}

// v_free += h M^-1 (force, torque) in q_m, of the free bodies.
void add_loads(const Loads& loads, const State& state, Real h, Workspace& work) {
  ContactProblem& problem = work.problem;
  work.load_start.resize(loads.bodies.size());
  for (std::size_t k = 0; k < loads.bodies.size(); ++k) {
    const BodyLoad& load = loads.bodies[k];
    const Index i = load.body;
    if (i >= work.active) continue;
    work.load_start[k] = state.velocity[i];
    set_block(problem, i, linear_of(problem, problem.free_velocity, i) + h * problem.inverse_mass[i] * load.force,
              angular_of(problem, problem.free_velocity, i) +
                  h * (problem.inverse_inertia[i] * torque_about_centre(work, load)));
  }
}

}  // namespace

void free_velocities(const Model& model, const State& state, const Loads& loads, Workspace& work,
                     const Parallel& parallel) {
  const Real h = model.integrator.step;
  ContactProblem& problem = work.problem;
  problem.block_count = work.active;
  const auto blocks = static_cast<std::size_t>(work.active);
  problem.inverse_mass.resize(blocks);
  problem.inverse_inertia.resize(blocks);
  problem.free_velocity.resize(blocks * problem.block_size());
  work.start_spin.resize(blocks);
  const Vec3 fall = h * model.gravity;
  parallel.each(work.active, grain, [&](Index i) {
    problem.inverse_mass[i] = 1.0 / model.mass[i];
    const Vec3& inertia = model.inertia[i];
    Vec3 omega = state.angular_velocity[i];
    work.start_spin[i] = omega;
    if (model.planar || is_isotropic(inertia)) {
      const Real inverse = 1.0 / inertia.z();
      problem.inverse_inertia[i] = {inverse, 0, 0, inverse, 0, inverse};
    } else {
      const Quat& R_m = work.pose_m[i].rotation;
      problem.inverse_inertia[i] = inverse_inertia_W(R_m, inertia);
      omega = R_m * free_angular_velocity(R_m.conjugate() * omega, inertia, h, model.integrator.bias);
      // The midpoint rule keeps the kinetic energy of free rotation, so the velocity before an impact is taken after
      // it: then r.(u- + u+)/2 is the whole work of the contacts. The explicit rule follows the paper, u- from v_n.
      if (model.integrator.bias == BiasKind::midpoint) work.start_spin[i] = omega;
    }
    set_block(problem, i, state.velocity[i] + fall, omega);
  });
  add_loads(loads, state, h, work);
}

namespace {

// Where the worst contact is off by more than this part of the speeds of the step, the step has not resolved it: bodies
// there move visibly wrong, whatever the norm over all contacts says.
constexpr Real poor_contact_part = 0.1;

// Largest relative speed at any contact at either end of the step, m/s: how fast the whole scene travels, or a wheel
// turns that touches nothing, does not enter. In a scene at rest it tends to zero, so it counts no less than what a
// body gains in one step of fall, and the smallest grain when it falls by its radius; an error of a tenth of that lifts
// a grain by a hundredth of its radius.
Real speed_of_contacts(const Model& model, const Workspace& work) {
  const Real g = model.gravity.norm(), h = model.integrator.step;
  Real square = g * h * g * h;
  if (model.dynamic_count > 0) square = std::max(square, 2.0 * g * model.smallest_bound_radius);
  for (std::size_t c = 0; c < work.contacts.size(); ++c)
    square = std::max({square, work.kinematics.start_velocity[c].squaredNorm(), work.end_velocity[c].squaredNorm()});
  return std::sqrt(square);
}

// Names the worst contact when it is poor. Right after the solve.
void find_poor_contact(const Model& model, const Workspace& work, StepReport& report) {
  report.poor_velocity = 0.0;
  if (work.contacts.empty()) return;
  const Real speed = speed_of_contacts(model, work);
  if (!(report.residual_velocity > poor_contact_part * speed)) return;
  const WorstContact worst = worst_contact(work.problem, work.solution, work.solver.quality());
  if (!(worst.velocity > poor_contact_part * speed)) return;
  report.poor_body_a = work.contacts[worst.contact].body_a;
  report.poor_body_b = work.contacts[worst.contact].body_b;
  report.poor_velocity = worst.velocity;
  report.poor_speed = speed;
}

}  // namespace

Real activation_skin(const Model& model) { return model.contact.activation_skin * model.smallest_bound_radius; }

void solve(const Model& model, Workspace& work, StepReport& report, const Parallel& parallel) {
  const SolveReport solved = work.solver.solve(work.problem, work.solution, model.solver, parallel);
  report.sweeps += solved.iterations;
  report.residual = solved.residual;
  report.residual_velocity = solved.max_velocity;
  report.residual_mechanism = solved.dense_velocity;
  report.converged = solved.converged;

  // The laws' terms are not velocities: what is left is u(n+1) as the bodies see it.
  work.end_velocity.resize(work.contacts.size());
  parallel.each(work.problem.contact_count, grain, [&](Index c) {
    work.end_velocity[c] = work.solver.quality().contact_velocity[c] -
                           (work.problem.shift[c] - work.kinematics.wall_end[c] - work.kinematics.drive_end[c]);
  });
  find_poor_contact(model, work, report);
  work.row_end.resize(work.joint_rows.size());
  for (std::size_t r = 0; r < work.joint_rows.size(); ++r)
    work.row_end[r] = row_velocity(work.problem, work.solution.velocity, static_cast<Index>(r)) -
                      work.problem.row_shift[r] + work.joint_rows[r].affine_end;
}

void advance(const Model& model, State& state, Workspace& work, bool recovered, const Parallel& parallel) {
  const Real h = model.integrator.step, theta = model.integrator.theta;
  const ContactProblem& problem = work.problem;
  parallel.each(work.active, grain, [&](Index i) {
    state.velocity[i] = linear_of(problem, work.solution.velocity, i);
    state.angular_velocity[i] = angular_of(problem, work.solution.velocity, i);
    Vec3 move = theta * h * state.velocity[i];
    Vec3 turn = theta * h * state.angular_velocity[i];
    if (recovered) {
      move += h * linear_of(problem, work.recovery.velocity, i);
      turn += h * angular_of(problem, work.recovery.velocity, i);
    }
    state.position[i] = work.pose_m[i].position + move;
    if (model.planar) {
      state.angle[i] = work.angle_m[i] + turn.z();
      state.rotation[i] = rotation_about_z(state.angle[i]);
    } else {
      state.rotation[i] = rotated(work.pose_m[i].rotation, turn);
    }
  });

  const auto count = static_cast<Index>(work.contacts.size());
  state.impulse_key.resize(work.contacts.size());
  state.impulse.resize(work.contacts.size());
  parallel.each(count, grain, [&](Index c) {
    state.impulse_key[c] = work.contacts[c].key;
    state.impulse[c] = to_world(contact_frame(problem, c), work.solution.impulse[c]);
  });

  const Real end = static_cast<Real>(state.step + 1) * h;
  advance_mechanisms(model, state, work, recovered, end);
  ++state.step;
  state.time = end;
}

namespace {

// Energy through contacts: the work of r over the step is r.(u_n + u_{n+1})/2, exact for a constant mass matrix.
// u = H^T v + w with w the walls' part, so the bodies receive r.(u - w).
void add_contact_flows(Workspace& work, const Parallel& parallel, EnergyFlows& flows) {
  const ContactSums sums = parallel.reduce<ContactSums>(
      static_cast<Index>(work.contacts.size()), grain, {}, work.contact_sums,
      [&](Index begin, Index end) {
        ContactSums sum;
        for (Index c = begin; c < end; ++c) {
          const Vec3& r = work.solution.impulse[c];
          sum.dissipated -= r.dot(0.5 * (work.kinematics.start_velocity[c] + work.end_velocity[c]));
          sum.work_walls -= r.dot(0.5 * (work.kinematics.wall_start[c] + work.kinematics.wall_end[c]));
        }
        return sum;
      },
      [](const ContactSums& x, const ContactSums& y) {
        return ContactSums{x.dissipated + y.dissipated, x.work_walls + y.work_walls};
      });
  flows.dissipated_contact = sums.dissipated;
  flows.walls = sums.work_walls;
}

BodySums sum_bodies(const Model& model, const State& state, Workspace& work, bool recovered, const Parallel& parallel) {
  const Real h = model.integrator.step;
  return parallel.reduce<BodySums>(
      work.active, grain, {}, work.body_sums,
      [&](Index begin, Index end) {
        BodySums sum;
        for (Index i = begin; i < end; ++i) {
          const Vec3& x = state.position[i];
          const Vec3& v = state.velocity[i];
          if (!(x + v + state.angular_velocity[i]).allFinite() && sum.not_finite == no_index) sum.not_finite = i;
          const Vec3 weight = model.mass[i] * model.gravity;
          if (recovered) sum.recovery -= h * weight.dot(linear_of(work.problem, work.recovery.velocity, i));
          const Vec3 v_start = linear_of(work.problem, work.problem.free_velocity, i) - h * model.gravity;
          sum.conservative += h * weight.dot(0.5 * (v_start + v));
          sum.kinetic += body_kinetic_energy(model, state, i);
          if (work.extent[i] > 0.0) sum.travel_max = std::max(sum.travel_max, h * v.norm() / work.extent[i]);
          sum.lost += is_inside_domain(model, x) ? 0 : 1;
        }
        return sum;
      },
      [](const BodySums& x, const BodySums& y) {
        return BodySums{x.recovery + y.recovery, x.conservative + y.conservative,
                        x.kinetic + y.kinetic,   std::max(x.travel_max, y.travel_max),
                        x.lost + y.lost,         x.not_finite != no_index ? x.not_finite : y.not_finite};
      });
}

// Work of the loads on free bodies, at the mean of the velocities at both ends of the step. sum_bodies took v_n for
// v_free - h g, which the loads have changed: what it counted too much as work of gravity is taken back.
void add_load_flows(const Model& model, const State& state, const Loads& loads, const Workspace& work,
                    EnergyFlows& flows) {
  const Real h = model.integrator.step;
  for (std::size_t k = 0; k < loads.bodies.size(); ++k) {
    const BodyLoad& load = loads.bodies[k];
    if (load.body >= work.active) continue;
    flows.conservative -= 0.5 * h * h * model.gravity.dot(load.force);
    flows.forces +=
        0.5 * h *
        (load.force.dot(work.load_start[k] + state.velocity[load.body]) +
         torque_about_centre(work, load).dot(work.start_spin[load.body] + state.angular_velocity[load.body]));
  }
}

}  // namespace

void check(const Model& model, State& state, const Loads& loads, Workspace& work, bool recovered, StepReport& report,
           const Parallel& parallel) {
  EnergyFlows flows;
  add_contact_flows(work, parallel, flows);
  const BodySums bodies = sum_bodies(model, state, work, recovered, parallel);
  flows.recovery = bodies.recovery;
  flows.conservative = bodies.conservative;
  add_load_flows(model, state, loads, work, flows);
  const Real kinetic = bodies.kinetic + check_mechanisms(model, state, work, recovered, report, flows);
  add_to_ledger(flows, kinetic, state.energy);
  report.travel_max = bodies.travel_max;
  report.lost = bodies.lost;
  // Contacts that are not numbers may leave the bodies finite: the solver then keeps the impulses it was given.
  if (!std::isfinite(report.residual))
    throw NumericalError(fmt::format("the contact problem of step {} holds a number that is not finite", state.step));
  if (bodies.not_finite != no_index)
    throw NumericalError(fmt::format("body {} has a velocity or position that is not a number after step {}",
                                     bodies.not_finite, state.step));
  if (const auto odd = find_not_finite_beside_bodies(state))
    throw NumericalError(fmt::format("{} {} is not a number after step {}", odd->field, odd->index, state.step));
}

}  // namespace grus
