// The cost of a step in settled beds of stones of equal depth (ballast_beds.hpp).
//
//   ballast/<stones>/<threads>         to a residual of 1e-4, warm from the step before:
//     ms, detect_ms, build_ms, solve_ms, recover_ms      per step
//     sweeps, residual                 median; largest
//     contacts, pairs                  points in the problem; touching pairs
//     penetration_mean, _max           parts of the mean stone
//     ns_contact_sweep                 solve time, with all it does, over contacts and sweeps
//     found_over_30                    detection and building over 30 sweeps with all that the solver does
//     found_over_30_bare               the same over 30 bare sweeps: no set-up, no residual
//     megabytes                        of the process, grown by the bed
//   fixed/<stones>/<threads>           exactly 20 sweeps a step, so that only the size changes; the same columns
//   scaling                            exponent of the fixed ms over the number of stones from 2000 up, one thread
//   both_cores/<stones>                20 sweeps a step: two_runs_ms of two runs of one thread each, side by side;
//                                      two_threads_ms of one run on two threads; throughput: of these over those
//
// Every run makes the same steps from the same state several times. Times are minima over these repeats, step by step
// and stage by stage: the computer may have other work to do.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <fstream>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "ballast_beds.hpp"
#include "core/timer.hpp"
#include "exponent.hpp"

namespace {

using namespace grus;
using grus::testing::Rig;

constexpr Index fixed_sweeps = 20;
constexpr int steps = 10, repeats = 7;

Real resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  Real pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * 4096.0;
}

struct Ballast {
  std::unique_ptr<Rig> rig;
  State start;
  Real bytes = 0.0, mean_size = 0.0;
};

Ballast& ballast_of(Index stones) {
  static std::map<Index, Ballast> made;
  Ballast& made_now = made[stones];
  if (made_now.rig) return made_now;
  const std::shared_ptr<const Bed> bed = ballast::bed_of(stones == ballast::tiled ? ballast::tile : stones);
  made_now.mean_size = ballast::mean_size(*bed);
  const Real before = resident_bytes();
  made_now.rig = ballast::rig_of(stones, 2);
  made_now.bytes = resident_bytes() - before;
  made_now.start = made_now.rig->state;
  return made_now;
}

void set_solver(Rig& rig, Real tolerance, Index most_sweeps) {
  rig.scene.model.solver.tolerance = tolerance;
  rig.scene.model.solver.max_iterations = most_sweeps;
}

void make_steps(Rig& rig, const State& start, std::vector<StepReport>& reports) {
  rig.state = start;
  reports.clear();
  for (int k = 0; k < steps; ++k) reports.push_back(rig.step());
}

// One sweep without set-up and residuals, s: what 100 more of them take.
Real bare_sweep(const Rig& rig) {
  NlgsScratch scratch;
  const auto least_seconds = [&](Index sweeps) {
    Real best = 1e9;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      ContactSolution solution;
      const Timer timer;
      solve_nlgs(rig.work.problem, solution, scratch, {.fixed_sweeps = sweeps}, rig.parallel);
      best = std::min(best, timer.seconds());
    }
    return best;
  };
  return (least_seconds(105) - least_seconds(5)) / 100.0;
}

Real median(std::vector<Real> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::map<Index, Real> one_thread_ms;

void run_steps(benchmark::State& state, Real tolerance, Index most_sweeps) {
  const auto stones = static_cast<Index>(state.range(0));
  Ballast& settled = ballast_of(stones);
  Rig& rig = *settled.rig;
  rig.parallel = Parallel(static_cast<int>(state.range(1)));
  set_solver(rig, tolerance, most_sweeps);
  std::vector<StepReport> reports, best;
  for (auto _ : state) {
    make_steps(rig, settled.start, best);  // warms what is cached
    for (int repeat = 0; repeat < repeats; ++repeat) {
      make_steps(rig, settled.start, reports);
      for (std::size_t k = 0; k < best.size(); ++k)
        for (int s = 0; s < stage_count; ++s) best[k].seconds[s] = std::min(best[k].seconds[s], reports[k].seconds[s]);
    }
  }
  std::array<Real, stage_count> seconds{};
  Real total = 0, contacts = 0, pairs = 0, points = 0, residual = 0, depth = 0, depth_sum = 0, depth_points = 0;
  std::vector<Real> sweeps;
  for (const StepReport& report : best) {
    for (int s = 0; s < stage_count; ++s) {
      seconds[s] += report.seconds[s];
      total += report.seconds[s];
    }
    contacts += report.contacts;
    pairs += report.pairs;
    points += static_cast<Real>(report.contacts) * report.sweeps;
    sweeps.push_back(report.sweeps);
    residual = std::max(residual, report.residual);
    depth = std::max(depth, report.penetration_max);
    depth_sum += report.penetration_sum;
    depth_points += report.penetration_points;
  }
  const auto ms = [&](Stage stage) { return 1e3 * seconds[static_cast<int>(stage)] / steps; };
  const Real build_ms = ms(Stage::build) + ms(Stage::match), found_ms = ms(Stage::detect) + build_ms;
  Real all_sweeps = 0;
  for (const Real count : sweeps) all_sweeps += count;
  state.counters["ms"] = 1e3 * total / steps;
  state.counters["detect_ms"] = ms(Stage::detect);
  state.counters["build_ms"] = build_ms;
  state.counters["solve_ms"] = ms(Stage::solve);
  state.counters["recover_ms"] = ms(Stage::recover);
  state.counters["sweeps"] = median(sweeps);
  state.counters["residual"] = residual;
  state.counters["contacts"] = contacts / steps;
  state.counters["pairs"] = pairs / steps;
  state.counters["penetration_mean"] = depth_sum / depth_points / settled.mean_size;
  state.counters["penetration_max"] = depth / settled.mean_size;
  state.counters["ns_contact_sweep"] = 1e6 * ms(Stage::solve) * steps / points;
  state.counters["found_over_30"] = found_ms / (30.0 * ms(Stage::solve) * steps / all_sweeps);
  state.counters["found_over_30_bare"] = found_ms / (30.0 * 1e3 * bare_sweep(rig));
  state.counters["megabytes"] = 1e-6 * settled.bytes;
  if (most_sweeps == fixed_sweeps && state.range(1) == 1 && stones >= 2000) one_thread_ms[stones] = 1e3 * total / steps;
}

void ballast_steps(benchmark::State& state) { run_steps(state, 1e-4, 10000); }
void fixed(benchmark::State& state) { run_steps(state, 1e-14, fixed_sweeps); }

const std::vector<std::int64_t> sizes{500, 2000, 5000, ballast::tiled};
BENCHMARK(ballast_steps)
    ->Name("ballast")
    ->ArgsProduct({sizes, {1, 2}})
    ->ArgNames({"stones", "threads"})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK(fixed)
    ->ArgsProduct({sizes, {1, 2}})
    ->ArgNames({"stones", "threads"})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

void scaling(benchmark::State& state) {
  for (auto _ : state) state.counters["exponent"] = exponent_of(one_thread_ms);
}
BENCHMARK(scaling)->Iterations(1);

void both_cores(benchmark::State& state) {
  const auto stones = static_cast<Index>(state.range(0));
  Ballast& settled = ballast_of(stones);
  const std::unique_ptr<Rig> other = ballast::rig_of(stones, 1);
  set_solver(*settled.rig, 1e-14, fixed_sweeps);
  set_solver(*other, 1e-14, fixed_sweeps);
  Real two_runs = 1e9, two_threads = 1e9;
  for (auto _ : state) {
    for (int repeat = 0; repeat <= repeats; ++repeat) {
      settled.rig->parallel = Parallel(1);
      std::barrier together(2);
      std::array<Real, 2> seconds{};
      const auto run = [&](Rig& rig, Real& taken) {
        std::vector<StepReport> reports;
        together.arrive_and_wait();
        const Timer timer;
        make_steps(rig, settled.start, reports);
        taken = timer.seconds();
      };
      std::thread second([&] { run(*other, seconds[1]); });
      run(*settled.rig, seconds[0]);
      second.join();
      two_runs = std::min(two_runs, std::max(seconds[0], seconds[1]));

      settled.rig->parallel = Parallel(2);
      std::vector<StepReport> reports;
      const Timer timer;
      make_steps(*settled.rig, settled.start, reports);
      two_threads = std::min(two_threads, timer.seconds());
    }
  }
  state.counters["two_runs_ms"] = 1e3 * two_runs / steps;
  state.counters["two_threads_ms"] = 1e3 * two_threads / steps;
  state.counters["throughput"] = two_runs / (2.0 * two_threads);
}
BENCHMARK(both_cores)->Arg(5000)->Arg(ballast::tiled)->ArgName("stones")->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace

BENCHMARK_MAIN();
