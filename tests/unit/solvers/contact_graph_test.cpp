#include "solvers/contact_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "unit/solvers/problems.hpp"

namespace grus {
namespace {

// Every contact once; no shared block within a colour; key order within a group.
void expect_valid(const ContactProblem& problem, const ContactGraph& graph) {
  ASSERT_EQ(static_cast<Index>(graph.group_begin.size()), graph.colour_count + 2);
  std::vector<Index> sorted = graph.order;
  std::sort(sorted.begin(), sorted.end());
  for (Index i = 0; i < static_cast<Index>(sorted.size()); ++i) EXPECT_EQ(sorted[i], i);
  EXPECT_EQ(static_cast<Index>(sorted.size()), problem.contact_count);
  for (Index g = 0; g <= graph.colour_count; ++g) {
    std::set<Index> seen;
    for (Index i = graph.group_begin[g]; i < graph.group_begin[g + 1]; ++i) {
      EXPECT_TRUE(i == graph.group_begin[g] || graph.order[i - 1] < graph.order[i]);
      if (g == graph.colour_count) continue;
      for (const Index block : {problem.block_a[graph.order[i]], problem.block_b[graph.order[i]]}) {
        EXPECT_TRUE(block == no_index || seen.insert(block).second) << "block twice in colour " << g;
      }
    }
  }
}

TEST(ContactGraph, ColoursRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = testing::random_problem({.blocks = 200, .contacts = 1000, .seed = seed});
    ContactGraph graph;
    colour_contacts(problem, graph);
    expect_valid(problem, graph);
    EXPECT_EQ(graph.group_begin[graph.colour_count], problem.contact_count) << "no hubs at ten contacts per block";
  }
}

TEST(ContactGraph, PutsTheContactsOfAHubLast) {
  ContactProblem problem;
  for (int i = 0; i < 101; ++i) testing::add_sphere(problem, 1.0, 1.0, Vec3::Zero(), Vec3::Zero());
  const Vec3 n(0, 0, 1);
  for (Index i = 1; i <= 100; ++i) {
    testing::add_contact(problem, 0, i, n, n, -n, 0.5);
    if (i < 100) testing::add_contact(problem, i, i + 1, n, n, -n, 0.5);
  }
  ContactGraph graph;
  colour_contacts(problem, graph);
  expect_valid(problem, graph);
  EXPECT_EQ(graph.colour_count, 2);
  EXPECT_EQ(graph.group_begin[3] - graph.group_begin[2], 100);
}

// Two groups of blocks, all pairs between them: degrees below the hub limit, more colours needed than bits.
TEST(ContactGraph, SurvivesMoreColoursThanBits) {
  ContactProblem problem;
  for (Index i = 0; i < 400; ++i) testing::add_sphere(problem, 1.0, 1.0, Vec3::Zero(), Vec3::Zero());
  const Vec3 n(0, 0, 1);
  Random random(5);
  for (int k = 0; k < 8000; ++k) {
    const Index a = static_cast<Index>(random.below(400)), b = static_cast<Index>(random.below(400));
    if (a != b) testing::add_contact(problem, a, b, n, n, -n, 0.5);
  }
  ContactGraph graph;
  colour_contacts(problem, graph);
  expect_valid(problem, graph);
  EXPECT_LE(graph.colour_count, 64);
}

TEST(ContactGraph, AWallIsNoHubAndDeadContactsAreLeftOut) {
  ContactProblem problem;
  testing::add_block(problem, 0.0, SymMat3{}, Vec3::Zero(), Vec3::Zero());  // a moving wall given as a block
  const Vec3 n(0, 0, 1);
  for (Index i = 1; i <= 1000; ++i) {
    testing::add_sphere(problem, 1.0, 1.0, Vec3::Zero(), Vec3::Zero());
    testing::add_contact(problem, 0, i, n, n, -n, 0.5);
  }
  testing::add_contact(problem, no_index, 0, n, n, -n, 0.5);
  testing::add_contact(problem, no_index, no_index, n, n, -n, 0.5);
  ContactGraph graph;
  colour_contacts(problem, graph);
  EXPECT_EQ(graph.colour_count, 1);
  EXPECT_EQ(graph.order.size(), 1000u);
}

}  // namespace
}  // namespace grus
