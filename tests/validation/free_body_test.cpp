// A free rigid body with three different moments of inertia: energy and angular momentum are kept to the order of
// the scheme; the order is measured.

#include <gtest/gtest.h>

#include "support/rig.hpp"

namespace grus::testing::free_body_test {
namespace {

struct Drift {
  Real energy = 0.0, momentum = 0.0, attitude = 0.0;
};

Rig spun_box(Real h, BiasKind bias) {
  Spec spec = bare_spec(h, 0.0, 0.0);
  spec.integrator.bias = bias;
  add_body(spec, box_shape(Vec3(0.1, 0.2, 0.3)), Vec3::Zero(), Vec3(1, 2, 3), Vec3(4, 5, 6));
  return Rig(spec);
}

Drift drift(Real h, BiasKind bias, const Quat& reference) {
  Rig rig = spun_box(h, bias);
  const Vec3 L = rig.angular_momentum();
  const Real T = rig.kinetic();
  rig.run(1.0);
  const Vec3 spin = rig.angular_momentum();
  return {std::abs(rig.kinetic() - T) / T, (spin - L).norm() / L.norm(),
          rig.state.rotation[0].angularDistance(reference)};
}

Quat attitude_after(Real h, BiasKind bias) {
  Rig rig = spun_box(h, bias);
  rig.run(1.0);
  return rig.state.rotation[0];
}

// Error ratios when h is halved: 2 for first order, 4 for second, within the next term of the expansion.
constexpr Real slack = 0.25;

TEST(FreeBody, ExplicitBiasIsFirstOrder) {
  const Quat reference = attitude_after(1e-5, BiasKind::midpoint);
  const Drift coarse = drift(5e-4, BiasKind::explicit_euler, reference);
  const Drift fine = drift(2.5e-4, BiasKind::explicit_euler, reference);
  EXPECT_NEAR(coarse.energy / fine.energy, 2.0, slack);
  EXPECT_NEAR(coarse.momentum / fine.momentum, 2.0, slack);
  EXPECT_NEAR(coarse.attitude / fine.attitude, 2.0, slack);
  EXPECT_LT(fine.energy, 1e-2);
}

TEST(FreeBody, MidpointBiasIsSecondOrderAndKeepsEnergy) {
  const Quat reference = attitude_after(1e-5, BiasKind::midpoint);
  const Drift coarse = drift(2e-3, BiasKind::midpoint, reference);
  const Drift fine = drift(1e-3, BiasKind::midpoint, reference);
  EXPECT_LT(coarse.energy, 1e-12);
  EXPECT_NEAR(coarse.momentum / fine.momentum, 4.0, 4.0 * slack);
  EXPECT_NEAR(coarse.attitude / fine.attitude, 4.0, 4.0 * slack);
}

TEST(FreeBody, QuaternionDoesNotDrift) {
  Rig rig = spun_box(1e-3, BiasKind::midpoint);
  rig.run(20.0);
  EXPECT_NEAR(rig.state.rotation[0].norm(), 1.0, 1e-15);
}

TEST(FreeBody, SphereKeepsItsSpinExactly) {
  Spec spec = bare_spec(1e-3, 0.0, 0.0);
  add_body(spec, sphere_shape(0.1), Vec3::Zero(), Vec3(1, 2, 3), Vec3(4, 5, 6));
  Rig rig(spec);
  rig.run(1.0);
  EXPECT_EQ(rig.state.angular_velocity[0], Vec3(4, 5, 6));
}

// theta = 1/2 integrates free fall exactly: x = v t + g t2/2 at every step.
TEST(FreeBody, FreeFallIsExactAtThetaOneHalf) {
  Spec spec = bare_spec(1e-2, 0.0, 0.0);
  spec.gravity = Vec3(0, 0, -10);
  add_body(spec, sphere_shape(0.1), Vec3::Zero(), Vec3(1, 0, 5));
  Rig rig(spec);
  rig.run(1.0);
  EXPECT_NEAR(rig.state.position[0].z(), 0.0, 1e-12);
  EXPECT_NEAR(rig.state.velocity[0].z(), -5.0, 1e-12);
}

}  // namespace
}  // namespace grus::testing::free_body_test
