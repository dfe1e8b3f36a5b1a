#include "multibody/condition.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/random_mechanism.hpp"

namespace grus::condition_test {
namespace {

// A body thrown with constant acceleration and turned about an axis fixed in space at a changing speed.
struct Flight {
  explicit Flight(Random& random)
      : position(testing::random_vector(random)),
        velocity(testing::random_vector(random)),
        acceleration(testing::random_vector(random)),
        axis(testing::random_unit(random)),
        rate(random.uniform(-1.0, 1.0)),
        rate_change(random.uniform(-1.0, 1.0)),
        rotation(testing::random_rotation(random)) {}

  BodyMotion at(Real t) const {
    BodyMotion body;
    body.X_WB.position = position + t * velocity + 0.5 * t * t * acceleration;
    body.X_WB.rotation = exp_rotation((rate * t + 0.5 * rate_change * t * t) * axis) * rotation;
    body.velocity = velocity + t * acceleration;
    body.omega = (rate + t * rate_change) * axis;
    body.bias_acceleration = acceleration;
    body.bias_alpha = rate_change * axis;
    return body;
  }

  Vec3 position, velocity, acceleration, axis;
  Real rate, rate_change;
  Quat rotation;
};

JointCondition random_condition(Random& random, ConditionKind kind) {
  JointCondition condition;
  condition.kind = kind;
  condition.p_A = testing::random_vector(random);
  condition.p_B = testing::random_vector(random);
  condition.axis_A = testing::random_unit(random);
  condition.axis_B = testing::random_unit(random);
  condition.length = 0.3;
  return condition;
}

Real rate_of(const JointCondition& condition, const BodyMotion& a, const BodyMotion& b) {
  const ConditionGradient g = condition_gradient(condition, a.X_WB, b.X_WB);
  const auto velocity = [&](const BodyMotion& body) {
    return Vec3(body.velocity + body.omega.cross(g.point - body.X_WB.position));
  };
  return g.force.dot(velocity(b) - velocity(a)) + g.torque.dot(b.omega - a.omega);
}

TEST(Condition, WrenchAndBiasAreItsDerivatives) {
  Random random(71);
  constexpr Real e = 1e-5;  // central differences: 1e-10 times third derivatives of order one to ten
  for (const ConditionKind kind : {ConditionKind::along, ConditionKind::perpendicular, ConditionKind::distance}) {
    for (int trial = 0; trial < 30; ++trial) {
      const JointCondition condition = random_condition(random, kind);
      const Flight a(random), b(random);
      const auto value = [&](Real t) { return condition_gradient(condition, a.at(t).X_WB, b.at(t).X_WB).value; };
      const auto rate = [&](Real t) { return rate_of(condition, a.at(t), b.at(t)); };
      const Real bias = condition_bias(condition, a.at(0.0), b.at(0.0));
      EXPECT_NEAR((value(e) - value(-e)) / (2.0 * e), rate(0.0), 1e-8);
      EXPECT_NEAR((rate(e) - rate(-e)) / (2.0 * e), bias, 1e-6 * (1.0 + std::abs(bias)));
    }
  }
}

// A point on a wheel at the end of a rod fixed at the wheel's centre: the rod only turns with it.
TEST(Condition, RodToTheRimFeelsTheCentripetalAcceleration) {
  JointCondition rod;
  rod.kind = ConditionKind::distance;
  rod.p_B = Vec3(0.5, 0.0, 0.0);
  rod.length = 0.5;
  BodyMotion wheel;
  wheel.omega = Vec3(0.0, 0.0, 3.0);
  EXPECT_NEAR(condition_gradient(rod, {}, wheel.X_WB).value, 0.0, 1e-15);
  EXPECT_NEAR(condition_bias(rod, {}, wheel), 0.0, 1e-14);
  // along x of the ground the point comes back
  rod.kind = ConditionKind::along;
  EXPECT_NEAR(condition_bias(rod, {}, wheel), -4.5, 1e-14);
}

// Where the points of a rod meet, it has a gradient all the same: any direction, no division by zero.
TEST(Condition, RodOfNoLengthIsFinite) {
  JointCondition rod;
  rod.kind = ConditionKind::distance;
  const ConditionGradient gradient = condition_gradient(rod, {}, {});
  EXPECT_EQ(gradient.force.norm(), 1.0);
  EXPECT_EQ(condition_bias(rod, {}, {}), 0.0);
}

}  // namespace
}  // namespace grus::condition_test
