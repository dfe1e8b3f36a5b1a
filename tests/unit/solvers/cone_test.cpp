#include "solvers/cone.hpp"

#include <gtest/gtest.h>

#include "unit/solvers/problems.hpp"

namespace grus::cone_test {
namespace {

constexpr Real rounding = 1e-13;

// P is the projection on a closed convex cone K when P in K, z - P in the polar cone, and they are orthogonal (Moreau).
TEST(Cone, ProjectionSatisfiesMoreausDecomposition) {
  Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    const Real mu = random.below(10) == 0 ? 0.0 : random.uniform(0.0, 5.0);
    const Vec3 z = testing::normal_vector(random);
    const Vec3 p = project_on_cone(z, mu), rest = z - p;
    ASSERT_LE(tangential_norm(p), mu * p[0] + rounding);
    ASSERT_GE(p[0], 0.0);
    ASSERT_NEAR(p.dot(rest), 0.0, rounding);
    // The polar cone: x . r <= 0 for all r in K, that is x_N + mu ||x_T|| <= 0.
    ASSERT_LE(rest[0] + mu * tangential_norm(rest), rounding * (1.0 + mu));
  }
}

TEST(Cone, PlanarVectorsStayPlanar) {
  const Vec3 p = project_on_cone(Vec3(1.0, -3.0, 0.0), 0.5);
  EXPECT_EQ(p[2], 0.0);
  EXPECT_DOUBLE_EQ(p[1], -0.5 * p[0]);
}

// The cone is a ray then, and mu z_N zero for a z_N below it too.
TEST(Cone, WithoutFrictionNothingBelowIsInside) {
  EXPECT_EQ(project_on_cone(Vec3(-1.0, 0.0, 0.0), 0.0), Vec3::Zero());
  EXPECT_EQ(project_on_cone(Vec3(2.0, 0.0, 0.0), 0.0), Vec3(2.0, 0.0, 0.0));
}

TEST(Cone, NaturalMapVanishesExactlyOnTheLaw) {
  const Real mu = 0.5, rho = 2.0;
  EXPECT_EQ(natural_map(Vec3::Zero(), Vec3(0.3, 1.0, -2.0), mu, rho), Vec3::Zero());                   // separation
  EXPECT_EQ(natural_map(Vec3(2.0, 0.5, 0.5), Vec3::Zero(), mu, rho), Vec3::Zero());                    // stick
  EXPECT_NEAR(natural_map(Vec3(2.0, 1.0, 0.0), Vec3(0.0, -3.0, 0.0), mu, rho).norm(), 0.0, rounding);  // slip
  EXPECT_GT(natural_map(Vec3(2.0, 1.0, 0.0), Vec3(0.0, 3.0, 0.0), mu, rho).norm(), 0.1);   // friction that drives
  EXPECT_GT(natural_map(Vec3(2.0, 0.0, 0.0), Vec3(0.0, -3.0, 0.0), mu, rho).norm(), 0.1);  // too little friction
  EXPECT_GT(natural_map(Vec3::Zero(), Vec3(-0.3, 0.0, 0.0), mu, rho).norm(), 0.1);         // penetration
  EXPECT_GT(natural_map(Vec3(1.0, 0.0, 0.0), Vec3(0.3, 0.0, 0.0), mu, rho).norm(), 0.1);   // pulls apart and presses
}

TEST(Cone, KeepsNotANumber) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_FALSE(project_on_cone(Vec3(nan, 0.0, 0.0), 0.5).allFinite());
  EXPECT_FALSE(project_on_cone(Vec3(1.0, nan, 0.0), 0.5).allFinite());
}

}  // namespace
}  // namespace grus::cone_test
