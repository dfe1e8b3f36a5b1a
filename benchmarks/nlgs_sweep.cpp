// The price of one Gauss-Seidel sweep, next to the bytes it must move.
//
//   sweep/<kind>/<contacts>/<threads>   ns_contact: time per contact and sweep, set-up taken off
//                                       cpu_ns: the same in processor time of all threads, for a machine that is shared
//                                       bytes_contact: rows streamed and block lines touched by a sweep, per contact
//                                       floor_ns: time to stream as many bytes from an array of the same size, measured
//   solve/<kind>/<contacts>/<threads>   a cold solve to 1e-3: sweeps, residual, ms and setup_ms belong together;
//                                       all_ns, all_cpu_ns: all of it over contacts and sweeps, all_cpu_50 the same of
//                                       50 sweeps with two residuals; rows_sweeps, rows_cpu_ns: contacts of general
//                                       shapes one by one, solved exactly, to the same residual
//   two/<kind>/<contacts>               two threads on one problem over two runs of one thread each, at the same time:
//                                       ratio of what they get done, 50 sweeps with set-up and residuals
//   tool/<kind>/500/<threads>           a mechanism of 8 velocities on 500 grains against a free body on the same
//                                       grains: us per sweep of both, and the ratio of a solve to 1e-3 and of a sweep
//
// kind: spheres (closed form), stones (arms off the normal, full inertia, one point per pair), boxes (a settled bed of
// them, 1 to 4 points per pair), planar (the same law in the plane).
#include <benchmark/benchmark.h>

#include <cmath>
#include <ctime>
#include <map>
#include <string>
#include <thread>

#include "core/timer.hpp"
#include "solvers/nlgs.hpp"
#include "support/rig.hpp"
#include "unit/solvers/dense_problems.hpp"

namespace {

using namespace grus;

enum Kind : int { spheres, stones, boxes, planar };
constexpr const char* kind_name[] = {"spheres", "stones", "boxes", "planar"};

// The last step of 1210 boxes of several sizes that fall into a bin and settle: 2 pairs per box, 1.7 points per pair.
const ContactProblem& settled_boxes() {
  static ContactProblem problem;
  if (problem.contact_count > 0) return problem;
  constexpr Index side = 11, layers = 10;
  constexpr Real cell = 0.046, width = cell * side;
  Spec spec = testing::bare_spec(5e-4, 0.5, 0.0);
  spec.law = ContactLawKind::gap;
  spec.integrator.theta = 1.0;
  spec.gravity = Vec3(0, 0, -9.81);
  spec.solver.tolerance = 1e-3;
  spec.solver.max_iterations = 60;
  spec.contact.recovery_speed = 0.1;
  testing::add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  for (const Real sign : {-1.0, 1.0}) {
    testing::add_plane(spec, Vec3(sign * width / 2, 0, 0), Vec3(-sign, 0, 0));
    testing::add_plane(spec, Vec3(0, sign * width / 2, 0), Vec3(0, -sign, 0));
  }
  Random random(3);
  for (Index i = 0; i < side * side * layers; ++i) {
    const Vec3 size(random.uniform(0.020, 0.032), random.uniform(0.018, 0.028), random.uniform(0.014, 0.024));
    const Vec3 place(i % side + 0.5, i / side % side + 0.5, i / (side * side) + 0.5);
    BodySpec& body = testing::add_body(spec, testing::box_shape(size), cell * place - Vec3(width / 2, width / 2, 0),
                                       Vec3(0.2 * random.normal(), 0.2 * random.normal(), -1.0));
    body.rotation = Quat(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
  }
  testing::Rig rig(spec, 2);
  rig.run(0.3);
  problem = rig.work.problem;
  return problem;
}

// Copies of a problem side by side, up to about so many contacts.
ContactProblem repeated(const ContactProblem& one, Index contacts) {
  ContactProblem all;
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (Index clusters = 0; all.contact_count < contacts - one.contact_count / 2;) {
    Index next = clusters;
    for (const Index c : one.cluster) {
      all.cluster.push_back(clusters + c);
      next = std::max(next, clusters + c + 1);
    }
    clusters = next;
    const auto shifted = [&](Index block) { return block == no_index ? no_index : block + all.block_count; };
    for (const Index b : one.block_a) all.block_a.push_back(shifted(b));
    for (const Index b : one.block_b) all.block_b.push_back(shifted(b));
    append(all.inverse_mass, one.inverse_mass);
    append(all.inverse_inertia, one.inverse_inertia);
    append(all.free_velocity, one.free_velocity);
    append(all.normal, one.normal);
    append(all.arm_a, one.arm_a);
    append(all.arm_b, one.arm_b);
    append(all.shift, one.shift);
    append(all.friction, one.friction);
    all.block_count += one.block_count;
    all.contact_count += one.contact_count;
  }
  return all;
}

// A bed of 10 layers of spheres has 2.8 contacts per body; the planar problem is a random graph with 2 per body.
const ContactProblem& problem_of(Kind kind, Index contacts) {
  static std::map<std::pair<int, Index>, ContactProblem> made;
  const auto [entry, is_new] = made.try_emplace({kind, contacts});
  if (is_new) {
    if (kind == planar) {
      entry->second = testing::random_problem({.dimension = 2, .blocks = contacts / 2, .contacts = contacts});
    } else if (kind == boxes) {
      entry->second = repeated(settled_boxes(), contacts);
    } else {
      const auto side = static_cast<Index>(std::lround(std::sqrt(contacts / 28.0)));
      entry->second = testing::bed_problem({.side = side, .layers = 10, .rough = kind == stones});
    }
  }
  return entry->second;
}

// Each row once; each block line of each side once (the colours revisit blocks: they are read again).
Real bytes_per_contact(Kind kind, const NlgsScratch& scratch) {
  if (kind == planar) return sizeof(PlanarRow) + 2 * sizeof(PlanarBlock);
  if (kind == spheres) return sizeof(SphereRow) + 2 * 64.0;
  const PairLane& lane = scratch.pairs;
  const Real groups = static_cast<Real>(lane.groups.size() * (sizeof(PairGroup) + 2 * wide * sizeof(SpatialBlock)));
  const Real points = static_cast<Real>(lane.points.size() * sizeof(PairPoint));
  return (groups + points) / static_cast<Real>(scratch.lane_of.size());
}

Real processor_seconds() { return static_cast<Real>(std::clock()) / CLOCKS_PER_SEC; }

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
  Real total = 0.0, best = 1e9, best_processor = 1e9;
  for (auto _ : state) {
    ContactSolution solution;
    Timer timer;
    const Real start = processor_seconds();
    solve_nlgs(problem, solution, scratch, {.fixed_sweeps = warm_up}, parallel);
    const Real few = timer.lap(), processor_few = processor_seconds() - start;
    solution.impulse.clear();
    solve_nlgs(problem, solution, scratch, {.fixed_sweeps = warm_up + timed}, parallel);
    const Real seconds = std::max(0.0, timer.lap() - few);
    state.SetIterationTime(seconds);
    total += seconds;
    best = std::min(best, seconds);
    best_processor = std::min(best_processor, processor_seconds() - start - 2.0 * processor_few);
  }
  const Real scale = 1e9 / (static_cast<Real>(timed) * problem.contact_count);
  const Real bytes = bytes_per_contact(kind, scratch);
  const auto working_set = static_cast<std::size_t>(bytes * problem.contact_count);
  state.counters["contacts"] = problem.contact_count;
  state.counters["phases"] = scratch.graph.phase_count();
  state.counters["ns_contact"] = total / static_cast<Real>(state.iterations()) * scale;
  state.counters["best_ns"] = best * scale;
  state.counters["cpu_ns"] = best_processor * scale;
  state.counters["bytes_contact"] = bytes;
  state.counters["floor_ns"] = stream_seconds(working_set, threads) * 1e9 / problem.contact_count;
}

struct Timed {
  SolveReport report;
  Real seconds = 0.0, processor = 0.0;
  Real per_sweep(const ContactProblem& problem, Real time) const {
    return 1e9 * time / (static_cast<Real>(problem.contact_count) * report.iterations);
  }
};

Timed timed_solve(const ContactProblem& problem, NlgsScratch& scratch, const NlgsOptions& options,
                  const Parallel& parallel) {
  Timed timed;
  ContactSolution solution;
  const Timer timer;
  const Real start = processor_seconds();
  timed.report = solve_nlgs(problem, solution, scratch, options, parallel);
  timed.processor = processor_seconds() - start;
  timed.seconds = timer.seconds();
  return timed;
}

void solve(benchmark::State& state, Kind kind, Index contacts, int threads) {
  const ContactProblem& problem = problem_of(kind, contacts);
  const Parallel parallel(threads);
  NlgsScratch scratch;
  const NlgsOptions options{.tolerance = 1e-3, .max_iterations = 2000};
  Timed timed;
  for (auto _ : state) {
    timed = timed_solve(problem, scratch, options, parallel);
    state.SetIterationTime(timed.seconds);
  }
  const Timed fifty = timed_solve(problem, scratch, {.fixed_sweeps = 50}, parallel);
  // accepted at once: set-up, two residuals and a sweep
  const Timed setup = timed_solve(problem, scratch, {.tolerance = 1.0}, parallel);
  state.counters["contacts"] = problem.contact_count;
  state.counters["sweeps"] = timed.report.iterations;
  state.counters["residual"] = timed.report.residual;
  state.counters["ms"] = 1e3 * timed.seconds;
  state.counters["setup_ms"] = 1e3 * setup.seconds;
  state.counters["all_ns"] = timed.per_sweep(problem, timed.seconds);
  state.counters["all_cpu_ns"] = timed.per_sweep(problem, timed.processor);
  state.counters["all_cpu_50"] = fifty.per_sweep(problem, fifty.processor);
  if (kind != stones && kind != boxes) return;
  const Timed rows = timed_solve(
      problem, scratch, {.tolerance = options.tolerance, .max_iterations = 2000, .pair_lane = false}, parallel);
  state.counters["rows_sweeps"] = rows.report.iterations;
  state.counters["rows_cpu_ns"] = rows.per_sweep(problem, rows.processor);
}

void two(benchmark::State& state, Kind kind, Index contacts) {
  const ContactProblem& problem = problem_of(kind, contacts);
  const NlgsOptions options{.fixed_sweeps = 50};
  constexpr int runs = 4;
  const Parallel both(2), one(1);
  NlgsScratch scratch[3];
  const auto solve_often = [&](NlgsScratch& own, const Parallel& parallel) {
    for (int k = 0; k < runs; ++k) timed_solve(problem, own, options, parallel);
  };
  Real together = 1e9, apart = 1e9;  // s for `runs` solves, and for twice as many
  for (auto _ : state) {             // in turn, as the machine may be shared
    const Timer timer;
    solve_often(scratch[0], both);
    together = std::min(together, timer.seconds());
    const Timer again;
    std::thread other([&] { solve_often(scratch[1], one); });
    solve_often(scratch[2], one);
    other.join();
    apart = std::min(apart, again.seconds());
  }
  state.counters["contacts"] = problem.contact_count;
  state.counters["ratio"] = apart / (2.0 * together);
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
  for (const Kind kind : {spheres, stones, boxes, planar}) {
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
  for (const Kind kind : {spheres, stones, boxes}) {
    for (const Index contacts : {10'000, 30'000, 100'000}) {
      const std::string name = std::string("two/") + kind_name[kind] + "/" + std::to_string(contacts);
      benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& s) { two(s, kind, contacts); })->Iterations(10);
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
