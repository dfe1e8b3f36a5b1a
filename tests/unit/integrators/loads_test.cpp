// Loads from outside against closed forms of the discrete scheme, against each other and against the ledger.

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "integrators/energy.hpp"
#include "multibody/reactions.hpp"
#include "support/machine.hpp"

namespace grus::testing::loads_test {
namespace {

// Sums of a few hundred steps, relative to their terms.
constexpr Real rounding = 1e-12;

Vec3 random_vector(Random& random, Real size) {
  return size * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
}

// v_n = n h (g + F/m), whatever theta.
TEST(Loads, AForceAcceleratesAFreeBody) {
  for (const Real theta : {0.5, 1.0}) {
    Spec spec = bare_spec(1e-3, 0.0, 0.0);
    spec.gravity = Vec3(0, 0, -9.81);
    spec.integrator.theta = theta;
    add_body(spec, sphere_shape(0.1), Vec3(0, 0, 5));
    Rig rig(spec);
    const Vec3 force(3, -2, 40);
    const int steps = 200;
    for (int k = 0; k < steps; ++k) rig.step({{{.body = 0, .force = force}}, {}});
    const Vec3 expected = steps * 1e-3 * (spec.gravity + force / rig.scene.model.mass[0]);
    EXPECT_LT((rig.state.velocity[0] - expected).norm(), rounding * expected.norm());
    EXPECT_EQ(rig.state.angular_velocity[0], Vec3(Vec3::Zero()));
  }
}

// About a principal axis: w_n = n h (arm x F + torque)/J while the arm turns with the body, by the discrete sum.
TEST(Loads, AForceBesideTheCentreTurnsTheBody) {
  Spec spec = bare_spec(1e-3, 0.0, 0.0);
  spec.gravity = Vec3::Zero();
  add_body(spec, box_shape(Vec3(0.2, 0.1, 0.05)), Vec3::Zero());
  Rig rig(spec);
  const Vec3 arm(0.1, 0, 0), force(0, 5, 0);
  Real angle = 0.0, rate = 0.0;
  const Vec3 inertia_W = rig.state.rotation[0] * rig.scene.model.inertia[0];
  const Real inertia = std::abs(inertia_W.z()), theta = spec.integrator.theta, h = 1e-3;
  const Vec3 arm_B = rig.state.rotation[0].conjugate() * arm;
  for (int k = 0; k < 300; ++k) {
    rig.step({{{.body = 0, .force = force, .torque = Vec3(0, 0, 0.01), .at = arm_B}}, {}});
    angle += (1.0 - theta) * h * rate;
    rate += h * (0.1 * std::cos(angle) * 5.0 + 0.01) / inertia;
    angle += theta * h * rate;
  }
  EXPECT_NEAR(rig.state.angular_velocity[0].z(), rate, 1e-10 * rate);
  EXPECT_NEAR((rig.state.rotation[0] * arm_B).y(), 0.1 * std::sin(angle), 1e-11);
}

// Random loads on a box that falls on a plane: what the ledger calls work of forces closes the balance, and only that.
TEST(Loads, TheirWorkClosesTheLedger) {
  Spec spec = bare_spec(1e-3, 0.4, 0.0);
  spec.gravity = Vec3(0, 0, -9.81);
  spec.integrator.bias = BiasKind::midpoint;
  add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  add_body(spec, box_shape(Vec3(0.2, 0.1, 0.05)), Vec3(0, 0, 0.2), Vec3(1, 0, 0), Vec3(2, 3, 4));
  Rig rig(spec);
  const Energy start = mechanical_energy(rig.scene.model, rig.state);
  Random random(7);
  Loads loads;
  for (int k = 0; k < 400; ++k) {
    if (k % 100 == 0) loads.bodies.clear();
    for (int i = 0; k % 100 == 0 && i < 3; ++i)
      loads.bodies.push_back({0, random_vector(random, 20.0), random_vector(random, 0.5), random_vector(random, 0.1)});
    rig.step(loads);
  }
  const EnergyBalance balance = energy_balance(start, mechanical_energy(rig.scene.model, rig.state), rig.state.energy);
  EXPECT_GT(std::abs(rig.state.energy.work_forces), 1.0);
  EXPECT_LT(balance.part(), rounding);
  EXPECT_LT(std::abs(balance.error_potential), rounding * balance.turned_over);
}

// What rests on a plane passes the load on to it.
TEST(Loads, ThePlaneCarriesWeightAndLoad) {
  Spec spec = bare_spec(1e-3, 0.5, 0.0);
  spec.gravity = Vec3(0, 0, -9.81);
  spec.integrator.theta = 1.0;
  spec.law = ContactLawKind::gap;
  add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  add_body(spec, box_shape(Vec3(0.2, 0.2, 0.1)), Vec3(0, 0, 0.05));
  Rig rig(spec);
  const Vec3 force(3, 1, -50);
  for (int k = 0; k < 50; ++k) rig.step({{{.body = 0, .force = force, .at = Vec3(0, 0, -0.05)}}, {}});
  Vec3 carried = Vec3::Zero();
  for (std::size_t c = 0; c < rig.work.contacts.size(); ++c) {
    const Real sign = rig.work.contacts[c].body_b == 0 ? 1.0 : -1.0;
    carried += sign * rig.state.impulse[c] / 1e-3;
  }
  const Vec3 needed = -(force + rig.scene.model.mass[0] * spec.gravity);
  EXPECT_LT((carried - needed).norm(), 1e-8 * needed.norm());
}

Spec double_pendulum() {
  Spec spec = bare_spec(1e-3, 0.0, 0.0);
  spec.gravity = Vec3(0, 0, -9.81);
  MechanismSpec mechanism;
  mechanism.name = "pendulum";
  for (const char* name : {"upper", "lower"}) {
    const bool first = mechanism.bodies.empty();
    LinkSpec& link = add_link(mechanism, name, first ? "ground" : "upper", JointKind::revolute,
                              first ? Vec3(0, 0, 0) : Vec3(0, 0, -1), {coordinate("angle", first ? 0.4 : -0.7)});
    link.joint.axis = Vec3(0, 1, 0);
    link.body.center_of_mass = Vec3(0, 0, -0.5);
  }
  spec.mechanisms.push_back(mechanism);
  return spec;
}

// A force at a point is the generalised force of its Jacobian, also when the point moves.
TEST(Loads, OnALinkAndOnTheJointsTheyAreTheSame) {
  Rig at_point(double_pendulum()), on_joints(double_pendulum());
  const Vec3 force(2, 0, 7), torque(0, 0.3, 0), at(0.1, 0, -0.4);
  const Mechanism& mechanism = on_joints.scene.model.mechanisms[0];
  for (int k = 0; k < 300; ++k) {
    // q_m of the step, where the load acts
    std::vector<Real> q = on_joints.state.joint_position;
    const Real ahead = (1.0 - on_joints.scene.model.integrator.theta) * 1e-3;
    integrate_positions(mechanism, on_joints.state.joint_velocity, ahead, q);
    MechanismKinematics kinematics;
    place(mechanism, q, kinematics);
    const Pose& X_WB = kinematics.X_WB[1];
    Loads generalised;
    generalised.joints.assign(2, 0.0);
    add_generalised_force(mechanism, kinematics, 1, X_WB.position + X_WB.rotation * at, force, torque, 1.0,
                          generalised.joints);
    on_joints.step(generalised);
    at_point.step({{{1, force, torque, at}}, {}});
  }
  EXPECT_EQ(at_point.state.joint_position, on_joints.state.joint_position);
  EXPECT_EQ(at_point.state.joint_velocity, on_joints.state.joint_velocity);
  EXPECT_NEAR(at_point.state.energy.work_forces, on_joints.state.energy.work_forces,
              rounding * std::abs(at_point.state.energy.work_forces));
  EXPECT_GT(std::abs(at_point.state.energy.work_forces), 0.1);
}

// Held in balance by a load at its tip, the hinge carries what is left: -(weight + load).
TEST(Loads, ReactionsOfJointsCountThem) {
  Spec spec = double_pendulum();
  MechanismSpec& mechanism = spec.mechanisms[0];
  mechanism.bodies.pop_back();
  mechanism.bodies[0].joint.coordinates[0].start = 0.5 * std::acos(-1.0);  // horizontal
  Rig rig(spec);
  const Pose X_WB = [&] {
    MechanismKinematics kinematics;
    place(rig.scene.model.mechanisms[0], rig.state.joint_position, kinematics);
    return kinematics.X_WB[0];
  }();
  // half a metre from the hinge lies the centre, one metre the tip: half the weight there
  const Vec3 to_tip = X_WB.position;  // from the hinge at the origin to the centre, and again to the tip
  const Vec3 lift(0, 0, 0.5 * 9.81);
  rig.step({{{.body = 0, .force = lift, .at = X_WB.rotation.conjugate() * to_tip}}, {}});
  EXPECT_NEAR(rig.state.joint_velocity[0], 0.0, rounding);
  const Wrench hinge = joint_wrench(rig.scene.model.mechanisms[0], rig.scene.model.integrator, 0, {},
                                    rig.work.mechanisms[0], rig.work.reactions[0]);
  EXPECT_NEAR(hinge.force.z(), 0.5 * 9.81, 1e-10);
  EXPECT_NEAR(hinge.torque.norm(), 0.0, 1e-10);
}

// A step with no load at all and a step with a load of nothing have the same bits.
TEST(Loads, OfNothingChangeNoBit) {
  Rig plain(double_pendulum()), loaded(double_pendulum());
  for (int k = 0; k < 50; ++k) {
    plain.step();
    loaded.step({{{.body = 0}}, {0.0, 0.0}});
  }
  EXPECT_EQ(state_hash(plain.state), state_hash(loaded.state));
}

}  // namespace
}  // namespace grus::testing::loads_test
