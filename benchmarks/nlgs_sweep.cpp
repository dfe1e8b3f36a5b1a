// The price of one Gauss-Seidel sweep, next to the bytes it must move.
//
//   sweep/<kind>/<contacts>/<threads>   ns_contact: time per contact and sweep, set-up taken off
//                                       cpu_ns: the same in processor time of all threads, for a machine that is shared
//                                       bytes_contact: rows streamed and block lines touched by a sweep, per contact
//                                       floor_ns: time to stream as many bytes from an array of the same size, measured
//   solve/<kind>/<contacts>/<threads>   a cold solve to 1e-3: sweeps, residual, ms and setup_ms belong together
//   tool/<kind>/500/<threads>           a mechanism of 8 velocities on 500 grains against a free body on the same
//   grains:
//                                       us per sweep of both, and the ratio of a solve to 1e-3 and of a sweep
//
// kind: spheres (closed form), stones (arms off the normal, full inertia), planar (the same law in the plane).
#include <benchmark/benchmark.h>

#include <cmath>
#include <ctime>
#include <map>
#include <string>

#include "core/timer.hpp"
#include "solvers/nlgs.hpp"
#include "unit/solvers/dense_problems.hpp"

namespace {

using namespace grus;

enum Kind : int { spheres, stones, planar };
constexpr const char* kind_name[] = {"spheres", "stones", "planar"};

// A bed of 10 layers of spheres has 2.8 contacts per body; the planar problem is a random graph with 2 per body.
const ContactProblem& problem_of(Kind kind, Index contacts) {
  static std::map<std::pair<int, Index>, ContactProblem> made;
  const auto [entry, is_new] = made.try_emplace({kind, contacts});
  if (is_new) {
    if (kind == planar) {
      entry->second = testing::random_problem({.dimension = 2, .blocks = contacts / 2, .contacts = contacts});
    } else {
      const auto side = static_cast<Index>(std::lround(std::sqrt(contacts / 28.0)));
      entry->second = testing::bed_problem({.side = side, .layers = 10, .rough = kind == stones});
    }
  }
  return entry->second;
}

struct Bytes {
  Real rows = 0.0, blocks = 0.0;
  Real total() const { return rows + blocks; }
};

// Each row once; each block line of each side once (the colours revisit blocks: they are read again).
Bytes bytes_per_contact(Kind kind) {
  if (kind == planar) return {sizeof(PlanarRow), 2 * sizeof(PlanarBlock)};
  if (kind == spheres) return {sizeof(SphereRow), 2 * 64.0};
  return {sizeof(SpatialRow), 2 * sizeof(SpatialBlock)};
}

// Seconds to read `size` bytes once and write one word of every other cache line, as a sweep does.
Real stream_seconds(std::size_t size, int threads) {
  struct alignas(64) Line {
    Real x[8];
  };
  const Parallel parallel(threads);
  const Index count = static_cast<Index>(size / sizeof(Line));
  std::vector<Line> lines(static_cast<std::size_t>(count), Line{{1, 0, 0, 0, 0, 0, 0, 1}});
  Real best = 1e9;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Timer timer;
    parallel.ranges(count, 4096, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        Real sum = 0.0;
        for (const Real x : lines[i].x) sum += x;
        if (i % 2 == 0) lines[i].x[3] = sum * 1e-9;
        benchmark::DoNotOptimize(sum);
      }
    });
    best = std::min(best, timer.seconds());
  }
  return best;
}

void sweep(benchmark::State& state, Kind kind, Index contacts, int threads) {
  constexpr Index warm_up = 10, timed = 50;
  const ContactProblem& problem = problem_of(kind, contacts);
  const Parallel parallel(threads);
  NlgsScratch scratch;
  const auto processor = [] { return static_cast<Real>(std::clock()) / CLOCKS_PER_SEC; };
  Real total = 0.0, best = 1e9, best_processor = 1e9;
  for (auto _ : state) {
    ContactSolution solution;
    Timer timer;
    const Real start = processor();
    solve_nlgs(problem, solution, scratch, {.fixed_sweeps = warm_up}, parallel);
    const Real few = timer.lap(), processor_few = processor() - start;
    solution.impulse.clear();
    solve_nlgs(problem, solution, scratch, {.fixed_sweeps = warm_up + timed}, parallel);
    const Real seconds = std::max(0.0, timer.lap() - few);
    state.SetIterationTime(seconds);
    total += seconds;
    best = std::min(best, seconds);
    best_processor = std::min(best_processor, processor() - start - 2.0 * processor_few);
  }
  const Real scale = 1e9 / (static_cast<Real>(timed) * problem.contact_count);
  const Bytes bytes = bytes_per_contact(kind);
  const auto working_set = static_cast<std::size_t>(bytes.total() * problem.contact_count);
  state.counters["contacts"] = problem.contact_count;
  state.counters["phases"] = scratch.graph.phase_count();
  state.counters["ns_contact"] = total / static_cast<Real>(state.iterations()) * scale;
  state.counters["best_ns"] = best * scale;
  state.counters["cpu_ns"] = best_processor * scale;
  state.counters["bytes_contact"] = bytes.total();
  state.counters["floor_ns"] = stream_seconds(working_set, threads) * 1e9 / problem.contact_count;
}

void solve(benchmark::State& state, Kind kind, Index contacts, int threads) {
  const ContactProblem& problem = problem_of(kind, contacts);
  const Parallel parallel(threads);
  NlgsScratch scratch;
  SolveReport report;
  Real solve_time = 0.0, setup_time = 0.0;
  for (auto _ : state) {
    ContactSolution solution;
    Timer timer;
    report = solve_nlgs(problem, solution, scratch, {.tolerance = 1e-3, .max_iterations = 2000}, parallel);
    const Real seconds = timer.lap();
    state.SetIterationTime(seconds);
    solve_time += seconds;
    solve_nlgs(problem, solution, scratch, {.tolerance = 1.0}, parallel);  // accepted at once: set-up and one residual
    setup_time += timer.lap();
  }
  const Real runs = static_cast<Real>(state.iterations());
  state.counters["contacts"] = problem.contact_count;
  state.counters["sweeps"] = report.iterations;
  state.counters["residual"] = report.residual;
  state.counters["ms"] = 1e3 * solve_time / runs;
  state.counters["setup_ms"] = 1e3 * setup_time / runs;
}

struct Cost {
  Real sweep = 1e9, solve = 1e9;  // s, best of all runs
};

void add_cost(const ContactProblem& problem, NlgsScratch& scratch, const Parallel& parallel, Cost& cost) {
  constexpr Index warm_up = 10, timed = 50;
  const auto seconds = [&](const NlgsOptions& options) {
    ContactSolution solution;
    const Timer timer;
    solve_nlgs(problem, solution, scratch, options, parallel);
    return timer.seconds();
  };
  const Real few = seconds({.fixed_sweeps = warm_up});
  cost.sweep = std::min(cost.sweep, (seconds({.fixed_sweeps = warm_up + timed}) - few) / timed);
  cost.solve = std::min(cost.solve, seconds({.tolerance = 1e-3, .max_iterations = 2000}));
}

void tool(benchmark::State& state, Kind kind, int threads) {
  const testing::Bed bed{.side = 23, .layers = 10, .rough = kind == stones};
  const ContactProblem body = testing::tool_on_bed(testing::Tool::free, bed, 500);
  const ContactProblem mechanism = testing::tool_on_bed(testing::Tool::mechanism, bed, 500);
  const Parallel parallel(threads);
  NlgsScratch scratch_body, scratch_mechanism;
  Cost cost_body, cost_mechanism;
  for (auto _ : state) {  // in turn, as the machine may be shared
    add_cost(body, scratch_body, parallel, cost_body);
    add_cost(mechanism, scratch_mechanism, parallel, cost_mechanism);
  }
  state.counters["contacts"] = body.contact_count;
  state.counters["body_us"] = 1e6 * cost_body.sweep;
  state.counters["mechanism_us"] = 1e6 * cost_mechanism.sweep;
  state.counters["sweep_ratio"] = cost_mechanism.sweep / cost_body.sweep;
  state.counters["solve_ratio"] = cost_mechanism.solve / cost_body.solve;
}

}  // namespace

int main(int argc, char** argv) {
  for (const Kind kind : {spheres, stones, planar}) {
    for (const Index contacts : {10'000, 30'000, 100'000}) {
      for (const int threads : {1, 2}) {
        const std::string name =
            std::string(kind_name[kind]) + "/" + std::to_string(contacts) + "/" + std::to_string(threads);
        benchmark::RegisterBenchmark(("sweep/" + name).c_str(),
                                     [=](benchmark::State& s) { sweep(s, kind, contacts, threads); })
            ->UseManualTime()
            ->MinTime(0.3);
        benchmark::RegisterBenchmark(("solve/" + name).c_str(),
                                     [=](benchmark::State& s) { solve(s, kind, contacts, threads); })
            ->UseManualTime()
            ->Iterations(1);
      }
    }
  }
  for (const Kind kind : {spheres, stones}) {
    for (const int threads : {1, 2}) {
      const std::string name = std::string("tool/") + kind_name[kind] + "/500/" + std::to_string(threads);
      benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& s) { tool(s, kind, threads); })->Iterations(10);
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
