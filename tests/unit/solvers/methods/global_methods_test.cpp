// The methods on the whole problem, each by its name in solve_local, against Gauss-Seidel and against the law.
#include <gtest/gtest.h>

#include <limits>

#include "solvers/local_residual.hpp"
#include "solvers/local_solve.hpp"
#include "solvers/registry.hpp"
#include "unit/solvers/local_problems.hpp"

namespace grus::global_methods_test {
namespace {

class GlobalMethod : public ::testing::TestWithParam<SolverKind> {};

std::vector<Real> velocity_of(const LocalProblem& problem, const std::vector<Real>& impulse) {
  std::vector<Real> velocity;
  local_velocity(problem, impulse, velocity);
  return velocity;
}

TEST_P(GlobalMethod, FindsTheSolutionWhereItIsUnique) {
  constexpr Real agreement = 1e-7;  // solutions of error 1e-11 differ by the condition of W, some 1e3
  for (const int dim : {2, 3}) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const LocalProblem problem = testing::unique_problem(dim, seed, seed % 2 == 0 ? 0 : 6);
      std::vector<Real> expected, impulse;
      ASSERT_TRUE(
          solve_local(problem, SolverKind::nlgs, expected, {.tolerance = 1e-12, .max_iterations = 100'000}).converged);
      const LocalSolveReport report =
          solve_local(problem, GetParam(), impulse, {.tolerance = 1e-11, .max_iterations = 100'000});
      EXPECT_TRUE(report.converged) << dim << " seed " << seed << " error " << report.error;
      const std::vector<Real> a = velocity_of(problem, expected), b = velocity_of(problem, impulse);
      for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], agreement) << dim << " seed " << seed;
    }
  }
}

// A bed whose W is rank deficient, from its starting guess on: the error falls, and what is returned is what is said.
TEST_P(GlobalMethod, SolvesARedundantBed) {
  const LocalProblem problem =
      testing::assembled(testing::bed_problem({.side = 3, .layers = 3, .friction = 0.5, .rough = true}));
  std::vector<Real> impulse;
  const LocalSolveReport report = solve_local(problem, GetParam(), impulse, {.tolerance = 1e-6});
  EXPECT_TRUE(report.converged) << report.error;
  EXPECT_EQ(LocalMeter(problem, ErrorMeasure::scaled_map).error(impulse), report.error);
}

TEST_P(GlobalMethod, ImpulsesStayInsideWhereverItStops) {
  const LocalProblem problem = testing::unique_problem(3, 3, 9);
  for (const Index iterations : {0, 1, 2, 5}) {
    std::vector<Real> impulse;
    const LocalSolveReport report =
        solve_local(problem, GetParam(), impulse, {.tolerance = 0.0, .max_iterations = iterations});
    // Newton's method may be exact up to rounding, which counts as zero.
    EXPECT_EQ(report.converged, report.error == 0.0);
    EXPECT_LE(report.iterations, iterations);
    EXPECT_LE(local_violations(problem, impulse).cone, 1e-13);
  }
  std::vector<Real> impulse;
  int asked = 0;
  const LocalSolveReport report = solve_local(
      problem, GetParam(), impulse, {.tolerance = 0.0, .max_iterations = 1000, .stop = [&] { return ++asked > 3; }});
  EXPECT_LE(report.iterations, 4);
}

TEST_P(GlobalMethod, ReportsNumbersThatAreNotFinite) {
  LocalProblem problem = testing::unique_problem(3, 1);
  problem.entry[40] = std::numeric_limits<Real>::quiet_NaN();
  std::vector<Real> impulse;
  EXPECT_FALSE(solve_local(problem, GetParam(), impulse, {.max_iterations = 100}).converged);
  problem = testing::unique_problem(3, 1);
  problem.q[4] = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_FALSE(solve_local(problem, GetParam(), impulse, {.max_iterations = 100}).converged);
}

// W by 2^k and q by 2^s: impulses by 2^(s-k), bit by bit.
TEST_P(GlobalMethod, UnitsDoNotMatter) {
  const LocalProblem problem = testing::unique_problem(3, 5, 6);
  LocalProblem scaled = problem;
  constexpr Real mass = 0x1p-7, speed = 0x1p+4;
  for (Real& x : scaled.entry) x *= mass;
  for (Real& x : scaled.row_weight) x *= mass;
  for (Real& x : scaled.q) x *= speed;
  for (Real& x : scaled.lower) x *= speed / mass;
  for (Real& x : scaled.upper) x *= speed / mass;
  std::vector<Real> impulse, scaled_impulse;
  const LocalSolveOptions options{.tolerance = 1e-9};
  const LocalSolveReport first = solve_local(problem, GetParam(), impulse, options);
  const LocalSolveReport second = solve_local(scaled, GetParam(), scaled_impulse, options);
  EXPECT_EQ(first.iterations, second.iterations);
  for (std::size_t k = 0; k < impulse.size(); ++k) EXPECT_EQ(impulse[k] * (speed / mass), scaled_impulse[k]);
}

INSTANTIATE_TEST_SUITE_P(Methods, GlobalMethod,
                         ::testing::Values(SolverKind::proximal_newton, SolverKind::admm,
                                           SolverKind::accelerated_projected_gradient,
                                           SolverKind::projected_conjugate_gradient, SolverKind::interior_point),
                         [](const auto& method) {
                           std::string name(solver_name(method.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A few bodies, 1 to 5 contacts, half of them along one normal (redundant), friction 0 to 10, masses over 8 decades.
// The free velocity is that of bodies, so that stopping every contact is possible and a solution exists.
LocalProblem hard_problem(std::uint64_t seed) {
  Random random(seed);
  ContactProblem problem;
  problem.dimension = seed % 4 == 0 ? 2 : 3;
  const auto flat = [&](Vec3 x) {
    if (problem.dimension == 2) x[2] = 0.0;
    return x;
  };
  const auto bodies = static_cast<Index>(1 + random.below(3));
  for (Index i = 0; i < bodies; ++i) {
    const Real inverse_mass = std::pow(10.0, random.uniform(-4.0, 4.0));
    const Real inverse_inertia = inverse_mass * std::pow(10.0, random.uniform(-2.0, 2.0));
    const Vec3 v = flat(testing::normal_vector(random)), omega = testing::normal_vector(random);
    testing::add_block(problem, inverse_mass, testing::random_inertia(random, inverse_inertia), v, omega);
  }
  const bool redundant = random.below(2) == 0;
  const Vec3 normal = flat(testing::normal_vector(random)).normalized();
  for (std::uint64_t c = 0, count = 1 + random.below(5); c < count; ++c) {
    const auto a = static_cast<Index>(random.below(static_cast<std::uint64_t>(bodies)));
    auto b = static_cast<Index>(random.below(static_cast<std::uint64_t>(bodies) + 1));
    if (b == a || b == bodies) b = no_index;
    const Vec3 own = flat(testing::normal_vector(random)).normalized(), n = redundant ? normal : own;
    const Vec3 arm_a = flat(testing::normal_vector(random)), arm_b = flat(testing::normal_vector(random));
    const Real friction = random.below(8) == 0 ? 0.0 : random.uniform(0.0, random.below(2) == 0 ? 1.0 : 10.0);
    testing::add_contact(problem, a, b, n, arm_a, arm_b, friction);
  }
  return testing::assembled(problem);
}

TEST(ProximalNewton, SolvesNearlyAllHardSmallProblems) {
  constexpr std::uint64_t count = 4000;
  std::uint64_t failed = 0;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    const LocalProblem problem = hard_problem(seed);
    std::vector<Real> impulse;
    const LocalSolveReport report =
        solve_local(problem, SolverKind::proximal_newton, impulse, {.tolerance = 1e-10, .max_iterations = 2000});
    failed += !report.converged;
    ASSERT_LE(local_violations(problem, impulse).cone,
              1e-12 * std::abs(*std::max_element(impulse.begin(), impulse.end())))
        << seed;
  }
  EXPECT_LE(failed, count / 1000);
}

// The wall of a file rounded to few digits: W is neither symmetric nor definite.
TEST(ProximalNewton, NeedsNeitherSymmetryNorDefiniteness) {
  LocalProblem problem =
      testing::assembled(testing::bed_problem({.side = 3, .layers = 3, .friction = 0.5, .rough = true}));
  Random random(2);
  for (Real& x : problem.entry) x *= 1.0 + 1e-4 * random.normal();
  std::vector<Real> impulse;
  const LocalSolveReport report = solve_local(problem, SolverKind::proximal_newton, impulse, {.tolerance = 1e-10});
  EXPECT_TRUE(report.converged) << report.error;
}

}  // namespace
}  // namespace grus::global_methods_test
