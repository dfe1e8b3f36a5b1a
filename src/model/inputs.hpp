// Named inputs of a scene: numbers that are set from outside while it runs, and that motions, drives, motors, forces
// and probes may use.
//
// A value that is set acts in the next step. Forces take it at once. What moves by it, a wall or a driven coordinate,
// goes there in a straight line over the step, so that it has a velocity. Where the scheme asks for times outside the
// step, the line goes on: before it with the slope of the last step, behind it with that of this one.
#pragma once

#include <span>
#include <vector>

#include "core/types.hpp"
#include "model/time_function.hpp"

namespace grus {

struct Model;
struct State;

// The inputs over one step.
struct Inputs {
  std::span<const Real> start, end;        // values at both ends of it
  Real begin = 0.0, length = 0.0;          // s
  std::span<const Real> rate_before = {};  // 1/s, in the step before; empty: zero

  std::size_t size() const { return end.size(); }
  Real at(std::size_t i, Real time) const {
    if (time == begin + length || start[i] == end[i]) return time < begin ? before(i, time) : end[i];
    if (time <= begin) return before(i, time);
    return start[i] + (time - begin) / length * (end[i] - start[i]);
  }

 private:
  Real before(std::size_t i, Real time) const {
    return rate_before.empty() ? start[i] : start[i] + (time - begin) * rate_before[i];
  }
};

// Held at `values`.
inline Inputs constant_inputs(std::span<const Real> values) { return {values, values, 0.0, 0.0}; }

struct Input {
  Real start = 0.0;       // value until another one is set
  Real lower, upper;      // what may be set
  TimeFunctionPtr table;  // instead of what is set; null: none
};

// The values at the end of the step that starts now.
void upcoming_inputs(const Model& model, const State& state, std::vector<Real>& values);

// First of a step: these values are taken into the State.
void begin_inputs(const Model& model, State& state);

// During a step, and after it.
Inputs inputs_of_step(const State& state, Real h);
Inputs inputs_of_last_step(const State& state, Real h);

}  // namespace grus
