// Every pair of the matrix against the support-function oracle, and the invariants of a contact manifold.
#include "collision/narrow_phase.hpp"

#include <gtest/gtest.h>

#include <set>

#include "oracle.hpp"
#include "shape_cases.hpp"

namespace grus::narrow_phase_test {
namespace {

using namespace test;

constexpr Real size = 1.0;
// The oracle's search can stop short on a ridge of s(n), always below the maximum.
constexpr Real oracle_shortfall = 1e-3;
// Closed forms and clipped manifolds: rounding of a few operations, and the 1e-9 of the normal's slack.
constexpr Real gap_tolerance = 1e-8;
// Two curved surfaces (rim against rim, edge or side) are found by iteration, which ends at its last digits.
// (1e-5 was seen for a rim over an edge, where the simplex is a sliver.)
constexpr Real curved_tolerance = 2e-5;

struct PairCase {
  ShapeKind a, b;
  bool planar;
};

std::string case_name(const ::testing::TestParamInfo<PairCase>& info) {
  return name(info.param.a) + "_" + name(info.param.b) + (info.param.planar ? "_planar" : "");
}

const ManifoldPoint* deepest(const Manifold& m) {
  const ManifoldPoint* best = nullptr;
  for (const ManifoldPoint& p : m)
    if (!best || p.gap < best->gap) best = &p;
  return best;
}

class NarrowPhase : public ::testing::TestWithParam<PairCase> {
 protected:
  // A random pair: b at a distance where about half of the cases touch.
  void draw(Random& random) {
    const auto [kind_a, kind_b, planar] = GetParam();
    a = random_shape(random, kind_a, planar, size);
    b = random_shape(random, kind_b, planar, size);
    X_a = {random_vector(random, 3.0), random_or_aligned_rotation(random, planar)};
    X_b = {X_a.position, random_or_aligned_rotation(random, planar)};
    Vec3 d = random_direction(random);
    if (planar) {
      X_a.position.z() = X_b.position.z() = 0.0;
      d.z() = 0.0;
      d.normalize();
    }
    Real far = a.collider.bound_radius + b.collider.bound_radius;
    Real near = 0.0;
    if (kind_b == ShapeKind::plane) far = a.collider.bound_radius;
    if (kind_b == ShapeKind::tube || kind_b == ShapeKind::ring) {
      // perpendicular to the axis, from the middle to just beyond the wall
      const Vec3 axis = X_b.rotation * Vec3::UnitZ();
      d = (d - axis.dot(d) * axis).normalized();
      near = 0.5 * b.collider.radius;
      far = b.collider.radius;
    }
    X_b.position += random.uniform(near, far) * d;
  }

  PlacedShape placed_a() const { return a.placed(X_a); }
  PlacedShape placed_b() const { return b.placed(X_b); }
  bool planar() const { return GetParam().planar; }
  Real tolerance() const {
    const auto [kind_a, kind_b, plane_scene] = GetParam();
    const bool convex_route = kind_a != ShapeKind::sphere && !is_unbounded(kind_b) && !plane_scene;
    const bool curved = kind_a == ShapeKind::cylinder || kind_b == ShapeKind::cylinder;
    return convex_route && curved ? curved_tolerance : gap_tolerance;
  }

  Real true_gap() const {
    if (GetParam().b == ShapeKind::plane) {
      const Vec3 up = X_b.rotation * (planar() ? Vec3::UnitY() : Vec3::UnitZ());
      return -support_value(placed_a(), -up, X_b.position, planar());
    }
    if (is_unbounded(GetParam().b)) return oracle_inside(placed_a(), placed_b());
    return oracle_distance(placed_a(), placed_b(), planar()).gap;
  }

  OwnedShape a, b;
  Pose X_a, X_b;
};

TEST_P(NarrowPhase, SmallestGapIsTheSignedDistance) {
  Random random(11);
  int touching = 0;
  for (int i = 0; i < 400; ++i) {
    draw(random);
    const Real max_gap = random.below(2) ? 0.0 : 0.3;
    const Real expected = true_gap();
    Manifold m;
    collide(placed_a(), placed_b(), planar(), max_gap, m);
    if (expected < max_gap && expected > max_gap - oracle_shortfall) continue;
    ASSERT_EQ(m.count > 0, expected < max_gap) << "case " << i << ", gap " << expected;
    if (m.count == 0) continue;
    ++touching;
    const ManifoldPoint& p = *deepest(m);
    ASSERT_NEAR(p.gap, expected, oracle_shortfall) << "case " << i;
    if (is_unbounded(GetParam().b)) {
      ASSERT_NEAR(p.gap, expected, tolerance()) << "case " << i;
      continue;
    }
    // s(n) <= distance for every n: what the normal proves is no more than the truth, and no search beats it
    ASSERT_NEAR(separation(placed_a(), placed_b(), p.normal, planar()), p.gap, tolerance()) << "case " << i;
    ASSERT_GE(p.gap, expected - tolerance()) << "case " << i;
  }
  EXPECT_GT(touching, 100);
}

TEST_P(NarrowPhase, PointsLieOnBothSurfacesWithinTheGap) {
  Random random(12);
  for (int i = 0; i < 60; ++i) {
    draw(random);
    Manifold m;
    collide(placed_a(), placed_b(), planar(), 0.2, m);
    std::set<std::uint32_t> features;
    ASSERT_LE(m.count, planar() ? 2 : 4);
    for (const ManifoldPoint& p : m) {
      ASSERT_NEAR(p.normal.norm(), 1.0, 1e-12);
      ASSERT_LE(p.gap, 0.2);
      ASSERT_TRUE(features.insert(p.feature).second) << "feature " << p.feature << " twice";
      if (planar()) {
        ASSERT_EQ(p.normal.z(), 0.0);
      }
      // neither surface point may lie outside its shape; 1e-6 of the size is the clipping tolerance
      const Vec3 on_a = p.position - 0.5 * p.gap * p.normal, on_b = p.position + 0.5 * p.gap * p.normal;
      ASSERT_LT(oracle_point_distance(placed_a(), on_a, planar()), 1e-5) << "case " << i;
      if (!is_unbounded(GetParam().b)) {
        ASSERT_LT(oracle_point_distance(placed_b(), on_b, planar()), 1e-5);
      }
    }
  }
}

TEST_P(NarrowPhase, SwappingMirrorsTheContact) {
  Random random(13);
  for (int i = 0; i < 500; ++i) {
    draw(random);
    Manifold forth, back;
    collide(placed_a(), placed_b(), planar(), 0.1, forth);
    collide(placed_b(), placed_a(), planar(), 0.1, back);
    ASSERT_EQ(forth.count > 0, back.count > 0);
    if (forth.count == 0) continue;
    ASSERT_NEAR(deepest(forth)->gap, deepest(back)->gap, tolerance());
    if (!is_unbounded(GetParam().b)) {
      ASSERT_NEAR(separation(placed_a(), placed_b(), -deepest(back)->normal, planar()), deepest(forth)->gap,
                  tolerance());
    }
  }
}

TEST_P(NarrowPhase, RigidMotionMovesTheContact) {
  Random random(14);
  for (int i = 0; i < 500; ++i) {
    draw(random);
    Manifold here, there;
    collide(placed_a(), placed_b(), planar(), 0.1, here);
    Vec3 shift = random_vector(random, 10.0);
    if (planar()) shift.z() = 0.0;
    const Quat turn = random_rotation(random, planar());
    for (Pose* X : {&X_a, &X_b}) *X = {shift + turn * X->position, turn * X->rotation};
    collide(placed_a(), placed_b(), planar(), 0.1, there);
    ASSERT_EQ(here.count > 0, there.count > 0);
    if (here.count == 0) continue;
    ASSERT_NEAR(deepest(here)->gap, deepest(there)->gap, tolerance());
  }
}

// No tolerance is an absolute length: scaling by a power of two scales the result bit for bit.
TEST_P(NarrowPhase, ScaleDoesNotMatter) {
  Random random(16);
  for (int i = 0; i < 200; ++i) {
    draw(random);
    for (const Real scale : {0x1p-12, 0x1p12}) {
      Manifold one, scaled;
      collide(placed_a(), placed_b(), planar(), 0.1, one);
      const auto grown = [&](OwnedShape s) {
        s.collider.radius *= scale;
        s.collider.half *= scale;
        s.collider.bound_radius *= scale;
        s.collider.scale *= scale;
        for (Vec2& v : s.vertices) v *= scale;
        return s;
      };
      const OwnedShape big_a = grown(a), big_b = grown(b);
      collide(big_a.placed({scale * X_a.position, X_a.rotation}), big_b.placed({scale * X_b.position, X_b.rotation}),
              planar(), 0.1 * scale, scaled);
      ASSERT_EQ(one.count, scaled.count);
      for (int k = 0; k < one.count; ++k) {
        const ManifoldPoint &p = one.points[static_cast<std::size_t>(k)],
                            &q = scaled.points[static_cast<std::size_t>(k)];
        ASSERT_EQ(p.feature, q.feature);
        ASSERT_EQ(p.gap * scale, q.gap);
        ASSERT_EQ(p.normal, q.normal);
        ASSERT_EQ(Vec3(scale * p.position), q.position);
      }
    }
  }
}

TEST_P(NarrowPhase, GapIsContinuousAlongSlowMotion) {
  Random random(15);
  for (int path = 0; path < 20; ++path) {
    draw(random);
    Vec3 velocity = random_direction(random);
    Vec3 spin = random_direction(random);
    if (planar()) {
      velocity.z() = 0.0;
      spin = Vec3(0, 0, spin.z());
    }
    const Real step = 1e-3;
    bool before = false;
    Real last = 0.0;
    for (int k = 0; k < 200; ++k) {
      X_a.position += step * velocity;
      X_a.rotation = rotated(X_a.rotation, step * spin);
      Manifold m;
      collide(placed_a(), placed_b(), planar(), 10.0, m);
      ASSERT_GT(m.count, 0);
      const Real gap = deepest(m)->gap;
      // no point of the shape moves farther than this
      const Real moved = step * (velocity.norm() + spin.norm() * a.collider.bound_radius);
      if (before) {
        ASSERT_LE(std::abs(gap - last), moved + tolerance()) << "path " << path << " step " << k;
      }
      before = true;
      last = gap;
    }
  }
}

using K = ShapeKind;
INSTANTIATE_TEST_SUITE_P(
    Spatial, NarrowPhase,
    ::testing::Values(PairCase{K::sphere, K::sphere, false}, PairCase{K::sphere, K::capsule, false},
                      PairCase{K::sphere, K::cylinder, false}, PairCase{K::sphere, K::box, false},
                      PairCase{K::sphere, K::plane, false}, PairCase{K::sphere, K::tube, false},
                      PairCase{K::capsule, K::capsule, false}, PairCase{K::capsule, K::cylinder, false},
                      PairCase{K::capsule, K::box, false}, PairCase{K::capsule, K::plane, false},
                      PairCase{K::capsule, K::tube, false}, PairCase{K::cylinder, K::cylinder, false},
                      PairCase{K::cylinder, K::box, false}, PairCase{K::cylinder, K::plane, false},
                      PairCase{K::cylinder, K::tube, false}, PairCase{K::box, K::box, false},
                      PairCase{K::box, K::plane, false}, PairCase{K::box, K::tube, false},
                      PairCase{K::sphere, K::polyhedron, false}, PairCase{K::capsule, K::polyhedron, false},
                      PairCase{K::cylinder, K::polyhedron, false}, PairCase{K::box, K::polyhedron, false},
                      PairCase{K::polyhedron, K::polyhedron, false}, PairCase{K::polyhedron, K::plane, false},
                      PairCase{K::polyhedron, K::tube, false}),
    case_name);
INSTANTIATE_TEST_SUITE_P(Planar, NarrowPhase,
                         ::testing::Values(PairCase{K::disk, K::disk, true}, PairCase{K::disk, K::capsule, true},
                                           PairCase{K::disk, K::box, true}, PairCase{K::disk, K::polygon, true},
                                           PairCase{K::disk, K::plane, true}, PairCase{K::disk, K::ring, true},
                                           PairCase{K::capsule, K::capsule, true}, PairCase{K::capsule, K::box, true},
                                           PairCase{K::capsule, K::polygon, true}, PairCase{K::capsule, K::plane, true},
                                           PairCase{K::capsule, K::ring, true}, PairCase{K::box, K::box, true},
                                           PairCase{K::box, K::polygon, true}, PairCase{K::box, K::plane, true},
                                           PairCase{K::box, K::ring, true}, PairCase{K::polygon, K::polygon, true},
                                           PairCase{K::polygon, K::plane, true}, PairCase{K::polygon, K::ring, true}),
                         case_name);

}  // namespace
}  // namespace grus::narrow_phase_test
