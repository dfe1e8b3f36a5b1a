// The cost of a step in settled beds of stones of equal depth: 500, 2000, 5000 and 20 000 convex polyhedra of 25
// vertices, sieve sizes 31.5 to 50 mm. The same stones every time: a bed is made on first use and kept in the working
// folder's ballast-beds (it depends on the program, as in simulation/provide_beds.hpp). 20 000 stones are the bed of
// 5000 beside its own copies, 2 x 2 with walls between: the same contacts four times over, made in no time.
//
//   ballast/<stones>/<threads>         to a residual of 1e-4, warm from the step before:
//     ms, detect_ms, build_ms, solve_ms, recover_ms      per step
//     sweeps, residual                 mean; largest
//     contacts, pairs                  points in the problem; touching pairs
//     penetration_max                  part of the mean stone
//     ns_contact_sweep                 solve time, with all it does, over contacts and sweeps
//     megabytes                        growth of the process by the bed
//   fixed/<stones>/<threads>           exactly 20 sweeps a step, so that only the size changes
//   scaling                            exponent of the fixed ms over the number of stones from 2000 up, one thread
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "simulation/provide_beds.hpp"
#include "support/rig.hpp"

namespace {

using namespace grus;
using grus::testing::Rig;

constexpr Index fixed_sweeps = 20;
constexpr Real cell = 0.0405;  // m, of the lattice in which stones grow
constexpr Index layers = 10;   // of it: the depth of every bed
constexpr Index tiled = 20000;
constexpr Real between = 0.1;  // m, thickness of the walls between tiles

// Cells along x and y; layers of them are the stones.
std::pair<Index, Index> floor_of(Index stones) {
  switch (stones) {
    case 500:
      return {10, 5};
    case 2000:
      return {20, 10};
    default:
      return {25, 20};
  }
}

void add_box(Spec& spec, const Vec3& low, const Vec3& high) {
  testing::add_plane(spec, low, Vec3(0, 0, 1));
  testing::add_plane(spec, low, Vec3(1, 0, 0));
  testing::add_plane(spec, low, Vec3(0, 1, 0));
  testing::add_plane(spec, high, Vec3(-1, 0, 0));
  testing::add_plane(spec, high, Vec3(0, -1, 0));
}

Spec bare_ballast() {
  Spec spec = testing::bare_spec(5e-4, 0.7, 0.0);
  spec.gravity = Vec3(0, 0, -9.81);
  spec.contact.recovery_speed = 0.2;
  spec.solver.tolerance = 1e-4;
  return spec;
}

// The scene that makes the bed.
Spec maker(Index stones) {
  Spec spec = bare_ballast();
  spec.solver.tolerance = 1e-3;
  const auto [nx, ny] = floor_of(stones);
  add_box(spec, Vec3::Zero(), Vec3(nx * cell, ny * cell, 0));
  GeneratorSpec grains;
  grains.kind = GeneratorSpec::Kind::lattice;
  grains.name = "stone";
  grains.material = "m";
  grains.stone.emplace();
  grains.random_rotation = true;
  grains.size.kind = SizeSpec::Kind::sieve;
  grains.size.points = {{0.0315, 0.0}, {0.04, 0.5}, {0.05, 1.0}};
  grains.cells = {nx, ny, layers};
  grains.spacing = cell;
  spec.generators.push_back(grains);
  spec.settle.emplace();
  spec.settle->growth_from = 0.25;
  spec.settle->growth_time = 0.3;
  // what tells one of these beds from another, for its kept file
  spec.hash = static_cast<std::uint64_t>(stones);
  spec.file = "ballast";
  return spec;
}

std::shared_ptr<const Bed> bed_of(Index stones) {
  static std::map<Index, std::shared_ptr<const Bed>> made;
  std::shared_ptr<const Bed>& bed = made[stones];
  if (!bed) {
    setenv("GRUS_CACHE", "ballast-beds", 0);
    const SettleCallbacks callbacks{{}, [](const std::string& line) { std::cerr << line << "\n"; }, {}};
    bed = keep_or_make_bed(maker(stones), 2, callbacks);
  }
  return bed;
}

Real resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  Real pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * 4096.0;
}

struct Ballast {
  std::unique_ptr<Rig> rig;
  Real bytes = 0.0, mean_size = 0.0;
};

Ballast& ballast_of(Index stones) {
  static std::map<Index, Ballast> made;
  Ballast& ballast = made[stones];
  if (ballast.rig) return ballast;
  const Index source = stones == tiled ? 5000 : stones;
  const std::shared_ptr<const Bed> bed = bed_of(source);
  const auto [nx, ny] = floor_of(source);
  const Real before = resident_bytes();
  Spec spec = bare_ballast();
  const int tiles = stones == tiled ? 2 : 1;
  for (int i = 0; i < tiles; ++i) {
    for (int j = 0; j < tiles; ++j) {
      GeneratorSpec grains;
      grains.kind = GeneratorSpec::Kind::bed;
      grains.name = "stone" + std::to_string(2 * i + j);
      grains.material = "m";
      grains.bed = bed;
      grains.bed_position = Vec3(i * (nx * cell + between), j * (ny * cell + between), 0);
      spec.generators.push_back(grains);
    }
  }
  const Real width = tiles * nx * cell + (tiles - 1) * between, depth = tiles * ny * cell + (tiles - 1) * between;
  add_box(spec, Vec3::Zero(), Vec3(width, depth, 0));
  if (tiles == 2) {
    constexpr Real high = 4.0;
    for (const Vec3& size : {Vec3(between, 2.0 * depth, high), Vec3(2.0 * width, between, high)}) {
      BodySpec& wall = testing::add_body(spec, testing::box_shape(size), Vec3(0.5 * width, 0.5 * depth, 0));
      wall.role = BodyRole::fixed;
    }
  }
  for (const BedStone& stone : bed->stones) ballast.mean_size += stone.scale / static_cast<Real>(bed->stones.size());
  ballast.rig = std::make_unique<Rig>(spec, 2);
  // the first steps find the forces
  for (int k = 0; k < 30; ++k) ballast.rig->step();
  ballast.bytes = resident_bytes() - before;
  return ballast;
}

struct Sums {
  std::array<Real, stage_count> seconds{};
  Real contacts = 0, pairs = 0, sweeps = 0, residual = 0, penetration = 0;
  void add(const StepReport& report) {
    for (int s = 0; s < stage_count; ++s) seconds[s] += report.seconds[s];
    contacts += report.contacts;
    pairs += report.pairs;
    sweeps += report.sweeps;
    residual = std::max(residual, report.residual);
    penetration = std::max(penetration, report.penetration_max);
  }
};

std::map<Index, Real> one_thread_ms;

void run_steps(benchmark::State& state, Real tolerance, Index most_sweeps) {
  const auto stones = static_cast<Index>(state.range(0));
  Ballast& ballast = ballast_of(stones);
  Rig& rig = *ballast.rig;
  rig.parallel = Parallel(static_cast<int>(state.range(1)));
  rig.scene.model.solver.tolerance = tolerance;
  rig.scene.model.solver.max_iterations = most_sweeps;
  Sums sums;
  for (auto _ : state) {
    rig.step();
    sums.add(rig.report);
  }
  const auto steps = static_cast<Real>(state.iterations());
  Real total = 0;
  for (const Real seconds : sums.seconds) total += seconds;
  const auto ms = [&](Stage stage) { return 1e3 * sums.seconds[static_cast<int>(stage)] / steps; };
  state.counters["ms"] = 1e3 * total / steps;
  state.counters["detect_ms"] = ms(Stage::detect);
  state.counters["build_ms"] = ms(Stage::build) + ms(Stage::match);
  state.counters["solve_ms"] = ms(Stage::solve);
  state.counters["recover_ms"] = ms(Stage::recover);
  state.counters["sweeps"] = sums.sweeps / steps;
  state.counters["residual"] = sums.residual;
  state.counters["contacts"] = sums.contacts / steps;
  state.counters["pairs"] = sums.pairs / steps;
  state.counters["penetration_max"] = sums.penetration / ballast.mean_size;
  state.counters["ns_contact_sweep"] =
      1e6 * ms(Stage::solve) * steps * steps / std::max(1.0, sums.contacts * sums.sweeps);
  state.counters["megabytes"] = 1e-6 * ballast.bytes;
  if (most_sweeps == fixed_sweeps && state.range(1) == 1 && stones >= 2000) one_thread_ms[stones] = 1e3 * total / steps;
}

void ballast(benchmark::State& state) { run_steps(state, 1e-4, 10000); }
void fixed(benchmark::State& state) { run_steps(state, 1e-14, fixed_sweeps); }

BENCHMARK(ballast)
    ->ArgsProduct({{500, 2000, 5000, tiled}, {1, 2}})
    ->ArgNames({"stones", "threads"})
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(fixed)
    ->ArgsProduct({{500, 2000, 5000, tiled}, {1, 2}})
    ->ArgNames({"stones", "threads"})
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);

// Least squares of log ms over log stones.
void scaling(benchmark::State& state) {
  Real n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (auto _ : state) {
    for (const auto& [stones, ms] : one_thread_ms) {
      const Real x = std::log(static_cast<Real>(stones)), y = std::log(ms);
      n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
  }
  state.counters["exponent"] = (n * sxy - sx * sy) / (n * sxx - sx * sx);
}
BENCHMARK(scaling)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
