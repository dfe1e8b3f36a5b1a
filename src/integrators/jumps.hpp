// Motions of walls and drives of machines that jump: a leap in one step is a velocity without bound for what it moves.
#pragma once

#include <optional>

#include "integrators/step_report.hpp"
#include "model/model.hpp"

namespace grus {

struct FoundJump {
  Real size;  // of the function, with its sign
  Real time;  // s
};

// A leap of more than `least` in [from, to] that does not shrink with the interval.
std::optional<FoundJump> find_jump(const TimeFunction& function, Real from, Real to, Real least,
                                   const Inputs& inputs = {});

// Of all motions and drives in the step from `time`; the largest of the step goes into the report, and their number.
// Inputs go from value to value within the step, and do not jump.
void find_jumps(const Model& model, const Inputs& inputs, Real time, StepReport& report);

}  // namespace grus
