// Shapes at rest: the points that carry them, and degenerate poses.
#include "collision/manifold.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "collision/narrow_phase.hpp"
#include "oracle.hpp"
#include "shape_cases.hpp"

namespace grus::manifold_test {
namespace {

using namespace test;

constexpr Real depth = 1e-6;  // a typical penetration at rest, of unit size
// Positions after clipping: projections and back, some hundred roundings.
constexpr Real rounding = 1e-12;

// Deep overlap of curved shapes is found by iteration.
constexpr Real iteration_error = 3e-6;

OwnedShape shape(ShapeKind kind, const Vec3& half, Real radius, bool planar = false) {
  OwnedShape s;
  s.collider.kind = kind;
  s.collider.half = half;
  s.collider.radius = radius;
  s.collider.bound_radius = bound_radius(s.collider, {}, planar);
  return s;
}

OwnedShape box(Real x, Real y, Real z) { return shape(ShapeKind::box, Vec3(x, y, z), 0.0); }
OwnedShape cylinder(Real radius, Real half) { return shape(ShapeKind::cylinder, Vec3(0, 0, half), radius); }
OwnedShape capsule(Real radius, Real half) { return shape(ShapeKind::capsule, Vec3(0, 0, half), radius); }
OwnedShape ground() { return shape(ShapeKind::plane, Vec3::Zero(), 0.0); }

Manifold rest(const OwnedShape& upper, const Pose& X_upper, const OwnedShape& lower, Real max_gap = 0.0) {
  Manifold m;
  collide(upper.placed(X_upper), lower.placed({}), false, max_gap, m);
  return m;
}

Pose at(Real x, Real y, Real z, const Quat& q = Quat::Identity()) { return {Vec3(x, y, z), q}; }

// All points push straight down, and the centre lies inside their hull by at least `inside`.
void expect_carries(const Manifold& m, const Vec3& centre, int count, Real inside) {
  ASSERT_EQ(m.count, count);
  for (const ManifoldPoint& p : m) {
    EXPECT_NEAR(p.gap, -depth, rounding);
    EXPECT_NEAR(p.normal.z(), -1.0, rounding);
  }
  for (int k = 0; k < 32; ++k) {
    const Real angle = 2.0 * std::numbers::pi * k / 32;
    const Vec3 d(std::cos(angle), std::sin(angle), 0.0);
    Real farthest = -1e300;
    for (const ManifoldPoint& p : m) farthest = std::max(farthest, d.dot(p.position - centre));
    EXPECT_GE(farthest, inside) << "no support towards " << angle;
  }
}

TEST(Rest, BoxOnPlaneStandsOnFourCorners) {
  for (const Real yaw : {0.0, 0.3, 1.0})
    expect_carries(rest(box(0.5, 0.4, 0.3), at(1, 2, 0.3 - depth, rotation_about_z(yaw)), ground()), Vec3(1, 2, 0), 4,
                   0.4 - 1e-6);
}

TEST(Rest, BoxOnBoxHasFourPoints) {
  for (const Real yaw : {0.0, 0.3, 0.25 * std::numbers::pi}) {
    const Quat q = rotation_about_z(yaw);
    // on a larger one, on an equal one, on a smaller one
    expect_carries(rest(box(0.5, 0.5, 0.5), at(0, 0, 1.0 - depth, q), box(2, 2, 0.5)), Vec3::Zero(), 4, 0.5 - 1e-6);
    expect_carries(rest(box(0.5, 0.5, 0.5), at(0, 0, 1.0 - depth, q), box(0.5, 0.5, 0.5)), Vec3::Zero(), 4, 0.2);
    expect_carries(rest(box(2, 2, 0.5), at(0, 0, 1.0 - depth, q), box(0.5, 0.5, 0.5)), Vec3::Zero(), 4, 0.5 - 1e-6);
  }
}

TEST(Rest, BoxOverTheEdgeStandsOnTheOverlap) {
  const Manifold m = rest(box(0.5, 0.5, 0.5), at(1.8, 0, 1.0 - depth), box(2, 2, 0.5));
  ASSERT_EQ(m.count, 4);
  for (const ManifoldPoint& p : m) EXPECT_LE(p.position.x(), 2.0 + rounding);
}

TEST(Rest, CylinderStandsOnPlaneBoxAndCylinder) {
  const OwnedShape c = cylinder(0.5, 0.5);
  const Real inscribed_square = 0.5 * std::sqrt(0.5);
  expect_carries(rest(c, at(0, 0, 0.5 - depth), ground()), Vec3::Zero(), 4, inscribed_square - 1e-6);
  expect_carries(rest(c, at(0, 0, 1.0 - depth, rotation_about_z(0.2)), box(2, 2, 0.5)), Vec3::Zero(), 4, 0.25);
  expect_carries(rest(c, at(0, 0, 1.0 - depth, rotation_about_z(0.2)), cylinder(1.0, 0.5)), Vec3::Zero(), 4, 0.25);
  expect_carries(rest(c, at(0, 0, 1.0 - depth, rotation_about_z(0.2)), cylinder(0.5, 0.5)), Vec3::Zero(), 4, 0.25);
}

TEST(Rest, LyingCylinderAndCapsuleHaveTwoPoints) {
  const Quat lying = exp_rotation(Vec3(0.5 * std::numbers::pi, 0, 0));
  const std::array<OwnedShape, 2> lower{ground(), box(3, 3, 0.5)};
  for (const OwnedShape& low : lower) {
    const Real top = low.collider.kind == ShapeKind::box ? 0.5 : 0.0;
    for (const OwnedShape& upper : {cylinder(0.5, 0.8), capsule(0.5, 0.8)}) {
      const Manifold m = rest(upper, at(0, 0, top + 0.5 - depth, lying), low, 1e-4);
      ASSERT_EQ(m.count, 2) << name(upper.collider.kind);
      EXPECT_NEAR(std::abs(m.points[0].position.y() - m.points[1].position.y()), 1.6, 1e-9);
      for (const ManifoldPoint& p : m) EXPECT_NEAR(p.gap, -depth, 1e-9);
    }
  }
  Manifold m;
  collide(capsule(0.5, 0.8).placed(at(0, 0, 1.0 - depth, lying)), capsule(0.5, 0.6).placed(at(0, 0.1, 0, lying)), false,
          0.0, m);
  ASSERT_EQ(m.count, 2);
  EXPECT_NEAR(std::abs(m.points[0].position.y() - m.points[1].position.y()), 1.2, 1e-9);
}

TEST(Rest, SmallTiltKeepsThePointsAndTheirFeatures) {
  const Manifold flat = rest(box(0.5, 0.5, 0.5), at(0, 0, 1.0 - depth), box(2, 2, 0.5), 1e-3);
  for (const Real tilt : {-1e-5, 1e-7, 1e-5}) {
    const Manifold m =
        rest(box(0.5, 0.5, 0.5), at(0, 0, 1.0 - depth, exp_rotation(Vec3(tilt, 0.3 * tilt, 0))), box(2, 2, 0.5), 1e-3);
    ASSERT_EQ(m.count, flat.count);
    for (int i = 0; i < m.count; ++i)
      EXPECT_EQ(m.points[static_cast<std::size_t>(i)].feature, flat.points[static_cast<std::size_t>(i)].feature);
  }
}

TEST(Rest, PlanarBoxHasTwoPoints) {
  OwnedShape upper = shape(ShapeKind::box, Vec3(0.5, 0.3, 0), 0.0, true);
  OwnedShape wide = shape(ShapeKind::box, Vec3(2, 0.5, 0), 0.0, true);
  OwnedShape rod = shape(ShapeKind::capsule, Vec3(0, 0, 0.7), 0.2, true);
  Manifold m;
  collide(upper.placed(at(1.8, 0.8 - depth, 0)), wide.placed({}), true, 0.0, m);
  ASSERT_EQ(m.count, 2);
  EXPECT_NEAR(std::abs(m.points[0].position.x() - m.points[1].position.x()), 0.7, rounding);
  collide(rod.placed(at(0, 0.7 - depth, 0)), wide.placed({}), true, 0.0, m);
  ASSERT_EQ(m.count, 2);
  EXPECT_NEAR(std::abs(m.points[0].position.x() - m.points[1].position.x()), 1.4, rounding);
  OwnedShape floor = shape(ShapeKind::plane, Vec3::Zero(), 0.0, true);
  collide(rod.placed(at(0, 0.2 - depth, 0)), floor.placed({}), true, 0.0, m);
  ASSERT_EQ(m.count, 2);
  for (const ManifoldPoint& p : m) EXPECT_EQ(p.normal, Vec3(0, -1, 0));
}

// Coincident centres, zero lengths, one shape deep inside another: a finite unit normal that parts the two.
TEST(Degenerate, NormalsStayFinite) {
  Random random(31);
  const std::vector<ShapeKind> spatial{ShapeKind::sphere, ShapeKind::capsule, ShapeKind::cylinder, ShapeKind::box,
                                       ShapeKind::polyhedron};
  const std::vector<ShapeKind> planar{ShapeKind::disk, ShapeKind::capsule, ShapeKind::box, ShapeKind::polygon};
  for (const bool flat : {false, true})
    for (const ShapeKind kind_a : flat ? planar : spatial)
      for (const ShapeKind kind_b : flat ? planar : spatial)
        for (int variant = 0; variant < 8; ++variant) {
          OwnedShape a = random_shape(random, kind_a, flat, 1.0), b = random_shape(random, kind_b, flat, 0.2);
          if (variant & 1) b = a;
          if (variant & 2) a.collider.half.z() = 0.0;
          Pose X_a{random_vector(random, 1.0), random_rotation(random, flat)};
          if (flat) X_a.position.z() = 0.0;
          Pose X_b = X_a;
          if (variant & 4) X_b.rotation = random_rotation(random, flat);
          Manifold m;
          collide(a.placed(X_a), b.placed(X_b), flat, 0.0, m);
          ASSERT_GT(m.count, 0) << name(kind_a) << " " << name(kind_b) << " " << variant;
          for (const ManifoldPoint& p : m) {
            ASSERT_TRUE(p.position.allFinite() && std::isfinite(p.gap)) << name(kind_a) << " " << name(kind_b);
            ASSERT_NEAR(p.normal.norm(), 1.0, 1e-12) << name(kind_a) << " " << name(kind_b) << " " << variant;
          }
          // moving b along the deepest normal by its depth parts them
          const ManifoldPoint& p =
              *std::min_element(m.begin(), m.end(), [](auto& x, auto& y) { return x.gap < y.gap; });
          const Pose parted{X_b.position - p.gap * p.normal, X_b.rotation};
          ASSERT_GE(separation(a.placed(X_a), b.placed(parted), p.normal, flat), -iteration_error)
              << name(kind_a) << " " << name(kind_b) << " " << variant;
        }
}

TEST(Reduce, KeepsDeepestAndWidest) {
  Random random(32);
  for (int trial = 0; trial < 100; ++trial) {
    ManifoldCandidates c;
    for (int i = 0; i < 12; ++i) {
      Vec3 p = random_vector(random, 1.0);
      p.z() = 0.0;
      c.add({p, Vec3::UnitZ(), random.uniform(-1e-3, 0.0), static_cast<std::uint32_t>(i)});
    }
    Manifold m;
    reduce(c.span(), Vec3::UnitZ(), 1e-9, m);
    ASSERT_LE(m.count, 4);
    Real all = 0.0, kept = 0.0, farthest = 0.0;
    for (const ManifoldPoint& p : c.span()) all = std::min(all, p.gap);
    for (const ManifoldPoint& p : m) kept = std::min(kept, p.gap);
    EXPECT_EQ(kept, all);
    for (const ManifoldPoint& p : c.span()) farthest = std::max(farthest, (p.position - m.points[0].position).norm());
    EXPECT_NEAR((m.points[1].position - m.points[0].position).norm(), farthest, 1e-9);
  }
}

}  // namespace
}  // namespace grus::manifold_test
