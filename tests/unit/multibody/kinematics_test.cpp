#include "multibody/kinematics.hpp"

#include <gtest/gtest.h>

#include "support/allocation_count.hpp"
#include "support/random_mechanism.hpp"

namespace grus::kinematics_test {
namespace {

using testing::random_numbers;
using testing::random_positions;
using testing::random_tree;

// Central differences over +-1e-5 s: 1e-10 from the step and 1e-11 from rounding, times velocities of a few tens.
constexpr Real difference_step = 1e-5;
constexpr Real difference_tolerance = 1e-7;

MechanismKinematics after(const Mechanism& mechanism, std::vector<Real> q, const std::vector<Real>& v, Real time) {
  integrate_positions(mechanism, v, time, q);
  MechanismKinematics kinematics;
  place(mechanism, q, kinematics);
  move(mechanism, v, kinematics);
  return kinematics;
}

TEST(Kinematics, VelocitiesAndBiasAreDerivativesOfPoses) {
  Random random(1);
  for (int trial = 0; trial < 60; ++trial) {
    const bool planar = trial % 3 == 0;
    const Mechanism mechanism = random_tree(random, 1 + trial % 12, planar);
    const std::vector<Real> q = random_positions(mechanism, random);
    const std::vector<Real> v = random_numbers(random, mechanism.velocity_count);
    const MechanismKinematics now = after(mechanism, q, v, 0.0);
    const MechanismKinematics next = after(mechanism, q, v, difference_step);
    const MechanismKinematics last = after(mechanism, q, v, -difference_step);
    for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
      const auto rate = [&](const Vec3& later, const Vec3& earlier) {
        return Vec3((later - earlier) / (2.0 * difference_step));
      };
      const Real scale = 1.0 + now.velocity[i].squaredNorm() + now.omega[i].squaredNorm();
      const Vec3 velocity = rate(next.X_WB[i].position, last.X_WB[i].position);
      const Quat turned = next.X_WB[i].rotation * last.X_WB[i].rotation.conjugate();
      const Vec3 omega = log_rotation(turned) / (2.0 * difference_step);
      const Vec3 acceleration = rate(next.velocity[i], last.velocity[i]);
      const Vec3 alpha = rate(next.omega[i], last.omega[i]);
      EXPECT_LT((now.velocity[i] - velocity).norm(), difference_tolerance * scale);
      EXPECT_LT((now.omega[i] - omega).norm(), difference_tolerance * scale);
      EXPECT_LT((now.bias_acceleration[i] - acceleration).norm(), difference_tolerance * scale * scale);
      EXPECT_LT((now.bias_alpha[i] - alpha).norm(), difference_tolerance * scale * scale);
      if (!planar) continue;
      EXPECT_NEAR((next.angle[i] - last.angle[i]) / (2.0 * difference_step), now.omega[i].z(), 1e-9 * scale);
    }
  }
}

TEST(Kinematics, GeneralisedForcesArePowers) {
  Random random(2);
  for (int trial = 0; trial < 40; ++trial) {
    const Mechanism mechanism = random_tree(random, 40);
    const std::vector<Real> q = random_positions(mechanism, random);
    const std::vector<Real> v = random_numbers(random, mechanism.velocity_count);
    const MechanismKinematics kinematics = after(mechanism, q, v, 0.0);
    const Index link = static_cast<Index>(random.below(40));
    const Vec3 p = testing::random_vector(random), force = testing::random_vector(random);
    const Vec3 torque = testing::random_vector(random);
    std::vector<Real> generalised(v.size(), 0.0);
    add_generalised_force(mechanism, kinematics, link, p, force, torque, 2.0, generalised);
    Real power = 0.0;
    for (std::size_t k = 0; k < v.size(); ++k) power += generalised[k] * v[k];
    const Vec3 velocity = point_velocity(kinematics, link, p);
    const Real expected = 2.0 * (force.dot(velocity) + torque.dot(kinematics.omega[static_cast<std::size_t>(link)]));
    EXPECT_NEAR(power, expected, 1e-12 * (1.0 + velocity.norm()));
  }
}

// Small steps of a ball follow the exponential map: a constant angular velocity in the body gives a known rotation.
TEST(Kinematics, BallTurnsAboutAnAxisFixedInIt) {
  Mechanism mechanism;
  testing::add_link(mechanism, no_index, {testing::ball()});
  std::vector<Real> q{1.0, 0.0, 0.0, 0.0};
  const std::vector<Real> v{0.3, -0.2, 0.5};
  for (int i = 0; i < 1000; ++i) integrate_positions(mechanism, v, 1e-3, q);
  const Quat expected = exp_rotation(Vec3(0.3, -0.2, 0.5));
  const Quat found(q[0], q[1], q[2], q[3]);
  EXPECT_LT((found.coeffs() - expected.coeffs()).norm(), 1e-13);
  EXPECT_NEAR(found.norm(), 1.0, 1e-15);
}

// Planar angles do not wrap: two turns and a half of a chain about -z and z.
TEST(Kinematics, PlanarAnglesAreContinuous) {
  Mechanism mechanism;
  testing::add_link(mechanism, no_index, {testing::turn(-Vec3::UnitZ())});
  testing::add_link(mechanism, 0, {testing::turn(Vec3::UnitZ())});
  mechanism.links[1].angle = 0.25;
  MechanismKinematics kinematics;
  place(mechanism, std::vector<Real>{-5.0, 11.0}, kinematics);
  EXPECT_DOUBLE_EQ(kinematics.angle[0], 5.0);
  EXPECT_DOUBLE_EQ(kinematics.angle[1], 16.25);
}

TEST(Kinematics, SecondCallAllocatesNothing) {
  Random random(3);
  const Mechanism mechanism = random_tree(random, 20);
  std::vector<Real> q = random_positions(mechanism, random);
  const std::vector<Real> v = random_numbers(random, mechanism.velocity_count);
  MechanismKinematics kinematics;
  long calls[3];
  for (long& count : calls) {
    count = testing::allocation_count();
    integrate_positions(mechanism, v, 0.1, q);
    place(mechanism, q, kinematics);
    move(mechanism, v, kinematics);
  }
  EXPECT_GT(calls[1], calls[0]) << "the counter works";
  EXPECT_EQ(testing::allocation_count(), calls[1]);
}

}  // namespace
}  // namespace grus::kinematics_test
