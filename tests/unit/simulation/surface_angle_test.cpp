#include "simulation/surface_angle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/random.hpp"

namespace grus::testing::surface_angle_test {
namespace {

// Grains filling the region below a line of known slope.
TEST(SurfaceAngle, FindsTheSlopeOfAWedge) {
  for (const Real slope : {-0.5, 0.0, 0.3}) {
    Random random(5);
    State state;
    while (state.position.size() < 20000) {
      const Real x = random.uniform(-1, 1), z = random.uniform(-1, 1);
      if (z < slope * x) state.position.emplace_back(x, 0, z);
    }
    std::vector<Index> members(state.position.size());
    std::iota(members.begin(), members.end(), 0);
    const std::vector<Real> extent(members.size(), 0.01);
    const Real found = surface_angle(state, members, static_cast<Index>(members.size()), extent, 0, 2);
    // The top of a column lies within a grain of the line.
    EXPECT_NEAR(std::tan(found), slope, 0.02);
  }
}

TEST(SurfaceAngle, IsNotANumberWithoutASurface) {
  State state;
  for (int i = 0; i < 10; ++i) state.position.emplace_back(0.1 * i, 0, 0);
  std::vector<Index> members(10);
  std::iota(members.begin(), members.end(), 0);
  EXPECT_EQ(surface_angle(state, members, 10, std::vector<Real>(10, 0.05), 0, 2), 0.0);
  // Points, and a grain that flew off: columns without number.
  EXPECT_TRUE(std::isnan(surface_angle(state, members, 10, std::vector<Real>(10, 0.0), 0, 2)));
  state.position.back().x() = 1e30;
  EXPECT_TRUE(std::isnan(surface_angle(state, members, 10, std::vector<Real>(10, 0.05), 0, 2)));
}

TEST(SurfaceAngle, IsNotANumberForAFewGrains) {
  State state;
  state.position = {Vec3(0, 0, 0)};
  const std::vector<Index> members{0};
  const std::vector<Real> extent{0.1};
  EXPECT_TRUE(std::isnan(surface_angle(state, members, 1, extent, 0, 2)));
}

}  // namespace
}  // namespace grus::testing::surface_angle_test
