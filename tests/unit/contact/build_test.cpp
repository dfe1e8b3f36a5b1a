// The rows of the contact problem against velocities computed directly from the bodies.

#include "contact/build.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "support/rig.hpp"

namespace grus::testing::build_test {
namespace {

struct Fixture {
  Fixture(Real friction, Real restitution, ContactLawKind law) : spec(bare_spec(1e-3, friction, restitution)) {
    spec.law = law;
    if (law == ContactLawKind::gap) spec.integrator.theta = 1.0;
    add_body(spec, sphere_shape(0.1), Vec3(0, 0, 0), Vec3(1, 2, 3), Vec3(-1, 4, 2));
    add_plane(spec, Vec3(0, 0, -0.1), Vec3(0.2, 0.1, 1));
    model = compile(spec).model;
    poses.resize(2);
    poses[1].position = Vec3(0, 0, -0.1);
    linear = {Vec3(1, 2, 3)};
    angular = {Vec3(-1, 4, 2)};
    before = {{Vec3(0.5, 0, 0.25), Vec3(0, 1, 0)}};
    after = {{Vec3(0.7, 0.1, 0.35), Vec3(0, 1.5, 0)}};
    contact.body_a = 0;
    contact.body_b = 1;
    contact.position = Vec3(0.03, -0.02, -0.09);
    contact.normal = Vec3(0.2, 0.1, -1).normalized();
    contact.gap = 2e-4;
    contact.law = 0;
    impulse = {Vec3(0.3, 0.2, -0.5)};
    build_rows({.model = model,
                .contacts = {&contact, 1},
                .pose_m = poses,
                .start = {.linear = linear, .angular = angular, .linked = {}, .kinematic = before},
                .linked_drive = {},
                .kinematic_end = after,
                .carried_impulse_W = impulse},
               problem, solution, kinematics, Parallel(1));
    tangents(contact.normal, t1, t2);
  }
  Vec3 in_frame(const Vec3& v) const { return Vec3(contact.normal.dot(v), t1.dot(v), t2.dot(v)); }

  Spec spec;
  Model model;
  std::vector<Pose> poses;
  std::vector<Vec3> linear, angular, impulse;
  std::vector<Twist> before, after;
  ContactPoint contact;
  ContactProblem problem;
  ContactSolution solution;
  ContactKinematics kinematics;
  Vec3 t1, t2;
};

TEST(Build, StartVelocityIsThatOfThePoint) {
  const Fixture f(0.5, 0.0, ContactLawKind::newton);
  const Vec3 body = f.linear[0] + f.angular[0].cross(f.contact.position);
  const Vec3 wall = f.before[0].linear + f.before[0].angular.cross(f.contact.position - f.poses[1].position);
  EXPECT_LT((f.kinematics.start_velocity[0] - f.in_frame(wall - body)).norm(), 1e-14);
  EXPECT_EQ(f.problem.block_a[0], 0);
  EXPECT_EQ(f.problem.block_b[0], no_index);
}

TEST(Build, NewtonShiftIsRestitutionTimesStartVelocity) {
  const Fixture f(0.5, 0.4, ContactLawKind::newton);
  Vec3 expected = f.in_frame(f.after[0].linear + f.after[0].angular.cross(f.contact.position - f.poses[1].position));
  expected.x() += 0.4 * f.kinematics.start_velocity[0].x();
  EXPECT_LT((f.problem.shift[0] - expected).norm(), 1e-14);
}

TEST(Build, GapShiftClosesTheGapInOneStep) {
  const Fixture f(0.5, 0.0, ContactLawKind::gap);
  EXPECT_NEAR(f.problem.shift[0].x() - f.kinematics.wall_end[0].x(), 2e-4 / 1e-3, 1e-14);
}

TEST(Build, CarriedImpulseIsClippedToTheConeAndKeepsItsNormalPart) {
  const Fixture f(0.1, 0.0, ContactLawKind::newton);
  const Vec3 local = f.in_frame(f.impulse[0]);
  ASSERT_GT(local.x(), 0.0);
  const Vec3& r = f.solution.impulse[0];
  EXPECT_DOUBLE_EQ(r.x(), local.x());
  EXPECT_NEAR(Vec2(r.y(), r.z()).norm(), 0.1 * local.x(), 1e-14);
  EXPECT_NEAR(r.y() * local.z() - r.z() * local.y(), 0.0, 1e-14);
}

}  // namespace
}  // namespace grus::testing::build_test
