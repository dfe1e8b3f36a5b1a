#include "multibody/forces.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "multibody/dynamics.hpp"
#include "support/allocation_count.hpp"
#include "support/random_mechanism.hpp"

namespace grus::forces_test {
namespace {

struct Linear : TimeFunction {
  Linear(Real start, Real slope) : start_(start), slope_(slope) {}
  Real operator()(Real time, const Inputs&) const override { return start_ + slope_ * time; }
  Real start_, slope_;
};

std::shared_ptr<const Expression> expression(const std::string& text, const std::vector<std::string>& coordinates) {
  const auto read = Expression::read(text, force_variables(coordinates));
  return std::make_shared<const Expression>(std::get<Expression>(read));
}

Eigen::VectorXd vector(const std::vector<Real>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

// A tree with springs and dampers in its joints and between points of its bodies.
struct SprungTree {
  explicit SprungTree(Random& random, bool implicit) : mechanism(testing::random_tree(random, 10)) {
    const auto law = [&] {
      ForceLaw result;
      result.stiffness = random.uniform(10.0, 100.0);
      result.damping = random.uniform(0.1, 10.0);
      result.rest = std::make_shared<Linear>(random.uniform(-0.5, 0.5), 0.0);
      result.implicit = implicit;
      return result;
    };
    for (Index k = 0; k < mechanism.velocity_count; k += 2) {
      // one component of a ball has no potential: its rotation vector is not the integral of its velocity
      if (mechanism.coordinates[static_cast<std::size_t>(k)].position != no_index)
        mechanism.joint_forces.push_back({k, law()});
    }
    for (Index link = 0; link < 10; link += 3) {
      PointForce force{link, link - 1, testing::random_vector(random), testing::random_vector(random), law()};
      mechanism.point_forces.push_back(force);
    }
    q = testing::random_positions(mechanism, random);
    v = testing::random_numbers(random, mechanism.velocity_count);
    place(mechanism, q, kinematics);
    move(mechanism, v, kinematics);
  }

  Mechanism mechanism;
  std::vector<Real> q, v;
  MechanismKinematics kinematics;
  ForceScratch scratch;
};

TEST(Forces, LawIsTheSumOfItsPartsWithinTheLimit) {
  ForceLaw law;
  law.stiffness = 10.0;
  law.damping = 2.0;
  law.rest = std::make_shared<Linear>(0.5, 1.0);
  law.rate = std::make_shared<Linear>(0.0, 3.0);
  law.table = {{0.0, 1.0}, {1.0, 5.0}, {2.0, 3.0}};
  law.expression = expression("100*t + a*b.rate", {"a", "b"});
  const std::vector<Real> values{0.1, 2.0, 0.0, 0.0, 7.0};
  // spring -10 (1.25 - 0.6), damper -2 (0.4 - 0.3), table at 1.25, expression 10 + 14
  const Real expected = -6.5 - 0.2 + 4.5 + 24.0;
  EXPECT_NEAR(joint_force_value(law, 1.25, 0.4, 0.1, values), expected, 1e-13);
  law.limit = 5.0;
  EXPECT_EQ(joint_force_value(law, 1.25, 0.4, 0.1, values), 5.0);
  law.expression = nullptr;
  EXPECT_EQ(joint_force_value(law, 9.0, 0.4, 0.1, values), -5.0);
  ForceLaw table;
  table.table = law.table;
  EXPECT_EQ(joint_force_value(table, -1.0, 0.0, 0.0, values), 1.0);
  EXPECT_EQ(joint_force_value(table, 3.0, 0.0, 0.0, values), 3.0);
  EXPECT_EQ(joint_force_value(table, 1.0, 0.0, 0.0, values), 5.0);
}

// Power of springs is the loss of their energy; the rest of the power is the dampers'.
TEST(Forces, SpringsGiveBackWhatTheyStore) {
  Random random(51);
  constexpr Real e = 1e-5;
  for (int trial = 0; trial < 20; ++trial) {
    SprungTree tree(random, false);
    Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(tree.mechanism.velocity_count, tree.mechanism.velocity_count);
    const ForceStep step{tree.mechanism, tree.kinematics, tree.q, 0.0, 1e-3, 0.5};
    begin_forces(step, {}, tree.scratch);
    EXPECT_FALSE(add_implicit_mass(step, tree.scratch, mass));
    EXPECT_EQ(mass.norm(), 0.0);
    std::vector<Real> all(tree.v.size(), 0.0), damping(all), external(all), stored(all);
    add_forces(step, tree.v, tree.v, tree.scratch, all);
    settle_forces(step, tree.v, tree.v, tree.scratch);
    add_ledger_forces(step, tree.v, tree.v, tree.scratch, damping, external, stored);
    EXPECT_EQ(vector(external).norm(), 0.0);
    EXPECT_LT(vector(damping).dot(vector(tree.v)), 0.0);
    Real energy[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<Real> q = tree.q;
      integrate_positions(tree.mechanism, tree.v, side == 0 ? -e : e, q);
      MechanismKinematics moved;
      place(tree.mechanism, q, moved);
      energy[side] = stored_energy(tree.mechanism, 0.0, q, moved, tree.scratch);
    }
    const Real power = (vector(all) - vector(damping)).dot(vector(tree.v));
    // central difference: e^2 times third derivatives
    EXPECT_NEAR((energy[1] - energy[0]) / (2.0 * e), -power, 1e-6 * (1.0 + std::abs(power)));
  }
}

// A ball sprung alike about all axes has the potential k/2 angle^2.
TEST(Forces, BallSpringsPullBackAlongTheRotationVector) {
  Mechanism mechanism;
  testing::add_link(mechanism, no_index, {testing::ball()});
  ForceLaw law;
  law.stiffness = 3.0;
  for (Index k = 0; k < 3; ++k) mechanism.joint_forces.push_back({k, law});
  const Vec3 rotation(0.3, -1.1, 0.8);
  const Quat x = exp_rotation(rotation);
  const std::vector<Real> q{x.w(), x.x(), x.y(), x.z()}, v(3, 0.0);
  MechanismKinematics kinematics;
  ForceScratch scratch;
  place(mechanism, q, kinematics);
  EXPECT_NEAR(stored_energy(mechanism, 0.0, q, kinematics, scratch), 1.5 * rotation.squaredNorm(), 1e-14);
  const ForceStep step{mechanism, kinematics, q, 0.0, 0.1, 0.5};
  begin_forces(step, {}, scratch);
  std::vector<Real> force(3, 0.0);
  add_forces(step, v, v, scratch, force);
  for (Index k = 0; k < 3; ++k) EXPECT_NEAR(force[static_cast<std::size_t>(k)], -3.0 * rotation[k], 1e-14);
}

// The solution of the implicit equations balances the forces at the end of the step.
TEST(Forces, ImplicitLawsAreTakenAtTheEndOfTheStep) {
  Random random(52);
  constexpr Real h = 0.05, theta = 0.7;
  for (int trial = 0; trial < 20; ++trial) {
    SprungTree tree(random, true);
    const Index n = tree.mechanism.velocity_count;
    DynamicsScratch dynamics;
    Eigen::MatrixXd mass, A;
    mass_matrix(tree.mechanism, tree.kinematics, dynamics, mass);
    A = mass;
    const ForceStep step{tree.mechanism, tree.kinematics, tree.q, 0.0, h, theta};
    begin_forces(step, {}, tree.scratch);
    ASSERT_TRUE(add_implicit_mass(step, tree.scratch, A));
    std::vector<Real> force(tree.v.size(), 0.0);
    add_forces(step, tree.v, tree.v, tree.scratch, force);
    const Eigen::VectorXd end = vector(tree.v) + A.llt().solve(h * vector(force));

    Eigen::VectorXd expected = Eigen::VectorXd::Zero(n);
    const auto balance = [&](const ForceLaw& law, Real x, const Eigen::VectorXd& g) {
      const Real rate = g.dot(end);
      expected += (-law.stiffness * (x + theta * h * rate - (*law.rest)(0.0)) - law.damping * rate) * g;
    };
    for (const JointForce& joint : tree.mechanism.joint_forces) {
      const Index x = tree.mechanism.coordinates[static_cast<std::size_t>(joint.coordinate)].position;
      balance(joint.law, tree.q[static_cast<std::size_t>(x)], Eigen::VectorXd::Unit(n, joint.coordinate));
    }
    for (const PointForce& point : tree.mechanism.point_forces) {
      const PointLine line = point_line(point, tree.kinematics);
      std::vector<Real> g(tree.v.size(), 0.0);
      add_generalised_force(tree.mechanism, tree.kinematics, point.b, line.p_B, line.direction, Vec3::Zero(), 1.0, g);
      add_generalised_force(tree.mechanism, tree.kinematics, point.a, line.p_A, line.direction, Vec3::Zero(), -1.0, g);
      balance(point.law, line.length, vector(g));
    }
    const Eigen::VectorXd change = mass * (end - vector(tree.v));
    EXPECT_LT((change - h * expected).norm(), 1e-9 * (1.0 + h * expected.norm()));
  }
}

// An engaged law that would pass its limit is held there, on the side it passed; one within it stays engaged.
TEST(Forces, LawsThatPassTheirLimitAreHeld) {
  Mechanism mechanism;
  testing::add_link(mechanism, no_index, {testing::slide(Vec3::UnitX())}, {}, {}, 2.0);
  ForceLaw law;
  law.damping = 100.0;
  law.rate = std::make_shared<Linear>(1.0, 0.0);
  law.limit = 3.0;
  law.implicit = true;
  mechanism.joint_forces.push_back({0, law});
  const std::vector<Real> q{0.0}, v{0.0};
  MechanismKinematics kinematics;
  ForceScratch scratch;
  place(mechanism, q, kinematics);
  const ForceStep step{mechanism, kinematics, q, 0.0, 0.01, 0.5};
  const std::vector<std::pair<Real, LawMode>> cases{{0.96, LawMode::held_at_upper},
                                                    {0.98, LawMode::engaged},
                                                    {1.02, LawMode::engaged},
                                                    {1.04, LawMode::held_at_lower}};
  for (const auto& [speed, mode] : cases) {
    begin_forces(step, {}, scratch);
    std::vector<Real> force{0.0};
    add_forces(step, v, v, scratch, force);
    EXPECT_NEAR(force[0], 100.0, 1e-12);  // the right side of the implicit equation, at v_n
    EXPECT_EQ(hold_exceeded(step, std::vector<Real>{speed}, scratch), is_held(mode));
    EXPECT_EQ(scratch.laws[0].mode, mode) << speed;
    EXPECT_FALSE(hold_exceeded(step, std::vector<Real>{speed}, scratch));
    force[0] = 0.0;
    add_forces(step, v, v, scratch, force);
    if (is_held(mode)) {
      EXPECT_EQ(std::abs(force[0]), 3.0);
    }
    settle_forces(step, v, std::vector<Real>{speed}, scratch);
    EXPECT_NEAR(scratch.laws[0].acted, std::clamp(100.0 * (1.0 - speed), -3.0, 3.0), 1e-12);
  }
  // What a row takes off a held force is part of what acted.
  scratch.laws[0].excess = 0.004;
  settle_forces(step, v, std::vector<Real>{1.04}, scratch);
  EXPECT_NEAR(scratch.laws[0].acted, -3.0 + 0.4, 1e-12);
}

// Setpoints of implicit laws are those of the end of the step.
TEST(Forces, ImplicitLawsFollowTheSetpointOfTheEnd) {
  Mechanism mechanism;
  testing::add_link(mechanism, no_index, {testing::slide(Vec3::UnitX())}, {}, {}, 2.0);
  ForceLaw law;
  law.stiffness = 10.0;
  law.damping = 1.0;
  law.rest = std::make_shared<Linear>(0.5, 2.0);
  law.rate = std::make_shared<Linear>(0.0, 3.0);
  law.implicit = true;
  mechanism.joint_forces.push_back({0, law});
  const std::vector<Real> q{0.1}, v{0.2}, end{0.3};
  MechanismKinematics kinematics;
  ForceScratch scratch;
  place(mechanism, q, kinematics);
  const Real time = 1.0, h = 0.1;
  for (const Real theta : {0.5, 1.0}) {
    const ForceStep step{mechanism, kinematics, q, time, h, theta};
    begin_forces(step, {}, scratch);
    std::vector<Real> force{0.0};
    add_forces(step, v, v, scratch, force);
    settle_forces(step, v, end, scratch);
    const Real t_end = time + theta * h;
    EXPECT_NEAR(scratch.laws[0].acted, 10.0 * (0.5 + 2.0 * t_end - (0.1 + theta * h * 0.3)) + 1.0 * (3.0 * t_end - 0.3),
                1e-12);
  }
}

TEST(Forces, AppliedForcesActAtTheirPointInTheirAxes) {
  Random random(53);
  Mechanism mechanism = testing::random_tree(random, 6);
  const std::vector<Real> q = testing::random_positions(mechanism, random);
  const std::vector<Real> v = testing::random_numbers(random, mechanism.velocity_count);
  std::vector<std::string> names;
  for (Index k = 0; k < mechanism.velocity_count; ++k) names.push_back("c" + std::to_string(k));
  AppliedForce applied;
  applied.link = 5;
  applied.p_B = Vec3(0.1, 0.2, 0.3);
  applied.R_UB = testing::random_rotation(random);
  applied.force = {expression("2*t", names), nullptr, expression("c0.rate", names)};
  applied.torque = {nullptr, expression("4", names), nullptr};
  MechanismKinematics kinematics;
  place(mechanism, q, kinematics);
  move(mechanism, v, kinematics);
  for (const bool in_body_axes : {false, true}) {
    applied.in_body_axes = in_body_axes;
    mechanism.applied_forces = {applied};
    ForceScratch scratch;
    std::vector<Real> force(v.size(), 0.0);
    const ForceStep step{mechanism, kinematics, q, 1.5, 1e-3, 0.5};
    begin_forces(step, {}, scratch);
    add_forces(step, v, v, scratch, force);
    const Pose& X_WB = kinematics.X_WB[5];
    const Mat3 axes =
        in_body_axes ? Mat3((X_WB.rotation * applied.R_UB.conjugate()).toRotationMatrix()) : Mat3(Mat3::Identity());
    const Vec3 p = X_WB.position + X_WB.rotation * applied.p_B;
    const Vec3 linear = axes * Vec3(3.0, 0.0, v[0]), angular = axes * Vec3(0.0, 4.0, 0.0);
    const Real power = linear.dot(point_velocity(kinematics, 5, p)) + angular.dot(kinematics.omega[5]);
    EXPECT_NEAR(vector(force).dot(vector(v)), power, 1e-12 * (1.0 + std::abs(power)));
    std::vector<Real> damping(v.size(), 0.0), external(damping), stored(damping);
    add_ledger_forces(step, v, v, scratch, damping, external, stored);
    EXPECT_EQ(external, force);
  }
}

TEST(Forces, SecondCallAllocatesNothing) {
  Random random(54);
  SprungTree tree(random, true);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(tree.mechanism.velocity_count, tree.mechanism.velocity_count);
  std::vector<Real> force(tree.v.size(), 0.0), damping(force), external(force), stored(force);
  long before = 0;
  for (int call = 0; call < 2; ++call) {
    before = testing::allocation_count();
    const ForceStep step{tree.mechanism, tree.kinematics, tree.q, 0.0, 1e-3, 0.5};
    begin_forces(step, {}, tree.scratch);
    add_implicit_mass(step, tree.scratch, A);
    add_forces(step, tree.v, tree.v, tree.scratch, force);
    settle_forces(step, tree.v, tree.v, tree.scratch);
    add_ledger_forces(step, tree.v, tree.v, tree.scratch, damping, external, stored);
    stored_energy(tree.mechanism, 0.0, tree.q, tree.kinematics, tree.scratch);
  }
  EXPECT_EQ(testing::allocation_count(), before);
}

}  // namespace
}  // namespace grus::forces_test
