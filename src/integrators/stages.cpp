#include "integrators/stages.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "integrators/gyroscopic.hpp"
#include "integrators/mechanism_stages.hpp"
#include "integrators/wall_swing.hpp"
#include "math/rotation.hpp"
#include "solvers/delassus.hpp"

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

// n.(velocity of b - velocity of a) at contact c, without the shift.
Real normal_velocity(const ContactProblem& problem, const std::vector<Real>& velocity, Index c) {
  return contact_velocity(problem, velocity, contact_frame(problem, c), c).x() - problem.shift[c].x();
}

// Gap at the end of the step between the points that touched in q_m, along the normal found there.
Real end_gap(const Model& model, const State& state, const Workspace& work, const ContactPoint& contact) {
  const auto carried = [&](Index body, const Vec3& p_W) -> Vec3 {
    const Pose& middle = work.pose_m[body];
    if (model.is_kinematic(body)) {
      const Twist& twist = work.kinematic_end[body - model.kinematic_begin()];
      const Real rest = model.integrator.theta * model.integrator.step;
      return p_W + rest * (twist.linear + twist.angular.cross(p_W - middle.position));
    }
    const Pose end =
        model.is_linked(body) ? end_pose(model, work, body) : Pose{state.position[body], state.rotation[body]};
    return end.position + end.rotation * (middle.rotation.conjugate() * (p_W - middle.position));
  };
  const Vec3 half = 0.5 * contact.gap * contact.normal;
  return contact.normal.dot(carried(contact.body_b, contact.position + half) -
                            carried(contact.body_a, contact.position - half));
}

bool is_isotropic(const Vec3& inertia) { return inertia.x() == inertia.y() && inertia.y() == inertia.z(); }

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
    work.pose_m[body] = motion.at(state.time + (1.0 - theta) * h);
    work.kinematic_start[k] = motion.mean_twist(state.time + (0.5 - theta) * h, h);
    work.kinematic_end[k] = motion.mean_twist(end + (0.5 - theta) * h, h);
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

void free_velocities(const Model& model, const State& state, Workspace& work, const Parallel& parallel) {
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
}

namespace {

// `auto` leaves problems beyond this size to sweeps, and ends after so many iterations of its methods: a step of
// Newton's method costs as much as some hundred sweeps, and one more unconverged step is not worth a thousand times the
// others.
constexpr Index most_switched_unknowns = 600, most_switched_iterations = 300;

// Without rows that do not push: a joint stop that is not reached must not decide about the method.
Index unknowns(const ContactProblem& problem, const ContactSolution& solution) {
  const auto pushes = [](Real impulse) { return impulse != 0.0; };
  return problem.dimension * problem.contact_count +
         static_cast<Index>(std::count_if(solution.row_impulse.begin(), solution.row_impulse.end(), pushes));
}

SolveReport solve_contacts(const SolverOptions& chosen, Workspace& work, const Parallel& parallel) {
  NlgsOptions sweeps;
  sweeps.tolerance = chosen.tolerance;
  sweeps.dense_tolerance = *chosen.machine_tolerance;
  sweeps.max_iterations = chosen.max_iterations;
  sweeps.accelerated = chosen.kind != SolverKind::nlgs;
  // One sweep before any method: steps that only coast on carried impulses would let a bed at rest creep.
  if (!is_matrix_free(chosen.kind) && chosen.kind != SolverKind::automatic) sweeps.fixed_sweeps = 1;
  const SolveReport swept = solve_nlgs(work.problem, work.solution, work.nlgs, sweeps, parallel);
  if (is_matrix_free(chosen.kind)) return swept;
  if (chosen.kind == SolverKind::automatic && (swept.converged || !std::isfinite(swept.residual) ||
                                               unknowns(work.problem, work.solution) > most_switched_unknowns))
    return swept;

  LocalSolveOptions options;
  options.tolerance = chosen.tolerance;
  options.max_iterations = chosen.kind == SolverKind::automatic
                               ? std::min(chosen.max_iterations, most_switched_iterations)
                               : chosen.max_iterations;
  options.order = chosen.order;
  options.facets = chosen.facets;
  SolveReport solved = solve_assembled(work.problem, work.solution, chosen.kind, options, *chosen.machine_tolerance,
                                       work.assembled, work.nlgs.residual, parallel);
  solved.iterations += swept.iterations;
  return solved;
}

}  // namespace

Real activation_skin(const Model& model) { return model.contact.activation_skin * model.smallest_bound_radius; }

void solve(const Model& model, Workspace& work, StepReport& report, const Parallel& parallel) {
  const SolveReport solved = solve_contacts(model.solver, work, parallel);
  report.sweeps += solved.iterations;
  report.residual = solved.residual;
  report.residual_velocity = solved.max_velocity;
  report.residual_mechanism = solved.dense_velocity;
  report.converged = solved.converged;

  // The laws' terms are not velocities: what is left is u(n+1) as the bodies see it.
  work.end_velocity.resize(work.contacts.size());
  parallel.each(work.problem.contact_count, grain, [&](Index c) {
    work.end_velocity[c] = work.nlgs.residual.contact_velocity[c] -
                           (work.problem.shift[c] - work.kinematics.wall_end[c] - work.kinematics.drive_end[c]);
  });
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

void check(const Model& model, State& state, Workspace& work, bool recovered, StepReport& report,
           const Parallel& parallel) {
  const Real h = model.integrator.step, theta_h = model.integrator.theta * h;
  const auto contact_count = static_cast<Index>(work.contacts.size());

  // Energy through contacts: the work of r over the step is r.(u_n + u_{n+1})/2, exact for a constant mass matrix.
  // u = H v + w with w the walls' part, so the bodies receive r.(u - w).
  const ContactSums contacts = parallel.reduce<ContactSums>(
      contact_count, grain, {}, work.contact_sums,
      [&](Index begin, Index end) {
        ContactSums sum;
        for (Index c = begin; c < end; ++c) {
          const Vec3& r = work.solution.impulse[c];
          const Vec3& u_end = work.end_velocity[c];
          const Vec3 wall = 0.5 * (work.kinematics.wall_start[c] + work.kinematics.wall_end[c]);
          sum.dissipated -= r.dot(0.5 * (work.kinematics.start_velocity[c] + u_end));
          sum.work_external -= r.dot(wall);
          const ContactPoint& contact = work.contacts[c];
          Real gap = contact.gap + theta_h * u_end.x();
          if (recovered) gap += h * normal_velocity(work.problem, work.recovery.velocity, c);
          // The points of a machine move on curves, and what is left of them after the step is its penetration.
          if (model.is_linked(contact.body_a) || model.is_linked(contact.body_b))
            gap = end_gap(model, state, work, contact);
          const Real depth = std::max(0.0, -gap);
          sum.penetration_sum += depth;
          sum.penetration_max = std::max(sum.penetration_max, depth);
        }
        return sum;
      },
      [](const ContactSums& x, const ContactSums& y) {
        return ContactSums{x.dissipated + y.dissipated, x.work_external + y.work_external,
                           x.penetration_sum + y.penetration_sum, std::max(x.penetration_max, y.penetration_max)};
      });
  state.energy.dissipated_contact += contacts.dissipated;
  state.energy.work_external += contacts.work_external;
  report.penetration_sum = contacts.penetration_sum;
  report.penetration_max = contacts.penetration_max;

  const BodySums bodies = parallel.reduce<BodySums>(
      work.active, grain, {}, work.body_sums,
      [&](Index begin, Index end) {
        BodySums sum;
        for (Index i = begin; i < end; ++i) {
          const Vec3& x = state.position[i];
          const Vec3& v = state.velocity[i];
          if (!(x + v + state.angular_velocity[i]).allFinite() && sum.not_finite == no_index) sum.not_finite = i;
          if (recovered)
            sum.recovery -= h * model.mass[i] * model.gravity.dot(linear_of(work.problem, work.recovery.velocity, i));
          if (work.extent[i] > 0.0) sum.travel_max = std::max(sum.travel_max, h * v.norm() / work.extent[i]);
          sum.lost += is_inside_domain(model, x) ? 0 : 1;
        }
        return sum;
      },
      [](const BodySums& x, const BodySums& y) {
        return BodySums{x.recovery + y.recovery, std::max(x.travel_max, y.travel_max), x.lost + y.lost,
                        x.not_finite != no_index ? x.not_finite : y.not_finite};
      });
  state.energy.recovery += bodies.recovery;
  check_mechanisms(model, state, work, report);
  report.travel_max = bodies.travel_max;
  report.lost = bodies.lost;
  // Contacts that are not numbers may leave the bodies finite: the solver then keeps the impulses it was given.
  if (!std::isfinite(report.residual))
    throw NumericalError(fmt::format("the contact problem of step {} holds a number that is not finite", state.step));
  if (bodies.not_finite != no_index)
    throw NumericalError(fmt::format("body {} has a velocity or position that is not a number after step {}",
                                     bodies.not_finite, state.step));
}

}  // namespace grus
