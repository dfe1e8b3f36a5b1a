// Mechanisms that touch: grains, walls, each other and themselves, in one contact problem.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "multibody/linked_bodies.hpp"
#include "multibody/loops.hpp"
#include "multibody/reduction.hpp"
#include "support/machine.hpp"

namespace grus::testing::mechanism_contact_test {
namespace {

// bare_spec solves to 1e-13 of the impulses; hundreds of steps add up.
constexpr Real solver_rounding = 1e-9;

Vec3 linked_position(const Rig& rig, Index link) {
  LinkedBodies linked;
  place_linked_bodies(rig.scene.model, rig.state, linked);
  return linked.pose(rig.scene.model, rig.scene.model.dynamic_count + link).position;
}

// --- a body as a mechanism ----------------------------------------------------------------------------------------

// A body on a free joint is the same body as a free one: it falls, hits, slides and rests alike.
struct Fall {
  const char* name;
  ShapeSpec shape;
  ContactLawKind law;
};
class FreeJoint : public ::testing::TestWithParam<Fall> {};

TEST_P(FreeJoint, MovesAsAFreeBody) {
  const bool gap = GetParam().law == ContactLawKind::gap;
  const auto scene = [&](bool linked) {
    Spec spec = bare_spec(1e-3, 0.3, gap ? 0.0 : 0.4);
    spec.law = GetParam().law;
    spec.integrator.theta = gap ? 1.0 : 0.5;
    spec.integrator.bias = BiasKind::midpoint;
    spec.gravity = Vec3(0, 0, -9.81);
    add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
    if (!linked) {
      add_body(spec, GetParam().shape, Vec3(0, 0, 0.25), Vec3(0.6, 0.2, 0.0));
      return spec;
    }
    MechanismSpec mechanism;
    mechanism.name = "loose";
    LinkSpec& link = add_link(mechanism, "loose", "ground", JointKind::free, Vec3::Zero(),
                              {coordinate("x", 0.0, 0.6), coordinate("y", 0.0, 0.2), coordinate("z", 0.25, 0.0)});
    link.body.mass.reset();
    link.body.inertia.reset();
    link.body.center_of_mass.reset();
    link.body.shapes.push_back(GetParam().shape);
    spec.mechanisms.push_back(mechanism);
    return spec;
  };
  Rig free(scene(false)), linked(scene(true));
  Index touched = 0;
  for (int k = 0; k < 800; ++k) {
    free.step();
    linked.step();
    touched += linked.report.contacts > 0 ? 1 : 0;
    ASSERT_LT((linked_position(linked, 0) - free.state.position[0]).norm(), solver_rounding) << k;
  }
  EXPECT_GT(touched, 50);
  const EnergyLedger &a = free.state.energy, &b = linked.state.energy;
  EXPECT_NEAR(a.dissipated_contact, b.dissipated_contact, 1e-7 * a.dissipated_contact);
}

INSTANTIATE_TEST_SUITE_P(Shapes, FreeJoint,
                         ::testing::Values(Fall{"SphereNewton", sphere_shape(0.1), ContactLawKind::newton},
                                           Fall{"SphereGap", sphere_shape(0.1), ContactLawKind::gap},
                                           Fall{"CapsuleGap", capsule_shape(0.05, 0.1), ContactLawKind::gap}),
                         [](const auto& fall) { return std::string(fall.param.name); });

// --- the law in q_m, the loops at the end ---------------------------------------------------------------------------

// A four-bar whose coupler carries a disk and whose crank pushes it into disks on a floor.
Spec four_bar_in_grains(ContactLawKind law) {
  Spec spec = bare_spec(1e-3, 0.4, law == ContactLawKind::gap ? 0.0 : 0.5);
  spec.planar = true;
  spec.law = law;
  spec.integrator.theta = law == ContactLawKind::gap ? 1.0 : 0.5;
  spec.gravity = Vec3(0, -9.81, 0);
  spec.solver.tolerance = 1e-4;
  CoordinateSpec crank = coordinate("angle", 0.3, 6.0);
  ForceLawSpec motor = spring(0.0, 2.0);
  motor.rate = function_of_time("6");
  motor.rest.reset();
  crank.forces.push_back(motor);
  MechanismSpec mechanism = four_bar(crank);
  mechanism.bodies[1].body.shapes.push_back(disk_shape(0.12));
  mechanism.bodies[1].body.shapes.back().position = Vec3(0.3, 0, 0);
  spec.mechanisms.push_back(mechanism);
  add_plane(spec, Vec3(0, -0.1, 0), Vec3(0, 1, 0));
  add_plane(spec, Vec3(-0.3, 0, 0), Vec3(1, 0, 0));
  add_plane(spec, Vec3(0.9, 0, 0), Vec3(-1, 0, 0));
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 3; ++j)
      add_body(spec, disk_shape(0.028), Vec3(-0.26 + 0.058 * i + 0.01 * j, -0.07 + 0.06 * j, 0));
  return spec;
}

class LawInTheMiddle : public ::testing::TestWithParam<ContactLawKind> {};

TEST_P(LawInTheMiddle, IsKeptByContactsAndTheLoopsAreClosedAtTheEnd) {
  Rig rig(four_bar_in_grains(GetParam()));
  const Model& model = rig.scene.model;
  const Mechanism& mechanism = model.mechanisms[0];
  const Real h = model.integrator.step, theta = model.integrator.theta;
  Index seen = 0;
  Real largest_opening = 0.0, largest_rate = 0.0, worst = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const State before = rig.state;
    rig.step();
    ASSERT_TRUE(rig.report.converged);
    worst = std::max(worst, rig.report.residual_mechanism);
    const Real law_tolerance = 1e-12 + rig.report.residual_mechanism;  // m/s

    // velocities of the ends in q_m, from the joints alone
    MechanismKinematics start, end;
    const ReducedMechanism& reduced = rig.work.mechanisms[0];
    place(mechanism, reduced.q, start);
    place(mechanism, reduced.q, end);
    move(mechanism, reduced.velocity_start, start);
    move(mechanism, reduced.velocity_end, end);
    const auto velocity = [&](Index body, const Vec3& p, bool at_end) -> Vec3 {
      if (model.is_kinematic(body)) return Vec3::Zero();
      if (model.is_linked(body)) return point_velocity(at_end ? end : start, body - mechanism.first_body, p);
      const State& s = at_end ? rig.state : before;
      return s.velocity[body] + s.angular_velocity[body].cross(p - rig.work.pose_m[body].position);
    };
    for (std::size_t c = 0; c < rig.work.contacts.size(); ++c) {
      const ContactPoint& contact = rig.work.contacts[c];
      if (!model.is_linked(contact.body_a) && !model.is_linked(contact.body_b)) continue;
      ++seen;
      const auto normal_velocity = [&](bool at_end) {
        return contact.normal.dot(velocity(contact.body_b, contact.position, at_end) -
                                  velocity(contact.body_a, contact.position, at_end));
      };
      const Real shift =
          GetParam() == ContactLawKind::gap ? std::max(contact.gap, 0.0) / (theta * h) : 0.5 * normal_velocity(false);
      const Real u = normal_velocity(true) + shift, r = rig.work.solution.impulse[c].x();
      EXPECT_GE(u, -law_tolerance);
      EXPECT_GE(r, 0.0);
      if (r > 1e-6) {
        EXPECT_LT(u, 2.0 * law_tolerance) << "an impulse of " << r << " N s";
      }
      EXPECT_LE(rig.work.solution.impulse[c].tail<2>().norm(), 0.4 * r + 1e-12);
    }

    LoopScratch loops;
    MechanismKinematics at_end;
    place(mechanism, positions(mechanism, rig.state), at_end);
    evaluate_loops(mechanism, at_end, mechanism.closed_count, loops);
    const Eigen::Map<const Eigen::VectorXd> v(rig.state.joint_velocity.data(), mechanism.velocity_count);
    largest_opening = std::max(largest_opening, loops.h.lpNorm<Eigen::Infinity>());
    largest_rate = std::max(largest_rate, (loops.J * v).lpNorm<Eigen::Infinity>());
  }
  EXPECT_GT(seen, 150);
  EXPECT_LT(worst, 1e-5);             // m/s
  EXPECT_LT(largest_opening, 1e-14);  // m
  EXPECT_LT(largest_rate, 1e-13);     // m/s
}

INSTANTIATE_TEST_SUITE_P(Laws, LawInTheMiddle, ::testing::Values(ContactLawKind::newton, ContactLawKind::gap));

// --- bodies of one mechanism, two mechanisms ------------------------------------------------------------------------

// Two equal pendulums, the left one swings into the right one, restitution 1: they exchange their velocities.
enum class Cradle { one_mechanism, two_mechanisms, excluded };

Spec cradle(Cradle kind) {
  Spec spec = bare_spec(1e-4, 0.0, 1.0);
  spec.planar = true;
  spec.gravity = Vec3(0, -9.81, 0);
  MechanismSpec left, right;
  left.name = "left";
  right.name = "right";
  const auto hang = [](MechanismSpec& mechanism, const char* name, Real x, Real angle) {
    LinkSpec& link =
        add_link(mechanism, name, "ground", JointKind::revolute, Vec3(x, 0, 0), {coordinate("angle", angle, 0.0)});
    link.body.center_of_mass = Vec3(0, -0.5, 0);
    link.body.shapes.push_back(disk_shape(0.1));
    link.body.shapes.back().position = Vec3(0, -0.5, 0);
  };
  hang(left, "a", -0.1, -0.5);
  hang(kind == Cradle::two_mechanisms ? right : left, "b", 0.1, 0.0);
  if (kind == Cradle::excluded) left.exclude.emplace_back("a", "b");
  spec.mechanisms.push_back(left);
  if (kind == Cradle::two_mechanisms) spec.mechanisms.push_back(right);
  return spec;
}

TEST(MechanismContact, BodiesOfOneMechanismAndOfTwoExchangeTheirVelocities) {
  Rig one(cradle(Cradle::one_mechanism)), two(cradle(Cradle::two_mechanisms)), none(cradle(Cradle::excluded));
  Real before = 0.0, after = 0.0;
  Index hits = 0;
  for (int k = 0; k < 5000; ++k) {
    const Real speed = one.state.joint_velocity[0];
    one.step();
    two.step();
    none.step();
    ASSERT_NEAR(one.state.joint_position[0], two.state.joint_position[0], solver_rounding) << k;
    ASSERT_NEAR(one.state.joint_position[1], two.state.joint_position[1], solver_rounding) << k;
    if (one.report.contacts > 0 && hits++ == 0) {
      before = speed;
      after = one.state.joint_velocity[1];
      EXPECT_NEAR(one.state.joint_velocity[0], 0.0, 1e-3 * before);
    }
    ASSERT_EQ(none.report.contacts, 0);
    if (hits > 0) break;
  }
  ASSERT_GT(hits, 0);
  EXPECT_GT(before, 1.0);
  // equal up to gravity's impulse in one step, 1e-4 s times 9.81 m/s2 over half a metre
  EXPECT_NEAR(after, before, 5e-3);
  none.run(0.2);
  EXPECT_GT(none.state.joint_position[0], 0.1) << "an excluded pair passes through";
}

// --- driven tools ---------------------------------------------------------------------------------------------------

// A plate on driven joints pushes grains exactly as a wall with the same motion does.
TEST(MechanismContact, DrivenToolIsAMovingWall) {
  for (const ContactLawKind law : {ContactLawKind::newton, ContactLawKind::gap}) {
    const auto scene = [&](bool linked) {
      Spec spec = bare_spec(1e-3, 0.4, law == ContactLawKind::gap ? 0.0 : 0.3);
      spec.law = law;
      spec.integrator.theta = law == ContactLawKind::gap ? 1.0 : 0.5;
      spec.gravity = Vec3(0, 0, -9.81);
      add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 2; ++j)
          add_body(spec, sphere_shape(0.03), Vec3(0.08 + 0.062 * i, -0.031 + 0.062 * j, 0.0301));
      const Vec3 at(0.0, 0, 0.06);
      const ShapeSpec plate = box_shape(Vec3(0.02, 0.2, 0.1));
      const std::string path = "0.15*(1-cos(3*t))/2", swing = "0.2*sin(5*t)";
      if (linked) {
        MechanismSpec mechanism;
        mechanism.name = "pusher";
        add_link(mechanism, "carriage", "ground", JointKind::prismatic, at, {driven("slide", path)}).joint.axis =
            Vec3(1, 0, 0);
        LinkSpec& link =
            add_link(mechanism, "plate", "carriage", JointKind::revolute, Vec3::Zero(), {driven("angle", swing)});
        link.body.shapes.push_back(plate);
        spec.mechanisms.push_back(mechanism);
      } else {
        BodySpec& body = add_body(spec, plate, at);
        body.role = BodyRole::kinematic;
        MotionSpec motion;
        motion.displacement[0] = function_of_time(path);
        motion.angle = function_of_time(swing);
        motion.axis = Vec3(0, 0, 1);
        body.motion = motion;
      }
      return spec;
    };
    Rig wall(scene(false)), tool(scene(true));
    Index touched = 0;
    for (int k = 0; k < 700; ++k) {
      wall.step();
      tool.step();
      for (const ContactPoint& contact : tool.work.contacts)
        touched += tool.scene.model.is_linked(contact.body_a) || tool.scene.model.is_linked(contact.body_b) ? 1 : 0;
      for (std::size_t i = 0; i < wall.state.position.size(); ++i)
        ASSERT_LT((wall.state.position[i] - tool.state.position[i]).norm(), 1e-8) << "step " << k;
    }
    EXPECT_GT(touched, 100);
    EXPECT_NEAR(wall.state.energy.dissipated_contact, tool.state.energy.dissipated_contact, 1e-6);
    // The tool's work is what its drives do, its own kinetic energy and swing included.
    const auto balance = [](const Rig& rig) {
      const EnergyLedger& e = rig.state.energy;
      return rig.energy() + e.dissipated_contact + e.dissipated_joint - e.work_external() - e.recovery;
    };
    EXPECT_NEAR(balance(tool), balance(Rig(scene(true))), 0.05 * tool.state.energy.dissipated_contact + 1e-3);
  }
}

}  // namespace
}  // namespace grus::testing::mechanism_contact_test
