// What holding a simulation in the hand costs.
//
//   facade_step         a step of the double pendulum by Simulation against the bare Stepper
//     bare_us, facade_us, added_us     of one step, the best of rounds taken in turns; added asked to be below 1 us
//   controller          the excavator at work, a controller of its joints in every step (1 kHz) against none
//     plain_ms, controlled_ms, part    of one step, the best of rounds taken in turns; part asked to be below 0.03
#include <benchmark/benchmark.h>

#include <algorithm>
#include <limits>

#include "core/timer.hpp"
#include "grus/simulation.hpp"
#include "integrators/stepper.hpp"
#include "multibody/make_scene.hpp"
#include "simulation/load_run.hpp"

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

void facade_step(benchmark::State& state) {
  const std::string path = "examples/double-pendulum/double-pendulum.yaml";
  const grus::CompiledScene scene = grus::make_scene(grus::load_run(path, "", {}, 1, {}));
  grus::Stepper stepper(scene.model, scene.initial, grus::Parallel(1));
  grus::Simulation simulation(path);
  constexpr int steps = 500, rounds = 20;
  double bare = never, facade = never;
  for (auto _ : state) {
    for (int round = 0; round < rounds; ++round) {
      const grus::Timer of_stepper;
      for (int k = 0; k < steps; ++k) stepper.step();
      bare = std::min(bare, of_stepper.seconds());
      const grus::Timer of_simulation;
      for (int k = 0; k < steps; ++k) simulation.step();
      facade = std::min(facade, of_simulation.seconds());
    }
  }
  state.counters["bare_us"] = 1e6 * bare / steps;
  state.counters["facade_us"] = 1e6 * facade / steps;
  state.counters["added_us"] = 1e6 * (facade - bare) / steps;
}
BENCHMARK(facade_step)->Iterations(1)->Unit(benchmark::kMillisecond);

void controller(benchmark::State& state) {
  grus::Simulation plain("examples/excavator/excavator.yaml");
  plain.advance(1.2);  // the bucket is in the pebbles
  const grus::SavedState start = plain.state();
  grus::Simulation controlled = plain.clone();
  const auto joints = static_cast<std::int32_t>(controlled.coordinate_names().size());
  // Looks at every joint and pushes with nothing, so that both make the same steps.
  controlled.before_step([joints](grus::Simulation& s) {
    for (std::int32_t k = 0; k < joints; ++k) s.add_joint_force(k, 0.0 * (s.joint_position(k) + s.joint_velocity(k)));
  });
  constexpr int steps = 40, rounds = 5;
  double without = never, with = never;
  for (auto _ : state) {
    for (int round = 0; round < rounds; ++round) {
      for (auto [simulation, best] : {std::pair{&plain, &without}, std::pair{&controlled, &with}}) {
        simulation->restore(start);
        simulation->step();  // finds its contacts again
        const grus::Timer timer;
        for (int k = 0; k < steps; ++k) simulation->step();
        *best = std::min(*best, timer.seconds());
      }
    }
  }
  state.counters["plain_ms"] = 1e3 * without / steps;
  state.counters["controlled_ms"] = 1e3 * with / steps;
  state.counters["part"] = with / without - 1.0;
}
BENCHMARK(controller)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
