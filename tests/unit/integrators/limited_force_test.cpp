// Motors at their largest force, stalled against a wall, a stone or a joint stop: the force that is shown is the force
// that acted, by the balance of momentum, and it never exceeds its limit.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "multibody/reduction.hpp"
#include "support/machine.hpp"

namespace grus::testing::limited_force_test {
namespace {

// Forces from differences of velocities, m dv/h, with h down to 1e-4 s and stiff laws: parts of the limit.
constexpr Real balance = 1e-9;

// A ram of `mass` on a slide along x, its front at x = 0.1, pushed towards `target` by an implicit law with a limit.
struct Ram {
  Real mass = 1.0, stiffness = 1e5, damping = 1e3, limit = 100.0, target = 1.0;
  Real h = 1e-3, theta = 1.0, tolerance = 1e-4;
};

MechanismSpec ram_mechanism(const Ram& ram, CoordinateSpec slide = coordinate("slide")) {
  ForceLawSpec motor = spring(ram.stiffness, ram.damping, ram.target);
  motor.limit = ram.limit;
  motor.implicit = true;
  slide.forces.push_back(motor);
  MechanismSpec mechanism;
  mechanism.name = "ram";
  LinkSpec& link = add_link(mechanism, "head", "ground", JointKind::prismatic, Vec3::Zero(), {slide});
  link.joint.axis = Vec3(1, 0, 0);
  link.body.mass = ram.mass;
  link.body.shapes.push_back(box_shape(Vec3(0.2, 0.2, 0.2)));
  return mechanism;
}

Spec ram_scene(const Ram& ram, const MechanismSpec& mechanism) {
  Spec spec = bare_spec(ram.h, 0.3, 0.0);
  spec.gravity = Vec3(0, 0, -9.81);
  spec.integrator.theta = ram.theta;
  spec.law = ram.theta == 1.0 ? ContactLawKind::gap : ContactLawKind::newton;
  spec.solver.tolerance = ram.tolerance;
  spec.mechanisms.push_back(mechanism);
  return spec;
}

Ram random_ram(Random& random) {
  const auto decades = [&](Real low, Real high) { return std::pow(10.0, random.uniform(low, high)); };
  Ram ram;
  ram.mass = decades(0.0, 3.0);
  ram.stiffness = decades(2.0, 9.0);
  ram.damping = random.below(3) == 0 ? 0.0 : decades(0.0, 7.0);
  ram.limit = decades(1.0, 5.0);
  ram.h = decades(-4.0, -2.0);
  ram.theta = random.below(2) == 0 ? 0.5 : 1.0;
  // far enough to stall at the limit, also when an impact has gone some way into the wall
  ram.target = 0.3 + 3.0 * ram.limit / ram.stiffness;
  const Real tolerances[] = {1e-2, 1e-4, 1e-12};
  ram.tolerance = tolerances[random.below(3)];
  return ram;
}

// True when the way of 20 mm, at limit/mass or as fast as the damper lets it, takes less than half of 400 steps.
bool stalls(const Ram& ram) {
  const Real creep = ram.stiffness * 0.28 / std::max(ram.damping, 1.0);  // m/s
  return std::sqrt(2.0 * 0.02 * ram.mass / ram.limit) + 0.02 / creep < 200.0 * ram.h;
}

Real motor_force(const Rig& rig) { return rig.work.mechanisms[0].forces.laws[0].acted; }

// N, of all contacts on the ram along x.
Real contact_force(const Rig& rig) {
  Real sum = 0.0;
  for (std::size_t c = 0; c < rig.work.contacts.size(); ++c) {
    const Real force = rig.state.impulse[c].x() / rig.scene.model.integrator.step;
    const bool is_b = rig.scene.model.is_linked(rig.work.contacts[c].body_b);
    const bool is_a = rig.scene.model.is_linked(rig.work.contacts[c].body_a);
    sum += (is_b ? force : 0.0) - (is_a ? force : 0.0);
  }
  return sum;
}

// Steps once and checks force, limit and energy; returns the force of contacts and stop on the ram.
Real step_and_balance(Rig& rig, const Ram& ram) {
  const Real before = rig.state.joint_velocity[0];
  const EnergyLedger ledger = rig.state.energy;
  const Real kinetic = rig.kinetic();
  rig.step();
  const Real change = ram.mass * (rig.state.joint_velocity[0] - before) / ram.h;
  const Real reaction = contact_force(rig) + rig.state.limit_impulse[0] / ram.h;
  // the sizes of what is balanced, where an impact stops a fast ram
  const Real scale = std::max({ram.limit, std::abs(change), std::abs(reaction)});
  EXPECT_NEAR(motor_force(rig), change - reaction, balance * scale);
  EXPECT_LE(std::abs(motor_force(rig)), ram.limit * (1.0 + 1e-14));
  const EnergyLedger& now = rig.state.energy;
  const Real unexplained = rig.kinetic() - kinetic - (now.work_external() - ledger.work_external()) +
                           (now.dissipated_contact - ledger.dissipated_contact) +
                           (now.dissipated_joint - ledger.dissipated_joint);
  // a ram that stands turns nothing over: its limit along a micrometre
  const Real turned_over =
      kinetic + rig.kinetic() + std::abs(now.work_external() - ledger.work_external()) + 1e-6 * ram.limit;
  EXPECT_NEAR(unexplained, 0.0, balance * turned_over);
  return reaction;
}

class LimitedForce : public ::testing::TestWithParam<int> {};

// Runs a scene until the ram has had time to stall; what holds it then takes the limit, and no more.
void expect_stall(const Spec& spec, const Ram& ram) {
  Rig rig(spec);
  Real reaction = 0.0;
  for (int k = 0; k < 400; ++k) reaction = step_and_balance(rig, ram);
  if (!stalls(ram)) return;
  EXPECT_NEAR(motor_force(rig), ram.limit, balance * ram.limit);
  if (ram.tolerance == 1e-12) {
    EXPECT_NEAR(reaction, -ram.limit, balance * ram.limit);
  }
}

TEST_P(LimitedForce, StalledAgainstAWall) {
  Random random(static_cast<std::uint64_t>(100 + GetParam()));
  const Ram ram = random_ram(random);
  Spec spec = ram_scene(ram, ram_mechanism(ram));
  add_plane(spec, Vec3(0.12, 0, 0), Vec3(-1, 0, 0));
  expect_stall(spec, ram);
}

TEST_P(LimitedForce, StalledAgainstItsJointLimit) {
  Random random(static_cast<std::uint64_t>(200 + GetParam()));
  const Ram ram = random_ram(random);
  CoordinateSpec slide = coordinate("slide");
  slide.upper = 0.02;
  expect_stall(ram_scene(ram, ram_mechanism(ram, slide)), ram);
}

// The stone accelerates: its momentum is the impulse of the contact, and that of the ram what is left of the motor.
TEST_P(LimitedForce, PushesAStone) {
  Random random(static_cast<std::uint64_t>(300 + GetParam()));
  const Ram ram = random_ram(random);
  Spec spec = ram_scene(ram, ram_mechanism(ram));
  spec.gravity.setZero();
  BodySpec& stone = add_body(spec, box_shape(Vec3(0.1, 0.1, 0.1)), Vec3(0.16, 0, 0));
  stone.mass = std::pow(10.0, random.uniform(-1.0, 3.0));
  stone.inertia = Mat3(Mat3::Identity() * *stone.mass);
  const Real stone_mass = *stone.mass;
  Rig rig(spec);
  for (int k = 0; k < 100; ++k) {
    const Real before = rig.state.velocity[0].x();
    const Real reaction = step_and_balance(rig, ram);
    const Real push = stone_mass * (rig.state.velocity[0].x() - before) / ram.h;
    EXPECT_NEAR(push, -reaction, balance * std::max(ram.limit, std::abs(reaction)));
  }
}

// The cases above must not pass by never getting there.
TEST(LimitedForceStep, MostRandomRamsStall) {
  int count = 0;
  for (int i = 0; i < 40; ++i) {
    Random random(static_cast<std::uint64_t>(100 + i));
    count += stalls(random_ram(random)) ? 1 : 0;
  }
  EXPECT_GE(count, 20);
}

INSTANTIATE_TEST_SUITE_P(RandomLaws, LimitedForce, ::testing::Range(0, 40));

// Free: accelerates at limit/mass, then holds its speed, without going beyond or back and forth.
TEST(LimitedForceStep, MotorReachesItsSpeedWithoutChatter) {
  CoordinateSpec slide = coordinate("slide");
  ForceLawSpec motor;
  motor.damping = 1e6;
  motor.rate = function_of_time("1");
  motor.limit = 3.0;
  motor.implicit = true;
  slide.forces.push_back(motor);
  MechanismSpec mechanism;
  mechanism.name = "cart";
  LinkSpec& link = add_link(mechanism, "cart", "ground", JointKind::prismatic, Vec3::Zero(), {slide});
  link.joint.axis = Vec3(1, 0, 0);
  link.body.mass = 2.0;
  Spec spec = bare_spec(0.01, 0.0, 0.0);
  spec.mechanisms.push_back(mechanism);
  Rig rig(spec);
  for (int i = 1; i <= 200; ++i) {
    rig.step();
    EXPECT_NEAR(rig.state.joint_velocity[0], std::min(1.5 * 0.01 * i, 1.0), 1e-4);
    EXPECT_LE(rig.state.joint_velocity[0], 1.0 + 1e-12);
  }
}

// A law within its limit has no row: the same bits as without a limit.
TEST(LimitedForceStep, LimitThatIsNotReachedChangesNoBit) {
  Ram ram;
  ram.target = 0.0;
  ram.limit = 1e4;
  const auto hash = [&](bool limited) {
    MechanismSpec mechanism = ram_mechanism(ram, coordinate("slide", 0.01, 0.5));
    if (!limited) mechanism.bodies[0].joint.coordinates[0].forces[0].limit.reset();
    Spec spec = ram_scene(ram, mechanism);
    add_plane(spec, Vec3(0.105, 0, 0), Vec3(-1, 0, 0));
    Rig rig(spec);
    rig.run(0.2);
    State state = rig.state;
    state.energy = {};  // a law with a limit has no potential: the ledger counts it as work
    return state_hash(state);
  };
  EXPECT_EQ(hash(true), hash(false));
}

// What a stalled motor is held at belongs to the state: a step resumed with it and a fresh workspace is the same step,
// and one that does not know of it is another.
TEST(LimitedForceStep, HeldForceIsPartOfTheState) {
  for (const Real direction : {1.0, -1.0}) {
    Ram ram;
    // stands at 0.02: there it wants 1.5 times its limit, and less than that without the wall
    ram.target = direction * (0.02 + 1.5 * ram.limit / ram.stiffness);
    ram.tolerance = 1e-12;
    Spec spec = ram_scene(ram, ram_mechanism(ram));
    add_plane(spec, Vec3(direction * 0.12, 0, 0), Vec3(-direction, 0, 0));
    Rig stalled(spec);
    stalled.run(0.1);
    ASSERT_EQ(stalled.state.held_force, std::vector<std::uint32_t>{direction > 0.0 ? 1U : 2U});
    EXPECT_EQ(motor_force(stalled), direction * ram.limit);

    const auto step_from = [&](std::uint32_t held) {
      Rig resumed(spec);
      resumed.state = stalled.state;
      resumed.state.held_force[0] = held;
      resumed.step();
      EXPECT_NEAR(motor_force(resumed), direction * ram.limit, balance * ram.limit) << "held " << held;
      return std::pair(resumed.report.sweeps, state_hash(resumed.state));
    };
    const auto resumed = step_from(stalled.state.held_force[0]), forgotten = step_from(0U);
    stalled.step();
    EXPECT_EQ(resumed.second, state_hash(stalled.state));
    // solved without the row first, then with it
    EXPECT_GT(forgotten.first, resumed.first);
  }
}

// On a driven coordinate a law moves nothing and loads the drive alone.
TEST(LimitedForceStep, LoadsTheDriveOfItsCoordinate) {
  Ram ram;
  ram.stiffness = 1000.0;
  ram.damping = 0.0;
  ram.limit = 5.0;
  ram.target = 0.0;
  CoordinateSpec slide = driven("slide", "0.02*sin(10*t)");
  Rig rig(ram_scene(ram, ram_mechanism(ram, slide)));
  for (int k = 0; k < 700; ++k) {
    rig.step();
    // implicit with theta = 1: at the end of the step as the step sees it, q_m + h v
    const Real x = 0.02 * std::sin(10.0 * rig.state.time);
    EXPECT_NEAR(motor_force(rig), std::clamp(-1000.0 * x, -5.0, 5.0), 1e-9) << k;
  }
}

// Two limited motors and a loop in a bed of grains: every equation of the machine holds with the forces that acted.
TEST(LimitedForceStep, EquationsOfAMachineHoldWithTheForcesThatActed) {
  Spec spec = bare_spec(1e-3, 0.5, 0.0);
  spec.integrator.theta = 1.0;
  spec.law = ContactLawKind::gap;
  spec.solver.tolerance = 1e-3;
  MechanismSpec arm = stirring_arm(0.25, "0.2828 - 0.02*sin(4*t)");
  for (LinkSpec& link : arm.bodies)
    for (CoordinateSpec& c : link.joint.coordinates)
      for (ForceLawSpec& law : c.forces) {
        law.implicit = true;
        law.limit = link.body.name == "stick" ? 4.0 : 0.1;
      }
  spec.mechanisms.push_back(arm);
  add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  Random random(8);
  for (int i = 0; i < 60; ++i)
    add_body(spec, sphere_shape(0.02), Vec3(0.05 * (i % 6) - 0.12, 0.05 * (i / 6 % 5) - 0.1, 0.03 + 0.05 * (i / 30)));
  Rig rig(spec);
  int held = 0, touching = 0;
  for (int k = 0; k < 600; ++k) {
    rig.step();
    const ReducedMechanism& machine = rig.work.mechanisms[0];
    for (const LawStep& law : machine.forces.laws) held += is_held(law.mode) ? 1 : 0;
    for (const ContactPoint& contact : rig.work.contacts)
      touching += rig.scene.model.is_linked(contact.body_a) || rig.scene.model.is_linked(contact.body_b) ? 1 : 0;
    for (std::size_t i = 0; i < machine.forces.laws.size(); ++i)
      EXPECT_LE(std::abs(machine.forces.laws[i].acted), law_of(rig.scene.model.mechanisms[0], i).limit * (1.0 + 1e-14));
    for (const Index u : machine.partition.independent)
      EXPECT_NEAR(rig.work.reactions[0].residual[static_cast<std::size_t>(u)], 0.0, 1e-9) << k;
  }
  EXPECT_GT(held, 100);
  EXPECT_GT(touching, 100);
}

}  // namespace
}  // namespace grus::testing::limited_force_test
