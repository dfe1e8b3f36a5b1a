#include "integrators/jumps.hpp"

#include <cmath>

namespace grus {

namespace {

// Smaller leaps are rounding of the numbers in a formula: this part of the smallest grain, of the size of the machine,
// or of a radian.
constexpr Real least_jump_part = 1e-3;
// Halvings of the step; a continuous function that still changes as much in what is left would have moved by 1e7 times
// that in the step.
constexpr int jump_halvings = 24;

void note_jump(const FoundJump& jump, Index body, Index mechanism, Index coordinate, bool turns, StepReport& report) {
  ++report.jumps;
  if (std::abs(jump.size) <= std::abs(report.jump.size)) return;
  report.jump = {body, mechanism, coordinate, turns, jump.size, jump.time};
}

void find_wall_jumps(const Model& model, const Inputs& inputs, Real time, StepReport& report) {
  const Real h = model.integrator.step;
  const Real length = model.smallest_bound_radius > 0.0 ? model.smallest_bound_radius : 1.0;
  const Motion* last = nullptr;
  for (std::size_t k = 0; k < model.motion.size(); ++k) {
    const Motion& motion = model.motion[k];
    // the walls of a container share one motion
    const bool same = last != nullptr && last->displacement == motion.displacement && last->angle == motion.angle;
    last = &motion;
    if (same || motion.is_fixed()) continue;
    const Index body = model.kinematic_begin() + static_cast<Index>(k);
    for (const TimeFunctionPtr& displacement : motion.displacement) {
      if (!displacement) continue;
      if (const auto jump = find_jump(*displacement, time, time + h, least_jump_part * length, inputs))
        note_jump(*jump, body, no_index, no_index, false, report);
    }
    if (!motion.angle) continue;
    if (const auto jump = find_jump(*motion.angle, time, time + h, least_jump_part, inputs))
      note_jump(*jump, body, no_index, no_index, true, report);
  }
}

void find_drive_jumps(const Model& model, const Inputs& inputs, Real time, StepReport& report) {
  for (std::size_t d = 0; d < model.mechanisms.size(); ++d) {
    const Mechanism& mechanism = model.mechanisms[d];
    for (std::size_t k = 0; k < mechanism.coordinates.size(); ++k) {
      const Coordinate& coordinate = mechanism.coordinates[k];
      if (!coordinate.drive) continue;
      const Real length = mechanism.size > 0.0 ? mechanism.size : 1.0;
      const Real least = least_jump_part * (coordinate.is_slide ? length : 1.0);
      if (const auto jump = find_jump(*coordinate.drive, time, time + model.integrator.step, least, inputs))
        note_jump(*jump, no_index, static_cast<Index>(d), static_cast<Index>(k), !coordinate.is_slide, report);
    }
  }
}

}  // namespace

std::optional<FoundJump> find_jump(const TimeFunction& function, Real from, Real to, Real least, const Inputs& inputs) {
  Real at_from = function(from, inputs), at_to = function(to, inputs);
  for (int k = 0; k < jump_halvings && std::abs(at_to - at_from) > least; ++k) {
    const Real middle = 0.5 * (from + to);
    const Real at_middle = function(middle, inputs);
    if (std::abs(at_middle - at_from) >= std::abs(at_to - at_middle)) {
      to = middle;
      at_to = at_middle;
    } else {
      from = middle;
      at_from = at_middle;
    }
  }
  if (!(std::abs(at_to - at_from) > least)) return std::nullopt;
  return FoundJump{at_to - at_from, to};
}

void find_jumps(const Model& model, const Inputs& inputs, Real time, StepReport& report) {
  find_wall_jumps(model, inputs, time, report);
  find_drive_jumps(model, inputs, time, report);
}

}  // namespace grus
