// What one step says about itself.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/types.hpp"

namespace grus {

// Stages with their own clock, in the order of the step.
enum class Stage : std::uint8_t {
  drivers,
  predict,
  forces,
  detect,
  match,
  build,
  solve,
  advance,
  recover,
  check,
  output
};
inline constexpr int stage_count = 11;
inline constexpr std::array<std::string_view, stage_count> stage_names{
    "drivers", "predict", "forces", "detect", "match", "build", "solve", "advance", "recover", "check", "output"};

// A leap of a prescribed function of time: the motion of a wall, or the drive of a coordinate.
struct PrescribedJump {
  Index body = no_index;                              // of a motion
  Index mechanism = no_index, coordinate = no_index;  // of a drive
  bool turns = false;
  Real size = 0.0;  // m or rad
  Real time = 0.0;  // s
};

struct StepReport {
  Real time = 0.0;  // s, at the end of the step
  std::array<Real, stage_count> seconds{};
  Index contacts = 0;  // points in the solved problem
  Index pairs = 0;     // touching pairs
  Index sweeps = 0;
  Index recovery_sweeps = 0;
  Real recovery_residual = 0.0;  // scaled natural map of the removal of penetration
  Real recovery_left = 0.0;      // m, what the worst contact was not moved in this step and should have been
  Real residual = 0.0;           // scaled natural map
  Real residual_velocity = 0.0;  // m/s, of the worst contact
  bool converged = true;
  // By find_end_contacts: over the contact points that are found at the end of the step.
  Index penetration_points = 0;
  Real penetration_max = 0.0;  // m
  Real penetration_sum = 0.0;  // m

  // Of the worst contact when it is off by more than a tenth of the speeds at contacts of the step.
  Index poor_body_a = no_index, poor_body_b = no_index;
  Real poor_velocity = 0.0;       // m/s, what it is off by; 0: no contact is
  Real poor_speed = 0.0;          // m/s, the largest of these
  Real travel_max = 0.0;          // largest h ||v|| over the bound radius of the body
  Index lost = 0;                 // released bodies outside the domain
  Real residual_mechanism = 0.0;  // m/s, of the worst contact or row of a mechanism
  Real loop_error = 0.0;          // m, largest opening of a loop at the end of the step
  Real loop_velocity = 0.0;       // m/s or rad/s, velocity of the loops opening there
  Real condition_error = 0.0;     // m, largest drift of a joint of the absolute lane
  Index partition_changes = 0;
  Index jumps = 0;      // of motions and drives in the step
  PrescribedJump jump;  // the largest of them
};

}  // namespace grus
