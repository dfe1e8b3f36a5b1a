#include "contact/recovery.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/grow.hpp"

namespace grus {

namespace {
// Recovery is a correction of positions that is repeated every step: a rough solution is enough, and a bound on
// the sweeps keeps it a small part of the cost.
constexpr Real recovery_tolerance = 1e-2;
constexpr Index recovery_sweeps = 50;

// Shifts and bounds of the scalar rows; true when a limit was passed.
bool set_rows(const RecoveryInput& input, Real speed, RecoveryScratch& scratch) {
  const Real h = input.model.integrator.step, theta_h = input.model.integrator.theta * h;
  const std::size_t count = input.rows.size();
  scratch.row_shift.resize(count);
  scratch.row_lower.resize(count);
  scratch.row_upper.resize(count);
  bool passed = false;
  for (std::size_t r = 0; r < count; ++r) {
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    const JointRow& row = input.rows[r];
    const bool is_condition = row.kind == JointRow::Kind::condition;
    const bool is_friction = row.kind == JointRow::Kind::friction;
    scratch.row_lower[r] = is_condition ? -infinity : 0.0;
    scratch.row_upper[r] = is_friction ? 0.0 : infinity;
    scratch.row_shift[r] = 0.0;
    if (is_condition || is_friction) continue;
    const Real end_gap = row.gap + theta_h * input.row_velocity[r];
    passed = passed || end_gap < 0.0;
    scratch.row_shift[r] = std::max(end_gap / h, -speed);
  }
  return passed;
}

}  // namespace

RecoveryReport recover_penetration(const RecoveryInput& input, ContactProblem& problem, RecoveryScratch& scratch,
                                   NlgsScratch& nlgs, const Parallel& parallel) {
  const Model& model = input.model;
  const Real h = model.integrator.step;
  const Real theta_h = model.integrator.theta * h;
  const Real speed = model.contact.recovery_speed;
  const Real slop = model.contact.recovery_slop * model.smallest_bound_radius;
  RecoveryReport report;
  if (speed <= 0.0) return report;

  const std::size_t count = input.contacts.size();
  scratch.shift.resize(count);
  bool deep = set_rows(input, speed, scratch);
  for (std::size_t c = 0; c < count; ++c) {
    const Real end_gap = input.contacts[c].gap + theta_h * input.contact_velocity[c].x() + slop;
    deep = deep || end_gap < 0.0;
    scratch.shift[c] = Vec3(std::max(end_gap / h, -speed), 0.0, 0.0);
  }
  if (!deep) return report;

  assign_with_room(scratch.friction, count, 0.0);
  scratch.rest.assign(problem.free_velocity.size(), 0.0);
  assign_with_room<Vec3>(scratch.solution.impulse, count, Vec3::Zero());
  assign_with_room(scratch.solution.row_impulse, input.rows.size(), 0.0);

  const auto exchange = [&] {
    std::swap(problem.shift, scratch.shift);
    std::swap(problem.friction, scratch.friction);
    std::swap(problem.row_shift, scratch.row_shift);
    std::swap(problem.row_lower, scratch.row_lower);
    std::swap(problem.row_upper, scratch.row_upper);
    std::swap(problem.free_velocity, scratch.rest);
  };
  exchange();
  NlgsOptions options;
  options.tolerance = recovery_tolerance;
  options.max_iterations = recovery_sweeps;
  const SolveReport solved = solve_nlgs(problem, scratch.solution, nlgs, options, parallel);
  exchange();
  report.applied = true;
  report.iterations = solved.iterations;
  return report;
}

}  // namespace grus
