// Dense blocks and scalar rows in the Gauss-Seidel solver.
#include "solvers/dense_rows.hpp"

#include <gtest/gtest.h>

#include "solvers/nlgs.hpp"
#include "unit/solvers/dense_delassus.hpp"

namespace grus::dense_rows_test {
namespace {

constexpr Real infinity = std::numeric_limits<Real>::infinity();
constexpr Real tight = 1e-12;
constexpr Real rounding = 1e-12;  // sums of some hundred terms of order one
// Two converged solutions of one problem: the conditioning of the problems below takes up to three digits.
constexpr Real agreement = 1e-9;

SolveReport solve(const ContactProblem& problem, ContactSolution& solution, Real tolerance = tight) {
  NlgsScratch scratch;
  return solve_nlgs(problem, solution, scratch, {.tolerance = tolerance, .max_iterations = 100000}, Parallel(1));
}

Real largest_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  EXPECT_EQ(a.size(), b.size());
  Real worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST(DenseRows, RigidBlocksToldAsDenseGiveTheSameSolution) {
  for (const int dim : {2, 3}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const ContactProblem rigid =
          testing::random_problem({.dimension = dim, .blocks = 12, .contacts = 12, .friction_max = 0.3, .seed = seed});
      const ContactProblem dense = testing::last_blocks_as_dense(rigid, 6);
      ContactSolution a, b;
      EXPECT_TRUE(solve(rigid, a).converged) << seed;
      EXPECT_TRUE(solve(dense, b).converged) << seed;
      EXPECT_LE(largest_difference(a.velocity, b.velocity), agreement) << "dimension " << dim << " seed " << seed;
      // The same impulses, judged by either problem.
      NlgsScratch scratch;
      a.impulse.clear();
      solve_nlgs(rigid, a, scratch, {.fixed_sweeps = 3}, Parallel(1));
      ResidualScratch quality;
      const Residual from_rigid = residual(rigid, a, quality, Parallel(1));
      const Residual from_dense = residual(dense, a, quality, Parallel(1));
      EXPECT_NEAR(from_dense.scaled, from_rigid.scaled, rounding);
      EXPECT_NEAR(from_dense.max_velocity, from_rigid.max_velocity, rounding);
      EXPECT_LE(from_dense.dense_velocity, from_dense.max_velocity);
    }
  }
}

TEST(DenseRows, SolvesRandomProblemsWithEverything) {
  for (const int dim : {2, 3}) {
    int solved = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const ContactProblem problem = testing::random_dense_problem(
          {.contacts = {.dimension = dim, .blocks = 30, .contacts = 20, .friction_max = 0.4, .seed = seed},
           .dense = 6,
           .rows = 9});
      // More joints than velocities on one block have no solution.
      const Eigen::MatrixXd w = testing::assemble(problem).w;
      if (w.selfadjointView<Eigen::Lower>().eigenvalues()[0] < 1e-3 * w.diagonal().maxCoeff()) continue;
      ++solved;
      ContactSolution solution;
      const SolveReport report = solve(problem, solution, 1e-9);
      EXPECT_TRUE(report.converged) << "dimension " << dim << " seed " << seed << " " << report.residual;
      EXPECT_LE(report.dense_velocity, report.max_velocity);
      for (Index i = 0; i < problem.row_count; ++i) {
        EXPECT_GE(solution.row_impulse[i], problem.row_lower[i]);
        EXPECT_LE(solution.row_impulse[i], problem.row_upper[i]);
      }
    }
    EXPECT_GE(solved, 10) << "too few problems were positive definite";
  }
}

// One coordinate of mass 2, velocity v, and one row on it.
ContactProblem one_coordinate(Real v, Real lower, Real upper, Real shift = 0.0) {
  ContactProblem problem;
  const Eigen::MatrixXd one = Eigen::MatrixXd::Ones(1, 1);
  const Index block = testing::add_dense_block(problem, v * Eigen::VectorXd::Ones(1));
  testing::add_row(problem, no_index, no_index, block, testing::add_side(problem, one, 0.5 * one), shift, lower, upper);
  return problem;
}

TEST(ScalarRows, LimitFrictionAndDriveOfOneCoordinate) {
  struct Case {
    Real v, lower, upper, shift, impulse, velocity;
  };
  for (const Case& c : std::initializer_list<Case>{{-3, 0, infinity, 0, 6, 0},             // a limit that is hit
                                                   {3, 0, infinity, 0, 0, 3},              // and left
                                                   {-3, 0, infinity, 1, 4, -1},            // with room of 1 m/s
                                                   {0.25, -1, 1, 0, -0.5, 0},              // dry friction sticks
                                                   {-2, -1, 1, 0, 1, -1.5},                // slips forward
                                                   {2, -1, 1, 0, -1, 1.5},                 // and back
                                                   {7, -infinity, infinity, -2, -10, 2}})  // driven to 2 m/s
  {
    for (const Real guess : {0.0, 100.0, -100.0}) {
      ContactSolution solution;
      solution.row_impulse = {guess};
      EXPECT_TRUE(solve(one_coordinate(c.v, c.lower, c.upper, c.shift), solution).converged);
      EXPECT_NEAR(solution.row_impulse[0], c.impulse, 1e-13);
      EXPECT_NEAR(solution.velocity[0], c.velocity, 1e-13);
    }
  }
}

TEST(ScalarRows, WithoutResponseGetNoImpulse) {
  ContactProblem problem = one_coordinate(1.0, 2.0, 3.0);
  problem.jacobian[0] = problem.response[0] = 0.0;
  ContactSolution solution;
  solution.row_impulse = {2.5};
  const SolveReport report = solve(problem, solution);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(solution.row_impulse[0], 0.0);
  EXPECT_EQ(solution.velocity[0], 1.0);
}

TEST(ScalarRows, BoundsOutOfOrderOrNotANumberStopTheSolver) {
  for (const Real lower : {2.0, std::numeric_limits<Real>::quiet_NaN()}) {
    ContactSolution solution;
    const SolveReport report = solve(one_coordinate(1.0, lower, 1.0), solution);
    EXPECT_FALSE(report.converged);
    EXPECT_TRUE(std::isnan(report.residual));
    EXPECT_EQ(report.iterations, 0);
  }
}

// As position recovery does: the same problem with other shifts and bounds and no free velocity.
TEST(ScalarRows, WorkFromRestWithOtherBounds) {
  ContactProblem problem = one_coordinate(5.0, -1.0, 1.0, -0.5);
  NlgsScratch scratch;
  ContactSolution solution;
  solve_nlgs(problem, solution, scratch, {.tolerance = tight}, Parallel(1));
  EXPECT_EQ(solution.row_impulse[0], -1.0);
  problem.free_velocity[0] = 0.0;
  problem.row_lower[0] = 0.0;
  problem.row_upper[0] = infinity;
  solve_nlgs(problem, solution, scratch, {.tolerance = tight}, Parallel(1));
  EXPECT_NEAR(solution.velocity[0], 0.5, 1e-14);
  problem.row_shift[0] = 0.0;
  EXPECT_TRUE(solve_nlgs(problem, solution, scratch, {.tolerance = tight}, Parallel(1)).converged);
  EXPECT_EQ(solution.velocity[0], 0.0);
}

// Random rows on one dense block, W positive definite: the state (lower, inside, upper) of every row by trial.
TEST(ScalarRows, EqualTheSolutionByTrialOfAllStates) {
  constexpr Index rows = 5, size = 8;
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    ContactProblem problem;
    const Eigen::MatrixXd inverse_a = testing::random_inverse_mass(random, size);
    const Index block = testing::add_dense_block(problem, testing::random_matrix(random, size, 1));
    for (Index i = 0; i < rows; ++i) {
      const Index side = testing::add_side(problem, testing::random_matrix(random, 1, size), inverse_a);
      testing::add_row(problem, no_index, no_index, block, side, random.normal(), -random.uniform(0.0, 0.5),
                       i == 0 ? infinity : random.uniform(0.0, 0.5));
    }
    const testing::DenseProblem dense = testing::assemble(problem);
    Eigen::VectorXd found;
    int solutions = 0;
    for (int state = 0; state < 243; ++state) {
      Eigen::VectorXd r(rows);
      std::vector<Index> inside;
      bool possible = true;
      for (Index i = 0, rest = state; i < rows; ++i, rest /= 3) {
        r[i] = rest % 3 == 0 ? problem.row_lower[i] : (rest % 3 == 1 ? problem.row_upper[i] : 0.0);
        possible = possible && std::isfinite(r[i]);
        if (rest % 3 == 2) inside.push_back(i);
      }
      if (!possible) continue;
      const auto count = static_cast<Eigen::Index>(inside.size());
      if (count > 0) {
        const Eigen::VectorXd rhs = -(dense.w * r + dense.q)(inside);
        const Eigen::MatrixXd block_w = dense.w(inside, inside);
        const Eigen::VectorXd balanced = block_w.ldlt().solve(rhs);
        r(inside) = balanced;
      }
      const Eigen::VectorXd u = dense.w * r + dense.q;
      for (Index i = 0, rest = state; i < rows; ++i, rest /= 3) {
        if (rest % 3 == 0) possible = possible && u[i] > 0.0;
        if (rest % 3 == 1) possible = possible && u[i] < 0.0;
        if (rest % 3 == 2) possible = possible && r[i] >= problem.row_lower[i] && r[i] <= problem.row_upper[i];
      }
      if (!possible) continue;
      ++solutions;
      found = r;
    }
    ASSERT_EQ(solutions, 1) << trial;
    ContactSolution solution;
    EXPECT_TRUE(solve(problem, solution, 1e-13).converged);
    for (Index i = 0; i < rows; ++i) EXPECT_NEAR(solution.row_impulse[i], found[i], agreement) << trial;
  }
}

// A chain of rigid bodies, the first hung on the world, joined point to point: the multipliers of
// [A -H^T; H 0] [v; r] = [A v_free; -shift].
TEST(ScalarRows, AChainOfJointsEqualsTheMultiplierSolution) {
  constexpr Index bodies = 6;
  for (const int dim : {2, 3}) {
    Random random(5);
    ContactProblem problem = testing::random_problem({.dimension = dim, .blocks = bodies, .contacts = 0});
    testing::add_contact(problem, no_index, 0, Vec3(1, 0, 0), Vec3::Zero(), Vec3::Zero(), 0.0);  // gives its axes only
    const auto point = [&](Index block, Real x, Real sign, int i) {
      const Eigen::MatrixXd h = sign * testing::rigid_jacobian(problem, 0, Vec3(x, 0.1 * x, 0.0));
      return testing::add_side(problem, h.row(i), testing::inverse_mass_matrix(problem, block));
    };
    for (Index b = 0; b < bodies; ++b) {
      for (int i = 0; i < dim; ++i) {
        const Index side_a = b == 0 ? no_index : point(b - 1, 0.5, -1.0, i);
        testing::add_row(problem, b - 1, side_a, b, point(b, -0.5, 1.0, i), 0.1 * random.normal(), -infinity, infinity);
      }
    }
    problem.contact_count = 0;
    const testing::DenseProblem dense = testing::assemble(problem);
    const Eigen::VectorXd r = -dense.w.ldlt().solve(dense.q);
    const Eigen::VectorXd v = dense.free_velocity + dense.y.transpose() * r;
    ContactSolution solution;
    const SolveReport report = solve(problem, solution);
    EXPECT_TRUE(report.converged);
    for (Index i = 0; i < problem.row_count; ++i) EXPECT_NEAR(solution.row_impulse[i], r[i], agreement);
    for (Index i = 0; i < problem.velocity_count(); ++i) EXPECT_NEAR(solution.velocity[i], v[i], agreement);
  }
}

// A slider along a wall: its normal row is rounding, and must not stop it.
TEST(DenseRows, AContactThatCannotOpenGetsNoImpulse) {
  for (const int dim : {2, 3}) {
    ContactProblem problem;
    problem.dimension = dim;
    const Index block = testing::add_dense_block(problem, Eigen::VectorXd::Ones(1));
    testing::add_contact(problem, no_index, block, Vec3(0, 1, 0), Vec3::Zero(), Vec3::Zero(), 0.5);
    Eigen::MatrixXd h = Eigen::MatrixXd::Zero(dim, 1);
    h(0, 0) = -1e-16;
    h(1, 0) = 1.0;
    problem.dense_a = {no_index};
    problem.dense_b = {testing::add_side(problem, h, Eigen::MatrixXd::Identity(1, 1))};
    ContactSolution solution;
    solution.impulse = {Vec3(1, 0, 0)};
    EXPECT_TRUE(solve(problem, solution).converged);
    EXPECT_EQ(solution.impulse[0], Vec3(0, 0, 0));
    EXPECT_EQ(solution.velocity[0], 1.0);
  }
}

// All its coordinates are driven: no velocities are left, the shift moves what it touches.
TEST(DenseRows, ADrivenMachineIsAMovingWall) {
  for (const int dim : {2, 3}) {
    ContactProblem problem;
    problem.dimension = dim;
    const Vec3 n(0, 1, 0);
    testing::add_sphere(problem, 1.0, 1.0, -n, Vec3::Zero());
    const Index machine = testing::add_dense_block(problem, Eigen::VectorXd());
    testing::add_contact(problem, machine, 0, n, Vec3::Zero(), -n, 0.5, Vec3(-0.25, 0, 0));
    testing::add_contact(problem, no_index, machine, n, Vec3::Zero(), Vec3::Zero(), 0.5, Vec3(-1, 0, 0));
    problem.dense_a = {0, no_index};
    problem.dense_b = {no_index, 0};
    ContactSolution solution;
    EXPECT_TRUE(solve(problem, solution).converged);
    EXPECT_NEAR(solution.velocity[1], 0.25, 1e-14);
    EXPECT_EQ(solution.impulse[1], Vec3(0, 0, 0));
  }
}

// A lever of one coordinate on a wall: W_cc has rank one. With h = (h_N, h_T) and q_N < 0 the lever stops whenever
// h_N + mu |h_T| > 0, at whatever impulse of the cone with h . r = -v/a.
TEST(DenseRows, ALeverOfOneCoordinateStopsAtTheWall) {
  for (const int dim : {2, 3}) {
    Random random(11);
    for (int trial = 0; trial < 200; ++trial) {
      ContactProblem problem;
      problem.dimension = dim;
      const Index block = testing::add_dense_block(problem, -Eigen::VectorXd::Ones(1));
      testing::add_contact(problem, no_index, block, Vec3(0, 1, 0), Vec3::Zero(), Vec3::Zero(), 0.5);
      Eigen::MatrixXd h = testing::random_matrix(random, dim, 1);
      h(0, 0) = std::abs(h(0, 0));
      problem.dense_a = {no_index};
      problem.dense_b = {testing::add_side(problem, h, 0.3 * Eigen::MatrixXd::Identity(1, 1))};
      ContactSolution solution;
      EXPECT_TRUE(solve(problem, solution, 1e-10).converged) << trial;
      EXPECT_NEAR(solution.velocity[0], 0.0, 1e-9);
      EXPECT_LE(tangential_norm(solution.impulse[0]), 0.5 * solution.impulse[0][0] * (1.0 + 1e-14));
    }
  }
}

TEST(DenseRows, AreBitwiseTheSameForAnyNumberOfThreads) {
  for (const int dim : {2, 3}) {
    const ContactProblem problem = testing::random_dense_problem(
        {.contacts = {.dimension = dim, .blocks = 3000, .contacts = 6000}, .dense = 30, .rows = 300});
    const NlgsOptions options{.tolerance = 1e-4, .max_iterations = 40};
    ContactSolution reference;
    NlgsScratch scratch;
    const SolveReport report = solve_nlgs(problem, reference, scratch, options, Parallel(1));
    for (const int threads : {2, 3, 4}) {
      ContactSolution solution;
      const SolveReport other = solve_nlgs(problem, solution, scratch, options, Parallel(threads));
      EXPECT_EQ(other.iterations, report.iterations);
      EXPECT_EQ(other.residual, report.residual);
      EXPECT_EQ(other.dense_velocity, report.dense_velocity);
      EXPECT_EQ(solution.impulse, reference.impulse);
      EXPECT_EQ(solution.row_impulse, reference.row_impulse);
      EXPECT_EQ(solution.velocity, reference.velocity);
    }
  }
}

}  // namespace
}  // namespace grus::dense_rows_test
