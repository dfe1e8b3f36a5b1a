#include "model/inputs.hpp"

#include "model/model.hpp"
#include "model/state.hpp"

namespace grus {

void upcoming_inputs(const Model& model, const State& state, std::vector<Real>& values) {
  values = state.input;
  const Real end = static_cast<Real>(state.step + 1) * model.integrator.step;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (model.inputs[i].table) values[i] = (*model.inputs[i].table)(end);
}

void begin_inputs(const Model& model, State& state) {
  if (model.inputs.empty()) return;
  for (std::size_t i = 0; i < state.input.size(); ++i)
    state.input_rate[i] = (state.input_end[i] - state.input_start[i]) / model.integrator.step;
  upcoming_inputs(model, state, state.input_start);
  state.input_start.swap(state.input_end);
  state.input = state.input_end;
}

Inputs inputs_of_step(const State& state, Real h) {
  return {state.input_start, state.input_end, state.time, h, state.input_rate};
}

Inputs inputs_of_last_step(const State& state, Real h) {
  return {state.input_start, state.input_end, state.time - h, h, state.input_rate};
}

}  // namespace grus
