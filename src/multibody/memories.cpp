#include "multibody/memories.hpp"

#include "multibody/reduction.hpp"

namespace grus {

namespace {

// Times are whole steps and may miss the moment by rounding: as in the number of steps of a run.
constexpr Real part_of_a_step = 1e-6;

}  // namespace

void remember(const Mechanism& mechanism, const IntegratorOptions& integrator, Real before, Real now, State& state,
              std::vector<Real>& values) {
  if (mechanism.memories.empty()) return;
  coordinate_values(mechanism, now, positions(mechanism, state), velocities(mechanism, state), state.input_end, values);
  for (std::size_t i = 0; i < mechanism.memories.size(); ++i) {
    const Memory& memory = mechanism.memories[i];
    if (before >= memory.time - part_of_a_step * integrator.step) continue;
    state.memory[static_cast<std::size_t>(mechanism.first_memory) + i] = (*memory.of)(values);
  }
}

}  // namespace grus
