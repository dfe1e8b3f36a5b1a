#include "analysis/contact_network.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "unit/analysis/frame_builder.hpp"

namespace grus::contact_network_test {
namespace {

using test::FrameBuilder;

constexpr Real step = 1e-3;
constexpr Real stored = 1e-6;  // relative: frames hold float32

// n^3 touching balls in a lattice, each bond with the same impulse.
FrameBuilder cubic_lattice(int n) {
  FrameBuilder built;
  const auto number = [&](int x, int y, int z) { return (z * n + y) * n + x; };
  for (int i = 0; i < n * n * n; ++i) built.add(true, test::ball(0.5), Vec3(i % n, i / n % n, i / n / n));
  for (int z = 0; z < n; ++z) {
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x < n; ++x) {
        if (x + 1 < n) built.touch(number(x, y, z), number(x + 1, y, z), Vec3::UnitX(), 2e-3 * Vec3::UnitX());
        // the other way round: the order of the bodies means nothing
        if (y + 1 < n) built.touch(number(x, y + 1, z), number(x, y, z), -Vec3::UnitY(), -2e-3 * Vec3::UnitY());
        if (z + 1 < n) built.touch(number(x, y, z), number(x, y, z + 1), Vec3::UnitZ(), 2e-3 * Vec3::UnitZ());
      }
    }
  }
  return built;
}

TEST(ContactNetwork, SimpleCubicLatticeHasSixNeighboursInside) {
  constexpr int n = 5;
  const FrameBuilder built = cubic_lattice(n);
  const ContactNetwork network = contact_network(built.scene, built.frame, step);
  EXPECT_EQ(network.contacts.size(), 3u * n * n * (n - 1));
  const Coordination z = coordination(network.neighbours);
  // inside 6, faces 5, edges 4, corners 3
  EXPECT_EQ(z.histogram, (std::vector<Index>{0, 0, 0, 8, 36, 54, 27}));
  EXPECT_DOUBLE_EQ(z.mean, 6.0 * (n - 1) / n);
  EXPECT_EQ(z.rattlers, 0);
  EXPECT_DOUBLE_EQ(z.mean_without_rattlers, z.mean);
  const Fabric f = fabric(network.contacts, Vec3::UnitZ(), false);
  EXPECT_LT((f.tensor - Mat3::Identity() / 3.0).norm(), 1e-12);
  EXPECT_NEAR(f.anisotropy, 0.0, 1e-12);
  for (const NetworkContact& c : network.contacts) EXPECT_NEAR(c.force.norm(), 2.0, 2.0 * stored);
}

TEST(ContactNetwork, PointsOfOneFlatAreOneContactAndCornersSeveral) {
  FrameBuilder built;
  const Index box = built.add(true, test::cuboid(Vec3::Ones()), Vec3::Zero());
  const Index other = built.add(true, test::cuboid(Vec3::Ones()), Vec3(0, 0, 2));
  const Index container = built.add(false, test::plane_wall(), Vec3::Zero());
  // four points of a face; the impulses of single points mean nothing, even when one of them pulls
  for (const Real share : {0.7, 0.5, -0.3, 0.1})
    built.touch(box, other, Vec3::UnitZ(), share * Vec3(1e-3, 0.0, 4e-3), Vec3(share, 0, 1));
  built.touch(box, container, -Vec3::UnitZ(), Vec3(0, 0, -5e-3));
  built.touch(box, container, -Vec3::UnitX(), Vec3(-3e-3, 0, 0));
  built.touch(other, container, Vec3::UnitX(), Vec3::Zero());  // open
  built.touch(container, container, Vec3::UnitX(), Vec3::Ones());
  const ContactNetwork network = contact_network(built.scene, built.frame, step);
  ASSERT_EQ(network.contacts.size(), 3u);
  EXPECT_LT((network.contacts[0].force - Vec3(1.0, 0.0, 4.0)).norm(), 10.0 * stored);
  EXPECT_NEAR(network.contacts[0].position.x(), 0.25, stored);
  EXPECT_EQ(network.neighbours, (std::vector<Index>{2, 1}));
  EXPECT_NEAR(network.largest_force[0], 5.0, 5.0 * stored);
  EXPECT_NEAR(network.largest_force[1], std::sqrt(17.0), 5.0 * stored);
}

TEST(ContactNetwork, RattlersAreLeftOut) {
  const Coordination z = coordination(std::vector<Index>{0, 1, 4, 6, 1});
  EXPECT_EQ(z.rattlers, 3);
  EXPECT_DOUBLE_EQ(z.mean, 12.0 / 5.0);
  EXPECT_DOUBLE_EQ(z.mean_without_rattlers, 5.0);
  EXPECT_TRUE(std::isnan(coordination({}).mean));
  EXPECT_TRUE(std::isnan(coordination(std::vector<Index>{1, 0}).mean_without_rattlers));
}

TEST(ForceStatistics, ExponentialForcesHaveTheirQuantiles) {
  // mid-ranks of the exponential distribution of mean 3: quantile p at -3 ln(1 - p), part above k means e^-k
  constexpr int count = 20000;
  std::vector<Real> forces;
  for (int i = 0; i < count; ++i) forces.push_back(-3.0 * std::log(1.0 - (i + 0.5) / count));
  std::reverse(forces.begin(), forces.end());
  const ForceStatistics f = force_statistics(forces);
  EXPECT_EQ(f.contacts, count);
  EXPECT_NEAR(f.mean, 3.0, 3e-3);
  EXPECT_NEAR(f.median, 3.0 * std::log(2.0), 3e-3);
  EXPECT_NEAR(f.p90, 3.0 * std::log(10.0), 3e-3);
  EXPECT_NEAR(f.p99, 3.0 * std::log(100.0), 3e-2);
  EXPECT_DOUBLE_EQ(f.max, forces.front());
  EXPECT_NEAR(f.above_2, std::exp(-2.0), 1e-3);
  EXPECT_NEAR(f.above_5, std::exp(-5.0), 1e-3);
  EXPECT_NEAR(f.above_10, std::exp(-10.0), 1e-4);
  const Real in_bins = std::accumulate(f.density.begin(), f.density.end(), 0.0) * force_bin_width;
  EXPECT_NEAR(in_bins + f.above_10, 1.0, 1e-9);
  EXPECT_NEAR(f.density[4], (std::exp(-1.0) - std::exp(-1.25)) / force_bin_width, 1e-3);
  EXPECT_TRUE(std::isnan(force_statistics({}).mean));
  EXPECT_DOUBLE_EQ(force_statistics({5.0}).p99, 5.0);
}

TEST(Fabric, DirectionsOfAColumnAndOfAFan) {
  std::vector<NetworkContact> column(7);
  for (NetworkContact& c : column) c.normal = -Vec3::UnitZ();
  const Fabric f = fabric(column, Vec3::UnitZ(), false);
  EXPECT_DOUBLE_EQ(f.anisotropy, 1.0);
  EXPECT_DOUBLE_EQ(std::abs(f.directions(2, 0)), 1.0);
  EXPECT_DOUBLE_EQ(f.density.back(), spatial_direction_bins);
  std::vector<NetworkContact> fan(360);
  for (std::size_t i = 0; i < fan.size(); ++i) {
    const Real angle = (static_cast<Real>(i) + 0.5) * std::numbers::pi / 180.0;
    fan[i].normal = Vec3(std::cos(angle), std::sin(angle), 0.0);
  }
  const Fabric flat = fabric(fan, Vec3::UnitY(), true);
  EXPECT_NEAR(flat.anisotropy, 0.0, 1e-12);
  EXPECT_NEAR(flat.values[0], 0.5, 1e-12);
  for (const Real density : flat.density) EXPECT_NEAR(density, 1.0, 1e-12);
}

}  // namespace
}  // namespace grus::contact_network_test
