// Contact frames are orthonormal and right-handed in every direction, and planar ones stay in the plane.
#include "math/vector.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "core/random.hpp"

namespace grus::vector_test {
namespace {

// A handful of roundings in numbers of order one.
constexpr Real rounding = 16.0 * std::numeric_limits<Real>::epsilon();

void expect_frame(const Vec3& n) {
  Vec3 t1, t2;
  tangents(n, t1, t2);
  SCOPED_TRACE(testing::Message() << "n = " << n.transpose());
  EXPECT_NEAR(t1.norm(), 1.0, rounding);
  EXPECT_NEAR(t2.norm(), 1.0, rounding);
  EXPECT_NEAR(n.dot(t1), 0.0, rounding);
  EXPECT_NEAR(n.dot(t2), 0.0, rounding);
  EXPECT_LT((n.cross(t1) - t2).norm(), rounding);
}

TEST(Tangents, AreRightHandedOnRandomDirections) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    expect_frame(Vec3(random.normal(), random.normal(), random.normal()).normalized());
  }
}

TEST(Tangents, AreRightHandedOnAxesAndDiagonals) {
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      for (int z = -1; z <= 1; ++z) {
        if (x != 0 || y != 0 || z != 0) expect_frame(Vec3(x, y, z).normalized());
      }
    }
  }
}

// The formula divides by sign(n_z) + n_z: nothing is lost near either pole or just off the plane.
TEST(Tangents, HaveNoSingularDirection) {
  for (const Real tilt : {1e-300, 1e-160, 1e-16, 1e-9, 1e-5, 1e-2}) {
    for (const Real sign : {-1.0, 1.0}) {
      expect_frame(Vec3(tilt, -0.5 * tilt, sign).normalized());
      expect_frame(Vec3(0.6, 0.8, sign * tilt).normalized());
    }
  }
}

// A planar contact has rows N and T1: T1 must be n turned by +90 degrees about z, bit for bit.
TEST(Tangents, OfAPlanarNormalStayInThePlane) {
  for (int k = 0; k < 360; ++k) {
    const Real angle = k * std::numbers::pi / 180.0;
    for (const Real zero : {0.0, -0.0}) {
      const Vec3 n(std::cos(angle), std::sin(angle), zero);
      Vec3 t1, t2;
      tangents(n, t1, t2);
      EXPECT_EQ(t1, Vec3(-n.y(), n.x(), 0.0));
      EXPECT_EQ(t2, Vec3(0.0, 0.0, 1.0));
    }
  }
}

TEST(CrossMatrix, IsTheCrossProductAndSkew) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Vec3 a(random.normal(), random.normal(), random.normal());
    const Vec3 b(random.normal(), random.normal(), random.normal());
    EXPECT_LT((cross_matrix(a) * b - a.cross(b)).norm(), rounding * a.norm() * b.norm());
    EXPECT_EQ(cross_matrix(a), Mat3(-cross_matrix(a).transpose()));
  }
}

// The flat arrays of the program rely on it.
TEST(Vector, HasNoPadding) {
  EXPECT_EQ(sizeof(Vec3), 24u);
  EXPECT_EQ(sizeof(Quat), 32u);
  EXPECT_EQ(sizeof(Mat3), 72u);
}

}  // namespace
}  // namespace grus::vector_test
