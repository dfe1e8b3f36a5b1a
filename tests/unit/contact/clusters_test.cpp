#include "contact/clusters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/random.hpp"

namespace grus::testing::clusters_test {
namespace {

TEST(Clusters, AreCompactAndOfEqualSize) {
  Model model;
  Random random(1);
  std::vector<Pose> poses(8000);
  for (Pose& pose : poses) pose.position = Vec3(random.uniform(), random.uniform(), random.uniform());
  ClusterScratch scratch;
  std::vector<Index> cluster;
  model.smallest_bound_radius = 1e-3;
  cluster_bodies(model, poses, 8000, scratch, cluster);
  std::map<Index, std::pair<Index, Vec3>> sums;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    auto& [count, center] = sums.try_emplace(cluster[i], 0, Vec3::Zero()).first->second;
    ++count;
    center += poses[i].position;
  }
  Real square = 0.0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const auto& [count, center] = sums[cluster[i]];
    square += (poses[i].position - center / count).squaredNorm();
  }
  ASSERT_EQ(sums.size(), 16u);
  for (const auto& [k, sum] : sums) EXPECT_LE(sum.first, cluster_size);
  // A sixteenth of the unit cube as a 1/4 x 1/2 x 1/2 block has mean square radius (1/16 + 1/4 + 1/4)/12 = 0.047; runs
  // of 512 do not end on such blocks. At random it would be 0.25.
  EXPECT_LT(square / 8000, 0.08);
}

TEST(Clusters, ALostBodyDoesNotSpoilThem) {
  Model model;
  model.domain_min = Vec3::Constant(-1);
  model.domain_max = Vec3::Constant(2);
  Random random(1);
  std::vector<Pose> poses(4000);
  for (Pose& pose : poses) pose.position = Vec3(random.uniform(), random.uniform(), random.uniform());
  poses[7].position = Vec3(0, 0, -1e9);
  poses[8].position = Vec3::Constant(std::nan(""));
  ClusterScratch scratch;
  std::vector<Index> cluster;
  cluster_bodies(model, poses, 4000, scratch, cluster);
  EXPECT_EQ(*std::max_element(cluster.begin(), cluster.end()), 3999 / cluster_size);
}

TEST(Clusters, FewBodiesNeedNone) {
  Model model;
  const std::vector<Pose> poses(100);
  ClusterScratch scratch;
  std::vector<Index> cluster{1, 2, 3};
  cluster_bodies(model, poses, 100, scratch, cluster);
  EXPECT_TRUE(cluster.empty());
}

}  // namespace
}  // namespace grus::testing::clusters_test
