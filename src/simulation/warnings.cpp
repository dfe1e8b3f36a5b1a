#include "simulation/warnings.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace grus {

namespace {
// A body that crosses more than this part of its radius in one step can pass through thin neighbours, and its
// contacts are found late.
constexpr Real poor_travel = 0.25;
// More unconverged steps than this part of the run are worth a word.
constexpr Real unconverged_part = 0.01;

// An error of the energy balance above this part of the energy turned over.
constexpr Real poor_balance_part = 0.01;
// Of the energies: what sums over many bodies lose to rounding. Less is no error, also where nothing moves.
constexpr Real rounding_part = 1e-12;

bool is_out_of_balance(const SummaryEnergy& e) {
  const Real size =
      std::abs(e.kinetic_start) + std::abs(e.potential_start) + std::abs(e.kinetic) + std::abs(e.potential);
  return std::abs(e.balance_error) > rounding_part * size && !(e.balance_error_part <= poor_balance_part);
}

std::string balance_words(const SummaryEnergy& e) {
  const Real kinetic = e.balance_error - e.balance_error_potential;
  const bool forces = std::abs(e.balance_error_potential) >= std::abs(kinetic);
  return fmt::format(
      "the energy balance does not close: {:.3g} J {}, {:.2g} % of the {:.3g} J turned over; likely causes: {}",
      std::abs(e.balance_error), e.balance_error > 0.0 ? "came from nowhere" : "are missing",
      100.0 * e.balance_error_part, e.turned_over,
      forces
          ? "a spring that is stiff for this time.step (it damps with implicit: true or integrator.theta 1, and can "
            "feed itself without), or a time.step that is too large for the motion in gravity"
          : "a machine or a body that turns far in one time.step (integrator.bias: midpoint keeps more of the energy "
            "than explicit), impacts on machines with loops, or joints between free bodies, which give way to the turn "
            "of a "
            "step");
}

std::string poor_contact_words(const ModelNames& names, const Statistics& statistics) {
  const Statistics::PoorContact poor = statistics.poor_contact();
  const auto name = [&](Index body) { return names.body[static_cast<std::size_t>(body)]; };
  return fmt::format(
      "the contact between {} and {} was off by {:.2g} m/s at t = {:.6g} s, where speeds at contacts were below {:.2g} "
      "m/s; {:.0f} of {:.0f} steps had a contact off by more than a tenth of that; likely causes: a solver.tolerance "
      "that is too loose or solver.max_iterations too few for what these two carry, or a body between walls that leave "
      "it no room",
      name(poor.body_a), name(poor.body_b), poor.velocity, poor.time, poor.speed, statistics.poor_contact_steps(),
      statistics.steps());
}

std::string jump_words(const CompiledScene& scene, const Statistics& statistics) {
  const PrescribedJump jump = statistics.first_jump();
  const std::string what =
      jump.body != no_index
          ? fmt::format("the motion of '{}'", scene.names.body[static_cast<std::size_t>(jump.body)])
          : fmt::format("the drive of '{}'", scene.names.mechanism[static_cast<std::size_t>(jump.mechanism)]
                                                 .coordinate[static_cast<std::size_t>(jump.coordinate)]);
  const std::string more = statistics.jumps() > 1 ? fmt::format(" ({:.0f} jumps in all)", statistics.jumps()) : "";
  return fmt::format(
      "{} jumps by {:.3g} {} at t = {:.6g} s{}: in that step it moves at {:.3g} {}/s, and forces are those of a blow "
      "that depends on time.step; a ramp over some steps moves it as fast as meant",
      what, jump.size, jump.turns ? "rad" : "m", jump.time, more, jump.size / scene.model.integrator.step,
      jump.turns ? "rad" : "m");
}

}  // namespace

std::vector<std::string> run_warnings(const CompiledScene& scene, const Statistics& statistics,
                                      const SummaryEnergy& energy) {
  const Model& model = scene.model;
  std::vector<std::string> warnings;
  const Real h = model.integrator.step;
  if (statistics.travel_max() > poor_travel)
    warnings.push_back(fmt::format(
        "poor time step: a body moved {:.2g} of its radius in one step; time.step {:.2g} s would keep it below {:.2g}",
        statistics.travel_max(), h * poor_travel / statistics.travel_max(), poor_travel));
  const Real depth = statistics.penetration_max() / model.smallest_bound_radius;
  if (depth > model.contact.penetration_warning)
    warnings.push_back(fmt::format(
        "large penetration: {:.3g} m, {:.2g} of the smallest grain's radius; likely causes: grains that overlap at the "
        "start, impacts at a large time.step, a solver.tolerance that is too loose, or contact.recovery_speed 0",
        statistics.penetration_max(), depth));
  if (statistics.lost() > 0)
    warnings.push_back(
        fmt::format("{:.0f} {} left the domain; likely causes: an open container, a wall thinner than the travel "
                    "of a grain in one step, or a domain that is too small",
                    statistics.lost(), statistics.lost() == 1.0 ? "body" : "bodies"));
  if (statistics.unconverged_steps() > unconverged_part * statistics.steps())
    warnings.push_back(fmt::format(
        "{:.0f} of {:.0f} steps did not reach solver.tolerance {:.2g} (worst residual {:.2g}) or, of mechanisms, "
        "solver.machine_tolerance {:.2g} m/s (worst {:.2g} m/s); likely causes: "
        "solver.max_iterations {} is too small for this many contacts, large mass ratios, or bodies that are squeezed "
        "between kinematic walls",
        statistics.unconverged_steps(), statistics.steps(), model.solver.tolerance, statistics.residual_max(),
        *model.solver.machine_tolerance, statistics.residual_mechanism_max(), model.solver.max_iterations));
  if (statistics.residual_mechanism_max() > *model.solver.machine_tolerance)
    warnings.push_back(
        fmt::format("in the worst step a contact or joint row of a mechanism is off by {:.2g} m/s, more than "
                    "solver.machine_tolerance {:.2g} m/s: forces on the machine are poor there; a larger "
                    "solver.max_iterations or a "
                    "smaller time.step may help",
                    statistics.residual_mechanism_max(), *model.solver.machine_tolerance));
  if (statistics.poor_contact_steps() > 0) warnings.push_back(poor_contact_words(scene.names, statistics));
  if (statistics.jumps() > 0) warnings.push_back(jump_words(scene, statistics));
  if (is_out_of_balance(energy)) warnings.push_back(balance_words(energy));
  return warnings;
}

std::vector<std::string> closing_words(const Summary& s) {
  std::vector<std::string> words;
  words.push_back(fmt::format("{} {:.6g} s in {} steps, {:.3g} s of wall time on {} thread{}.",
                              s.status == "done" ? "Simulated" : "Stopped after", s.t_end, s.steps, s.wall_s, s.threads,
                              s.threads == 1 ? "" : "s"));
  words.push_back(
      fmt::format("{} bodies, {:.0f} contacts on average (at most {}), {:.1f} sweeps a step, residual {:.2g} "
                  "in 99 % of steps (at most {:.2g}; the worst contact is off by {:.2g} m/s).",
                  s.bodies, s.contacts_mean, s.contacts_max, s.sweeps_mean, s.residual_p99, s.residual_max,
                  s.residual_velocity_max));
  if (s.residual_mechanism_max > 0.0)
    words.push_back(fmt::format(
        "The worst contact or joint row of a mechanism is off by {:.2g} m/s ({}).", s.residual_mechanism_max,
        std::isfinite(s.machine_tolerance) ? fmt::format("asked {:.2g} m/s", s.machine_tolerance) : "no bound asked"));
  words.push_back(fmt::format(
      "Penetration {:.2g} m on average, {:.2g} m at most. Energy: kinetic {:.4g} J, potential "
      "{:.4g} J, dissipated {:.4g} J, work of walls, drives and forces {:.4g} J, added by recovery {:.2g} J; "
      "the balance is off by {:.2g} J, {:.2g} % of the {:.4g} J turned over.",
      s.penetration_mean, s.penetration_max, s.energy.kinetic, s.energy.potential,
      s.energy.dissipated_contact + s.energy.dissipated_joint, s.energy.work_external, s.energy.recovery,
      s.energy.balance_error, 100.0 * s.energy.balance_error_part, s.energy.turned_over));
  if (s.loop_error_max > 0.0)
    words.push_back(
        fmt::format("Loops closed to {:.2g} m and {:.2g} m/s; the partition of coordinates changed {} times.",
                    s.loop_error_max, s.loop_velocity_max, s.partition_changes));
  if (s.condition_error_max > 0.0)
    words.push_back(fmt::format("Joints of the absolute lane drifted by up to {:.2g} m.", s.condition_error_max));
  for (const SummaryCheck& check : s.checks)
    words.push_back(
        fmt::format("{} {}: {:.6g}, expected {}.", check.pass ? "pass" : "FAIL", check.name, check.value, check.bound));
  for (const std::string& warning : s.warnings) words.push_back("warning: " + warning);
  return words;
}

std::map<std::string, Real> summary_totals(const Summary& s) {
  return {
      {"steps", static_cast<Real>(s.steps)},
      {"contacts_mean", s.contacts_mean},
      {"contacts_max", static_cast<Real>(s.contacts_max)},
      {"pairs_mean", s.pairs_mean},
      {"sweeps_mean", s.sweeps_mean},
      {"residual_p99", s.residual_p99},
      {"residual_max", s.residual_max},
      {"residual_velocity_max", s.residual_velocity_max},
      {"residual_mechanism_max", s.residual_mechanism_max},
      {"unconverged_steps", static_cast<Real>(s.unconverged_steps)},
      {"unconverged_fraction", static_cast<Real>(s.unconverged_steps) / std::max<Real>(1, static_cast<Real>(s.steps))},
      {"penetration_mean", s.penetration_mean},
      {"penetration_max", s.penetration_max},
      {"lost_bodies", static_cast<Real>(s.lost_bodies)},
      {"energy_recovery", s.energy.recovery},
      {"energy_dissipated", s.energy.dissipated_contact},
      {"energy_dissipated_joint", s.energy.dissipated_joint},
      {"energy_balance_error", s.energy.balance_error},
      {"energy_balance_error_part", s.energy.balance_error_part},
      {"recovery_residual_max", s.recovery_residual_max},
      {"recovery_left_max", s.recovery_left_max},
      {"loop_error_max", s.loop_error_max},
      {"condition_error_max", s.condition_error_max},
      {"partition_changes", static_cast<Real>(s.partition_changes)}};
}

}  // namespace grus
