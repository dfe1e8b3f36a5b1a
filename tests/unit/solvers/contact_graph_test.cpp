#include "solvers/contact_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "unit/solvers/dense_problems.hpp"

namespace grus::contact_graph_test {
namespace {

// Every contact once; no block shared by two strands of a phase; key order within a strand.
void expect_valid(const ContactProblem& problem, const ContactGraph& graph) {
  std::vector<Index> sorted = graph.order;
  std::sort(sorted.begin(), sorted.end());
  for (Index i = 0; i < static_cast<Index>(sorted.size()); ++i) EXPECT_EQ(sorted[i], i);
  EXPECT_EQ(static_cast<Index>(sorted.size()), problem.contact_count);
  ASSERT_EQ(graph.phase_begin.back() + 1, static_cast<Index>(graph.strand_begin.size()));
  for (Index phase = 0; phase < graph.phase_count(); ++phase) {
    std::map<Index, Index> strand_of_block;
    for (Index s = graph.phase_begin[phase]; s < graph.phase_begin[phase + 1]; ++s) {
      for (Index i = graph.strand_begin[s]; i < graph.strand_begin[s + 1]; ++i) {
        EXPECT_TRUE(i == graph.strand_begin[s] || graph.order[i - 1] < graph.order[i]);
        for (const Index block : {problem.block_a[graph.order[i]], problem.block_b[graph.order[i]]}) {
          if (block == no_index) continue;
          EXPECT_EQ(strand_of_block.try_emplace(block, s).first->second, s) << "shared in phase " << phase;
        }
      }
    }
  }
}

// No block in two pairs of a strand of the colours: the phases between the first and the last. No pair is cut.
void expect_colours(const ContactProblem& problem, const ContactGraph& graph) {
  for (Index s = graph.phase_begin[1]; s < graph.phase_begin[graph.phase_count() - 1]; ++s) {
    std::set<Index> seen;
    for (Index i = graph.strand_begin[s]; i < graph.strand_begin[s + 1]; ++i) {
      const Index c = graph.order[i];
      if (c > 0 && problem.block_a[c] == problem.block_a[c - 1] && problem.block_b[c] == problem.block_b[c - 1]) {
        ASSERT_GT(i, graph.strand_begin[s]);
        EXPECT_EQ(graph.order[i - 1], c - 1);
        continue;
      }
      for (const Index block : {problem.block_a[c], problem.block_b[c]})
        EXPECT_TRUE(block == no_index || seen.insert(block).second);
    }
  }
}

Index hub_contacts(const ContactGraph& graph) {
  const Index phase = graph.phase_count() - 1;
  return graph.strand_begin[graph.phase_begin[phase + 1]] - graph.strand_begin[graph.phase_begin[phase]];
}

// Phases that hold contacts between the clusters and the hub lane.
Index colour_count(const ContactGraph& graph) {
  Index count = 0;
  for (Index phase = 1; phase + 1 < graph.phase_count(); ++phase)
    count += graph.phase_begin[phase] < graph.phase_begin[phase + 1] ? 1 : 0;
  return count;
}

TEST(ContactGraph, ColoursRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = testing::random_problem({.blocks = 200, .contacts = 1000, .seed = seed});
    ContactGraph graph;
    order_contacts(problem, graph);
    expect_valid(problem, graph);
    expect_colours(problem, graph);
    EXPECT_EQ(hub_contacts(graph), 0) << "no hubs at ten contacts per block";
  }
}

// Points of one pair have one colour: no more colours than pairs on a block, and strands that do not cut a pair.
TEST(ContactGraph, ColoursPairsNotPoints) {
  ContactProblem problem;
  constexpr Index count = 300, points = 3;
  const Vec3 n(0, 0, 1);
  for (Index i = 0; i < count; ++i) testing::add_sphere(problem, 1.0, 1.0, Vec3::Zero(), Vec3::Zero());
  for (Index i = 0; i + 1 < count; ++i)
    for (Index k = 0; k < points; ++k) testing::add_contact(problem, i, i + 1, n, n, -n, 0.5);
  ContactGraph graph;
  order_contacts(problem, graph);
  expect_valid(problem, graph);
  expect_colours(problem, graph);
  EXPECT_EQ(colour_count(graph), 2);
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
  order_contacts(problem, graph);
  expect_valid(problem, graph);
  EXPECT_EQ(colour_count(graph), 2);
  EXPECT_EQ(hub_contacts(graph), 100);
}

TEST(ContactGraph, KeepsClustersTogether) {
  ContactProblem problem = testing::random_problem({.blocks = 200, .contacts = 1000, .seed = 3});
  for (Index b = 0; b < 200; ++b) problem.cluster.push_back(b / 50);
  ContactGraph graph;
  order_contacts(problem, graph);
  expect_valid(problem, graph);
  expect_colours(problem, graph);
  EXPECT_EQ(graph.phase_begin[1] - graph.phase_begin[0], 4);
  Index inside = 0;
  for (Index c = 0; c < problem.contact_count; ++c) {
    const Index a = problem.block_a[c], b = problem.block_b[c];
    inside += a == no_index || b == no_index || a / 50 == b / 50 ? 1 : 0;
  }
  EXPECT_EQ(graph.strand_begin[graph.phase_begin[1]], inside);
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
  order_contacts(problem, graph);
  expect_valid(problem, graph);
  expect_colours(problem, graph);
  EXPECT_LE(colour_count(graph), 64);
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
  order_contacts(problem, graph);
  EXPECT_EQ(colour_count(graph), 1);
  EXPECT_EQ(graph.order.size(), 1000u);
}

TEST(ContactGraph, LeavesContactsOfDenseBlocksToTheTail) {
  ContactProblem rigid = testing::random_problem({.blocks = 200, .contacts = 1000, .seed = 4});
  ContactProblem problem = testing::last_blocks_as_dense(rigid, 20);
  for (Index b = 0; b < problem.block_count; ++b) problem.cluster.push_back(b / 30);
  ContactGraph graph;
  order_contacts(problem, graph);
  EXPECT_TRUE(std::is_sorted(graph.tail.begin(), graph.tail.end()));
  for (const Index c : graph.tail) EXPECT_TRUE(std::max(problem.block_a[c], problem.block_b[c]) >= 180);
  for (const Index c : graph.order) EXPECT_TRUE(std::max(problem.block_a[c], problem.block_b[c]) < 180);
  EXPECT_EQ(graph.tail.size() + graph.order.size(), 1000u);
  EXPECT_GT(graph.tail.size(), 100u);
}

}  // namespace
}  // namespace grus::contact_graph_test
