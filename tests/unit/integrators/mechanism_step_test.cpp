// The step of a mechanism alone: closed forms of the discrete scheme, order of accuracy, momentum, energy and its
// ledger, limits and dry friction, loops over many steps.

#include <gtest/gtest.h>

#include <cmath>

#include "multibody/linked_bodies.hpp"
#include "multibody/loops.hpp"
#include "multibody/reduction.hpp"
#include "support/machine.hpp"

namespace grus::testing::mechanism_step_test {
namespace {

// Sums of some thousand steps, each rounded: 1e-16 of the values times the steps, with room.
constexpr Real rounding = 1e-11;

Spec planar_scene(Real h, MechanismSpec mechanism) {
  Spec spec = bare_spec(h, 0.0, 0.0);
  spec.planar = true;
  spec.gravity = Vec3(0, -9.81, 0);
  spec.mechanisms.push_back(std::move(mechanism));
  return spec;
}

MechanismSpec slider(const CoordinateSpec& slide) {
  MechanismSpec mechanism;
  mechanism.name = "slider";
  add_link(mechanism, "block", "ground", JointKind::prismatic, Vec3::Zero(), {slide}).joint.axis = Vec3(1, 0, 0);
  return mechanism;
}

MechanismSpec double_pendulum() {
  MechanismSpec mechanism;
  mechanism.name = "double-pendulum";
  add_link(mechanism, "upper", "ground", JointKind::revolute, Vec3::Zero(), {coordinate("angle", 0.4, 1.0)})
      .body.center_of_mass = Vec3(0, -0.5, 0);
  add_link(mechanism, "lower", "upper", JointKind::revolute, Vec3(0, -1, 0), {coordinate("angle", -0.9, 2.0)})
      .body.center_of_mass = Vec3(0, -0.4, 0);
  return mechanism;
}

MechanismSpec four_bar_with_spring() {
  MechanismSpec mechanism = four_bar(coordinate("angle", 0.3, 3.0));
  PointForceSpec spring_between;
  spring_between.name = "return";
  spring_between.a.at = Vec3(1.0, 0.5, 0);
  spring_between.b.body = "rocker";
  spring_between.b.at = Vec3(0.5, 0, 0);
  spring_between.law = spring(40.0, 0.0, 0.4);
  mechanism.springs.push_back(spring_between);
  return mechanism;
}

// --- closed forms -----------------------------------------------------------------------------------------------

TEST(MechanismStep, PendulumIsItsDiscreteClosedForm) {
  const Real h = 1e-2, length = 0.7, mass = 2.0, inertia = 0.05;
  MechanismSpec mechanism;
  mechanism.name = "pendulum";
  LinkSpec& arm =
      add_link(mechanism, "arm", "ground", JointKind::revolute, Vec3(0.3, 1, 0), {coordinate("angle", 1.2, -0.5)});
  arm.body.mass = mass;
  arm.body.inertia = Mat3(inertia * Mat3::Identity());
  arm.body.center_of_mass = Vec3(0, -length, 0);
  for (const Real theta : {0.5, 0.8}) {
    Spec spec = planar_scene(h, mechanism);
    spec.integrator.theta = theta;
    Rig rig(spec);
    Real q = 1.2, v = -0.5;
    for (int k = 0; k < 500; ++k) {
      rig.step();
      const Real q_m = q + (1.0 - theta) * h * v;
      v -= h * mass * 9.81 * length * std::sin(q_m) / (inertia + mass * length * length);
      q = q_m + theta * h * v;
      ASSERT_NEAR(rig.state.joint_position[0], q, rounding) << k;
      ASSERT_NEAR(rig.state.joint_velocity[0], v, rounding) << k;
    }
  }
}

// A block coasts and is then held where it was at 0.25 s; the value is that of the start of the first step at or after
// the moment, also when no step starts there.
TEST(MechanismStep, MemoryKeepsTheValueOfItsMoment) {
  const Real speed = 0.5, stiffness = 400.0, mass = 1.0;
  for (const Real h : {1e-2, 7e-3}) {
    for (const Real theta : {0.5, 1.0}) {
      CoordinateSpec slide = coordinate("slide", 0.1, speed);
      ForceLawSpec hold;
      hold.expression = "-400*(block.slide - kept)*(t > kept.time)";
      slide.forces.push_back(hold);
      MechanismSpec mechanism = slider(slide);
      mechanism.memories.push_back({{}, "kept", "block.slide", 0.25});
      mechanism.memories.push_back({{}, "kept.time", "t", 0.25});
      Spec spec = planar_scene(h, mechanism);
      spec.integrator.theta = theta;
      Rig rig(spec);
      EXPECT_EQ(rig.state.memory, (std::vector<Real>{0.1, 0.0}));
      const int moment = static_cast<int>(std::ceil(0.25 / h - 1e-6));
      Real q = 0.1, v = speed, kept = 0.1;
      for (int k = 0; k < 200; ++k) {
        if (k <= moment) kept = q;
        const Real q_m = q + (1.0 - theta) * h * v, t_m = (k + 1.0 - theta) * h, t_kept = std::min(k, moment) * h;
        v -= t_m > t_kept ? h * stiffness * (q_m - kept) / mass : 0.0;
        q = q_m + theta * h * v;
        rig.step();
        ASSERT_NEAR(rig.state.joint_position[0], q, rounding) << k;
        ASSERT_NEAR(rig.state.joint_velocity[0], v, rounding) << k;
        ASSERT_NEAR(rig.state.memory[1], std::min(k + 1, moment) * h, rounding) << k;
      }
      ASSERT_NEAR(rig.state.memory[0], kept, rounding);
    }
  }
}

// The memory is state: steps from a copy of it, with a fresh Workspace, are bitwise the same.
TEST(MechanismStep, MemoryIsPartOfTheState) {
  CoordinateSpec slide = coordinate("slide", 0.0, 0.5);
  ForceLawSpec hold;
  hold.expression = "-400*(block.slide - kept)";
  slide.forces.push_back(hold);
  MechanismSpec mechanism = slider(slide);
  mechanism.memories.push_back({{}, "kept", "block.slide + 0.1*block.slide.rate", 0.1});
  const Spec spec = planar_scene(1e-3, mechanism);
  Rig whole(spec);
  whole.run(0.15);
  Rig resumed(spec);
  resumed.state = whole.state;
  whole.run(0.1);
  resumed.run(0.1);
  EXPECT_EQ(state_hash(resumed.state), state_hash(whole.state));
  Rig forgetful(spec);
  forgetful.run(0.15);
  forgetful.state.memory[0] += 1e-3;
  forgetful.run(0.1);
  EXPECT_NE(state_hash(forgetful.state), state_hash(whole.state));
}

TEST(MechanismStep, DryFrictionSlipsAndSticks) {
  const Real h = 1e-2, friction = 3.0;  // N, on 1 kg
  CoordinateSpec slide = coordinate("slide", 0.0, 0.5);
  slide.friction = friction;
  ForceLawSpec push;
  push.expression = "t < 1 ? 2 : 5";
  slide.forces.push_back(push);
  Rig rig(planar_scene(h, slider(slide)));
  // slips with (2 - 3) m/s2, stops after 0.5 s, sticks against 2 N, slips with (5 - 3) m/s2 from 1 s on
  for (int k = 1; k <= 49; ++k) {
    rig.step();
    ASSERT_NEAR(rig.state.joint_velocity[0], 0.5 - 1.0 * h * k, rounding) << k;
  }
  rig.step();
  rig.step();
  const Real stopped = rig.state.joint_position[0];
  for (int k = 51; k < 99; ++k) {
    rig.step();
    ASSERT_NEAR(rig.state.joint_velocity[0], 0.0, rounding) << k;
  }
  EXPECT_NEAR(rig.state.joint_position[0], stopped, rounding);
  EXPECT_NEAR(rig.state.friction_impulse[0], -2.0 * h, rounding);
  rig.step();  // the force is taken in the middle of the step
  rig.run(0.5);
  EXPECT_NEAR(rig.state.joint_velocity[0], 2.0 * 0.5, rounding);
}

TEST(MechanismStep, LimitReversesTheVelocityByItsRestitution) {
  const Real h = 1e-3;
  for (const Real restitution : {0.0, 0.4, 1.0}) {
    CoordinateSpec slide = coordinate("slide", 0.1, -1.0);
    slide.lower = 0.0;
    slide.upper = 0.3;
    slide.restitution = restitution;
    Rig rig(planar_scene(h, slider(slide)));
    Real before = -1.0;
    while (rig.state.joint_velocity[0] < -0.5 && rig.state.time < 0.2) {
      before = rig.state.joint_velocity[0];
      rig.step();
    }
    EXPECT_NEAR(rig.state.joint_velocity[0], -restitution * before, rounding);
    EXPECT_NEAR(rig.state.joint_position[0], 0.0, h);
    EXPECT_NEAR(rig.state.energy.dissipated_joint, 0.5 * (1.0 - restitution * restitution), rounding);
  }
}

TEST(MechanismStep, LimitOfTheGapLawIsMetWithoutOvershoot) {
  for (const bool is_lower : {true, false}) {
    CoordinateSpec slide = coordinate("slide", 0.1, is_lower ? -1.0 : 1.0);
    slide.lower = 0.0037;  // not a multiple of h v
    slide.upper = 0.2003;
    Spec spec = planar_scene(1e-3, slider(slide));
    spec.integrator.theta = 1.0;
    Rig rig(spec);
    Real lowest = 1.0, highest = 0.0;
    for (int k = 0; k < 300; ++k) {
      rig.step();
      lowest = std::min(lowest, rig.state.joint_position[0]);
      highest = std::max(highest, rig.state.joint_position[0]);
    }
    if (is_lower) {
      EXPECT_NEAR(lowest, 0.0037, rounding);
    } else {
      EXPECT_NEAR(highest, 0.2003, rounding);
    }
    EXPECT_NEAR(rig.state.joint_velocity[0], 0.0, rounding);
  }
}

TEST(MechanismStep, ImplicitDamperIsStableWhereTheExplicitOneIsNot) {
  const Real h = 1e-2, damping = 1000.0;  // h damping/mass = 10
  for (const bool implicit : {true, false}) {
    CoordinateSpec slide = coordinate("slide", 0.0, 1.0);
    slide.forces.push_back(spring(0.0, damping));
    slide.forces.back().implicit = implicit;
    Rig rig(planar_scene(h, slider(slide)));
    for (int k = 1; k <= 8; ++k) {
      rig.step();
      const Real factor = implicit ? 1.0 / (1.0 + h * damping) : 1.0 - h * damping;
      ASSERT_NEAR(rig.state.joint_velocity[0] / std::pow(factor, k), 1.0, 1e-9) << k;
    }
  }
}

TEST(MechanismStep, ImplicitSpringIsItsDiscreteClosedForm) {
  const Real h = 1e-2, stiffness = 1e6, damping = 20.0;  // h sqrt(k/m) = 10
  CoordinateSpec slide = coordinate("slide", 0.01, 0.0);
  slide.forces.push_back(spring(stiffness, damping));
  slide.forces.back().implicit = true;
  Rig rig(planar_scene(h, slider(slide)));
  Real q = 0.01, v = 0.0;
  for (int k = 0; k < 100; ++k) {
    rig.step();
    const Real q_m = q + 0.5 * h * v;
    v = (v - h * stiffness * q_m) / (1.0 + h * damping + 0.5 * h * h * stiffness);
    q = q_m + 0.5 * h * v;
    ASSERT_NEAR(rig.state.joint_position[0], q, rounding) << k;
  }
  EXPECT_LT(std::abs(q), 0.011);
}

// --- order of accuracy --------------------------------------------------------------------------------------------

std::vector<Real> positions_after(const MechanismSpec& mechanism, BiasKind bias, Real h, Real duration) {
  Spec spec = planar_scene(h, mechanism);
  spec.integrator.bias = bias;
  Rig rig(spec);
  rig.run(duration);
  return rig.state.joint_position;
}

Real distance(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// log2 of the factor by which the error falls when the step is halved.
Real observed_order(const MechanismSpec& mechanism, BiasKind bias, Real h, Real duration) {
  const std::vector<Real> exact = positions_after(mechanism, BiasKind::midpoint, h / 64.0, duration);
  const Real coarse = distance(positions_after(mechanism, bias, h, duration), exact);
  const Real fine = distance(positions_after(mechanism, bias, h / 2.0, duration), exact);
  EXPECT_GT(fine, 1e-9) << "too exact to tell an order";
  return std::log2(coarse / fine);
}

TEST(MechanismStep, OrderOfAccuracy) {
  constexpr Real spread = 0.25;  // of an observed order, at steps this large
  for (const MechanismSpec& mechanism : {double_pendulum(), four_bar_with_spring()}) {
    EXPECT_NEAR(observed_order(mechanism, BiasKind::explicit_euler, 1e-3, 0.8), 1.0, spread) << mechanism.name;
    EXPECT_NEAR(observed_order(mechanism, BiasKind::midpoint, 4e-3, 0.8), 2.0, spread) << mechanism.name;
  }
}

// --- energy and momentum ------------------------------------------------------------------------------------------

Real largest_energy_error(const MechanismSpec& mechanism, BiasKind bias, Real h, Real duration) {
  Spec spec = planar_scene(h, mechanism);
  spec.integrator.bias = bias;
  Rig rig(spec);
  const Real start = rig.energy();
  Real largest = 0.0;
  while (rig.state.time < duration) {
    rig.step();
    largest = std::max(largest, std::abs(rig.energy() - start));
  }
  return largest;
}

TEST(MechanismStep, ConservativeSystemsKeepTheirEnergy) {
  for (const MechanismSpec& mechanism : {double_pendulum(), four_bar_with_spring()}) {
    const Real coarse = largest_energy_error(mechanism, BiasKind::midpoint, 2e-3, 4.0);
    const Real fine = largest_energy_error(mechanism, BiasKind::midpoint, 1e-3, 4.0);
    EXPECT_LT(fine, 1e-3) << mechanism.name;  // J, of some ten
    EXPECT_GT(coarse / fine, 3.5) << mechanism.name;
  }
}

// A floating base that carries a joint of every kind.
Spec floating_machine(Real h, BiasKind bias) {
  MechanismSpec mechanism;
  mechanism.name = "floating";
  add_link(mechanism, "base", "ground", JointKind::free, Vec3(0.1, 0.2, 0.3),
           {coordinate("x", 0.0, 0.3), coordinate("y", 0.0, -0.2), coordinate("z", 0.0, 0.5),
            coordinate("rx", 0.2, 1.0), coordinate("ry", 0.0, -0.5), coordinate("rz", 0.1, 0.7)});
  const auto hang = [&](const char* name, const char* parent, JointKind kind, std::vector<CoordinateSpec> coordinates) {
    LinkSpec& link = add_link(mechanism, name, parent, kind, Vec3(0.4, 0.1, -0.2), std::move(coordinates));
    link.body.center_of_mass = Vec3(0.2, -0.1, 0.1);
    link.body.inertia = Mat3(Vec3(0.05, 0.08, 0.1).asDiagonal());
  };
  hang("a", "base", JointKind::revolute, {coordinate("angle", 0.3, 2.0)});
  hang("b", "a", JointKind::prismatic, {coordinate("slide", 0.1, 0.4)});
  hang("c", "base", JointKind::cylindrical, {coordinate("slide", 0.0, -0.3), coordinate("angle", 0.5, 1.0)});
  hang("d", "c", JointKind::universal, {coordinate("angle_1", 0.2, -1.0), coordinate("angle_2", 0.1, 0.8)});
  hang("e", "base", JointKind::spherical,
       {coordinate("rx", 0.1, 1.0), coordinate("ry", 0.2, -1.0), coordinate("rz", 0.0, 0.5)});
  hang("f", "e", JointKind::planar,
       {coordinate("x", 0.1, 0.2), coordinate("y", 0.0, 0.3), coordinate("angle", 0.4, -1.0)});
  hang("g", "f", JointKind::fixed, {});
  Spec spec = bare_spec(h, 0.0, 0.0);
  spec.gravity = Vec3::Zero();
  spec.integrator.bias = bias;
  spec.mechanisms.push_back(mechanism);
  return spec;
}

struct Momentum {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // angular about the origin
};

Momentum momentum_of(const Model& model, const State& state) {
  LinkedBodies linked;
  place_linked_bodies(model, state, linked);
  Momentum sum;
  for (std::size_t d = 0; d < model.mechanisms.size(); ++d) {
    const MechanismKinematics& kinematics = linked.mechanisms[d];
    for (std::size_t i = 0; i < model.mechanisms[d].links.size(); ++i) {
      const Link& link = model.mechanisms[d].links[i];
      const Quat& R = kinematics.X_WB[i].rotation;
      const Vec3 p = link.mass * kinematics.velocity[i];
      sum.linear += p;
      sum.angular +=
          kinematics.X_WB[i].position.cross(p) + R * link.inertia.cwiseProduct(R.conjugate() * kinematics.omega[i]);
    }
  }
  return sum;
}

// Relative coordinates: what the joints do to each other is equal and opposite in q_m, and the map from joint
// velocities to momentum is that of q_m, so both momenta are kept to the order of the scheme and no further.
TEST(MechanismStep, FloatingMachineKeepsItsMomentum) {
  const auto drift = [](BiasKind bias, Real h) {
    Rig rig(floating_machine(h, bias));
    const Momentum start = momentum_of(rig.scene.model, rig.state);
    rig.run(0.5);
    const Momentum end = momentum_of(rig.scene.model, rig.state);
    return std::pair((end.linear - start.linear).norm(), (end.angular - start.angular).norm());
  };
  for (const auto& [bias, order] : {std::pair(BiasKind::explicit_euler, 1.0), std::pair(BiasKind::midpoint, 2.0)}) {
    const auto [linear_coarse, angular_coarse] = drift(bias, 2e-3);
    const auto [linear_fine, angular_fine] = drift(bias, 1e-3);
    EXPECT_GT(std::log2(linear_coarse / linear_fine), order - 0.3);
    EXPECT_GT(std::log2(angular_coarse / angular_fine), order - 0.3);
    EXPECT_LT(linear_fine, 2e-2);
    EXPECT_LT(angular_fine, 2e-2);
  }
}

// --- loops --------------------------------------------------------------------------------------------------------

// A closed loop stays closed: Newton-Raphson in every step, no drift.
TEST(MechanismStep, DrivenFourBarStaysClosed) {
  Rig rig(planar_scene(1e-3, four_bar(driven("angle", "0.3 + 7*t"))));
  Real largest = 0.0, opening = 0.0;
#ifdef GRUS_VALIDATE
  const int steps = 2000;
#else
  const int steps = 100000;
#endif
  for (int k = 0; k < steps; ++k) {
    largest = std::max(largest, rig.step().loop_error);
    if (k % 1000 != 0) continue;
    const Mechanism& mechanism = rig.scene.model.mechanisms[0];
    MechanismKinematics kinematics;
    LoopScratch scratch;
    place(mechanism, positions(mechanism, rig.state), kinematics);
    evaluate_loops(mechanism, kinematics, mechanism.closed_count, scratch);
    const Eigen::Map<const Eigen::VectorXd> v(rig.state.joint_velocity.data(), mechanism.velocity_count);
    largest = std::max(largest, scratch.h.lpNorm<Eigen::Infinity>());
    opening = std::max(opening, (scratch.J * v).lpNorm<Eigen::Infinity>());
  }
  EXPECT_LT(largest, 1e-12 * rig.scene.model.mechanisms[0].size);
  EXPECT_LT(opening, 1e-12 * 7.0);  // of the speed of the crank's tip
}

// The rocker is made independent at the start; where it turns back it cannot be, and the partition changes.
TEST(MechanismStep, FourBarRunsThroughItsSingularPartition) {
  const auto run = [](Real h, Index& changes) {
    Spec spec = planar_scene(h, four_bar(coordinate("angle", 0.3, 12.0)));
    spec.integrator.bias = BiasKind::midpoint;
    Rig rig(spec);
    std::fill(rig.state.joint_dependent.begin(), rig.state.joint_dependent.end(), 1U);
    rig.state.joint_dependent[2] = 0U;
    const Real start = rig.energy();
    Real largest = 0.0, turned = rig.state.joint_position[0];
    changes = 0;
    while (rig.state.time < 2.0) {
      changes += rig.step().partition_changes;
      largest = std::max(largest, std::abs(rig.energy() - start) / start);
    }
    turned = rig.state.joint_position[0] - turned;
    EXPECT_GT(turned, 4.0 * 3.14);
    return largest;
  };
  Index changes_coarse = 0, changes_fine = 0;
  const Real coarse = run(1e-3, changes_coarse), fine = run(5e-4, changes_fine);
  EXPECT_GT(changes_coarse, 0);
  EXPECT_EQ(changes_fine, changes_coarse);
  EXPECT_LT(fine, 1e-4);
  EXPECT_GT(coarse / fine, 3.0);
}

// --- the ledger ---------------------------------------------------------------------------------------------------

// Damper, motor, drive, limit, dry friction and a grain that is pushed: what goes in and out is accounted for.
TEST(MechanismStep, EnergyLedgerOfAMachineWithEverythingBalances) {
  const auto imbalance = [](Real h) {
    MechanismSpec mechanism;
    mechanism.name = "machine";
    LinkSpec& cart =
        add_link(mechanism, "cart", "ground", JointKind::prismatic, Vec3::Zero(), {driven("slide", "0.1*sin(6*t)")});
    cart.joint.axis = Vec3(1, 0, 0);
    CoordinateSpec swing = coordinate("angle", 0.8);
    swing.forces.push_back(spring(3.0, 0.1));
    swing.friction = 0.05;
    LinkSpec& arm = add_link(mechanism, "arm", "cart", JointKind::revolute, Vec3::Zero(), {swing});
    arm.body.center_of_mass = Vec3(0, -0.4, 0);
    CoordinateSpec push = coordinate("slide", 0.0);
    ForceLawSpec motor = spring(50.0, 2.0);
    motor.rest = function_of_time("0.1*sin(11*t)");
    push.forces.push_back(motor);
    push.lower = -0.03;
    push.upper = 0.06;
    push.restitution = 0.3;
    LinkSpec& piston = add_link(mechanism, "piston", "arm", JointKind::prismatic, Vec3(0, -0.8, 0), {push});
    piston.joint.axis = Vec3(0, 1, 0);
    piston.body.mass = 0.5;
    piston.body.shapes.push_back(disk_shape(0.1));
    Spec spec = planar_scene(h, mechanism);
    spec.integrator.bias = BiasKind::midpoint;
    spec.pairs[0].friction = 0.3;
    spec.pairs[0].restitution = 0.5;
    add_plane(spec, Vec3(0, -1.08, 0), Vec3(0, 1, 0));
    add_plane(spec, Vec3(0.9, 0, 0), Vec3(-1, 0, 0));
    add_plane(spec, Vec3(-0.9, 0, 0), Vec3(1, 0, 0));
    add_body(spec, disk_shape(0.12), Vec3(0.0, -0.96, 0));
    Rig rig(spec);
    const auto total = [&] {
      const EnergyLedger& e = rig.state.energy;
      return rig.energy() + e.dissipated_contact + e.dissipated_joint - e.work_external() - e.recovery;
    };
    const Real start = total();
    Real largest = 0.0;
    while (rig.state.time < 2.0) {
      rig.step();
      largest = std::max(largest, std::abs(total() - start));
    }
    EXPECT_GT(rig.state.energy.dissipated_contact, 0.1);
    EXPECT_GT(rig.state.energy.dissipated_joint, 0.1);
    EXPECT_GT(std::abs(rig.state.energy.work_external()), 0.01);
    return largest;
  };
  const Real coarse = imbalance(1e-3), fine = imbalance(2.5e-4);
  EXPECT_LT(fine, 5e-3);  // J, of some ten that are exchanged
  EXPECT_GT(coarse / fine, 2.5);
}

}  // namespace
}  // namespace grus::testing::mechanism_step_test
