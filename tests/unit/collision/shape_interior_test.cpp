#include "collision/shape_interior.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "collision/narrow_phase.hpp"
#include "unit/collision/shape_cases.hpp"

namespace grus::shape_interior_test {
namespace {

// A point is inside when a small ball about it is deeper in the shape than its radius: two algorithms, one answer.
void expect_interior_agrees_with_contact(ShapeKind kind, bool planar) {
  constexpr Real small = 1e-3;
  constexpr Real rounding = 1e-8;  // of the gap of a deep ball
  Random random(11 + static_cast<std::uint64_t>(kind));
  test::OwnedShape ball;
  ball.collider.kind = planar ? ShapeKind::disk : ShapeKind::sphere;
  ball.collider.radius = ball.collider.bound_radius = small;
  int inside = 0, outside = 0;
  for (int i = 0; i < 400; ++i) {
    const test::OwnedShape shape = test::random_shape(random, kind, planar, 1.0);
    Vec3 p = test::random_vector(random, 5.0), x = p + test::random_vector(random, is_unbounded(kind) ? 4.0 : 0.8);
    if (planar) p.z() = x.z() = 0.0;
    const PlacedShape placed = shape.placed({p, test::random_rotation(random, planar)});
    Manifold manifold;
    collide(placed, ball.placed({x, Quat::Identity()}), planar, 1e3, manifold);
    ASSERT_GT(manifold.count, 0) << test::name(kind);
    Real gap = 1e300;
    for (const ManifoldPoint& point : manifold) gap = std::min(gap, point.gap);
    if (std::abs(gap + small) < rounding) continue;
    const bool holds = ShapeInterior(placed, planar).holds(x);
    EXPECT_EQ(holds, gap < -small) << test::name(kind) << " gap " << gap;
    ++(holds ? inside : outside);
  }
  EXPECT_GT(inside, 10) << test::name(kind);
  EXPECT_GT(outside, 10) << test::name(kind);
}

TEST(ShapeInterior, AgreesWithTheGapOfASmallBall) {
  for (const ShapeKind kind : {ShapeKind::sphere, ShapeKind::capsule, ShapeKind::cylinder, ShapeKind::box,
                               ShapeKind::plane, ShapeKind::tube, ShapeKind::polyhedron})
    expect_interior_agrees_with_contact(kind, false);
  for (const ShapeKind kind :
       {ShapeKind::disk, ShapeKind::capsule, ShapeKind::box, ShapeKind::polygon, ShapeKind::plane, ShapeKind::ring})
    expect_interior_agrees_with_contact(kind, true);
}

TEST(ShapeInterior, RoundedEdgesAndTriangles) {
  Collider box;
  box.kind = ShapeKind::box;
  box.half = Vec3::Ones();
  box.radius = 0.5;
  const ShapeInterior rounded(place_collider(box, {}, Pose{}), false);
  EXPECT_TRUE(rounded.holds({1.49, 0.0, 0.0}));
  EXPECT_TRUE(rounded.holds({1.3, 1.3, 1.2}));
  EXPECT_FALSE(rounded.holds({1.3, 1.3, 1.3})) << "the corner is round";
  const MeshTriangle triangle{{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY()}};
  ShapeGeometry geometry;
  geometry.triangles = &triangle;
  Collider face;
  face.kind = ShapeKind::triangle;
  face.geometry = 0;
  EXPECT_FALSE(ShapeInterior(place_collider(face, geometry, Pose{}), false).holds({0.2, 0.2, -0.1}));
}

}  // namespace
}  // namespace grus::shape_interior_test
