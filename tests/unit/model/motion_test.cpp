#include "model/motion.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "math/rotation.hpp"
#include "model/spec.hpp"

namespace grus::motion_test {
namespace {

TimeFunctionPtr function(const std::string& text) {
  std::vector<Fault> faults;
  return make_time_function({{}, text, {}, false}, {}, {}, faults);
}

TEST(Motion, FixedBodyStaysAndHasExactlyNoTwist) {
  Motion motion;
  motion.base = {Vec3(1, 2, 3), exp_rotation(Vec3(0.1, 0.2, 0.3))};
  EXPECT_EQ(motion.at(5.0).position, motion.base.position);
  EXPECT_EQ(motion.at(5.0).rotation.coeffs(), motion.base.rotation.coeffs());
  const Twist twist = motion.mean_twist(5.0, 1e-3);
  EXPECT_EQ(twist.linear, Vec3(0, 0, 0));
  EXPECT_EQ(twist.angular, Vec3(0, 0, 0));
}

TEST(Motion, ConstantFunctionsHaveExactlyNoTwist) {
  Motion motion;
  motion.base.position = Vec3(1, 0, 0);
  motion.displacement[0] = function("0.3");
  motion.angle = function("0.7");
  const Twist twist = motion.mean_twist(0.1, 1e-3);
  EXPECT_EQ(twist.linear, Vec3(0, 0, 0));
  EXPECT_EQ(twist.angular, Vec3(0, 0, 0));
}

TEST(Motion, PoseTurnsAboutThePivotThenMoves) {
  Motion motion;
  motion.base = {Vec3(2, 0, 0), Quat::Identity()};
  motion.pivot = Vec3(1, 0, 0);
  motion.angle = function("t");
  motion.displacement[2] = function("10*t");
  const Real t = 1.2;
  const Pose pose = motion.at(t);
  EXPECT_LT((pose.position - Vec3(1 + std::cos(t), std::sin(t), 10 * t)).norm(), 1e-14);
  EXPECT_LT((pose.rotation.coeffs() - rotation_about_z(t).coeffs()).norm(), 1e-14);
}

TEST(Motion, IsNeverAskedBeforeTheStart) {
  Motion motion;
  motion.displacement[0] = function("t^1.5");
  motion.angle = function("sqrt(t)");
  constexpr Real span = 0.25;
  for (const Real time : {-0.5 * span, 0.0, 0.5 * span}) {
    const Twist twist = motion.mean_twist(time, span);
    EXPECT_DOUBLE_EQ(twist.linear.x(), std::pow(span, 1.5) / span);
    EXPECT_DOUBLE_EQ(twist.angular.z(), std::sqrt(span) / span);
  }
}

TEST(Motion, ConstantRatesAreExactEvenBeyondHalfATurn) {
  Motion motion;
  motion.displacement[1] = function("3*t");
  motion.angle = function("5*t");
  motion.axis = Vec3(0, 0.6, 0.8);
  constexpr Real rounding = 1e-10;  // a difference of numbers near 20, over the shortest span
  for (const Real span : {1e-4, 0.1, 2.0}) {
    const Twist twist = motion.mean_twist(4.0, span);
    EXPECT_LT((twist.linear - Vec3(0, 3, 0)).norm(), rounding);
    EXPECT_LT((twist.angular - 5.0 * motion.axis).norm(), rounding);
  }
}

// The twist over a step moves the start pose to the end pose: that is what keeps a grain on a moving wall.
TEST(Motion, SecantCarriesTheStartPoseToTheEndPose) {
  Motion motion;
  motion.base = {Vec3(0.5, -0.2, 0.1), exp_rotation(Vec3(0.4, 0.1, -0.2))};
  motion.pivot = Vec3(0.1, 0.1, 0.0);
  motion.axis = Vec3(1, 2, 2) / 3.0;
  motion.angle = function("0.3*sin(7*t)");
  motion.displacement = {function("0.1*sin(11*t)"), function("t^2"), function("0.01*cos(50*t)")};
  const Real h = 0.01;
  for (int n = 0; n < 50; ++n) {
    const Real start = n * h;
    const Twist twist = motion.mean_twist(start + 0.5 * h, h);
    const Pose a = motion.at(start), b = motion.at(start + h);
    EXPECT_LT((a.position + h * twist.linear - b.position).norm(), 1e-14);
    EXPECT_LT((rotated(a.rotation, h * twist.angular).coeffs() - b.rotation.coeffs()).norm(), 1e-14);
  }
}

TEST(Motion, MeanTwistIsTheVelocityToSecondOrder) {
  Motion motion;
  motion.displacement[0] = function("sin(3*t)");
  const Real t = 0.4, exact = 3.0 * std::cos(3.0 * t);
  const Real coarse = std::abs(motion.mean_twist(t, 0.02).linear.x() - exact);
  const Real fine = std::abs(motion.mean_twist(t, 0.01).linear.x() - exact);
  EXPECT_NEAR(coarse / fine, 4.0, 0.01);
}

}  // namespace
}  // namespace grus::motion_test
