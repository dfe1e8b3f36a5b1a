#include "integrators/gyroscopic.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace grus::testing::gyroscopic_test {
namespace {

TEST(Gyroscopic, MidpointKeepsEnergyAndMomentum) {
  Random random(3);
  for (int k = 0; k < 1000; ++k) {
    const Vec3 inertia(random.uniform(1, 2), random.uniform(1, 2), random.uniform(1, 2));
    const Vec3 omega(random.normal(), random.normal(), random.normal());
    const Real h = random.uniform(0.0, 0.5);
    const Vec3 next = free_angular_velocity(omega, inertia, h, BiasKind::midpoint);
    const Vec3 L = inertia.cwiseProduct(omega), L_next = inertia.cwiseProduct(next);
    EXPECT_NEAR(next.dot(L_next), omega.dot(L), 1e-13 * omega.dot(L));
    EXPECT_NEAR(L_next.norm(), L.norm(), 1e-13 * L.norm());
  }
}

// Euler's equations for a symmetric top: the transverse part turns at (J_3 - J_1)/J_1 w_3, exactly.
TEST(Gyroscopic, SymmetricTopPrecesses) {
  const Vec3 inertia(1.0, 1.0, 1.7);
  Vec3 omega(1.0, 0.0, 2.0);
  const Real h = 1e-3;
  for (int k = 0; k < 1000; ++k) omega = free_angular_velocity(omega, inertia, h, BiasKind::midpoint);
  const Real phase = 0.7 * 2.0 * 1.0;
  EXPECT_NEAR(omega.x(), std::cos(phase), 1e-6);
  EXPECT_NEAR(omega.y(), std::sin(phase), 1e-6);
  EXPECT_NEAR(omega.z(), 2.0, 1e-12);
}

TEST(Gyroscopic, ExplicitIsThePapersFormula) {
  const Vec3 inertia(1.0, 2.0, 3.0), omega(0.3, -0.4, 0.5);
  const Real h = 0.01;
  // J_1 w_1' = (J_2 - J_3) w_2 w_3 and cyclic
  const Vec3 expected(0.3 + h * (2.0 - 3.0) * -0.4 * 0.5 / 1.0, -0.4 + h * (3.0 - 1.0) * 0.5 * 0.3 / 2.0,
                      0.5 + h * (1.0 - 2.0) * 0.3 * -0.4 / 3.0);
  EXPECT_LT((free_angular_velocity(omega, inertia, h, BiasKind::explicit_euler) - expected).norm(), 1e-16);
}

}  // namespace
}  // namespace grus::testing::gyroscopic_test
