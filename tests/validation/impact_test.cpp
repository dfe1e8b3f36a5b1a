// Single impacts against closed forms: oblique impact of a sphere on a plane (stick and slip), collisions of two
// spheres, and Kane's rod, where Newton's law with friction makes energy.

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "core/random.hpp"
#include "math/rotation.hpp"
#include "support/rig.hpp"

namespace grus::testing::impact_test {
namespace {

constexpr Real rounding = 1e-12;

// Sphere of radius R, solid (J = 2/5 m R2): W_N = 1/m, W_T = 7/(2 m).
//   r_N = m (1 + e) |v_N|;  stick if m 2/7 |u_T| <= mu r_N, then r_T = -2/7 m u_T; else r_T = -mu r_N u_T/|u_T|.
TEST(Impact, ObliqueSphereSticksOrSlips) {
  Random random(7);
  int sticks = 0, slips = 0;
  for (int k = 0; k < 200; ++k) {
    const Real e = random.uniform(), mu = random.uniform(0.05, 1.0), R = 0.1;
    const Vec3 v(random.uniform(-2, 2), random.uniform(-2, 2), -random.uniform(0.5, 2));
    const Vec3 w(random.uniform(-10, 10), random.uniform(-10, 10), random.uniform(-10, 10));
    Spec spec = bare_spec(1e-4, mu, e);
    add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
    add_body(spec, sphere_shape(R), Vec3(0, 0, R), v, w);
    Rig rig(spec);
    const Real m = rig.scene.model.mass[0], J = rig.scene.model.inertia[0].x();
    rig.step();

    const Vec3 arm(0, 0, -R - 0.5 * 1e-4 * 0.0);
    // The contact point lies midway between the surfaces in q_m, a little above the sphere's lowest point.
    const Real depth = -rig.work.contacts[0].gap;
    const Vec3 arm_m = arm + Vec3(0, 0, 0.5 * depth);
    const Vec3 u = v + w.cross(arm_m);
    const Vec3 uT(u.x(), u.y(), 0);
    const Real rN = m * (1 + e) * -v.z();
    const Real wT = 1 / m + arm_m.squaredNorm() / J;
    const bool stick = uT.norm() / wT <= mu * rN;
    const Vec3 rT = stick ? Vec3(-uT / wT) : Vec3(-mu * rN * uT.normalized());
    (stick ? sticks : slips)++;
    const Vec3 r = rT + Vec3(0, 0, rN);
    EXPECT_LT((rig.state.velocity[0] - (v + r / m)).norm(), rounding * 10);
    EXPECT_LT((rig.state.angular_velocity[0] - (w + arm_m.cross(r) / J)).norm(), rounding * 1000);
  }
  EXPECT_GT(sticks, 20);
  EXPECT_GT(slips, 20);
}

TEST(Impact, TwoSpheresConserveMomentum) {
  Random random(11);
  for (int k = 0; k < 200; ++k) {
    const bool head_on = k % 2 == 0;
    Spec spec = bare_spec(1e-3, random.uniform(0, 1), random.uniform());
    const Real offset = head_on ? 0.0 : random.uniform(-0.15, 0.15);
    add_body(spec, sphere_shape(0.1), Vec3::Zero(), Vec3(1, 0, 0), Vec3(random.uniform(-5, 5), 3, -2));
    const Real touch = std::sqrt(0.3 * 0.3 - offset * offset);
    add_body(spec, sphere_shape(0.2), Vec3(touch, offset, 0), Vec3(-0.5, 0.1 * (head_on ? 0 : 1), 0));
    Rig rig(spec);
    const Vec3 p = rig.momentum(), L = rig.angular_momentum();
    rig.step();
    ASSERT_FALSE(rig.work.contacts.empty());
    const Real scale = rig.scene.model.mass[1];
    EXPECT_LT((rig.momentum() - p).norm(), rounding * scale);
    // Impulses act at one common point, so the moment about the origin is kept up to the motion of that point in
    // the step: compare before the positions advance, with q_m.
    Vec3 L_m = Vec3::Zero(), L_m0 = Vec3::Zero();
    const Model& model = rig.scene.model;
    for (Index i = 0; i < 2; ++i) {
      const Vec3 x = rig.work.pose_m[i].position;
      L_m += model.mass[i] * x.cross(rig.state.velocity[i]) + model.inertia[i].x() * rig.state.angular_velocity[i];
      L_m0 += model.mass[i] * x.cross(rig.scene.initial.velocity[i]) +
              model.inertia[i].x() * rig.scene.initial.angular_velocity[i];
    }
    EXPECT_LT((L_m - L_m0).norm(), rounding * scale);
    (void)L;
    if (head_on) {
      // Newton: relative normal velocity reversed by e.
      const Real before = -1.5, after = (rig.state.velocity[1] - rig.state.velocity[0]).x();
      EXPECT_NEAR(after, -spec.pairs[0].restitution.value() * before, 1e-11);
    }
  }
}

// Kane's rod: a slender body hits the ground at an angle with e near 1 and little sliding; friction then pulls it
// forward and Newton's law creates energy: dT = 1/2 r.(u+ + u-) > 0. The gain equals the closed form of one
// two-row contact, and the ledger reports it as negative dissipation.
TEST(Impact, KanesRodGainsEnergyAndItIsReported) {
  const Real radius = 0.01, length = 0.5, tilt = 0.7, e = 0.95, mu = 1.5;
  Spec spec = bare_spec(1e-5, mu, e);
  spec.planar = true;
  add_plane(spec, Vec3::Zero(), Vec3(0, 1, 0));
  const Vec3 center(0, 0.5 * length * std::sin(tilt) + radius, 0);
  BodySpec& rod = add_body(spec, capsule_shape(radius, length), center, Vec3(0.3, -1.0, 0));
  rod.rotation = rotation_about_z(tilt);
  rod.angle = tilt;
  Rig rig(spec);
  const Real before = rig.kinetic();
  rig.step();
  ASSERT_EQ(rig.work.contacts.size(), 1u);
  const Real gain = rig.kinetic() - before;
  EXPECT_GT(gain, 1e-3 * before);
  EXPECT_NEAR(-rig.state.energy.dissipated_contact, gain, 1e-10 * before);

  // Closed form: sticking end, u_N+ = -e u_N-.
  const Real m = rig.scene.model.mass[0], J = rig.scene.model.inertia[0].z();
  const Vec3 arm = rig.work.problem.block_b[0] == no_index ? rig.work.problem.arm_a[0] : rig.work.problem.arm_b[0];
  Eigen::Matrix2d W;
  W << 1 / m + arm.x() * arm.x() / J, -arm.x() * arm.y() / J, -arm.x() * arm.y() / J, 1 / m + arm.y() * arm.y() / J;
  const Eigen::Vector2d before_u(-1.0, 0.3), after_u(e, 0.0);  // (normal, tangential) of the rod's point
  const Eigen::Vector2d r = W.inverse() * (after_u - before_u);
  ASSERT_LE(std::abs(r[1]), mu * r[0]);  // sticks
  EXPECT_NEAR(gain, 0.5 * r.dot(after_u + before_u), 1e-9 * before);
}

}  // namespace
}  // namespace grus::testing::impact_test
