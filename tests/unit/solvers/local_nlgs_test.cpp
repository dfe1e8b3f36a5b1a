#include "solvers/methods/local_nlgs.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "solvers/methods/sweep_order.hpp"
#include "unit/solvers/local_problems.hpp"

namespace grus::local_nlgs_test {
namespace {

constexpr Real tight = 1e-12;
// Two solutions of error 1e-12 differ by the condition of W, at most some 1e3 here.
constexpr Real agreement = 1e-8;

constexpr SolverKind exact_cone[] = {SolverKind::nlgs, SolverKind::nlgs_accelerated, SolverKind::nlgs_anderson,
                                     SolverKind::nlgs_newton, SolverKind::nlgs_projection};

std::vector<Real> velocity_by(const LocalProblem& problem, SolverKind kind, const LocalSolveOptions& options) {
  std::vector<Real> impulse, velocity;
  const LocalSolveReport report = solve_local(problem, kind, impulse, options);
  EXPECT_TRUE(report.converged) << static_cast<int>(kind) << " error " << report.error;
  EXPECT_LE(local_violations(problem, impulse).cone, 1e-14);
  local_velocity(problem, impulse, velocity);
  return velocity;
}

Real distance(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST(LocalNlgs, EveryContactMethodAndAccelerationFindsTheSolution) {
  for (const int dim : {2, 3}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const LocalProblem problem = testing::unique_problem(dim, seed, seed % 2 == 0 ? 0 : 6);
      const LocalSolveOptions options{.tolerance = tight, .max_iterations = 100'000};
      const std::vector<Real> expected = velocity_by(problem, SolverKind::nlgs, options);
      for (const SolverKind kind : exact_cone)
        EXPECT_LE(distance(velocity_by(problem, kind, options), expected), agreement) << dim << " seed " << seed;
    }
  }
}

TEST(LocalNlgs, EveryOrderFindsTheSolution) {
  const LocalProblem problem = testing::unique_problem(3, 4, 9);
  LocalSolveOptions options{.tolerance = tight, .max_iterations = 100'000};
  const std::vector<Real> expected = velocity_by(problem, SolverKind::nlgs, options);
  for (const SweepOrder order : {SweepOrder::symmetric, SweepOrder::permuted, SweepOrder::coloured}) {
    options.order = order;
    EXPECT_LE(distance(velocity_by(problem, SolverKind::nlgs, options), expected), agreement);
  }
}

TEST(SweepOrder, IsAPermutationAndColoursAreNotCoupled) {
  const LocalProblem problem = testing::assembled(testing::random_problem({.blocks = 30, .contacts = 80}));
  for (const SweepOrder kind : {SweepOrder::permuted, SweepOrder::coloured}) {
    const std::vector<Index> order = sweep_order(problem, kind, 3);
    EXPECT_EQ(std::set<Index>(order.begin(), order.end()).size(), static_cast<std::size_t>(problem.block_count()));
    EXPECT_EQ(order, sweep_order(problem, kind, 3));
  }
  EXPECT_NE(sweep_order(problem, SweepOrder::permuted, 3), sweep_order(problem, SweepOrder::permuted, 4));
  // The first colour: ascending numbers, none coupled with another.
  const std::vector<Index> order = sweep_order(problem, SweepOrder::coloured, 1);
  std::size_t first = 1;
  while (order[first] > order[first - 1]) ++first;
  EXPECT_GT(first, 5u);
  for (std::size_t a = 0; a < first; ++a) {
    const auto begin = problem.column.begin();
    for (std::size_t b = 0; b < a; ++b)
      EXPECT_FALSE(std::binary_search(begin + problem.block_begin[order[a]], begin + problem.block_begin[order[a] + 1],
                                      order[b]));
  }
}

TEST(LocalNlgs, FacetedConesConvergeQuadraticallyInTheFacets) {
  const LocalProblem problem = testing::unique_problem(3, 3);
  LocalSolveOptions options{.tolerance = tight, .max_iterations = 2000};
  const std::vector<Real> expected = velocity_by(problem, SolverKind::nlgs, options);
  std::vector<Real> errors;
  for (const Index facets : {8, 16, 32, 64}) {
    options.facets = facets;
    std::vector<Real> by_lemke, by_qp, u_lemke, u_qp;
    solve_local(problem, SolverKind::nlgs_lemke, by_lemke, options);
    solve_local(problem, SolverKind::nlgs_qp, by_qp, options);
    local_velocity(problem, by_lemke, u_lemke);
    local_velocity(problem, by_qp, u_qp);
    EXPECT_LE(distance(u_lemke, u_qp), agreement) << facets;
    errors.push_back(distance(u_lemke, expected));
  }
  // cos(pi/n): a quarter for twice the facets
  for (std::size_t k = 1; k < errors.size(); ++k) EXPECT_NEAR(errors[k] / errors[k - 1], 0.25, 0.01) << k;
}

TEST(LocalNlgs, FacetedConesAreExactInThePlane) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const LocalProblem problem = testing::unique_problem(2, seed);
    const LocalSolveOptions options{.tolerance = tight, .max_iterations = 100'000};
    const std::vector<Real> expected = velocity_by(problem, SolverKind::nlgs, options);
    EXPECT_LE(distance(velocity_by(problem, SolverKind::nlgs_lemke, options), expected), agreement);
    EXPECT_LE(distance(velocity_by(problem, SolverKind::nlgs_qp, options), expected), agreement);
  }
}

TEST(LocalNlgs, SolvesTheUnsymmetricProblemNotItsSymmetricPart) {
  LocalProblem problem = testing::unique_problem(3, 1);
  Random random(5);
  for (Real& w : problem.entry) w *= 1.0 + 1e-3 * random.normal();
  for (const SolverKind kind : exact_cone) velocity_by(problem, kind, {.tolerance = tight, .max_iterations = 100'000});
}

TEST(LocalNlgs, AndersonNeedsFewerSweeps) {
  const LocalSolveOptions options{.tolerance = 1e-10, .max_iterations = 100'000};
  Index plain = 0, mixed = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const LocalProblem problem = testing::unique_problem(3, seed);
    std::vector<Real> impulse;
    plain += solve_local(problem, SolverKind::nlgs, impulse, options).iterations;
    impulse.clear();
    mixed += solve_local(problem, SolverKind::nlgs_anderson, impulse, options).iterations;
  }
  EXPECT_LT(2 * mixed, plain);
}

TEST(LocalSolve, GivesNothingToBlocksThatNoImpulseInfluences) {
  LocalProblem problem = testing::unique_problem(3, 3, 3);
  const std::vector<Real> expected =
      velocity_by(problem, SolverKind::nlgs, {.tolerance = tight, .max_iterations = 100'000});
  // one more scalar row that nothing moves
  ++problem.row_count;
  problem.column.push_back(problem.block_count() - 1);
  problem.block_begin.push_back(static_cast<Index>(problem.column.size()));
  problem.entry.insert(problem.entry.end(), 9, 0.0);
  problem.q.insert(problem.q.end(), {1.0, 0.0, 0.0});
  problem.lower.push_back(0.0);
  problem.upper.push_back(1.0);
  std::vector<Real> velocity = velocity_by(problem, SolverKind::nlgs, {.tolerance = tight, .max_iterations = 100'000});
  velocity.resize(expected.size());
  EXPECT_LE(distance(velocity, expected), agreement);
}

TEST(LocalSolve, EndsAtOnceOnNotANumberAndWhenAsked) {
  LocalProblem problem = testing::unique_problem(3, 3);
  for (const SolverKind kind : exact_cone) {
    std::vector<Real> impulse;
    LocalSolveOptions options{.tolerance = tight, .max_iterations = 100'000};
    options.stop = [] { return true; };
    LocalSolveReport report = solve_local(problem, kind, impulse, options);
    EXPECT_LE(report.iterations, 1);
    EXPECT_FALSE(report.converged);
    EXPECT_EQ(report.error, LocalMeter(problem, options.measure).error(impulse));
  }
  problem.q[4] = std::numeric_limits<Real>::quiet_NaN();
  for (const SolverKind kind : exact_cone) {
    std::vector<Real> impulse;
    const LocalSolveReport report = solve_local(problem, kind, impulse, {});
    EXPECT_TRUE(std::isnan(report.error));
    EXPECT_FALSE(report.converged);
    EXPECT_EQ(report.iterations, 0);
  }
}

}  // namespace
}  // namespace grus::local_nlgs_test
