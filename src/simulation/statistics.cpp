#include "simulation/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace grus {

void Statistics::add(const StepReport& report) {
  steps_ += 1;
  contacts_sum_ += report.contacts;
  contacts_max_ = std::max(contacts_max_, static_cast<Real>(report.contacts));
  pairs_sum_ += report.pairs;
  sweeps_sum_ += report.sweeps;
  residual_max_ = std::max(residual_max_, report.residual);
  residual_velocity_max_ = std::max(residual_velocity_max_, report.residual_velocity);
  residual_mechanism_max_ = std::max(residual_mechanism_max_, report.residual_mechanism);
  loop_error_max_ = std::max(loop_error_max_, report.loop_error);
  loop_velocity_max_ = std::max(loop_velocity_max_, report.loop_velocity);
  condition_error_max_ = std::max(condition_error_max_, report.condition_error);
  partition_changes_ += report.partition_changes;
  unconverged_ += report.converged ? 0 : 1;
  penetration_sum_ += report.penetration_sum;
  penetration_max_ = std::max(penetration_max_, report.penetration_max);
  points_sum_ += report.penetration_points;
  recovery_residual_max_ = std::max(recovery_residual_max_, report.recovery_residual);
  recovery_left_max_ = std::max(recovery_left_max_, report.recovery_left);
  if (report.poor_velocity > 0.0) poor_steps_ += 1;
  if (report.poor_velocity > poor_[2])
    poor_ = {static_cast<Real>(report.poor_body_a), static_cast<Real>(report.poor_body_b), report.poor_velocity,
             report.poor_speed, report.time};
  if (report.jumps > 0 && jumps_ == 0) {
    const PrescribedJump& j = report.jump;
    jump_ = {static_cast<Real>(j.body),
             static_cast<Real>(j.mechanism),
             static_cast<Real>(j.coordinate),
             j.turns ? 1.0 : 0.0,
             j.size,
             j.time};
  }
  jumps_ += report.jumps;
  travel_max_ = std::max(travel_max_, report.travel_max);
  lost_ = std::max(lost_, static_cast<Real>(report.lost));
  for (int s = 0; s < stage_count; ++s) stage_seconds_[s] += report.seconds[s];
  const Real decades = report.residual > 0.0 ? std::log10(report.residual) - lowest_decade : 0.0;
  const int bin = std::clamp(static_cast<int>(decades * bins_per_decade), 0, bin_count - 1);
  residual_bins_[bin] += 1;
}

Real Statistics::residual_quantile(Real part) const {
  Real below = 0.0;
  for (int bin = 0; bin < bin_count; ++bin) {
    below += residual_bins_[bin];
    if (below < part * steps_ || below == 0.0) continue;
    if (bin == 0) return 0.0;
    const Real edge = std::pow(10.0, lowest_decade + static_cast<Real>(bin + 1) / bins_per_decade);
    return std::min(edge, residual_max_);
  }
  return residual_max_;
}

template <class Self, class Visit>
void Statistics::visit(Self& self, const Visit& visit) {
  visit("wall", std::span(&self.wall_, 1));
  visit("steps", std::span(&self.steps_, 1));
  visit("contacts_sum", std::span(&self.contacts_sum_, 1));
  visit("contacts_max", std::span(&self.contacts_max_, 1));
  visit("pairs_sum", std::span(&self.pairs_sum_, 1));
  visit("sweeps_sum", std::span(&self.sweeps_sum_, 1));
  visit("residual_max", std::span(&self.residual_max_, 1));
  visit("residual_velocity_max", std::span(&self.residual_velocity_max_, 1));
  visit("residual_mechanism_max", std::span(&self.residual_mechanism_max_, 1));
  visit("loop_error_max", std::span(&self.loop_error_max_, 1));
  visit("loop_velocity_max", std::span(&self.loop_velocity_max_, 1));
  visit("condition_error_max", std::span(&self.condition_error_max_, 1));
  visit("partition_changes", std::span(&self.partition_changes_, 1));
  visit("unconverged", std::span(&self.unconverged_, 1));
  visit("penetration_sum", std::span(&self.penetration_sum_, 1));
  visit("penetration_max", std::span(&self.penetration_max_, 1));
  visit("points_sum", std::span(&self.points_sum_, 1));
  visit("recovery_residual_max", std::span(&self.recovery_residual_max_, 1));
  visit("recovery_left_max", std::span(&self.recovery_left_max_, 1));
  visit("poor_steps", std::span(&self.poor_steps_, 1));
  visit("poor_contact", std::span(self.poor_));
  visit("jumps", std::span(&self.jumps_, 1));
  visit("first_jump", std::span(self.jump_));
  visit("travel_max", std::span(&self.travel_max_, 1));
  visit("lost", std::span(&self.lost_, 1));
  visit("stage_seconds", std::span(self.stage_seconds_));
  visit("residual_bins", std::span(self.residual_bins_));
}

void Statistics::save(std::map<std::string, std::vector<double>>& fields) const {
  visit(*this, [&](const char* name, std::span<const Real> values) {
    fields[std::string("statistics.") + name].assign(values.begin(), values.end());
  });
}

void Statistics::load(const std::map<std::string, std::vector<double>>& fields) {
  visit(*this, [&](const char* name, std::span<Real> values) {
    const auto found = fields.find(std::string("statistics.") + name);
    if (found == fields.end() || found->second.size() != values.size()) return;
    std::copy(found->second.begin(), found->second.end(), values.begin());
  });
}

}  // namespace grus
