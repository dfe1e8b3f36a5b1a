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

struct StepReport {
  std::array<Real, stage_count> seconds{};
  Index contacts = 0;  // points in the solved problem
  Index pairs = 0;     // touching pairs
  Index sweeps = 0;
  Index recovery_sweeps = 0;
  Real residual = 0.0;           // scaled natural map
  Real residual_velocity = 0.0;  // m/s, of the worst contact
  bool converged = true;
  Real penetration_max = 0.0;     // m, end of step
  Real penetration_sum = 0.0;     // m, over contact points
  Real travel_max = 0.0;          // largest h ||v|| over the bound radius of the body
  Index lost = 0;                 // released bodies outside the domain
  Real residual_mechanism = 0.0;  // m/s, of the worst contact or row of a mechanism
  Real loop_error = 0.0;          // m, largest opening of a loop at the end of the step
  Real loop_velocity = 0.0;       // m/s or rad/s, velocity of the loops opening there
  Real condition_error = 0.0;     // m, largest drift of a joint of the absolute lane
  Index partition_changes = 0;
};

}  // namespace grus
