// Pairs side by side: where every contact goes, and that the law they converge to is the one of the exact local solver.
#include "solvers/pair_lane.hpp"

#include <gtest/gtest.h>

#include <set>

#include "solvers/nlgs.hpp"
#include "unit/solvers/problems.hpp"

namespace grus::pair_lane_test {
namespace {

// A random problem whose pairs have 1 to `most` points; general shapes, a few sides on the world.
ContactProblem many_pointed(Index blocks, Index pairs, Index most, std::uint64_t seed, Real friction_max = 0.5) {
  const ContactProblem base =
      testing::random_problem({.blocks = blocks, .contacts = pairs, .friction_max = friction_max, .seed = seed});
  Random random(seed + 100);
  ContactProblem problem = base;
  problem.contact_count = 0;
  for (auto* list : {&problem.block_a, &problem.block_b}) list->clear();
  for (auto* list : {&problem.normal, &problem.arm_a, &problem.arm_b, &problem.shift}) list->clear();
  problem.friction.clear();
  for (Index c = 0; c < pairs; ++c) {
    const auto points = 1 + random.below(static_cast<std::uint64_t>(most));
    for (std::uint64_t k = 0; k < points; ++k) {
      const Vec3 spread = k == 0 ? Vec3(Vec3::Zero()) : Vec3(0.3 * testing::normal_vector(random));
      testing::add_contact(problem, base.block_a[c], base.block_b[c], base.normal[c], base.arm_a[c] + spread,
                           base.arm_b[c] + spread, base.friction[c], base.shift[c]);
    }
  }
  return problem;
}

PairLane filled(const ContactProblem& problem, const ContactGraph& graph, int threads) {
  const auto contacts = static_cast<std::size_t>(problem.contact_count);
  // blocks of some mass: where contacts go does not depend on it
  std::vector<SpatialBlock> blocks(static_cast<std::size_t>(problem.block_count) + 1);
  for (SpatialBlock& block : blocks) block.inverse_mass = 1.0;
  PairLane lane;
  fill_pair_lane(problem, graph, std::vector<LaneOf>(contacts, LaneOf::pairs),
                 std::vector<Vec3>(contacts, Vec3::Ones()), blocks, lane, Parallel(threads));
  return lane;
}

// Every contact of the graph in one lane of one point, padding without impulse, and no moving block twice in a group.
void expect_valid(const ContactProblem& problem, const ContactGraph& graph, const PairLane& lane) {
  std::multiset<Index> packed;
  ASSERT_EQ(lane.contact.size(), lane.points.size() * wide);
  ASSERT_EQ(lane.strand_begin.back(), static_cast<Index>(lane.groups.size()));
  Index next_point = 0;
  for (const PairGroup& group : lane.groups) {
    EXPECT_EQ(group.first_point, next_point);
    next_point += group.points;
    EXPECT_LE(group.points, pair_points);
    std::set<Index> movers;
    for (Index i = 0; i < wide; ++i) {
      for (const Index block : {group.a[i], group.b[i]})
        EXPECT_TRUE(block == problem.block_count || movers.insert(block).second) << "block " << block << " twice";
      for (Index k = 0; k < group.points; ++k) {
        const Index contact = lane.contact[(group.first_point + k) * wide + i];
        if (contact == no_index) {
          for (const auto& component : lane.points[group.first_point + k].impulse) EXPECT_EQ(component[i], 0.0);
          continue;
        }
        packed.insert(contact);
        const auto expected = [&](Index block) { return block_moves(problem, block) ? block : problem.block_count; };
        EXPECT_EQ(group.a[i], expected(problem.block_a[contact]));
        EXPECT_EQ(group.b[i], expected(problem.block_b[contact]));
      }
    }
  }
  EXPECT_EQ(next_point, static_cast<Index>(lane.points.size()));
  EXPECT_EQ(packed, std::multiset<Index>(graph.order.begin(), graph.order.end()));
}

TEST(PairLane, HoldsEveryContactOnceAndSharesNoBlockWithinAGroup) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    ContactProblem problem = many_pointed(300, 900, 6, seed);  // more points than a pair may have, too
    problem.inverse_mass[7] = 0.0;                             // a moving wall given as a block
    problem.inverse_inertia[7] = SymMat3{};
    if (seed % 2 == 1)
      for (Index b = 0; b < problem.block_count; ++b) problem.cluster.push_back(b / 75);
    ContactGraph graph;
    order_contacts(problem, graph);
    for (const int threads : {1, 3}) expect_valid(problem, graph, filled(problem, graph, threads));
  }
}

// One body with more pairs in its cluster than there are colours.
TEST(PairLane, TakesAHubInsideACluster) {
  ContactProblem problem;
  Random random(4);
  for (Index i = 0; i <= 100; ++i) {
    testing::add_block(problem, 1.0, testing::random_inertia(random, 1.0), Vec3::Zero(), Vec3::Zero());
    problem.cluster.push_back(0);
    const Vec3 n = testing::normal_vector(random).normalized();
    if (i > 0) testing::add_contact(problem, 0, i, n, n, -n, 0.5);
  }
  ContactGraph graph;
  order_contacts(problem, graph);
  const PairLane lane = filled(problem, graph, 1);
  expect_valid(problem, graph, lane);
  EXPECT_EQ(lane.groups.size(), 100u);
}

// The sweep converges to the solution of the exact local solver. Velocities are compared: the impulses of several
// points of a face are not unique.
TEST(PairLane, ReachesTheSolutionOfTheExactRows) {
  constexpr Real agreement =
      1e-7;  // of velocities of order one at a residual of 1e-10, by the condition of the problems
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = many_pointed(40, 40, 4, seed);
    ContactSolution by_pairs, by_rows;
    NlgsScratch scratch;
    NlgsOptions options{.tolerance = 1e-10, .max_iterations = 100000};
    EXPECT_TRUE(solve_nlgs(problem, by_pairs, scratch, options, Parallel(1)).converged) << seed;
    EXPECT_TRUE(scratch.spatial.rows.empty());
    options.pair_lane = false;
    EXPECT_TRUE(solve_nlgs(problem, by_rows, scratch, options, Parallel(1)).converged) << seed;
    EXPECT_TRUE(scratch.pairs.groups.empty());
    EXPECT_EQ(scratch.spatial.rows.size(), static_cast<std::size_t>(problem.contact_count));
    for (std::size_t i = 0; i < by_rows.velocity.size(); ++i)
      EXPECT_NEAR(by_pairs.velocity[i], by_rows.velocity[i], agreement) << seed;
  }
}

// Friction so high that the tangential impulse moves the normal velocity more than the normal one: a step of 1/W_NN
// would diverge.
TEST(PairLane, ConvergesAtHighFriction) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = many_pointed(40, 30, 2, seed, 2.0);
    ContactSolution solution;
    NlgsScratch scratch;
    const SolveReport report =
        solve_nlgs(problem, solution, scratch, {.tolerance = 1e-8, .max_iterations = 100000}, Parallel(1));
    EXPECT_TRUE(report.converged) << "seed " << seed << " residual " << report.residual;
  }
}

// A sweep more or less from the same iterate: not more than a few sweeps are lost against the exact local solver.
TEST(PairLane, NeedsNoMoreSweepsThanTheExactRows) {
  const ContactProblem problem = testing::bed_problem({.side = 10, .layers = 8, .rough = true});
  Index sweeps[2] = {0, 0};
  for (const bool pair_lane : {false, true}) {
    ContactSolution solution;
    NlgsScratch scratch;
    const SolveReport report = solve_nlgs(
        problem, solution, scratch, {.tolerance = 1e-3, .max_iterations = 5000, .pair_lane = pair_lane}, Parallel(1));
    EXPECT_TRUE(report.converged);
    sweeps[pair_lane ? 1 : 0] = report.iterations;
  }
  EXPECT_LE(sweeps[1], sweeps[0] * 5 / 4);
}

}  // namespace
}  // namespace grus::pair_lane_test
