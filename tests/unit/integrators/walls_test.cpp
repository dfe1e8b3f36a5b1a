// Kinematic walls as the step sees them: how far they reach, and motions that are not numbers.

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "support/rig.hpp"

namespace grus::testing::walls_test {
namespace {

TimeFunctionSpec function_of_time(const std::string& text) {
  TimeFunctionSpec function;
  function.expression = text;
  return function;
}

Spec grain_above_a_floor(Real x, Real gap, const MotionSpec& motion) {
  Spec spec = bare_spec(1e-3, 0.3, 0.0);
  spec.law = ContactLawKind::gap;
  spec.integrator.theta = 1.0;
  spec.gravity = Vec3(0, 0, -9.81);
  add_body(spec, sphere_shape(0.01), Vec3(x, 0, 0.01 + gap));
  BodySpec& floor = add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  floor.role = BodyRole::kinematic;
  floor.motion = motion;
  return spec;
}

// A floor that tilts up far from its axis meets the grain within one step, by a path of w h L: the gap law must see it
// come. What is left is the curvature of the path, (w h)^2 L/2 a step.
TEST(Walls, TiltingPlaneIsSeenFarFromItsAxis) {
  constexpr Real angle = 2e-3, distance = 2.0;  // rad per step, m
  MotionSpec motion;
  motion.angle = function_of_time("-2*t");
  motion.axis = Vec3(0, 1, 0);
  for (const Real gap : {0.030, 0.031, 0.032, 0.033}) {
    Rig rig(grain_above_a_floor(distance, gap, motion));
    int touching = 0;
    for (int k = 0; k < 20; ++k) {
      const StepReport& report = rig.step();
      touching += report.contacts;
      EXPECT_LE(report.penetration_max, touching * 0.51 * angle * angle * distance) << gap << " step " << k;
    }
    EXPECT_GT(touching, 10);
  }
}

// Turning about its own normal a plane comes no closer: a grain within that path takes no part.
TEST(Walls, SpinningPlaneReachesNoFarther) {
  MotionSpec motion;
  motion.angle = function_of_time("20*t");
  Rig rig(grain_above_a_floor(2.0, 0.03, motion));
  rig.step();
  EXPECT_EQ(rig.report.contacts, 0);
}

TEST(Walls, MotionMayBeginAtTimeZero) {
  MotionSpec motion;
  motion.displacement[2] = function_of_time("0.1*t^1.5");
  Rig rig(grain_above_a_floor(0.0, -1e-5, motion));
  rig.run(0.01);
  EXPECT_TRUE(std::isfinite(rig.state.energy.dissipated_contact));
  EXPECT_TRUE(std::isfinite(rig.state.energy.work_external));
}

TEST(Walls, MotionThatIsNotANumberStopsTheRun) {
  MotionSpec motion;
  motion.displacement[2] = function_of_time("sqrt(0.005 - t)");
  Rig rig(grain_above_a_floor(0.0, 0.5, motion));
  EXPECT_THROW(rig.run(0.01), NumericalError);
}

TEST(Travel, BodyWithoutAShapeHasNone) {
  Spec spec = bare_spec(1e-3, 0.3, 0.0);
  BodySpec& body = add_body(spec, sphere_shape(1.0), Vec3::Zero(), Vec3(1, 0, 0));
  body.shapes.clear();
  body.mass = 1.0;
  body.inertia = Mat3::Identity();
  Rig rig(spec);
  rig.step();
  EXPECT_EQ(rig.report.travel_max, 0.0);
  EXPECT_EQ(rig.report.lost, 0);
}

}  // namespace
}  // namespace grus::testing::walls_test
