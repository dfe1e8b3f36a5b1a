// What a mechanism costs in a step: a plate on a bed, as the hand of an arm of six independent velocities with a closed
// loop, against the same plate as a free body. 30 sweeps a step in both, so that only the cost differs.
//
//   machine_cost/<side>/<layers>/<threads>   side^2 grains touch the plate
//     touching, bodies           contacts of the plate with the machine, grains
//     free_ms, machine_ms        of one whole step, the best of twenty
//     ratio                      asked to be below 1.5
#include <benchmark/benchmark.h>

#include "support/pressed_bed.hpp"

namespace {

void machine_cost(benchmark::State& state) {
  const auto side = static_cast<grus::Index>(state.range(0)), layers = static_cast<grus::Index>(state.range(1));
  grus::testing::CostOfAMachine cost;
  for (auto _ : state)
    cost = grus::testing::cost_of_a_machine(side, layers, 30, static_cast<int>(state.range(2)), 20, 3);
  state.counters["touching"] = cost.touching_machine;
  state.counters["bodies"] = side * side * layers;
  state.counters["free_ms"] = cost.free_ms;
  state.counters["machine_ms"] = cost.machine_ms;
  state.counters["ratio"] = cost.ratio();
}
BENCHMARK(machine_cost)
    ->ArgsProduct({{10, 22, 32}, {4, 10}, {1, 2}})
    ->ArgNames({"side", "layers", "threads"})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
