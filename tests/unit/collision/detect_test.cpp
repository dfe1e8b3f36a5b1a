// Detection as a whole: broad phase against all pairs, caching, threads, allocation, activation.
#include "collision/detect.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "collision/narrow_phase.hpp"
#include "shape_cases.hpp"
#include "support/allocation_count.hpp"

namespace grus::detect_test {
namespace {

using namespace test;

bool same_bits(const std::vector<ContactPoint>& x, const std::vector<ContactPoint>& y) {
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i].key != y[i].key || x[i].body_a != y[i].body_a || x[i].body_b != y[i].body_b || x[i].law != y[i].law)
      return false;
    if (std::memcmp(&x[i].position, &y[i].position, sizeof(Vec3)) || std::memcmp(&x[i].gap, &y[i].gap, sizeof(Real)) ||
        std::memcmp(&x[i].normal, &y[i].normal, sizeof(Vec3)))
      return false;
  }
  return true;
}

// All pairs, without any broad phase. X_WC: colliders as detect() placed them, since this file is compiled otherwise
// and may round otherwise.
std::vector<ContactPoint> all_pairs(const Model& model, const std::vector<Pose>& X_WC, Index active_count,
                                    const ActivationRule& rule) {
  std::vector<ContactPoint> out;
  const Index count = static_cast<Index>(model.colliders.size());
  for (Index i = 0; i < count; ++i)
    for (Index j = i + 1; j < count; ++j) {
      const Collider &a = model.colliders[static_cast<std::size_t>(i)],
                     &b = model.colliders[static_cast<std::size_t>(j)];
      const auto out_of_scene = [&](Index body) { return body >= active_count && model.is_dynamic(body); };
      if (a.body == b.body || out_of_scene(a.body) || out_of_scene(b.body)) continue;
      if (!model.is_dynamic(a.body) && !model.is_dynamic(b.body)) continue;
      const bool newton = model.pair_law(a.material, b.material).kind == ContactLawKind::newton;
      const Real limit = newton ? 0.0 : rule.skin + rule.reach_of(a.body) + rule.reach_of(b.body);
      Manifold m;
      collide(place_collider(a, ShapeGeometry(model), X_WC[static_cast<std::size_t>(i)]),
              place_collider(b, ShapeGeometry(model), X_WC[static_cast<std::size_t>(j)]), model.planar, limit, m);
      for (const ManifoldPoint& p : m)
        out.push_back({{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), p.feature},
                       a.body,
                       b.body,
                       p.position,
                       p.normal,
                       p.gap,
                       a.material * model.material_count + b.material});
    }
  return out;
}

// Bodies of all shapes and sizes from 1 to `ratio` in a box, with walls and a tilted kinematic box.
ModelBuilder mixed_scene(Random& random, bool planar, Index count, Real ratio) {
  ModelBuilder builder(planar);
  // half of the spatial ones are stones
  const std::vector<ShapeKind> kinds =
      planar ? std::vector{ShapeKind::disk, ShapeKind::capsule, ShapeKind::box, ShapeKind::polygon}
             : std::vector{ShapeKind::sphere,     ShapeKind::capsule,    ShapeKind::box,        ShapeKind::cylinder,
                           ShapeKind::polyhedron, ShapeKind::polyhedron, ShapeKind::polyhedron, ShapeKind::polyhedron};
  const Real smallest = 0.05;
  const Real side = planar ? 0.25 * std::sqrt(static_cast<Real>(count)) : 0.22 * std::cbrt(static_cast<Real>(count));
  const auto pose = [&] {
    Pose X{random_vector(random, side), random_rotation(random, planar)};
    if (planar) X.position.z() = 0.0;
    return X;
  };
  for (Index i = 0; i < count; ++i) {
    // few large ones, many small ones
    const Real size = smallest * std::pow(ratio, std::pow(random.uniform(), 8.0));
    std::vector<OwnedShape> shapes{random_shape(random, kinds[random.below(kinds.size())], planar, size)};
    if (random.below(10) == 0) {
      shapes.push_back(random_shape(random, kinds[0], planar, 0.5 * size));
      shapes.back().collider.p_BC = Vec3(size, 0, 0);
    }
    builder.body(std::move(shapes), pose(), true);
  }
  for (int wall = 0; wall < 3; ++wall) {
    Pose X = pose();
    builder.body({random_shape(random, ShapeKind::plane, planar, 1.0)}, X, false);
  }
  OwnedShape round = random_shape(random, planar ? ShapeKind::ring : ShapeKind::tube, planar, 1.0);
  round.collider.radius = side;
  builder.body({round}, {Vec3::Zero(), random_rotation(random, planar)}, false);
  builder.body({random_shape(random, ShapeKind::box, planar, side)}, pose(), false);
  builder.finish();
  return builder;
}

std::vector<Real> random_reach(Random& random, const Model& model) {
  std::vector<Real> reach(static_cast<std::size_t>(model.body_count));
  for (Real& r : reach) r = random.uniform(0.0, 0.01);
  return reach;
}

class Detect : public ::testing::TestWithParam<bool> {};

TEST_P(Detect, FindsWhatAllPairsFind) {
  for (const Real ratio : {1.0, 10.0, 100.0}) {
    Random random(21);
    const ModelBuilder scene = mixed_scene(random, GetParam(), 400, ratio);
    const std::vector<Real> reach = random_reach(random, scene.model);
    const ActivationRule rule{0.005, reach};
    CollisionScratch scratch;
    std::vector<ContactPoint> contacts;
    const Index active = 350;
    const DetectReport report = detect(scene.model, scene.poses, active, rule, scratch, contacts, Parallel(1));
    const std::vector<ContactPoint> expected = all_pairs(scene.model, scratch.X_WC, active, rule);
    ASSERT_GT(expected.size(), 100u);
    EXPECT_TRUE(same_bits(contacts, expected)) << "ratio " << ratio;
    EXPECT_TRUE(
        std::is_sorted(contacts.begin(), contacts.end(), [](const auto& x, const auto& y) { return x.key < y.key; }));
    Index pairs = 0;
    for (std::size_t i = 0; i < contacts.size(); ++i)
      pairs += i == 0 || contacts[i].key.a != contacts[i - 1].key.a || contacts[i].key.b != contacts[i - 1].key.b;
    EXPECT_EQ(report.pair_count, pairs);
  }
}

TEST_P(Detect, KeptListGivesTheBitsOfAFreshOneOnAnyNumberOfThreads) {
  Random random(22);
  ModelBuilder scene = mixed_scene(random, GetParam(), 500, 20.0);
  const std::vector<Real> reach = random_reach(random, scene.model);
  const ActivationRule rule{0.002, reach};
  std::vector<Vec3> velocity, spin;
  for (std::size_t i = 0; i < scene.poses.size(); ++i) {
    velocity.push_back(random_direction(random));
    // walls turn slowly: far from their pivot they sweep a long way
    const bool wall = static_cast<Index>(i) >= scene.model.dynamic_count;
    spin.push_back((wall ? 0.02 : 1.0) * random_direction(random));
    if (GetParam()) {
      velocity.back().z() = 0.0;
      spin.back() = Vec3(0, 0, spin.back().z());
    }
  }
  std::array<CollisionScratch, 4> kept;
  std::array<std::vector<ContactPoint>, 4> contacts;
  int rebuilds = 0;
  constexpr int steps = 60;
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < scene.poses.size(); ++i) {
      scene.poses[i].position += 3e-4 * velocity[i];
      scene.poses[i].rotation = rotated(scene.poses[i].rotation, 3e-4 * spin[i]);
    }
    const Index active = 450 + step / 20;
    CollisionScratch fresh;
    std::vector<ContactPoint> expected;
    detect(scene.model, scene.poses, active, rule, fresh, expected, Parallel(1));
    for (int threads = 1; threads <= 4; ++threads) {
      const auto t = static_cast<std::size_t>(threads - 1);
      const DetectReport report =
          detect(scene.model, scene.poses, active, rule, kept[t], contacts[t], Parallel(threads));
      ASSERT_TRUE(same_bits(contacts[t], expected)) << "step " << step << ", threads " << threads;
      if (threads == 1) rebuilds += report.rebuilt;
    }
  }
  EXPECT_GE(rebuilds, 3);
  EXPECT_LE(rebuilds, steps / 2);
}

TEST_P(Detect, SteadyRepeatDoesNotAllocate) {
  Random random(23);
  ModelBuilder scene = mixed_scene(random, GetParam(), 500, 20.0);
  const std::vector<Real> reach = random_reach(random, scene.model);
  CollisionScratch scratch;
  std::vector<ContactPoint> contacts;
  const Parallel serial(1);
  const auto run = [&](Real shift) {
    for (Pose& X : scene.poses) X.position.x() += shift;
    return detect(scene.model, scene.poses, scene.model.dynamic_count, {0.002, reach}, scratch, contacts, serial);
  };
  run(0.0);
  run(1.0);
  const long before = grus::testing::allocation_count();
  EXPECT_FALSE(run(0.0).rebuilt);
  EXPECT_TRUE(run(-1.0).rebuilt);
  EXPECT_EQ(grus::testing::allocation_count(), before);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Detect, ::testing::Bool(),
                         [](const auto& scene) { return scene.param ? "planar" : "spatial"; });

TEST(Activation, FollowsTheLawOfThePair) {
  Random random(24);
  ModelBuilder builder;
  OwnedShape ball = random_shape(random, ShapeKind::sphere, false, 1.0);
  ball.collider.radius = ball.collider.bound_radius = 0.5;
  builder.body({ball}, {Vec3(0, 0, 0), Quat::Identity()}, true);
  builder.body({ball}, {Vec3(1.05, 0, 0), Quat::Identity()}, true);
  builder.finish();
  const auto count = [&](ContactLawKind kind, Real skin, Real reach_a, Real reach_b) {
    builder.model.pair_laws[0].kind = kind;
    const std::array<Real, 2> reach{reach_a, reach_b};
    CollisionScratch scratch;
    std::vector<ContactPoint> contacts;
    detect(builder.model, builder.poses, 2, {skin, reach}, scratch, contacts, Parallel(1));
    return contacts.size();
  };
  EXPECT_EQ(count(ContactLawKind::newton, 1.0, 1.0, 1.0), 0u);
  EXPECT_EQ(count(ContactLawKind::gap, 0.04, 0.0, 0.0), 0u);
  EXPECT_EQ(count(ContactLawKind::gap, 0.06, 0.0, 0.0), 1u);
  EXPECT_EQ(count(ContactLawKind::gap, 0.01, 0.02, 0.015), 0u);
  EXPECT_EQ(count(ContactLawKind::gap, 0.01, 0.02, 0.025), 1u);
}

// The cells of a bed must not depend on grains that fell far out of the scene: without cells every pair of a slab
// would be tested, and the fall of one grain would stop a large run.
TEST(Detect, LostBodyLeavesTheCellsOfTheOthers) {
  Random random(26);
  ModelBuilder builder;
  OwnedShape ball = random_shape(random, ShapeKind::sphere, false, 1.0);
  ball.collider.radius = ball.collider.bound_radius = 0.5;
  for (int i = 0; i < 1000; ++i)
    builder.body({ball}, {1.01 * Vec3(i % 10, i / 10 % 10, i / 100), Quat::Identity()}, true);
  builder.finish();
  builder.model.domain_min = Vec3::Constant(-10.0);
  builder.model.domain_max = Vec3::Constant(20.0);
  const auto largest_cell = [&] {
    CollisionScratch scratch;
    std::vector<ContactPoint> contacts;
    detect(builder.model, builder.poses, 1000, {}, scratch, contacts, Parallel(1));
    const std::vector<Index>& begin = scratch.list.grid.cell_begin;
    Index largest = 0;
    for (std::size_t c = 0; c + 1 < begin.size(); ++c) largest = std::max(largest, begin[c + 1] - begin[c]);
    return largest;
  };
  const Index before = largest_cell();
  EXPECT_LE(before, 8);
  builder.poses[17].position = Vec3(-1e7, -2e7, -3e7);
  EXPECT_LE(largest_cell(), before);
  builder.poses[17].position = Vec3(1e7, 2e7, 3e7);
  EXPECT_LE(largest_cell(), before);
}

TEST(Detect, LostBodiesDoNotStopTheOthers) {
  Random random(25);
  ModelBuilder builder;
  OwnedShape ball = random_shape(random, ShapeKind::sphere, false, 1.0);
  ball.collider.radius = ball.collider.bound_radius = 0.5;
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(0.9, 0, 0), Vec3(nan, 0, 0), Vec3(1e12, 0, 0), Vec3(-1e200, 1e200, 0)})
    builder.body({ball}, {p, Quat::Identity()}, true);
  builder.finish();
  CollisionScratch scratch;
  std::vector<ContactPoint> contacts;
  detect(builder.model, builder.poses, 5, {}, scratch, contacts, Parallel(1));
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, -0.1, 1e-15);
}

}  // namespace
}  // namespace grus::detect_test
