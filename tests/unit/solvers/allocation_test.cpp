// A second solve of the same size takes nothing from the heap: counted by replacing operator new of this program.
#include <gtest/gtest.h>

#include "solvers/nlgs.hpp"
#include "support/allocation_count.hpp"
#include "unit/solvers/dense_problems.hpp"

namespace grus::allocation_test {
namespace {

TEST(NlgsAllocation, SecondSolveAllocatesNothing) {
  const std::vector<ContactProblem> problems{
      testing::bed_problem({.side = 8, .layers = 8}),
      testing::bed_problem({.side = 8, .layers = 8, .rough = true}),
      testing::random_problem({.dimension = 2, .blocks = 500, .contacts = 1000}),
      testing::random_dense_problem({.contacts = {.blocks = 500, .contacts = 1000}, .dense = 10, .rows = 50}),
      testing::random_dense_problem(
          {.contacts = {.dimension = 2, .blocks = 500, .contacts = 1000}, .dense = 10, .rows = 50}),
  };
  const Parallel parallel(1);
  NlgsScratch scratch;
  for (const ContactProblem& problem : problems) {
    ContactSolution solution;
    solve_nlgs(problem, solution, scratch, {.max_iterations = 50}, parallel);
    const ContactSolution reference = solution;
    std::fill(solution.impulse.begin(), solution.impulse.end(), Vec3::Zero());
    std::fill(solution.row_impulse.begin(), solution.row_impulse.end(), 0.0);
    const long before = testing::allocation_count();
    solve_nlgs(problem, solution, scratch, {.max_iterations = 50}, parallel);
    EXPECT_EQ(testing::allocation_count() - before, 0);
    EXPECT_EQ(solution.velocity, reference.velocity);
  }
  EXPECT_GT(testing::allocation_count(), 0) << "the counter works";
}

}  // namespace
}  // namespace grus::allocation_test
