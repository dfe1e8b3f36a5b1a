#include "contact/recovery.hpp"

#include <algorithm>
#include <utility>

#include "core/grow.hpp"

namespace grus {

namespace {
// Recovery is a correction of positions that is repeated every step: a rough solution is enough, and a bound on
// the sweeps keeps it a small part of the cost.
constexpr Real recovery_tolerance = 1e-2;
constexpr Index recovery_sweeps = 50;
}  // namespace

RecoveryReport recover_penetration(const Model& model, std::span<const ContactPoint> contacts,
                                   std::span<const Vec3> contact_velocity, ContactProblem& problem,
                                   RecoveryScratch& scratch, NlgsScratch& nlgs, const Parallel& parallel) {
  const Real h = model.integrator.step;
  const Real theta_h = model.integrator.theta * h;
  const Real speed = model.contact.recovery_speed;
  const Real slop = model.contact.recovery_slop * model.smallest_bound_radius;
  RecoveryReport report;
  if (speed <= 0.0) return report;

  const std::size_t count = contacts.size();
  scratch.shift.resize(count);
  bool deep = false;
  for (std::size_t c = 0; c < count; ++c) {
    const Real end_gap = contacts[c].gap + theta_h * contact_velocity[c].x() + slop;
    deep = deep || end_gap < 0.0;
    scratch.shift[c] = Vec3(std::max(end_gap / h, -speed), 0.0, 0.0);
  }
  if (!deep) return report;

  assign_with_room(scratch.friction, count, 0.0);
  scratch.rest.assign(problem.free_velocity.size(), 0.0);
  assign_with_room<Vec3>(scratch.solution.impulse, count, Vec3::Zero());

  const auto exchange = [&] {
    std::swap(problem.shift, scratch.shift);
    std::swap(problem.friction, scratch.friction);
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
