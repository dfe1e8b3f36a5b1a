// The contact that a step leaves far off: found above a tenth of the speeds at contacts, and named by its bodies.
#include <gtest/gtest.h>

#include <set>

#include "support/rig.hpp"

namespace grus::testing::poor_contact_test {
namespace {

constexpr Real speed = 2.0;  // m/s

// A ball of `part` kg strikes one of 1 - part that lies on the floor, without gravity, and one sweep is all there is:
// the floor is relaxed last, and the two are left with their common velocity before, part * speed.
StepReport struck(Real part) {
  Spec spec = bare_spec(1e-3, 0.0, 0.0);
  spec.gravity.setZero();
  spec.solver.kind = SolverKind::nlgs;
  spec.solver.max_iterations = 1;
  BodySpec& low = add_body(spec, sphere_shape(0.125), Vec3(0, 0, 0.125));
  low.mass = 1.0 - part;
  low.inertia = Mat3(Mat3::Identity() * 0.01);
  BodySpec& high = add_body(spec, sphere_shape(0.125), Vec3(0, 0, 0.375), Vec3(0, 0, -speed));
  high.mass = part;
  high.inertia = Mat3(Mat3::Identity() * 0.01);
  add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  Rig rig(spec);
  return rig.step();
}

TEST(PoorContactStep, IsFoundAboveATenthOfTheSpeeds) {
  EXPECT_NEAR(struck(0.099).residual_velocity, 0.099 * speed, 1e-12);
  EXPECT_EQ(struck(0.099).poor_velocity, 0.0);
  const StepReport report = struck(0.101);
  EXPECT_NEAR(report.poor_velocity, 0.101 * speed, 1e-12);
  EXPECT_NEAR(report.poor_speed, speed, 1e-12);
  EXPECT_EQ((std::set{report.poor_body_a, report.poor_body_b}), (std::set<Index>{0, 1}));
}

// In a scene at rest the scale is what the smallest grain gains when it falls by its radius.
TEST(PoorContactStep, IsMeasuredByAFallWhereNothingMoves) {
  const auto poor = [](Real relative) {
    Spec spec = bare_spec(1e-3, 0.0, 0.0);
    spec.gravity = Vec3(0, 0, -10);
    spec.solver.kind = SolverKind::nlgs;
    spec.solver.max_iterations = 1;
    // g h = 0.01 m/s, sqrt(2 g r) = 0.1 m/s
    const Real r = 0.0005;
    BodySpec& low = add_body(spec, sphere_shape(r), Vec3(0, 0, r));
    low.mass = 1.0;
    low.inertia = Mat3(Mat3::Identity() * 0.01);
    BodySpec& high = add_body(spec, sphere_shape(r), Vec3(0, 0, 3 * r), Vec3(0, 0, -relative));
    high.mass = 1.0;
    high.inertia = Mat3(Mat3::Identity() * 0.01);
    add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
    Rig rig(spec);
    return rig.step();
  };
  const StepReport silent = poor(0.0);
  EXPECT_GT(silent.residual_velocity, 0.001);
  EXPECT_EQ(silent.poor_velocity, 0.0);
  EXPECT_NEAR(poor(0.05).poor_speed, 0.1, 1e-9);
}

}  // namespace
}  // namespace grus::testing::poor_contact_test
