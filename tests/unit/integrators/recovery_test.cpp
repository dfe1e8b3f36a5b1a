// Recovery of penetration: what wakes, what stays, and that an overlap without room around it is taken out all the
// same.

#include <gtest/gtest.h>

#include <algorithm>

#include "support/machine.hpp"

namespace grus::testing::recovery_test {
namespace {

constexpr Real radius = 0.1, step = 1e-3, speed = 0.05;

Spec recovering() {
  Spec spec = bare_spec(step, 0.5, 0.0);
  spec.gravity = Vec3(0, 0, -9.81);
  spec.contact.recovery_speed = speed;
  add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  return spec;
}

Real slop_of(const Spec& spec) { return spec.contact.recovery_slop * radius; }

Real deepest(const Rig& rig) {
  Real depth = 0.0;
  for (const ContactPoint& contact : rig.work.contacts) depth = std::max(depth, -contact.gap);
  return depth;
}

TEST(Recovery, LeavesDepthsBetweenSlopAndWakingDepth) {
  Spec spec = recovering();
  add_body(spec, sphere_shape(radius), Vec3(0, 0, radius - 1.5 * slop_of(spec)));
  Rig rig(spec);
  rig.step();
  EXPECT_EQ(rig.report.recovery_sweeps, 0);
  EXPECT_NEAR(deepest(rig), 1.5 * slop_of(spec), 1e-12);
}

TEST(Recovery, TakesADeeperOverlapBackByParts) {
  Spec spec = recovering();
  add_body(spec, sphere_shape(radius), Vec3(0, 0, radius - 6.0 * slop_of(spec)));
  Rig rig(spec);
  rig.step();
  rig.step();
  // a fifth of the five slops beyond the first
  EXPECT_NEAR(deepest(rig), 5.0 * slop_of(spec), 1e-2 * slop_of(spec));
  for (int k = 0; k < 10; ++k) rig.step();
  EXPECT_LT(deepest(rig), 2.0 * slop_of(spec));
  EXPECT_GT(deepest(rig), slop_of(spec));
}

TEST(Recovery, MovesOnlyWhatLiesAroundAnOverlap) {
  Spec spec = recovering();
  add_body(spec, sphere_shape(radius), Vec3(0, 0, radius - 5.0 * slop_of(spec)));
  add_body(spec, sphere_shape(radius), Vec3(1, 0, radius - 1.5 * slop_of(spec)));
  Rig rig(spec);
  rig.step();
  const std::vector<Real>& z = rig.work.recovery.velocity;
  ASSERT_EQ(z.size(), 12u);
  EXPECT_NEAR(z[2], 0.2 * 4.0 * slop_of(spec) / step, 1e-6);
  EXPECT_TRUE(std::all_of(z.begin() + 6, z.end(), [](Real x) { return x == 0.0; }));
}

// A column far longer than the rings that wake, overlapping at its foot: the overlap must spread to the free top.
TEST(Recovery, AnOverlapWithoutRoomSpreadsUntilItFindsSome) {
  constexpr int count = 20;
  constexpr Real overlap = 0.05 * radius;
  Spec spec = recovering();
  for (int k = 0; k < count; ++k)
    add_body(spec, sphere_shape(radius), Vec3(0, 0, (2 * k + 1) * radius - (k > 0 ? overlap : 0.0)));
  Rig rig(spec);
  const Real top = rig.state.position[count - 1].z();
  rig.run(2.0 * overlap / speed);
  EXPECT_LT(deepest(rig), 3.0 * slop_of(spec));
  EXPECT_GT(rig.state.position[count - 1].z() - top, overlap - 3.0 * count * slop_of(spec));
  // no velocity is made
  EXPECT_LT(rig.kinetic(), 1e-12);
}

// A machine at rest that is pressed into the floor: a bar on a hinge with a spring, and a four-bar whose loop moves
// with it. Nothing has a velocity, so all that its potential energy changes, in gravity and in springs, is recovery.
TEST(Recovery, CountsTheEnergyOfMachines) {
  for (const bool loop : {false, true}) {
    Spec spec = bare_spec(step, 0.5, 0.0);
    spec.planar = true;
    spec.law = ContactLawKind::gap;
    spec.integrator.theta = 1.0;
    spec.gravity = Vec3(0, -9.81, 0);
    spec.contact.recovery_speed = speed;
    MechanismSpec mechanism;
    if (loop) {
      mechanism = four_bar(coordinate("angle", -1.2));
      mechanism.bodies[0].joint.coordinates[0].forces.push_back(spring(2.0, 0.0, -2.0));
      mechanism.bodies[0].body.shapes.push_back(disk_shape(0.02));
      mechanism.bodies[0].body.shapes.back().position = Vec3(0.2, 0, 0);
    } else {
      mechanism.name = "bar";
      CoordinateSpec angle = coordinate("angle", -0.5);
      angle.forces.push_back(spring(3.0));
      LinkSpec& bar = add_link(mechanism, "bar", "ground", JointKind::revolute, Vec3::Zero(), {angle});
      bar.body.center_of_mass = Vec3(0.5, 0, 0);
      bar.body.shapes.push_back(disk_shape(0.05));
      bar.body.shapes.back().position = Vec3(1.0, 0, 0);
    }
    spec.mechanisms.push_back(mechanism);
    // Four millimetres above the lowest point of the crank or bar, as the machine was assembled.
    const Real angle = Rig(spec).state.joint_position[0];
    const Real lowest = (loop ? 0.2 : 1.0) * std::sin(angle) - (loop ? 0.02 : 0.05);
    add_plane(spec, Vec3(0, lowest + 4e-3, 0), Vec3(0, 1, 0));
    add_body(spec, disk_shape(0.01), Vec3(5, 5, 0));  // sets the slop; far away, and falls
    Rig rig(spec);
    const auto machine_energy = [&] {
      const Real grain =
          rig.scene.model.mass[0] * (0.5 * rig.state.velocity[0].squaredNorm() + 9.81 * rig.state.position[0].y());
      return rig.energy() - grain;
    };
    const Real start = machine_energy();
    for (int k = 0; k < 300; ++k) rig.step();
    EXPECT_LT(rig.report.penetration_max, 1e-4) << loop;
    const Real gained = machine_energy() - start;
    EXPECT_GT(std::abs(gained), 1e-4) << loop;
    EXPECT_NEAR(rig.state.energy.recovery, gained, 1e-6 * std::abs(gained)) << loop;
  }
}

// What fifty sweeps leave of the removal is said.
TEST(Recovery, ReportsWhatIsLeft) {
  Spec spec = recovering();
  constexpr int count = 30;
  for (int k = 0; k < count; ++k)
    add_body(spec, sphere_shape(radius), Vec3(0, 0, (2 * k + 1) * radius - (k + 1) * 0.05 * radius));
  Rig column(spec);
  column.step();
  EXPECT_GT(column.report.recovery_residual, 1e-6);
  EXPECT_GT(column.report.recovery_left, 0.0);
  EXPECT_LE(column.report.recovery_left, 2.0 * speed * step);
  Spec single = recovering();
  add_body(single, sphere_shape(radius), Vec3(0, 0, 0.95 * radius));
  Rig ball(single);
  ball.step();
  EXPECT_GT(ball.report.recovery_sweeps, 0);
  EXPECT_LT(ball.report.recovery_residual, 1e-12);
}

}  // namespace
}  // namespace grus::testing::recovery_test
