#include "multibody/dynamics.hpp"

#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "support/allocation_count.hpp"
#include "support/random_mechanism.hpp"

namespace grus::dynamics_test {
namespace {

using testing::random_numbers;
using testing::random_positions;
using testing::random_tree;

// Two exact recursions over up to 40 bodies: rounding only.
constexpr Real identity_tolerance = 1e-12;

struct Case {
  explicit Case(Random& random, Index bodies, bool planar = false)
      : mechanism(random_tree(random, bodies, planar)),
        q(random_positions(mechanism, random)),
        v(random_numbers(random, mechanism.velocity_count)) {
    place(mechanism, q, kinematics);
    move(mechanism, v, kinematics);
    mass_matrix(mechanism, kinematics, scratch, mass);
  }
  std::vector<Real> inverse(const std::vector<Real>& a, const Vec3& gravity) {
    std::vector<Real> tau(v.size());
    inverse_dynamics(mechanism, kinematics, a, gravity, scratch, tau);
    return tau;
  }

  Mechanism mechanism;
  std::vector<Real> q, v;
  MechanismKinematics kinematics;
  DynamicsScratch scratch;
  Eigen::MatrixXd mass;
};

Eigen::VectorXd vector(const std::vector<Real>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

TEST(Dynamics, MassMatrixIsMadeOfColumnsOfInverseDynamics) {
  Random random(11);
  Real worst = 0.0;
  for (int trial = 0; trial < 60; ++trial) {
    Case c(random, 1 + static_cast<Index>(random.below(40)), trial % 4 == 0);
    // at rest: the velocity terms of a tree of 40 are large and would only cancel
    move(c.mechanism, std::vector<Real>(c.v.size(), 0.0), c.kinematics);
    for (std::size_t k = 0; k < c.v.size(); ++k) {
      std::vector<Real> unit(c.v.size(), 0.0);
      unit[k] = 1.0;
      const Eigen::VectorXd column = vector(c.inverse(unit, Vec3::Zero()));
      worst = std::max(worst, (column - c.mass.col(static_cast<Index>(k))).norm() / column.norm());
    }
    EXPECT_EQ(c.mass, c.mass.transpose());
  }
  EXPECT_LT(worst, identity_tolerance);
  std::printf("mass matrix against inverse dynamics: %.1e\n", worst);
}

TEST(Dynamics, KineticEnergyIsThatOfTheMassMatrix) {
  Random random(12);
  for (int trial = 0; trial < 40; ++trial) {
    Case c(random, 1 + static_cast<Index>(random.below(40)), trial % 4 == 0);
    const Real expected = 0.5 * vector(c.v).dot(c.mass * vector(c.v));
    EXPECT_NEAR(kinetic_energy(c.mechanism, c.kinematics) / expected, 1.0, identity_tolerance);
  }
}

// d/dt (1/2 v M v) = v.(M v' + 1/2 M' v) = v.(tau + gravity): power of the bias alone with v' = 0.
TEST(Dynamics, BiasForcesDoTheWorkThatChangesEnergy) {
  Random random(13);
  constexpr Real e = 1e-5;
  for (int trial = 0; trial < 40; ++trial) {
    Case c(random, 1 + static_cast<Index>(random.below(10)), trial % 4 == 0);
    const Vec3 gravity = testing::random_vector(random, 10.0);
    const std::vector<Real> tau = c.inverse(std::vector<Real>(c.v.size(), 0.0), gravity);
    Real energy[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<Real> q = c.q;
      integrate_positions(c.mechanism, c.v, side == 0 ? -e : e, q);
      MechanismKinematics moved;
      place(c.mechanism, q, moved);
      move(c.mechanism, c.v, moved);
      energy[side] = kinetic_energy(c.mechanism, moved) + gravity_energy(c.mechanism, moved, gravity);
    }
    const Real power = vector(tau).dot(vector(c.v));
    // central difference: e^2 times third derivatives, rounding 1e-16/e of the energy
    EXPECT_NEAR((energy[1] - energy[0]) / (2.0 * e), power, 1e-6 * (1.0 + std::abs(power) + std::abs(energy[0])));
  }
}

// A pendulum of a point mass on a rod, by hand.
TEST(Dynamics, PendulumHasItsClosedForm) {
  Mechanism mechanism;
  const Pose X_JB{Vec3(0.0, -0.7, 0.0), Quat::Identity()};
  testing::add_link(mechanism, no_index, {testing::turn(Vec3::UnitZ())}, {}, X_JB, 3.0, Vec3::Constant(0.2));
  MechanismKinematics kinematics;
  DynamicsScratch scratch;
  Eigen::MatrixXd mass;
  place(mechanism, std::vector<Real>{0.4}, kinematics);
  move(mechanism, std::vector<Real>{2.0}, kinematics);
  mass_matrix(mechanism, kinematics, scratch, mass);
  EXPECT_NEAR(mass(0, 0), 0.2 + 3.0 * 0.49, 1e-15);
  std::vector<Real> tau(1);
  inverse_dynamics(mechanism, kinematics, std::vector<Real>{0.0}, Vec3(0, -10, 0), scratch, tau);
  EXPECT_NEAR(tau[0], 3.0 * 10.0 * 0.7 * std::sin(0.4), 1e-14);
  EXPECT_NEAR(kinematics.bias_acceleration[0].norm(), 0.7 * 4.0, 1e-14);
}

// A body that weighs nothing between two that do: nothing is divided by zero.
TEST(Dynamics, MasslessBodiesPassLoadsOn) {
  Mechanism mechanism;
  testing::add_link(mechanism, no_index, {testing::turn(Vec3::UnitZ())}, {}, {}, 0.0, Vec3::Zero());
  testing::add_link(mechanism, 0, {testing::turn(Vec3::UnitX())}, {}, {}, 0.0, Vec3::Zero());
  testing::add_link(mechanism, 1, {testing::turn(Vec3::UnitY())}, {Vec3(1, 0, 0), Quat::Identity()}, {}, 2.0);
  MechanismKinematics kinematics;
  DynamicsScratch scratch;
  Eigen::MatrixXd mass;
  place(mechanism, std::vector<Real>{0.1, 0.2, 0.3}, kinematics);
  mass_matrix(mechanism, kinematics, scratch, mass);
  EXPECT_TRUE(mass.allFinite());
  EXPECT_NEAR(mass(0, 0), 2.1, 1e-14);
}

TEST(Dynamics, SecondCallAllocatesNothing) {
  Random random(14);
  Case c(random, 20);
  std::vector<Real> tau(c.v.size());
  inverse_dynamics(c.mechanism, c.kinematics, c.v, Vec3::Zero(), c.scratch, tau);
  const long before = testing::allocation_count();
  mass_matrix(c.mechanism, c.kinematics, c.scratch, c.mass);
  inverse_dynamics(c.mechanism, c.kinematics, c.v, Vec3::Zero(), c.scratch, tau);
  EXPECT_EQ(testing::allocation_count(), before);
}

}  // namespace
}  // namespace grus::dynamics_test
