// Penetration at the end of a step: the depths of an exhaustive search over all pairs of shapes in the end positions,
// and the same step whether or not somebody looked.

#include "integrators/end_contacts.hpp"
#include "integrators/moreau_jean.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "collision/narrow_phase.hpp"
#include "core/random.hpp"
#include "multibody/linked_bodies.hpp"
#include "support/machine.hpp"

namespace grus::testing::end_contacts_test {
namespace {

// Deepest overlap of any two shapes at the state, without broad phase, memory or neighbour list.
Real deepest_of_all_pairs(const Model& model, const State& state) {
  LinkedBodies linked;
  place_linked_bodies(model, state, linked);
  const auto pose_of = [&](Index body) -> Pose {
    if (model.is_dynamic(body)) return {state.position[body], state.rotation[body]};
    if (model.is_linked(body)) return linked.pose(model, body);
    return model.motion[static_cast<std::size_t>(body - model.kinematic_begin())].at(state.time);
  };
  const auto may_touch = [&](const Collider& a, const Collider& b) {
    const bool both_carried = !model.is_dynamic(a.body) && !model.is_dynamic(b.body);
    return a.body != b.body && !both_carried && has_pair(a.kind, b.kind, model.planar);
  };
  Real depth = 0.0;
  for (std::size_t i = 0; i < model.colliders.size(); ++i)
    for (std::size_t j = i + 1; j < model.colliders.size(); ++j) {
      const Collider &a = model.colliders[i], &b = model.colliders[j];
      if (!may_touch(a, b)) continue;
      const auto placed = [&](const Collider& c) {
        const Pose X_WB = pose_of(c.body);
        return place_collider(c, ShapeGeometry(model),
                              {X_WB.position + X_WB.rotation * c.p_BC, X_WB.rotation * c.R_BC});
      };
      Manifold manifold;
      collide(placed(a), placed(b), model.planar, 0.0, manifold);
      for (const ManifoldPoint& point : manifold) depth = std::max(depth, -point.gap);
    }
  return depth;
}

// Boxes, capsules and spheres that spin fast in a shaken box, and an arm that stirs them.
Spec spinning_crowd(std::uint64_t seed, ContactLawKind law) {
  Random random(seed);
  Spec spec = bare_spec(1e-3, 0.5, 0.0);
  spec.law = law;
  spec.integrator.theta = law == ContactLawKind::gap ? 1.0 : 0.5;
  spec.solver.tolerance = 1e-3;
  spec.contact.recovery_speed = 0.05;
  spec.gravity = Vec3(0, 0, -9.81);
  for (const Real side : {-1.0, 1.0}) {
    add_plane(spec, Vec3(side * 0.12, 0, 0), Vec3(-side, 0, 0));
    add_plane(spec, Vec3(0, side * 0.12, 0), Vec3(0, -side, 0));
  }
  BodySpec& floor = add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  floor.role = BodyRole::kinematic;
  MotionSpec shaken;
  shaken.displacement[2] = function_of_time("0.003*sin(2*pi*20*t)");
  floor.motion = shaken;
  const auto any = [&](Real size) -> Vec3 { return size * Vec3(random.normal(), random.normal(), random.normal()); };
  for (int k = 0; k < 48; ++k) {
    const Vec3 place(-0.09 + 0.06 * (k % 4), -0.09 + 0.06 * (k / 4 % 4), 0.025 + 0.05 * (k / 16));
    const ShapeSpec shape = k % 3 == 0   ? box_shape(Vec3(0.03, 0.02, 0.04))
                            : k % 3 == 1 ? capsule_shape(0.01, 0.02)
                                         : sphere_shape(0.02);
    add_body(spec, shape, place, any(0.5), any(40.0)).rotation =
        Quat(1.0, random.uniform(), random.uniform(), random.uniform()).normalized();
  }
  spec.mechanisms.push_back(stirring_arm(0.28, "0.2828 - 0.03*(1 - cos(20*t))/2"));
  return spec;
}

// The manifold of a pair holds its deepest point, whatever the gap up to which points are asked for; its depth is found
// by iteration for some shapes.
constexpr Real search_noise = 1e-9;  // m, shapes of centimetres

class EndContacts : public ::testing::TestWithParam<ContactLawKind> {};

TEST_P(EndContacts, HoldTheDeepestOfAllPairs) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Rig rig(spinning_crowd(seed, GetParam()));
    Real deepest = 0.0;
    bool machine = false;
    for (int k = 0; k < 250; ++k) {
      rig.step();
      ASSERT_NEAR(rig.report.penetration_max, deepest_of_all_pairs(rig.scene.model, rig.state), search_noise)
          << "step " << k;
      deepest = std::max(deepest, rig.report.penetration_max);
      for (const ContactPoint& contact : rig.work.contacts)
        machine = machine || rig.scene.model.is_linked(contact.body_a) || rig.scene.model.is_linked(contact.body_b);
    }
    EXPECT_GT(deepest, 1e-5);
    EXPECT_TRUE(machine);
  }
}

// A step after a look is bitwise the step without it; also when the state was changed in between.
TEST_P(EndContacts, LeaveTheNextStepAsItIs) {
  const Spec spec = spinning_crowd(3, GetParam());
  Rig watched(spec), two_threads(spec, 2), unwatched(spec);
  for (int k = 0; k < 100; ++k) {
    watched.step();
    two_threads.step();
    step_moreau_jean(unwatched.scene.model, unwatched.state, unwatched.work, unwatched.parallel);
    ASSERT_EQ(state_hash(watched.state), state_hash(unwatched.state)) << "step " << k;
    ASSERT_EQ(watched.report.penetration_max, two_threads.report.penetration_max) << "step " << k;
    ASSERT_EQ(watched.report.penetration_sum, two_threads.report.penetration_sum) << "step " << k;
    if (k % 10 != 5) continue;
    for (Rig* rig : {&watched, &two_threads, &unwatched}) {
      for (Vec3& v : rig->state.velocity) v *= 0.9;
      if (k == 55) rig->state.position[7].x() += 1e-4;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, EndContacts, ::testing::Values(ContactLawKind::newton, ContactLawKind::gap),
                         [](const auto& law) { return law.param == ContactLawKind::gap ? "gap" : "newton"; });

// theta = 1: the contacts at the end are those of the next step, which detects nothing.
TEST(EndContactsOfTheGapLaw, AreTakenOver) {
  Rig rig(spinning_crowd(4, ContactLawKind::gap));
  rig.step();
  for (int k = 0; k < 50; ++k) {
    ASSERT_TRUE(rig.work.next.is_detected);
    const std::vector<ContactPoint> found = rig.work.next.contacts;
    step_moreau_jean(rig.scene.model, rig.state, rig.work, rig.parallel);
    ASSERT_EQ(rig.work.contacts.size(), found.size());
    for (std::size_t c = 0; c < found.size(); ++c) ASSERT_EQ(rig.work.contacts[c].gap, found[c].gap);
    ASSERT_FALSE(rig.work.next.is_detected);
    rig.stepper.find_contacts();
  }
}

// A ball on an arm that spins at half a radian a step comes round from above: along the velocity at the start of the
// step it passes over the floor, on its circle it does not.
TEST(EndContactsOfFastRotation, AreThoseOfTheCircle) {
  constexpr Real h = 1e-3, arm = 0.2, radius = 0.02, spin = 500.0, start = 0.5, depth = 4e-3;
  Spec spec = bare_spec(h, 0.0, 0.0);
  spec.law = ContactLawKind::gap;
  spec.integrator.theta = 1.0;
  add_plane(spec, Vec3(0, 0, depth - radius), Vec3(0, 0, 1));
  BodySpec& body = add_body(spec, sphere_shape(radius), Vec3::Zero(), Vec3::Zero(), Vec3(0, spin, 0));
  body.shapes[0].position = arm * Vec3(std::cos(start), 0, std::sin(start));
  body.mass = 1.0;
  body.inertia = Mat3(0.01 * Mat3::Identity());
  body.center_of_mass = Vec3::Zero();
  Rig rig(spec);
  rig.step();
  EXPECT_NEAR(rig.report.penetration_max, depth - arm * std::sin(start - spin * h), 1e-12);
  for (std::size_t c = 0; c < rig.work.contacts.size(); ++c)
    EXPECT_GT(rig.work.contacts[c].gap + h * rig.work.end_velocity[c].x(), 1e-3) << "the case shows nothing";
}

}  // namespace
}  // namespace grus::testing::end_contacts_test
