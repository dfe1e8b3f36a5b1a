// What a run remembers of its steps, for summary.json. Saved in checkpoints, so a resumed run sums up the whole.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "integrators/step_report.hpp"

namespace grus {

class Statistics {
 public:
  void add(const StepReport& report);
  void add_output_seconds(Real seconds) { stage_seconds_[static_cast<int>(Stage::output)] += seconds; }
  void set_wall(Real seconds) { wall_ = seconds; }

  Real wall() const { return wall_; }
  Real steps() const { return steps_; }
  Real contacts_mean() const { return mean(contacts_sum_); }
  Real contacts_max() const { return contacts_max_; }
  Real pairs_mean() const { return mean(pairs_sum_); }
  Real sweeps_mean() const { return mean(sweeps_sum_); }
  Real residual_max() const { return residual_max_; }
  Real residual_velocity_max() const { return residual_velocity_max_; }
  // Upper edge of the histogram bin that holds the quantile: at most 3.7 % too high.
  Real residual_quantile(Real part) const;
  Real unconverged_steps() const { return unconverged_; }
  Real penetration_mean() const { return points_sum_ > 0 ? penetration_sum_ / points_sum_ : 0.0; }
  Real penetration_max() const { return penetration_max_; }
  Real recovery_residual_max() const { return recovery_residual_max_; }
  Real recovery_left_max() const { return recovery_left_max_; }
  // Steps with a contact that is far off against the speeds of the step (StepReport::poor_velocity), and the worst.
  struct PoorContact {
    Index body_a = no_index, body_b = no_index;
    Real velocity = 0.0, speed = 0.0;  // m/s
    Real time = 0.0;                   // s
  };
  Real poor_contact_steps() const { return poor_steps_; }
  PoorContact poor_contact() const {
    return {static_cast<Index>(poor_[0]), static_cast<Index>(poor_[1]), poor_[2], poor_[3], poor_[4]};
  }
  // Of motions and drives, and the first of them.
  Real jumps() const { return jumps_; }
  PrescribedJump first_jump() const {
    return {static_cast<Index>(jump_[0]),
            static_cast<Index>(jump_[1]),
            static_cast<Index>(jump_[2]),
            jump_[3] != 0.0,
            jump_[4],
            jump_[5]};
  }
  Real travel_max() const { return travel_max_; }
  Real lost() const { return lost_; }  // largest number seen at once
  Real residual_mechanism_max() const { return residual_mechanism_max_; }
  Real loop_error_max() const { return loop_error_max_; }
  Real loop_velocity_max() const { return loop_velocity_max_; }
  Real condition_error_max() const { return condition_error_max_; }
  Real partition_changes() const { return partition_changes_; }
  const std::array<Real, stage_count>& stage_seconds() const { return stage_seconds_; }

  // To and from the named arrays of a checkpoint.
  void save(std::map<std::string, std::vector<double>>& fields) const;
  void load(const std::map<std::string, std::vector<double>>& fields);

 private:
  // Residuals in 64 bins per decade from 1e-18 to 1e2.
  static constexpr int bins_per_decade = 64;
  static constexpr int lowest_decade = -18;
  static constexpr int bin_count = 20 * bins_per_decade;

  Real mean(Real sum) const { return steps_ > 0 ? sum / steps_ : 0.0; }
  template <class Self, class Visit>
  static void visit(Self& self, const Visit& visit);

  Real wall_ = 0, steps_ = 0, contacts_sum_ = 0, contacts_max_ = 0, pairs_sum_ = 0, sweeps_sum_ = 0;
  Real residual_max_ = 0, unconverged_ = 0, penetration_sum_ = 0, penetration_max_ = 0, travel_max_ = 0, lost_ = 0;
  Real points_sum_ = 0, recovery_residual_max_ = 0, recovery_left_max_ = 0, poor_steps_ = 0;
  std::array<Real, 5> poor_{no_index, no_index, 0, 0, 0};  // as PoorContact
  Real jumps_ = 0;
  std::array<Real, 6> jump_{no_index, no_index, no_index, 0, 0, 0};  // as PrescribedJump
  Real residual_velocity_max_ = 0, residual_mechanism_max_ = 0;
  Real loop_error_max_ = 0, loop_velocity_max_ = 0, condition_error_max_ = 0, partition_changes_ = 0;
  std::array<Real, stage_count> stage_seconds_{};
  std::array<Real, bin_count> residual_bins_{};
};

}  // namespace grus
