#include "solvers/nlgs.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "unit/solvers/problems.hpp"

namespace grus {
namespace {

using testing::Bed;
using testing::RandomProblem;

SolveReport solve(const ContactProblem& problem, ContactSolution& solution, const NlgsOptions& options = {},
                  int threads = 1) {
  NlgsScratch scratch;
  return solve_nlgs(problem, solution, scratch, options, Parallel(threads));
}

TEST(Nlgs, SolvesRandomProblemsToTolerance) {
  for (const int dimension : {2, 3}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const ContactProblem problem = testing::random_problem({dimension, 20, 25, 0.5, seed});
      ContactSolution solution;
      const SolveReport report = solve(problem, solution, {.tolerance = 1e-10, .max_iterations = 20000});
      EXPECT_TRUE(report.converged) << "dimension " << dimension << " seed " << seed << " " << report.residual;
      ResidualScratch scratch;
      EXPECT_EQ(residual(problem, solution, scratch, Parallel(1)).scaled, report.residual);
    }
  }
}

TEST(Nlgs, ConvergesOnBeds) {
  for (const bool rough : {false, true}) {
    const ContactProblem problem = testing::bed_problem(Bed{.side = 8, .layers = 8, .rough = rough});
    ContactSolution solution;
    const SolveReport report = solve(problem, solution, {.tolerance = 1e-4, .max_iterations = 5000});
    EXPECT_TRUE(report.converged) << report.residual;
  }
}

}  // namespace
}  // namespace grus
