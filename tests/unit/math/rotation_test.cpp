// Rotations on the group: exp and log are inverse, agree with Rodrigues' formula, and do not drift.
#include "math/rotation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "core/random.hpp"

namespace grus::rotation_test {
namespace {

constexpr Real pi = std::numbers::pi;
constexpr Real eps = std::numeric_limits<Real>::epsilon();
// A handful of roundings in numbers of order one.
constexpr Real rounding = 16.0 * eps;

Vec3 random_direction(Random& random) { return Vec3(random.normal(), random.normal(), random.normal()).normalized(); }

Real distance(const Quat& a, const Quat& b) { return (a.toRotationMatrix() - b.toRotationMatrix()).norm(); }

// R = I + sin(a) K + (1 - cos(a)) K^2, with K the cross matrix of the unit axis.
Mat3 rodrigues(const Vec3& axis, Real angle) {
  const Mat3 K = cross_matrix(axis);
  const Real half_sine = std::sin(0.5 * angle);
  return Mat3::Identity() + std::sin(angle) * K + 2.0 * half_sine * half_sine * K * K;
}

TEST(Rotation, ExpIsRodriguesFormula) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 axis = random_direction(random);
    const Real angle = random.uniform(-3.0 * pi, 3.0 * pi);
    const Mat3 R = exp_rotation(angle * axis).toRotationMatrix();
    // The angle itself is rounded relative to its size, up to 3 pi.
    ASSERT_LT((R - rodrigues(axis, angle)).norm(), 4.0 * rounding) << "angle " << angle;
  }
}

// Angles over 16 decades, through the switch of the series at 2e-4 rad.
TEST(Rotation, LogUndoesExp) {
  Random random(2);
  for (int i = 0; i < 4000; ++i) {
    const Real angle = pi * std::pow(10.0, random.uniform(-16.0, 0.0)) * (1.0 - 1e-9);
    const Vec3 vector = angle * random_direction(random);
    ASSERT_LT((log_rotation(exp_rotation(vector)) - vector).norm(), rounding * angle) << "angle " << angle;
  }
  EXPECT_EQ(log_rotation(exp_rotation(Vec3::Zero())).norm(), 0.0);
}

TEST(Rotation, ExpUndoesLogForEitherSignOfTheQuaternion) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Quat q = Quat(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
    const Quat minus_q(-q.w(), -q.x(), -q.y(), -q.z());
    for (const Quat& same : {q, minus_q}) {
      const Vec3 vector = log_rotation(same);
      ASSERT_LE(vector.norm(), pi * (1.0 + eps));
      ASSERT_LT(distance(exp_rotation(vector), q), 4.0 * rounding);
    }
  }
}

TEST(Rotation, LogOfAHalfTurnHasAngleOfPi) {
  for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}) {
    const Vec3 vector = log_rotation(Quat(0.0, axis.x(), axis.y(), axis.z()));
    EXPECT_NEAR(vector.norm(), pi, rounding);
    EXPECT_NEAR(vector.cross(axis).norm(), 0.0, rounding);
  }
}

TEST(Rotation, ExpIsUnitForAllAngles) {
  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 vector = std::pow(10.0, random.uniform(-20.0, 3.0)) * random_direction(random);
    ASSERT_NEAR(exp_rotation(vector).norm(), 1.0, rounding);
  }
}

// Rotations about one axis add; the increment acts from the left, in world axes.
TEST(Rotation, RotatedTurnsAboutWorldAxes) {
  const Vec3 x(1, 0, 0);
  const Quat quarter_z = rotation_about_z(0.5 * pi);
  const Quat q = rotated(quarter_z, Vec3(0.5 * pi, 0, 0));
  // x goes to y by the first turn, y to z by the second about the world's x.
  EXPECT_LT((q * x - Vec3(0, 0, 1)).norm(), rounding);
  const Quat twice = rotated(quarter_z, Vec3(0, 0, 0.25 * pi));
  EXPECT_LT(distance(twice, rotation_about_z(0.75 * pi)), rounding);
}

TEST(Rotation, AboutZIsExpOfZ) {
  for (Real angle = -7.0; angle <= 7.0; angle += 0.37) {
    EXPECT_LT(distance(rotation_about_z(angle), exp_rotation(Vec3(0, 0, angle))), 4.0 * rounding);
  }
}

// Directions from equal to opposite, over 16 decades of the distance to both; the axis is normal to both vectors.
TEST(Rotation, BetweenTakesOneDirectionToTheOther) {
  Random random(7);
  for (int i = 0; i < 4000; ++i) {
    const Vec3 a = random_direction(random);
    const Real angle = pi * std::pow(10.0, random.uniform(-16.0, 0.0));
    const Vec3 near_a = exp_rotation(angle * a.cross(random_direction(random)).normalized()) * a;
    for (const Vec3& b : {near_a, Vec3(-near_a)}) {
      const Quat q = rotation_between(a, b);
      const Real error = std::max(rounding, std::min(rounding / (a + b).norm(), 4e-8));
      ASSERT_LT((q * a - b).norm(), error) << "angle " << angle;
      ASSERT_LT(std::abs(q.vec().dot(a)), error) << "angle " << angle;
    }
  }
}

TEST(Rotation, BetweenOppositeDirectionsOfThePlaneIsHalfATurnInThePlane) {
  for (const Vec3& a : {Vec3(0, 1, 0), Vec3(-1, 0, 0), Vec3(0.6, -0.8, 0)}) {
    const Quat q = rotation_between(a, -a);
    EXPECT_EQ(q.vec(), Vec3(0, 0, 1));
    EXPECT_EQ(q.w(), 0.0);
  }
}

// A million small turns keep the length of the quaternion to rounding: no drift.
TEST(Rotation, DoesNotDriftOffTheGroup) {
  Random random(5);
  Quat q = Quat::Identity();
  for (int i = 0; i < 1000000; ++i) q = rotated(q, Vec3(1e-3, 2e-3, random.uniform(-1e-3, 1e-3)));
  EXPECT_NEAR(q.norm(), 1.0, 4.0 * eps);
  EXPECT_LT((q.toRotationMatrix() * q.toRotationMatrix().transpose() - Mat3::Identity()).norm(), rounding);
}

// d/ds exp(s w) x at 0 is w cross x, checked by a central difference: error s^2/6 plus rounding/s.
TEST(Rotation, DerivativeOfExpIsTheCrossProduct) {
  Random random(6);
  const Real s = 1e-5;
  for (int i = 0; i < 100; ++i) {
    const Vec3 w = random_direction(random), x = random_direction(random);
    const Vec3 slope = (exp_rotation(s * w) * x - exp_rotation(-s * w) * x) / (2.0 * s);
    ASSERT_LT((slope - w.cross(x)).norm(), s * s + 4.0 * eps / s);
  }
}

}  // namespace
}  // namespace grus::rotation_test
