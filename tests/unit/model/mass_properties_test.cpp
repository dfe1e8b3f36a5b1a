#include "model/mass_properties.hpp"

#include <cmath>
#include <functional>
#include <numbers>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "math/rotation.hpp"
#include "unit/model/scene_builders.hpp"

namespace grus::mass_properties_test {
namespace {

using test::disk;
using test::shape;
using test::sphere;

ShapeSpec capsule(Real radius, Real length) {
  ShapeSpec s = shape(ShapeKind::capsule);
  s.radius = radius;
  s.length = length;
  return s;
}

ShapeSpec cylinder(Real radius, Real length) {
  ShapeSpec s = capsule(radius, length);
  s.kind = ShapeKind::cylinder;
  return s;
}

ShapeSpec box(Real a, Real b, Real c) {
  ShapeSpec s = shape(ShapeKind::box);
  s.size = Vec3(a, b, c);
  return s;
}

ShapeSpec polygon(std::vector<Vec2> vertices) {
  ShapeSpec s = shape(ShapeKind::polygon);
  s.vertices = std::move(vertices);
  return s;
}

// Is the point of the shape's frame inside? Independent of the formulas under test.
bool holds(const ShapeSpec& s, bool planar, const Vec3& p) {
  switch (s.kind) {
    case ShapeKind::sphere:
    case ShapeKind::disk:
      return p.norm() <= s.radius;
    case ShapeKind::capsule: {
      const int axis = planar ? 0 : 2;
      Vec3 d = p;
      d[axis] -= std::clamp(p[axis], -0.5 * s.length, 0.5 * s.length);
      return d.norm() <= s.radius;
    }
    case ShapeKind::cylinder:
      return std::abs(p.z()) <= 0.5 * s.length && std::hypot(p.x(), p.y()) <= s.radius;
    case ShapeKind::box:
      return std::abs(p.x()) <= 0.5 * s.size.x() && std::abs(p.y()) <= 0.5 * s.size.y() &&
             (planar || std::abs(p.z()) <= 0.5 * s.size.z());
    case ShapeKind::polygon:
      for (std::size_t k = 0; k < s.vertices.size(); ++k) {
        const Vec2 a = s.vertices[k], b = s.vertices[(k + 1) % s.vertices.size()];
        if ((b - a).x() * (p.y() - a.y()) - (b - a).y() * (p.x() - a.x()) < 0.0) return false;
      }
      return true;
    default:
      return false;
  }
}

MassProperties monte_carlo(const ShapeSpec& s, bool planar, int samples) {
  Random random(7);
  const Real r = bound_radius(s, planar);
  MassProperties sum;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  int inside = 0;
  for (int i = 0; i < samples; ++i) {
    const Vec3 p(random.uniform(-r, r), random.uniform(-r, r), planar ? 0.0 : random.uniform(-r, r));
    if (!holds(s, planar, p)) continue;
    ++inside;
    first += p;
    second += p.squaredNorm() * Mat3::Identity() - p * p.transpose();
  }
  const Real cell = (planar ? 4.0 * r * r : 8.0 * r * r * r) / samples;
  sum.mass = cell * inside;
  sum.center = first / inside;
  const Vec3& c = sum.center;
  sum.inertia = cell * second - sum.mass * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
  return sum;
}

struct Case {
  const char* name;
  ShapeSpec shape;
  bool planar;
};

class UnitMassProperties : public testing::TestWithParam<Case> {};

TEST_P(UnitMassProperties, AgreeWithMonteCarlo) {
  const auto& [name, s, planar] = GetParam();
  // relative error of the means of 4e5 samples, some five standard deviations
  constexpr Real noise = 0.012;
  const MassProperties exact = unit_mass_properties(s, planar);
  const MassProperties sampled = monte_carlo(s, planar, 400000);
  const Real r = bound_radius(s, planar);
  EXPECT_NEAR(exact.mass, sampled.mass, noise * exact.mass);
  EXPECT_LT((exact.center - sampled.center).norm(), noise * r);
  if (planar)
    EXPECT_NEAR(exact.inertia(2, 2), sampled.inertia(2, 2), noise * exact.inertia(2, 2));
  else
    EXPECT_LT((exact.inertia - sampled.inertia).norm(), noise * exact.inertia.norm());
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, UnitMassProperties,
    testing::Values(Case{"sphere", sphere(0.7), false}, Case{"capsule", capsule(0.3, 0.8), false},
                    Case{"capsule_short", capsule(0.5, 0.2), false}, Case{"cylinder", cylinder(0.4, 0.9), false},
                    Case{"box", box(1.0, 0.6, 0.8), false}, Case{"disk", disk(0.7), true},
                    Case{"stadium", capsule(0.3, 0.8), true}, Case{"rectangle", box(1.0, 0.6, 0.0), true},
                    Case{"polygon",
                         polygon({Vec2(0.1, -0.3), Vec2(0.9, -0.1), Vec2(0.8, 0.6), Vec2(0.2, 0.9), Vec2(-0.3, 0.4)}),
                         true}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(MassProperties, TriangleHasItsClosedForm) {
  // right triangle with legs a, b: I_zz about the centroid = m (a^2 + b^2)/18, anywhere in the plane
  const Real a = 0.3, b = 0.5, m = 0.5 * a * b;
  const Vec2 corner(100.0, -50.0);
  const auto p = unit_mass_properties(polygon({corner, corner + Vec2(a, 0), corner + Vec2(0, b)}), true);
  EXPECT_NEAR(p.mass, m, 1e-13 * 1e2);
  EXPECT_NEAR(p.inertia(2, 2), m * (a * a + b * b) / 18, 1e-12);
  EXPECT_LT((p.center - Vec3(corner.x() + a / 3, corner.y() + b / 3, 0)).norm(), 1e-13);
}

TEST(MassProperties, LimitsOfCapsules) {
  const MassProperties s = unit_mass_properties(sphere(0.3), false);
  const MassProperties c = unit_mass_properties(capsule(0.3, 1e-12), false);
  EXPECT_LT((s.inertia - c.inertia).norm(), 1e-10 * s.inertia.norm());
  const MassProperties d = unit_mass_properties(disk(0.3), true);
  const MassProperties t = unit_mass_properties(capsule(0.3, 1e-12), true);
  EXPECT_NEAR(d.inertia(2, 2), t.inertia(2, 2), 1e-10 * d.inertia(2, 2));
}

TEST(MassProperties, ABoxIsItsTwoHalves) {
  const MassProperties whole = unit_mass_properties(box(1.0, 0.6, 0.8), false);
  const MassProperties half = unit_mass_properties(box(0.5, 0.6, 0.8), false);
  const MassProperties both =
      composed({moved(half, Vec3(0.25, 0, 0), Quat::Identity()), moved(half, Vec3(-0.25, 0, 0), Quat::Identity())});
  EXPECT_NEAR(both.mass, whole.mass, 1e-15);
  EXPECT_LT(both.center.norm(), 1e-15);
  EXPECT_LT((both.inertia - whole.inertia).norm(), 1e-15);
}

TEST(MassProperties, MovingAndScalingKeepThePrincipalMoments) {
  const MassProperties unit = unit_mass_properties(box(1.0, 0.6, 0.8), false);
  const MassProperties there = moved(scaled(unit, 3.0), Vec3(1, 2, 3), exp_rotation(Vec3(0.2, 1.0, -0.7)));
  EXPECT_EQ(there.mass, 3.0 * unit.mass);
  const PrincipalInertia principal = principal_inertia(there.inertia);
  Vec3 found = principal.moments, expected = 3.0 * unit.inertia.diagonal();
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_LT((found - expected).norm(), 1e-14);
}

TEST(PrincipalInertia, DiagonalTensorsKeepTheirFrame) {
  for (const Vec3& moments : {Vec3(3, 1, 2), Vec3(1, 1, 1), Vec3(2, 2, 3)}) {
    const PrincipalInertia principal = principal_inertia(moments.asDiagonal());
    EXPECT_EQ(principal.moments, moments);
    EXPECT_EQ(principal.rotation.coeffs(), Quat::Identity().coeffs());
  }
}

TEST(PrincipalInertia, RandomTensorsAreRebuiltByAProperRotationNearTheFrame) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 moments(random.uniform(1, 1.3), random.uniform(1, 1.3), random.uniform(1, 1.3));
    const Vec3 turn(random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3));
    const Mat3 r = exp_rotation(turn).toRotationMatrix();
    const Mat3 tensor = r * moments.asDiagonal() * r.transpose();
    const PrincipalInertia principal = principal_inertia(tensor);
    const Mat3 axes = principal.rotation.toRotationMatrix();
    EXPECT_NEAR(principal.rotation.norm(), 1.0, 1e-14);
    EXPECT_LT((axes * principal.moments.asDiagonal() * axes.transpose() - tensor).norm(), 1e-13);
  }
}

TEST(PrincipalInertia, ASmallTiltGivesASmallTurn) {
  const Mat3 r = exp_rotation(Vec3(1e-3, -2e-3, 5e-4)).toRotationMatrix();
  const Mat3 tensor = r * Vec3(3, 1, 2).asDiagonal() * r.transpose();
  const PrincipalInertia principal = principal_inertia(tensor);
  EXPECT_LT(log_rotation(principal.rotation).norm(), 3e-3);
  EXPECT_LT((principal.moments - Vec3(3, 1, 2)).norm(), 1e-12);
}

TEST(PrincipalInertia, PhysicalMomentsObeyTheTriangleInequality) {
  EXPECT_TRUE(is_physical(Vec3(1, 1, 1)));
  EXPECT_TRUE(is_physical(Vec3(1, 1, 2)));  // a flat disk
  EXPECT_FALSE(is_physical(Vec3(1, 1, 2.1)));
  EXPECT_FALSE(is_physical(Vec3(0, 1, 1)));
  EXPECT_FALSE(is_physical(Vec3(-1, 1, 1)));
  EXPECT_FALSE(is_physical(Vec3(std::nan(""), 1, 1)));
}

TEST(BoundRadius, IsTheFarthestPoint) {
  EXPECT_EQ(bound_radius(capsule(0.3, 0.8), false), 0.7);
  EXPECT_EQ(bound_radius(cylinder(0.3, 0.8), false), 0.5);
  EXPECT_EQ(bound_radius(box(2, 4, 4), false), 3.0);
  EXPECT_EQ(bound_radius(box(6, 8, 100), true), 5.0);
  EXPECT_EQ(bound_radius(polygon({Vec2(0, 0), Vec2(3, 4), Vec2(0, 1)}), true), 5.0);
  EXPECT_TRUE(std::isinf(bound_radius(shape(ShapeKind::plane), false)));
  EXPECT_TRUE(std::isinf(bound_radius(shape(ShapeKind::tube), false)));
  EXPECT_TRUE(std::isinf(bound_radius(shape(ShapeKind::ring), true)));
}

std::string polygon_message(const std::vector<Vec2>& vertices) {
  const auto result = convex_polygon(vertices);
  return std::holds_alternative<std::string>(result) ? std::get<std::string>(result) : "fine";
}

TEST(ConvexPolygon, OrderAndStraightVertices) {
  const auto result = convex_polygon({Vec2(0, 0), Vec2(0, 2), Vec2(1, 2), Vec2(2, 2), Vec2(2, 0)});
  const auto& corners = std::get<std::vector<Vec2>>(result);
  ASSERT_EQ(corners.size(), 4u);
  Real twice = 0.0;
  for (std::size_t k = 0; k < 4; ++k)
    twice += corners[k].x() * corners[(k + 1) % 4].y() - corners[k].y() * corners[(k + 1) % 4].x();
  EXPECT_EQ(twice, 8.0);
}

TEST(ConvexPolygon, Faults) {
  using testing::HasSubstr;
  EXPECT_THAT(polygon_message({Vec2(0, 0), Vec2(1, 0)}), HasSubstr("at least 3"));
  EXPECT_THAT(polygon_message({Vec2(1, 1), Vec2(1, 1), Vec2(1, 1)}), HasSubstr("coincide"));
  EXPECT_THAT(polygon_message({Vec2(0, 0), Vec2(1, 0), Vec2(1, 0), Vec2(0, 1)}), HasSubstr("twice"));
  EXPECT_THAT(polygon_message({Vec2(0, 0), Vec2(2, 0), Vec2(0.5, 0.5), Vec2(0, 2)}), HasSubstr("not convex at"));
  EXPECT_THAT(polygon_message({Vec2(0, 0), Vec2(1, 0), Vec2(2, 0)}), HasSubstr("not convex"));
  EXPECT_THAT(polygon_message({Vec2(0, 0), Vec2(1, 0), Vec2(0, std::nan(""))}), HasSubstr("finite"));
  std::vector<Vec2> star;
  for (int k = 0; k < 5; ++k) {
    const Real turn = 2.0 * std::numbers::pi * 2 * k / 5;
    star.emplace_back(std::cos(turn), std::sin(turn));
  }
  EXPECT_THAT(polygon_message(star), HasSubstr("cross"));
}

}  // namespace
}  // namespace grus::mass_properties_test
