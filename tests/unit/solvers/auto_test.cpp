#include "solvers/methods/auto.hpp"

#include <gtest/gtest.h>

#include "solvers/local_residual.hpp"
#include "unit/solvers/small_problems.hpp"

namespace grus::auto_test {
namespace {

TEST(Auto, SolvesSmallHardProblems) {
  constexpr int count = 5000, allowed = 5;  // 99.9 %; `make bench-small-problems` counts more of them
  const LocalSolveOptions options{.tolerance = 1e-10, .max_iterations = 10'000};
  int failed = 0;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    const LocalProblem problem = testing::assembled(testing::small_problem(seed));
    std::vector<Real> impulse;
    const LocalSolveReport report = solve_local(problem, SolverKind::automatic, impulse, options);
    failed += !report.converged;
    EXPECT_LE(report.iterations, options.max_iterations + 1);
    EXPECT_EQ(report.error, LocalMeter(problem, options.measure).error(impulse)) << seed;
    Real size = 0.0;
    for (const Real r : impulse) size = std::max(size, std::abs(r));
    EXPECT_LE(local_violations(problem, impulse).cone, 1e-14 * size) << seed;
  }
  EXPECT_LE(failed, allowed);
}

TEST(Auto, ScalesBitwiseWithPowersOfTwo) {
  constexpr Real k = 0x1p-13, s = 0x1p7;
  const LocalSolveOptions options{.tolerance = 1e-10, .max_iterations = 10'000};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    LocalProblem problem = testing::assembled(testing::small_problem(seed));
    std::vector<Real> impulse, scaled;
    solve_local(problem, SolverKind::automatic, impulse, options);
    for (Real& w : problem.entry) w *= k;
    for (Real& x : problem.q) x *= s;
    solve_local(problem, SolverKind::automatic, scaled, options);
    for (std::size_t i = 0; i < impulse.size(); ++i) EXPECT_EQ(scaled[i], impulse[i] * (s / k)) << seed;
  }
}

// A column of boxes on four points each: three times as many contacts as it needs, and a tolerance that sweeps do not
// reach.
TEST(Auto, ReachesTightTolerancesOnARedundantStack) {
  ContactProblem stack;
  SymMat3 j;
  j.xx = j.yy = j.zz = 6.0;
  for (Index b = 0; b < 8; ++b) {
    testing::add_block(stack, 1.0, j, Vec3(0.0, 0.0, -1e-2), Vec3::Zero());
    for (const auto& [x, y] : {std::pair{-0.5, -0.5}, {-0.5, 0.5}, {0.5, -0.5}, {0.5, 0.5}})
      testing::add_contact(stack, b == 0 ? no_index : b - 1, b, Vec3(0, 0, 1), Vec3(x, y, 0.5), Vec3(x, y, -0.5), 0.5);
  }
  const LocalProblem problem = testing::assembled(stack);
  std::vector<Real> impulse;
  const LocalSolveReport report =
      solve_local(problem, SolverKind::automatic, impulse, {.tolerance = 1e-12, .max_iterations = 2000});
  EXPECT_TRUE(report.converged) << report.error;
}

TEST(Auto, SolvesWithScalarRowsAndReportsTheMethod) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const LocalProblem problem = testing::unique_problem(seed % 2 == 0 ? 2 : 3, seed, 9);
    std::vector<Real> impulse;
    const LocalSolveReport report = solve_local(problem, SolverKind::automatic, impulse, {.tolerance = 1e-10});
    EXPECT_TRUE(report.converged);
    EXPECT_NE(report.solver, SolverKind::automatic);
  }
}

}  // namespace
}  // namespace grus::auto_test
