// Cost of one pair of stones: touching (gap between -1 and +1 thousandth of the size) and apart (by 2 to 20 hundredths,
// as most candidates of a bed are), with what the last step knew of the pair (memory:1) and without (memory:0).
//
// Between two looks at a pair its second stone moves and turns by a ten-thousandth of its size, as in a settling bed.
// ns_per_pair is of processor time. The last benchmark is the support search on which climb_from rests.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <vector>

#include "collision/narrow_phase.hpp"
#include "collision/shapes/polyhedron.hpp"
#include "core/random.hpp"
#include "math/rotation.hpp"
#include "model/convex_hull.hpp"

namespace grus {
namespace {

constexpr std::size_t pair_count = 512;
constexpr Real small_motion = 1e-4;

Vec3 direction(Random& random) { return Vec3(random.normal(), random.normal(), random.normal()).normalized(); }

// A longish stone with all its vertices on an ellipsoid.
Polyhedron stone(Random& random, int vertices) {
  const Vec3 axes(1.0, random.uniform(0.6, 0.9), random.uniform(0.5, 0.8));
  std::vector<Vec3> points;
  for (int i = 0; i < vertices; ++i) points.emplace_back(axes.cwiseProduct(direction(random)));
  return std::get<ConvexHull>(convex_hull(points)).polyhedron;
}

struct StonePair {
  const Polyhedron *a, *b;
  Collider collider_a, collider_b;
  Pose X_a, X_b;
  PairMemory memory;

  int collide_once(Real max_gap, PairMemory* known, Manifold& m) const {
    collide({&collider_a, nullptr, a, nullptr, X_a.position, X_a.rotation},
            {&collider_b, nullptr, b, nullptr, X_b.position, X_b.rotation}, false, max_gap, m, known);
    return m.count;
  }
};

struct Stones {
  std::vector<Polyhedron> library;
  std::vector<StonePair> pairs;

  Stones(int vertices, bool touching) {
    Random random(7);
    for (int i = 0; i < 50; ++i) library.push_back(stone(random, vertices));
    const auto turned = [&] {
      return Quat(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
    };
    for (std::size_t i = 0; i < pair_count; ++i) {
      StonePair p;
      p.a = &library[random.below(library.size())];
      p.b = &library[random.below(library.size())];
      for (auto [collider, shape] : {std::pair(&p.collider_a, p.a), std::pair(&p.collider_b, p.b)}) {
        collider->kind = ShapeKind::polyhedron;
        collider->bound_radius = shape->bound_radius;
      }
      p.X_a = {Vec3::Zero(), turned()};
      const Vec3 way = direction(random);
      const Quat turn = turned();
      // apart by the gap asked for: along the way the gap rises with the distance
      const Real gap = touching ? random.uniform(-1e-3, 1e-3) : random.uniform(0.02, 0.2);
      Real low = 0.0, high = 3.0;
      Manifold m;
      for (int k = 0; k < 40; ++k) {
        const Real middle = 0.5 * (low + high);
        p.X_b = {middle * way, turn};
        Real least = 1.0;
        p.collide_once(1.0, nullptr, m);
        for (const ManifoldPoint& point : m) least = std::min(least, point.gap);
        (least < gap ? low : high) = middle;
      }
      pairs.push_back(p);
    }
  }
};

void look_at_pairs(benchmark::State& state) {
  const bool touching = state.range(1) != 0, remembering = state.range(2) != 0;
  Stones stones(static_cast<int>(state.range(0)), touching);
  Random random(8);
  std::vector<Vec3> shift, turn;
  for (std::size_t i = 0; i < pair_count; ++i) {
    shift.push_back(small_motion * direction(random));
    turn.push_back(small_motion * direction(random));
  }
  Manifold m;
  Real sign = 1.0;
  long points = 0, looks = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < pair_count; ++i) {
      StonePair& p = stones.pairs[i];
      p.X_b.position += sign * shift[i];
      p.X_b.rotation = rotated(p.X_b.rotation, sign * turn[i]);
      if (!remembering) p.memory = {};
      points += p.collide_once(1e-3, &p.memory, m);
    }
    looks += pair_count;
    sign = -sign;
  }
  state.counters["ns_per_pair"] =
      benchmark::Counter(static_cast<double>(looks) * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["points"] = static_cast<double>(points) / static_cast<double>(looks);
}

void search_support(benchmark::State& state) {
  Random random(9);
  const Polyhedron p = stone(random, static_cast<int>(state.range(0)));
  std::vector<Vec3> directions;
  for (int i = 0; i < 256; ++i) directions.push_back(direction(random));
  for (auto _ : state)
    for (const Vec3& d : directions) benchmark::DoNotOptimize(polyhedron::support_vertex(p, d));
  state.SetItemsProcessed(state.iterations() * 256);
}

BENCHMARK(look_at_pairs)->ArgNames({"vertices", "touching", "memory"})->ArgsProduct({{8, 25, 60}, {0, 1}, {0, 1}});
BENCHMARK(search_support)->Arg(8)->Arg(25)->Arg(60)->Arg(150)->Arg(190)->Arg(210)->Arg(400)->Arg(1000);

}  // namespace
}  // namespace grus

BENCHMARK_MAIN();
