// A block on an incline: sticks for tan(a) <= mu, slides with g (sin a - mu cos a) otherwise; and a sphere that rolls.

#include <gtest/gtest.h>

#include <numbers>

#include "support/rig.hpp"

namespace grus::testing::incline_test {
namespace {

constexpr Real g = 9.81;
// m/s per step: the solver's tolerance on a velocity change of g h.
constexpr Real per_step_tolerance = 1e-9;

// Gravity is tilted instead of the plane: the same mechanics, and the contact frame stays exact.
Spec block_spec(Real angle, Real friction) {
  Spec spec = bare_spec(1e-3, friction, 0.0);
  spec.gravity = g * Vec3(std::sin(angle), 0, -std::cos(angle));
  add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  add_body(spec, box_shape(Vec3(0.2, 0.2, 0.05)), Vec3(0, 0, 0.025 - 1e-9));
  return spec;
}

class Incline : public ::testing::TestWithParam<Real> {};

TEST_P(Incline, SticksBelowTheFrictionAngle) {
  const Real friction = GetParam();
  for (const Real part : {0.3, 0.9, 0.999}) {
    Rig rig(block_spec(std::atan(part * friction), friction));
    for (int k = 0; k < 100; ++k) {
      rig.step();
      ASSERT_LT(rig.state.velocity[0].norm(), per_step_tolerance) << "part " << part << " step " << k;
    }
  }
}

TEST_P(Incline, SlidesWithCoulombAcceleration) {
  const Real friction = GetParam();
  for (const Real beyond : {1.001, 1.3, 2.0}) {
    const Real angle = std::atan(beyond * friction);
    const Real expected = g * (std::sin(angle) - friction * std::cos(angle));
    Rig rig(block_spec(angle, friction));
    Real before = 0.0;
    for (int k = 0; k < 100; ++k) {
      rig.step();
      const Vec3 v = rig.state.velocity[0];
      ASSERT_NEAR(v.x() - before, expected * 1e-3, per_step_tolerance) << "beyond " << beyond << " step " << k;
      ASSERT_NEAR(v.z(), 0.0, per_step_tolerance);
      before = v.x();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Friction, Incline, ::testing::Values(0.2, 0.5, 0.8));

TEST(Incline, PlanarBlockAgrees) {
  const Real friction = 0.4;
  for (const Real beyond : {0.9, 1.5}) {
    const Real angle = std::atan(beyond * friction);
    Spec spec = bare_spec(1e-3, friction, 0.0);
    spec.planar = true;
    spec.gravity = g * Vec3(std::sin(angle), -std::cos(angle), 0);
    add_plane(spec, Vec3::Zero(), Vec3(0, 1, 0));
    add_body(spec, box_shape(Vec3(0.2, 0.05, 0)), Vec3(0, 0.025 - 1e-9, 0));
    Rig rig(spec);
    const Real expected = std::max(0.0, g * (std::sin(angle) - friction * std::cos(angle)));
    for (int k = 1; k <= 100; ++k) {
      rig.step();
      ASSERT_NEAR(rig.state.velocity[0].x(), k * expected * 1e-3, k * per_step_tolerance);
    }
  }
}

// A solid sphere rolls without slipping for tan(a) <= 7/2 mu with 5/7 g sin(a), and slips with Coulomb's law beyond.
TEST(Incline, SphereRollsOrSlips) {
  const Real friction = 0.2, radius = 0.05;
  for (const Real slope : {0.3, 0.6, 0.8, 1.2}) {
    const Real angle = std::atan(slope);
    Spec spec = bare_spec(1e-3, friction, 0.0);
    spec.gravity = g * Vec3(std::sin(angle), 0, -std::cos(angle));
    add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
    add_body(spec, sphere_shape(radius), Vec3(0, 0, radius - 1e-9));
    Rig rig(spec);
    rig.run(0.1);
    const bool rolls = slope <= 3.5 * friction;
    const Real acceleration =
        rolls ? 5.0 / 7.0 * g * std::sin(angle) : g * (std::sin(angle) - friction * std::cos(angle));
    EXPECT_NEAR(rig.state.velocity[0].x(), 0.1 * acceleration, 1e-8);
    const Real spin = rolls ? 0.1 * acceleration / radius : 0.1 * 2.5 * friction * g * std::cos(angle) / radius;
    EXPECT_NEAR(rig.state.angular_velocity[0].y(), spin, 1e-6);
  }
}

}  // namespace
}  // namespace grus::testing::incline_test
