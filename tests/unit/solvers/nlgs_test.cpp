#include "solvers/nlgs.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "solvers/cone.hpp"
#include "unit/solvers/dense_problems.hpp"
#include "unit/solvers/problems.hpp"

namespace grus::nlgs_test {
namespace {

using testing::Bed;

// Two converged solutions of one problem agree to a multiple of the tolerance that the conditioning of small problems
// allows.
constexpr Real tight = 1e-12;
constexpr Real agreement = 1e-8;

SolveReport solve(const ContactProblem& problem, ContactSolution& solution, const NlgsOptions& options = {},
                  int threads = 1) {
  NlgsScratch scratch;
  return solve_nlgs(problem, solution, scratch, options, Parallel(threads));
}

Real largest_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  EXPECT_EQ(a.size(), b.size());
  Real worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
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
      EXPECT_EQ(scratch.velocity, solution.velocity);
      for (Index c = 0; c < problem.contact_count; ++c) {
        const Vec3& r = solution.impulse[c];
        EXPECT_LE(tangential_norm(r), problem.friction[c] * r[0] * (1.0 + 1e-14));
      }
    }
  }
}

TEST(Nlgs, ConvergesOnBedsAndStartsWarm) {
  for (const bool rough : {false, true}) {
    const ContactProblem problem = testing::bed_problem(Bed{.side = 8, .layers = 8, .rough = rough});
    ContactSolution solution;
    const NlgsOptions options{.tolerance = 1e-4, .max_iterations = 5000};
    const SolveReport cold = solve(problem, solution, options);
    EXPECT_TRUE(cold.converged) << cold.residual;
    const ContactSolution first = solution;
    const SolveReport again = solve(problem, solution, options);
    // A step is not left to coast: some sweeps are made from a solution within the tolerance, and improve it.
    EXPECT_EQ(again.iterations, rest_sweeps);
    EXPECT_LT(again.residual, cold.residual);
    // m/s: what a tolerance of 1e-4 leaves open on this bed
    EXPECT_LE(largest_difference(first.velocity, solution.velocity), 2e-2);
  }
}

// One sweep is made from a solution at rest.
TEST(Nlgs, MakesOneSweepFromASolutionAtRest) {
  const ContactProblem problem = testing::bed_problem(Bed{.side = 3, .layers = 3});
  constexpr Real tolerance = 1e-2;
  ContactSolution solution;
  ASSERT_TRUE(solve(problem, solution, {.tolerance = rest_part * tolerance, .max_iterations = 20000}).converged);
  EXPECT_EQ(solve(problem, solution, {.tolerance = tolerance}).iterations, 1);
}

// A column under gravity: the impulse at each height carries what lies above, in one step, at rest.
TEST(Nlgs, ColumnCarriesItsWeight) {
  constexpr Index count = 10;
  constexpr Real mass = 2.0, radius = 0.5, approach = -0.3;
  ContactProblem problem;
  const Vec3 n(0, 0, 1);
  for (Index i = 0; i < count; ++i) {
    testing::add_sphere(problem, mass, radius, approach * n, Vec3::Zero());
    testing::add_contact(problem, i - 1, i, n, radius * n, -radius * n, 0.5);
  }
  ContactSolution solution;
  const SolveReport report = solve(problem, solution, {.tolerance = tight, .max_iterations = 5000});
  EXPECT_TRUE(report.converged);
  for (Index i = 0; i < count; ++i) {
    EXPECT_NEAR(solution.impulse[i][0], mass * -approach * (count - i), 1e-9);
    EXPECT_NEAR(solution.velocity[6 * i + 2], 0.0, 1e-10);
  }
}

// 1000 on 1: the light sphere between floor and heavy sphere must not be squeezed through.
TEST(Nlgs, HeavyOnLightIsHeld) {
  constexpr Real light = 1.0, heavy = 1000.0, approach = -0.1;
  ContactProblem problem;
  const Vec3 n(0, 0, 1);
  testing::add_sphere(problem, light, 1.0, approach * n, Vec3::Zero());
  testing::add_sphere(problem, heavy, 1.0, approach * n, Vec3::Zero());
  testing::add_contact(problem, no_index, 0, n, Vec3::Zero(), -n, 0.5);
  testing::add_contact(problem, 0, 1, n, n, -n, 0.5);
  ContactSolution solution;
  const SolveReport report = solve(problem, solution, {.tolerance = 1e-9, .max_iterations = 100000});
  EXPECT_TRUE(report.converged) << report.iterations << " sweeps, residual " << report.residual;
  EXPECT_NEAR(solution.impulse[0][0], -(light + heavy) * approach, 1e-4 * heavy);
  EXPECT_NEAR(solution.velocity[8], 0.0, 1e-6);
}

TEST(Nlgs, IsBitwiseTheSameForAnyNumberOfThreads) {
  std::vector<ContactProblem> problems{
      testing::bed_problem(Bed{.side = 24, .layers = 8}),
      testing::bed_problem(Bed{.side = 24, .layers = 8, .rough = true}),
      testing::random_problem({.dimension = 2, .blocks = 4000, .contacts = 8000}),
  };
  for (const ContactProblem& problem : problems) {
    ContactSolution reference;
    const NlgsOptions options{.tolerance = 1e-3, .max_iterations = 60};
    const SolveReport report = solve(problem, reference, options, 1);
    for (const int threads : {2, 3, 4}) {
      ContactSolution solution;
      const SolveReport other = solve(problem, solution, options, threads);
      EXPECT_EQ(other.iterations, report.iterations);
      EXPECT_EQ(other.residual, report.residual);
      EXPECT_EQ(solution.impulse, reference.impulse);
      EXPECT_EQ(solution.velocity, reference.velocity);
    }
  }
}

// W by k and q by s scale r by s/k; with powers of two no bit changes, so no absolute tolerance can hide in the code.
TEST(Nlgs, ScalesWithUnits) {
  constexpr Real k = 0x1p-9, s = 0x1p7;
  for (const int dimension : {2, 3}) {
    for (const Real friction : {0.5, 3.0}) {
      const ContactProblem problem = testing::random_problem({dimension, 100, 200, friction, 3});
      ContactProblem scaled = problem;
      for (Real& x : scaled.inverse_mass) x *= k;
      for (SymMat3& j : scaled.inverse_inertia) {
        for (Real* x : {&j.xx, &j.xy, &j.xz, &j.yy, &j.yz, &j.zz}) *x *= k;
      }
      for (Real& x : scaled.free_velocity) x *= s;
      for (Vec3& x : scaled.shift) x *= s;
      const NlgsOptions options{.tolerance = 1e-8, .max_iterations = 300};
      ContactSolution a, b;
      const SolveReport report_a = solve(problem, a, options), report_b = solve(scaled, b, options);
      EXPECT_EQ(report_a.iterations, report_b.iterations);
      EXPECT_EQ(report_a.residual, report_b.residual);
      for (Index c = 0; c < problem.contact_count; ++c) EXPECT_EQ(Vec3(a.impulse[c] * (s / k)), b.impulse[c]);
    }
  }
}

// One big body with 500 contacts: solved in the hub lane. The reference relaxes the same contacts with every body a
// hub, that is one after the other in key order.
TEST(Nlgs, SolvesAHub) {
  constexpr Index grains = 500;
  ContactProblem problem;
  Random random(9);
  const Vec3 up(0, 0, 1);
  testing::add_sphere(problem, 200.0, 1.0, -0.3 * up, Vec3::Zero());
  for (Index i = 1; i <= grains; ++i) {
    testing::add_sphere(problem, random.uniform(0.5, 2.0), 0.1, -0.05 * up, 0.1 * testing::normal_vector(random));
    const Vec3 n = (testing::normal_vector(random) - 3.0 * up).normalized();
    testing::add_contact(problem, no_index, i, up, Vec3::Zero(), -0.1 * up, 0.4);
    testing::add_contact(problem, 0, i, n, n, -0.1 * n, 0.4);
  }
  ContactSolution solution;
  NlgsScratch scratch;
  // plain, as its reference below, which makes as many sweeps
  const NlgsOptions options{.tolerance = tight, .max_iterations = 20000, .accelerated = false};
  const SolveReport report = solve_nlgs(problem, solution, scratch, options, Parallel(2));
  EXPECT_TRUE(report.converged) << report.residual;
  const ContactGraph& graph = scratch.graph;
  const Index hub_lane = graph.strand_begin[graph.phase_begin[graph.phase_count() - 1]];
  EXPECT_EQ(problem.contact_count - hub_lane, grains);

  // Serial reference in key order, by plain formulas on the block velocities: spheres, so the closed form.
  std::vector<Vec3> r(static_cast<std::size_t>(problem.contact_count), Vec3::Zero());
  std::vector<Real> v = problem.free_velocity;
  for (int sweep = 0; sweep < report.iterations + 200; ++sweep) {
    for (Index c = 0; c < problem.contact_count; ++c) {
      const ContactFrame frame = contact_frame(problem, c);
      const SymMat3 w = local_delassus(problem, frame, c);
      const Vec3 u = contact_velocity(problem, v, frame, c);
      const Vec3 next = local::solve_local(w, u - w * r[c], problem.friction[c], r[c]);
      const Vec3 change = to_world(frame, next - r[c]);
      r[c] = next;
      const auto push = [&](Index block, const Vec3& arm, Real sign) {
        if (block == no_index) return;
        const Vec3 turn = problem.inverse_inertia[block] * Vec3(arm.cross(change));
        for (int i = 0; i < 3; ++i) {
          v[6 * block + i] += sign * problem.inverse_mass[block] * change[i];
          v[6 * block + 3 + i] += sign * turn[i];
        }
      };
      push(problem.block_a[c], problem.arm_a[c], -1.0);
      push(problem.block_b[c], problem.arm_b[c], 1.0);
    }
  }
  EXPECT_LE(largest_difference(v, solution.velocity), agreement);
}

// A wall that moves, told as a block without inverse mass or as a shift: the same problem.
TEST(Nlgs, MovingWallAsBlockOrAsShift) {
  const Vec3 n(0, 0, 1), wall(0.2, 0.0, 0.1);
  ContactProblem as_shift, as_block;
  testing::add_sphere(as_shift, 1.0, 1.0, -n, Vec3::Zero());
  testing::add_contact(as_shift, no_index, 0, n, Vec3::Zero(), -n, 0.3, Vec3(-wall[2], 0, 0));
  Vec3 t1, t2;
  tangents(n, t1, t2);
  as_shift.shift[0] = -Vec3(n.dot(wall), t1.dot(wall), t2.dot(wall));
  testing::add_sphere(as_block, 1.0, 1.0, -n, Vec3::Zero());
  testing::add_block(as_block, 0.0, SymMat3{}, wall, Vec3::Zero());
  testing::add_contact(as_block, 1, 0, n, Vec3::Zero(), -n, 0.3);
  ContactSolution a, b;
  EXPECT_TRUE(solve(as_shift, a, {.tolerance = tight}).converged);
  EXPECT_TRUE(solve(as_block, b, {.tolerance = tight}).converged);
  EXPECT_NEAR((a.impulse[0] - b.impulse[0]).norm(), 0.0, 1e-14);
  EXPECT_NEAR(a.velocity[2], wall[2], 1e-14);
}

TEST(Nlgs, FrictionlessNeedsNoTangents) {
  ContactProblem problem = testing::random_problem({.blocks = 50, .contacts = 80, .friction_max = 0.0});
  ContactSolution solution;
  solution.impulse.assign(80, Vec3(0.1, 0.2, -0.3));  // a guess from a rough surface
  EXPECT_TRUE(solve(problem, solution, {.tolerance = 1e-10, .max_iterations = 50000}).converged);
  for (const Vec3& r : solution.impulse) EXPECT_EQ(tangential_norm(r), 0.0);
}

// The norm over a bed hides the tool on it; a bound of its own does not.
TEST(Nlgs, MeetsTheBoundOfDenseBlocks) {
  const ContactProblem problem = testing::tool_on_bed(testing::Tool::mechanism, Bed{.side = 8, .layers = 6}, 40);
  constexpr Real loose = 0.1, bound = 1e-7;  // m/s
  ContactSolution solution;
  const SolveReport by_norm = solve(problem, solution, {.tolerance = loose});
  EXPECT_TRUE(by_norm.converged);
  EXPECT_GT(by_norm.dense_velocity, bound);
  solution = {};
  const SolveReport bounded = solve(problem, solution, {.tolerance = loose, .dense_tolerance = bound});
  EXPECT_TRUE(bounded.converged);
  EXPECT_LE(bounded.dense_velocity, bound);
  // Not met: not converged, whatever the norm.
  solution = {};
  const SolveReport short_of =
      solve(problem, solution, {.tolerance = loose, .dense_tolerance = 1e-15, .max_iterations = 30});
  EXPECT_LE(short_of.residual, loose);
  EXPECT_FALSE(short_of.converged);
}

// Momentum may leave the best iterate again: a solve that does not converge returns the best one it measured.
TEST(Nlgs, KeepsTheBestIterate) {
  const ContactProblem problem = testing::bed_problem(Bed{.side = 8, .layers = 8, .rough = true});
  Real least = std::numeric_limits<Real>::infinity();
  for (const Index sweeps : {20, 40, 80, 160, 320}) {
    ContactSolution solution;
    const SolveReport report = solve(problem, solution, {.tolerance = 1e-15, .max_iterations = sweeps});
    EXPECT_FALSE(report.converged);
    EXPECT_LE(report.residual, least) << sweeps;
    least = report.residual;
    ResidualScratch scratch;
    EXPECT_EQ(residual(problem, solution, scratch, Parallel(1)).scaled, report.residual);
  }
}

TEST(Nlgs, KeepsTheSweepsFromAGuessWithinTheTolerance) {
  const ContactProblem problem = testing::bed_problem(Bed{.side = 6, .layers = 6});
  for (const Index sweeps : {5, 20, 80}) {
    ContactSolution solution;
    const SolveReport before = solve(problem, solution, {.fixed_sweeps = sweeps});
    const std::vector<Vec3> guess = solution.impulse;
    // A guess barely within the tolerance: the increment of the next sweep is larger than it.
    const SolveReport after = solve(problem, solution, {.tolerance = 1.001 * before.residual});
    EXPECT_EQ(after.iterations, rest_sweeps);
    EXPECT_NE(solution.impulse, guess) << sweeps;
    EXPECT_LT(after.residual, before.residual) << sweeps;
  }
}

TEST(Nlgs, HandlesEmptyAndDeadProblems) {
  ContactProblem problem;
  ContactSolution solution;
  SolveReport report = solve(problem, solution);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.iterations, 0);

  testing::add_sphere(problem, 1.0, 1.0, Vec3(1, 2, 3), Vec3(4, 5, 6));
  report = solve(problem, solution);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(solution.velocity, problem.free_velocity);

  testing::add_block(problem, 0.0, SymMat3{}, Vec3(0, 0, 1), Vec3::Zero());
  const Vec3 n(0, 0, 1);
  testing::add_contact(problem, no_index, no_index, n, n, -n, 0.5, Vec3(-1, 0, 0));
  testing::add_contact(problem, 1, no_index, n, n, -n, 0.5);
  solution.impulse.assign(2, Vec3(1, 0, 0));
  report = solve(problem, solution);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(solution.velocity, problem.free_velocity);
  EXPECT_EQ(solution.impulse[0], Vec3(0, 0, 0));
}

TEST(Nlgs, StopsOnNotANumber) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const NlgsOptions options{.max_iterations = 1'000'000'000};
  for (int kind = 0; kind < 5; ++kind) {
    ContactProblem problem = testing::random_problem({});
    ContactSolution solution;
    solution.impulse.assign(20, Vec3::Zero());
    if (kind == 0) problem.free_velocity[5] = nan;
    if (kind == 1) problem.shift[3][0] = nan;
    if (kind == 2)
      problem.inverse_mass[static_cast<std::size_t>(std::max(problem.block_a[0], problem.block_b[0]))] = nan;
    if (kind == 3) solution.impulse[4][1] = nan;
    if (kind == 4) problem.normal[2][0] = nan;
    const SolveReport report = solve(problem, solution, options);
    EXPECT_FALSE(report.converged) << kind;
    EXPECT_TRUE(std::isnan(report.residual)) << kind;
    EXPECT_LE(report.iterations, 1) << kind;
  }
}

TEST(Nlgs, KeepsItsPromisesOnSweeps) {
  const ContactProblem problem = testing::bed_problem(Bed{.side = 6, .layers = 6});
  ContactSolution solution;
  SolveReport report = solve(problem, solution, {.tolerance = 1e-12, .max_iterations = 7});
  EXPECT_EQ(report.iterations, 7);
  EXPECT_FALSE(report.converged);
  solution.impulse.clear();
  report = solve(problem, solution, {.tolerance = 1.0, .fixed_sweeps = 33});
  EXPECT_EQ(report.iterations, 33);
  // The true residual stops it: soon after the first sweep that reaches the tolerance, found by single sweeps.
  constexpr Real tolerance = 1e-3;
  Index first = 0;
  for (Real reached = 1.0; reached > tolerance;) {
    ContactSolution fresh;
    reached = solve(problem, fresh, {.fixed_sweeps = ++first}).residual;
  }
  solution.impulse.clear();
  report = solve(problem, solution, {.tolerance = tolerance});
  EXPECT_TRUE(report.converged);
  EXPECT_GE(report.iterations, first);
  EXPECT_LE(report.iterations, first + std::max<Index>(16, first / 4));
}

}  // namespace
}  // namespace grus::nlgs_test
