// Cost of contact detection against the number of spheres, for size ratios 1, 10 and 50.
//
// Spheres lie on a jittered lattice at solid fraction 0.6; sizes are drawn so that every octave holds the same
// volume. rebuild:0 is a step with a kept neighbour list (check of the motions + narrow phase), rebuild:1 makes
// the list anew as well. ns_per_body and exponent are of processor time, summed over threads, so that a busy machine
// does not spoil them; the counter `exponent` is that of the cost over the number of bodies, from 5000 on.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "collision/detect.hpp"
#include "core/random.hpp"

namespace grus {
namespace {

constexpr Index smallest_count = 5000;

struct Scene {
  Model model;
  std::vector<Pose> poses;
};

// Spheres of radius 1 to `ratio` at solid fraction 0.6, overlapping a little where chance puts them together.
Scene make_scene(Index count, Real ratio) {
  Random random(1);
  Scene scene;
  Real volume = 0.0;
  std::vector<Real> radius(static_cast<std::size_t>(count));
  for (Real& r : radius) {
    // number density ~ r^-4: the same volume in every octave
    const Real u = random.uniform();
    r = std::cbrt(1.0 / (1.0 - u * (1.0 - 1.0 / (ratio * ratio * ratio))));
    volume += 4.0 / 3.0 * 3.141592653589793 * r * r * r;
  }
  const Real side = std::cbrt(volume / 0.6);
  const Index cells = static_cast<Index>(std::ceil(std::cbrt(static_cast<Real>(count))));
  const Real spacing = side / cells;
  Model& m = scene.model;
  m.pair_laws.resize(1);
  m.pair_laws[0].kind = ContactLawKind::gap;
  m.dynamic_count = m.body_count = count;
  m.smallest_bound_radius = 1.0;
  for (Index i = 0; i < count; ++i) {
    Collider c;
    c.kind = ShapeKind::sphere;
    c.body = i;
    c.radius = c.bound_radius = radius[static_cast<std::size_t>(i)];
    m.colliders.push_back(c);
    m.collider_begin.push_back(i);
    Vec3 p(i % cells, i / cells % cells, i / cells / cells);
    for (int k = 0; k < 3; ++k) p[k] = spacing * (p[k] + random.uniform(-0.2, 0.2));
    scene.poses.push_back({p, Quat::Identity()});
  }
  m.collider_begin.push_back(count);
  return scene;
}

const Scene& scene_of(Index count, Real ratio) {
  static std::map<std::pair<Index, Real>, Scene> scenes;
  auto [entry, fresh] = scenes.try_emplace({count, ratio});
  if (fresh) entry->second = make_scene(count, ratio);
  return entry->second;
}

// args: size ratio, spheres, threads, and whether each step makes the list anew.
void detection(benchmark::State& state) {
  const Real ratio = static_cast<Real>(state.range(0));
  const Index count = static_cast<Index>(state.range(1));
  const Parallel parallel(static_cast<int>(state.range(2)));
  const bool rebuild = state.range(3) != 0;
  const Scene& scene = scene_of(count, ratio);
  CollisionScratch scratch;
  std::vector<ContactPoint> contacts;
  DetectReport report = detect(scene.model, scene.poses, count, {}, scratch, contacts, parallel);
  const std::clock_t start = std::clock();
  for (auto step : state) {
    static_cast<void>(step);
    if (rebuild) scratch.list.active_count = no_index;
    report = detect(scene.model, scene.poses, count, {}, scratch, contacts, parallel);
    benchmark::DoNotOptimize(contacts.data());
  }
  const Real seconds = static_cast<Real>(std::clock() - start) / CLOCKS_PER_SEC / static_cast<Real>(state.iterations());
  state.counters["ns_per_body"] = 1e9 * seconds / count;
  state.counters["ns_per_candidate"] = 1e9 * seconds / report.candidate_count;
  state.counters["candidates_per_body"] = static_cast<Real>(report.candidate_count) / count;
  state.counters["contacts_per_body"] = static_cast<Real>(contacts.size()) / count;
  // cost ~ bodies^exponent, from the smallest scene to this one
  static std::map<std::tuple<Real, int, bool>, Real> smallest;
  Real& first = smallest[{ratio, parallel.threads(), rebuild}];
  if (count == smallest_count)
    first = seconds;
  else
    state.counters["exponent"] = std::log(seconds / first) / std::log(static_cast<Real>(count) / smallest_count);
}

BENCHMARK(detection)
    ->ArgNames({"ratio", "bodies", "threads", "rebuild"})
    ->ArgsProduct({{1, 10, 50}, {smallest_count, 20000, 100000}, {1, 2}, {0, 1}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace grus

BENCHMARK_MAIN();
