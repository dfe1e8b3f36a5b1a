// Sweeps to a residual of 1e-4 (scaled natural map), plain and accelerated, from zero and from carried impulses, on the
// same steps.
//
//   sweeps/<grains>/<case>   medians over the measured steps of a bed in a box:
//     plain_zero, plain_warm, zero, warm      sweeps of plain Gauss-Seidel and of the accelerated one
//     gain                                    plain_zero / warm
//     residual                                the largest that was left, over all solves
//     plain_zero_ms, warm_ms                  time of a solve, set-up and measurements included
//     contacts, extrapolation                 points; time of an accelerated sweep over a plain one
//
// grains: spheres, boxes, capsules in space, disks in the plane. case: rest (settled), push (a blade at 20 mm/s), tamp
// (a blade that dives at 0.2 m/s and shakes at 35 Hz, 4 mm), arm (spheres under the plate of a mechanism).
// ballast: rest (5000 stones of ballast_beds.hpp), dive and squeeze (examples/tamping, 30 Hz: 5310 stones and the
// machine, 0.35 s after it is let down and 0.15 s after it begins to squeeze).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>

#include "ballast_beds.hpp"
#include "core/timer.hpp"
#include "io/scene/scene.hpp"
#include "simulation/provide_beds.hpp"
#include "support/pressed_bed.hpp"

namespace {

using namespace grus;
using grus::testing::Rig;

constexpr Real tolerance = 1e-4;
constexpr Index most_sweeps = 20'000;
constexpr Real diameter = 0.04;  // of the largest grain, m

ShapeSpec grain_shape(const std::string& grains) {
  if (grains == "spheres") return testing::sphere_shape(diameter / 2);
  if (grains == "disks") return testing::disk_shape(diameter / 2);
  if (grains == "capsules") return testing::capsule_shape(diameter / 4, diameter / 2);
  return testing::box_shape(diameter * Vec3(0.68, 0.58, 0.45));
}

Vec3 up_of(const Spec& spec) { return spec.planar ? Vec3(0, 1, 0) : Vec3(0, 0, 1); }

Spec bed_spec(const std::string& grains) {
  Spec spec = testing::bare_spec(5e-4, 0.7, 0.0);
  spec.planar = grains == "disks";
  const Vec3 up = up_of(spec);
  spec.law = ContactLawKind::gap;
  spec.integrator.theta = 1.0;
  spec.gravity = -9.81 * up;
  spec.materials[0].density = 2700.0;
  const Index side = spec.planar ? 30 : 9, layers = spec.planar ? 40 : 14;
  const Real spacing = 1.02 * diameter, width = spacing * static_cast<Real>(side);
  testing::add_plane(spec, Vec3::Zero(), up);
  for (const Real sign : {-1.0, 1.0}) {
    testing::add_plane(spec, Vec3(sign * width / 2, 0, 0), Vec3(-sign, 0, 0));
    if (!spec.planar) testing::add_plane(spec, Vec3(0, sign * width / 2, 0), Vec3(0, -sign, 0));
  }
  GeneratorSpec bed;
  bed.kind = GeneratorSpec::Kind::lattice;
  bed.name = "grains";
  bed.material = "m";
  bed.shape = grain_shape(grains);
  bed.size.kind = SizeSpec::Kind::uniform;
  bed.size.min = 0.75 * diameter;
  bed.size.max = diameter;
  const Vec3 half = width / 2 * (spec.planar ? Vec3(1, 0, 0) : Vec3(1, 1, 0));
  bed.box_min = -half + 1e-5 * up;
  bed.box_max = half + 1.2 * static_cast<Real>(layers) * diameter * up;
  if (spec.planar) {
    bed.cells = {side, layers, 1};
  } else {
    bed.cells = {side, side, layers};
  }
  bed.spacing = 1.0001 * spacing;
  bed.jitter = 1.0;
  bed.random_rotation = grains == "boxes" || grains == "capsules";
  spec.generators.push_back(bed);
  spec.solver.tolerance = 1e-3;
  spec.solver.max_iterations = 100;
  return spec;
}

void copy_grains(const State& from, State& to) {
  to.time = from.time;
  to.step = from.step;
  to.position = from.position;
  to.rotation = from.rotation;
  to.angle = from.angle;
  to.velocity = from.velocity;
  to.angular_velocity = from.angular_velocity;
}

// 0.7 s of settling, slowed in its second half.
const State& settled(const std::string& grains) {
  static std::map<std::string, State> made;
  const auto [entry, is_new] = made.try_emplace(grains);
  if (!is_new) return entry->second;
  Rig rig(bed_spec(grains), 2);
  constexpr int steps = 1400;
  for (int k = 0; k < steps; ++k) {
    rig.step();
    if (k > steps / 2 && k % 10 == 0)
      for (Vec3& v : rig.state.velocity) v *= 0.5;
  }
  return entry->second = rig.state;
}

// A blade in the middle that sinks 50 mm into the bed within 0.1 s, then moves as the case says.
void add_blade(Spec& spec, const State& bed, const std::string& what) {
  const int height = spec.planar ? 1 : 2;
  Real top = 0.0;
  for (const Vec3& x : bed.position) {
    if (std::abs(x.x()) < 0.05 && (spec.planar || std::abs(x.y()) < 0.1))
      top = std::max(top, x[height] + 0.4 * diameter);
  }
  const Vec3 size = spec.planar ? Vec3(0.03, 0.3, 0) : Vec3(0.03, 0.16, 0.3);
  BodySpec& blade = testing::add_body(spec, testing::box_shape(size), (top + 0.151) * up_of(spec));
  blade.role = BodyRole::kinematic;
  const std::string since = "max(t-" + std::to_string(bed.time) + ",0)", later = "max(" + since + "-0.1,0)";
  const std::string speed = what == "tamp" ? "0.2" : "0.02";
  MotionSpec motion;
  motion.displacement[static_cast<std::size_t>(height)] =
      testing::function_of_time("-0.5*min(" + since + ",0.1)-" + speed + "*" + later);
  if (what == "tamp") motion.displacement[0] = testing::function_of_time("0.004*sin(220*" + since + ")");
  blade.motion = motion;
}

// The tamping machine and its bed; nothing but air around the tines before `let_down`.
constexpr Real let_down = 0.05, dive_end = 0.45;  // s

std::unique_ptr<Rig> tamping_rig() {
  Spec spec = load_scene("examples/tamping/single.yaml",
                         {"frequency=30", "run_up=" + std::to_string(let_down), "dive_end=" + std::to_string(dive_end),
                          "squeeze_end=" + std::to_string(dive_end + 0.8)});
  const SettleCallbacks callbacks{{}, [](const std::string& line) { std::cerr << line << "\n"; }, {}};
  provide_beds(spec, 2, callbacks);
  return std::make_unique<Rig>(spec, 2);
}

std::unique_ptr<Rig> rig_of(const std::string& grains, const std::string& what) {
  if (grains == "ballast") return what == "rest" ? ballast::rig_of(ballast::tile, 2) : tamping_rig();
  if (what == "arm") return std::make_unique<Rig>(testing::pressed_bed(12, 8, true), 2);
  Spec spec = bed_spec(grains);
  const State& bed = settled(grains);
  if (what != "rest") add_blade(spec, bed, what);
  auto rig = std::make_unique<Rig>(spec, 2);
  copy_grains(bed, rig->state);
  return rig;
}

struct Start {
  ContactProblem problem;
  ContactSolution guess;  // the carried impulses
};

// The problem of the next step: a step of no sweep, of a copy.
Start next_problem(Rig& rig) {
  Model model = rig.scene.model;
  model.solver.max_iterations = 0;
  Stepper stepper(model, rig.state, rig.parallel);
  stepper.step();
  return {stepper.work().problem, stepper.work().solution};
}

struct Solve {
  Real sweeps = 0.0, residual = 0.0, seconds = 0.0;
};

Solve solve(const Start& start, bool accelerated, bool warm) {
  ContactSolution solution;
  if (warm) solution = start.guess;
  NlgsScratch scratch;
  const Timer timer;
  const NlgsOptions options{.tolerance = tolerance, .max_iterations = most_sweeps, .accelerated = accelerated};
  const SolveReport report = solve_nlgs(start.problem, solution, scratch, options, Parallel(1));
  return {static_cast<Real>(report.iterations), report.residual, timer.seconds()};
}

// What momentum adds to a sweep.
Real extrapolation_cost(const Start& start) {
  NlgsScratch scratch;
  std::array<Real, 2> best{1e9, 1e9};
  for (int repeat = 0; repeat < 5; ++repeat) {
    for (const bool accelerated : {false, true}) {
      const auto seconds = [&](Index sweeps) {
        ContactSolution solution;
        const Timer timer;
        solve_nlgs(start.problem, solution, scratch, {.fixed_sweeps = sweeps, .accelerated = accelerated}, Parallel(1));
        return timer.seconds();
      };
      const Real few = seconds(5);
      best[accelerated] = std::min(best[accelerated], seconds(105) - few);
    }
  }
  return best[1] / best[0];
}

Real median(std::vector<Real> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Steps until the first that is measured.
int steps_before(const std::string& what, Real h) {
  if (what == "dive") return static_cast<int>((let_down + 0.35) / h);
  if (what == "squeeze") return static_cast<int>((dive_end + 0.15) / h);
  return what == "rest" ? 40 : what == "arm" ? 100 : 300;
}

void sweeps(benchmark::State& state, const std::string& grains, const std::string& what) {
  constexpr int measured = 9, apart = 8;
  std::array<std::vector<Real>, 4> counts, seconds;
  Real residual = 0.0, extra = 0.0;
  Index contacts = 0;
  for (auto _ : state) {
    const std::unique_ptr<Rig> rig = rig_of(grains, what);
    const int before = steps_before(what, rig->scene.model.integrator.step);
    const Index lead_sweeps = grains == "ballast" ? 3000 : 100;
    for (int k = 0; k < before + measured * apart; ++k) {
      rig->scene.model.solver.tolerance = k < before - apart ? 1e-3 : tolerance;
      rig->scene.model.solver.max_iterations = k < before - apart ? lead_sweeps : 3000;
      if (k >= before && (k - before) % apart == 0) {
        const Start start = next_problem(*rig);
        contacts = start.problem.contact_count;
        for (const bool accelerated : {false, true}) {
          for (const bool warm : {false, true}) {
            const Solve one = solve(start, accelerated, warm);
            const std::size_t place = 2U * accelerated + warm;
            counts[place].push_back(one.sweeps);
            seconds[place].push_back(one.seconds);
            residual = std::max(residual, one.residual);
          }
        }
        extra = extrapolation_cost(start);
      }
      rig->step();
    }
  }
  const std::array names{"plain_zero", "plain_warm", "zero", "warm"};
  for (std::size_t k = 0; k < names.size(); ++k) state.counters[names[k]] = median(counts[k]);
  state.counters["gain"] = median(counts[0]) / median(counts[3]);
  state.counters["residual"] = residual;
  state.counters["plain_zero_ms"] = 1e3 * median(seconds[0]);
  state.counters["warm_ms"] = 1e3 * median(seconds[3]);
  state.counters["contacts"] = contacts;
  state.counters["extrapolation"] = extra;
}

}  // namespace

int main(int argc, char** argv) {
  const auto add = [](const std::string& grains, const std::string& what) {
    benchmark::RegisterBenchmark(("sweeps/" + grains + "/" + what).c_str(),
                                 [=](benchmark::State& s) { sweeps(s, grains, what); })
        ->Unit(benchmark::kSecond)
        ->Iterations(1);
  };
  for (const char* grains : {"spheres", "boxes", "capsules", "disks"})
    for (const char* what : {"rest", "push", "tamp"}) add(grains, what);
  add("spheres", "arm");
  for (const char* what : {"rest", "dive", "squeeze"}) add("ballast", what);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
