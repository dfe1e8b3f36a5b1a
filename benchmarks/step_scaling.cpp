// The cost of a whole step on beds of equal depth, 5 000 to 100 000 spheres.
//
//   step/<spheres>/<threads>   exactly 20 sweeps a step, so that only the size changes:
//     ms, detect_ms, build_ms, solve_ms   per step
//     contacts                 points in the problem
//     ns_contact_sweep         solve time over contacts and sweeps, with its set-up
//     bytes_contact            growth of the process over contacts: bodies, neighbour lists, problem, solver
//     sweeps_1e3, residual     the same bed solved to 1e-3, reported beside it
//   scaling                    exponent of ms over the number of spheres, one thread
#include <benchmark/benchmark.h>

#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "exponent.hpp"
#include "support/rig.hpp"

namespace {

using namespace grus;
using grus::testing::Rig;

constexpr Index layers = 20;
constexpr Index fixed_sweeps = 20;

Spec bed_spec(Index spheres) {
  Spec spec = testing::bare_spec(5e-4, 0.5, 0.0);
  spec.law = ContactLawKind::gap;
  spec.integrator.theta = 1.0;
  spec.gravity = Vec3(0, 0, -9.81);
  spec.solver.tolerance = 1e-3;
  spec.solver.max_iterations = 500;
  const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<Real>(spheres) / layers)));
  const Real diameter = 0.01, width = diameter * static_cast<Real>(side) + 1e-4;
  testing::add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  for (const Real sign : {-1.0, 1.0}) {
    testing::add_plane(spec, Vec3(sign * width / 2, 0, 0), Vec3(-sign, 0, 0));
    testing::add_plane(spec, Vec3(0, sign * width / 2, 0), Vec3(0, -sign, 0));
  }
  GeneratorSpec grains;
  grains.kind = GeneratorSpec::Kind::lattice;
  grains.name = "grains";
  grains.material = "m";
  grains.shape = testing::sphere_shape(0.5 * diameter);
  grains.size.kind = SizeSpec::Kind::uniform;
  grains.size.min = 0.8 * diameter;
  grains.size.max = diameter;
  grains.box_min = Vec3(-width / 2, -width / 2, 1e-5);
  grains.box_max = Vec3(width / 2, width / 2, 1.2 * layers * diameter);
  grains.cells = {side, side, layers};
  grains.spacing = diameter;
  grains.jitter = 1.0;
  spec.generators.push_back(grains);
  return spec;
}

Real resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  Real pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * 4096.0;
}

struct Bed {
  std::unique_ptr<Rig> rig;
  Real bytes = 0.0, sweeps = 0.0, residual = 0.0;
};

// Collapsed from the lattice into a packing for 0.1 s; its last steps solved to 1e-3.
Bed& bed_of(Index spheres) {
  static std::map<Index, Bed> made;
  Bed& bed = made[spheres];
  if (bed.rig) return bed;
  const Real before = resident_bytes();
  bed.rig = std::make_unique<Rig>(bed_spec(spheres), 2);
  Model& model = bed.rig->scene.model;
  model.solver.max_iterations = fixed_sweeps;
  for (int k = 0; k < 200; ++k) bed.rig->step();
  model.solver.max_iterations = 500;
  constexpr int measured = 5;
  for (int k = 0; k < measured; ++k) {
    bed.rig->step();
    bed.sweeps += static_cast<Real>(bed.rig->report.sweeps) / measured;
    bed.residual = std::max(bed.residual, bed.rig->report.residual);
  }
  bed.bytes = resident_bytes() - before;
  return bed;
}

std::map<Index, Real> one_thread_ms;

void step(benchmark::State& state) {
  const auto spheres = static_cast<Index>(state.range(0));
  Bed& bed = bed_of(spheres);
  Rig& rig = *bed.rig;
  rig.parallel = Parallel(static_cast<int>(state.range(1)));
  rig.scene.model.solver.max_iterations = fixed_sweeps;
  rig.scene.model.solver.tolerance = 1e-14;
  StepReport sum;
  Real contacts = 0, total = 0;
  for (auto _ : state) {
    rig.step();
    for (int s = 0; s < stage_count; ++s) sum.seconds[s] += rig.report.seconds[s];
    contacts += rig.report.contacts;
  }
  const auto steps = static_cast<Real>(state.iterations());
  for (const Real seconds : sum.seconds) total += seconds;
  const auto ms = [&](Stage stage) { return 1e3 * sum.seconds[static_cast<int>(stage)] / steps; };
  state.counters["ms"] = 1e3 * total / steps;
  state.counters["detect_ms"] = ms(Stage::detect);
  state.counters["build_ms"] = ms(Stage::build) + ms(Stage::match);
  state.counters["solve_ms"] = ms(Stage::solve);
  state.counters["contacts"] = contacts / steps;
  state.counters["ns_contact_sweep"] = 1e6 * ms(Stage::solve) / (contacts / steps * fixed_sweeps);
  state.counters["bytes_contact"] = bed.bytes / (contacts / steps);
  state.counters["sweeps_1e3"] = bed.sweeps;
  state.counters["residual"] = bed.residual;
  if (state.range(1) == 1) one_thread_ms[spheres] = 1e3 * total / steps;
}
BENCHMARK(step)
    ->ArgsProduct({{5000, 20000, 50000, 100000}, {1, 2}})
    ->ArgNames({"spheres", "threads"})
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);

void scaling(benchmark::State& state) {
  for (auto _ : state) state.counters["exponent"] = exponent_of(one_thread_ms);
}
BENCHMARK(scaling)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
