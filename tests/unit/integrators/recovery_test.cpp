// Recovery of penetration: what wakes, what stays, and that an overlap without room around it is taken out all the
// same.

#include <gtest/gtest.h>

#include <algorithm>

#include "support/rig.hpp"

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

}  // namespace
}  // namespace grus::testing::recovery_test
