#include "solvers/residual.hpp"

#include <gtest/gtest.h>

#include "solvers/cone.hpp"
#include "solvers/delassus.hpp"
#include "solvers/nlgs.hpp"
#include "unit/solvers/dense_delassus.hpp"
#include "unit/solvers/problems.hpp"

namespace grus::residual_test {
namespace {

constexpr Real rounding = 1e-12;  // sums of some hundred terms of order one

ContactSolution random_impulses(const ContactProblem& problem, std::uint64_t seed) {
  Random random(seed);
  ContactSolution solution;
  for (Index c = 0; c < problem.contact_count; ++c) {
    Vec3 r = testing::normal_vector(random);
    if (problem.dimension == 2) r[2] = 0.0;
    solution.impulse.push_back(project_on_cone(r, problem.friction[c]));
  }
  for (Index i = 0; i < problem.row_count; ++i)
    solution.row_impulse.push_back(clamp_impulse(random.normal(), problem.row_lower[i], problem.row_upper[i]));
  return solution;
}

// Rigid blocks alone; with dense ones and scalar rows.
std::vector<ContactProblem> random_problems(int dim, std::uint64_t seed) {
  const testing::RandomProblem contacts{.dimension = dim, .blocks = 15, .contacts = 40, .seed = seed};
  return {testing::random_problem(contacts),
          testing::random_dense_problem({.contacts = contacts, .dense = 5, .rows = 12})};
}

TEST(Delassus, LocalMatricesEqualTheDiagonalBlocksOfTheDenseOne) {
  for (const int dim : {2, 3}) {
    for (const ContactProblem& problem : random_problems(dim, 1)) {
      const testing::DenseProblem dense = testing::assemble(problem);
      for (Index i = 0; i < problem.row_count; ++i) {
        const Index k = dim * problem.contact_count + i;
        EXPECT_NEAR(row_delassus(problem, i), dense.w(k, k) - problem.compliance_of(i), rounding * 10);
        EXPECT_NEAR(row_velocity(problem, problem.free_velocity, i), dense.q[k], rounding);
      }
      for (Index c = 0; c < problem.contact_count; ++c) {
        const SymMat3 w = local_delassus(problem, contact_frame(problem, c), c);
        const Eigen::MatrixXd block = dense.w.block(dim * c, dim * c, dim, dim);
        EXPECT_NEAR(w.xx, block(0, 0), rounding * 10);
        EXPECT_NEAR(w.xy, block(0, 1), rounding * 10);
        EXPECT_NEAR(w.yy, block(1, 1), rounding * 10);
        if (dim == 3) {
          EXPECT_NEAR(w.xz, block(0, 2), rounding * 10);
          EXPECT_NEAR(w.yz, block(1, 2), rounding * 10);
          EXPECT_NEAR(w.zz, block(2, 2), rounding * 10);
        }
        EXPECT_NEAR(local_trace(problem, c), block.trace(), rounding * 10);
      }
    }
  }
}

void expect_formula(const ContactProblem& problem, const ContactSolution& solution) {
  const int dim = problem.dimension;
  const testing::DenseProblem dense = testing::assemble(problem);
  const Eigen::VectorXd r = testing::stacked(solution, dim);
  const Eigen::VectorXd u = dense.w * r + dense.q;
  const Eigen::VectorXd v = dense.free_velocity + dense.y.transpose() * r;
  Real defect = 0.0, impulse = 0.0, free = 0.0, worst = 0.0, worst_dense = 0.0;
  // `alone`: what it would push if it were alone, the map at zero impulse
  const auto add = [&](Real d, Real r2, Real alone, Real weight, Real length, bool is_dense) {
    defect += d * d * weight;
    impulse += r2 * weight;
    free += alone * alone * weight;
    worst = std::max(worst, d * weight * length);
    if (is_dense) worst_dense = std::max(worst_dense, d * weight * length);
  };
  const auto is_dense = [&](Index a, Index b) { return a >= problem.block_count || b >= problem.block_count; };
  for (Index c = 0; c < problem.contact_count; ++c) {
    const Real rho = dim / dense.w.block(dim * c, dim * c, dim, dim).trace();
    Vec3 u_c = Vec3::Zero(), q_c = Vec3::Zero();
    for (int i = 0; i < dim; ++i) {
      u_c[i] = u[dim * c + i];
      q_c[i] = dense.q[dim * c + i];
    }
    const Vec3 d = natural_map(solution.impulse[c], u_c, problem.friction[c], rho);
    const Vec3 alone = natural_map(Vec3::Zero(), q_c, problem.friction[c], rho);
    add(d.norm(), solution.impulse[c].squaredNorm(), alone.norm(), 1.0 / rho, 1.0,
        is_dense(problem.block_a[c], problem.block_b[c]));
  }
  for (Index i = 0; i < problem.row_count; ++i) {
    const Index k = dim * problem.contact_count + i;
    const Real rho = 1.0 / dense.w(k, k);
    const auto bounded = [&](Real x) { return std::max(problem.row_lower[i], std::min(x, problem.row_upper[i])); };
    const Real d = r[k] - bounded(r[k] - rho * u[k]);
    add(std::abs(d), r[k] * r[k], bounded(-rho * dense.q[k]), dense.w(k, k) - problem.compliance_of(i),
        problem.row_length[i], is_dense(problem.row_block_a[i], problem.row_block_b[i]));
  }
  ResidualScratch scratch;
  const Residual result = residual(problem, solution, scratch, Parallel(1));
  EXPECT_NEAR(result.scaled, std::sqrt(defect / std::max(impulse, free)), rounding);
  EXPECT_NEAR(result.max_velocity, worst, rounding * 100);
  EXPECT_NEAR(result.dense_velocity, worst_dense, rounding * 100);
  for (Index i = 0; i < static_cast<Index>(v.size()); ++i) EXPECT_NEAR(scratch.velocity[i], v[i], rounding * 100);
  for (Index c = 0; c < problem.contact_count; ++c) {
    for (int i = 0; i < dim; ++i) EXPECT_NEAR(scratch.contact_velocity[c][i], u[dim * c + i], rounding * 100);
  }
  for (Index i = 0; i < problem.row_count; ++i)
    EXPECT_NEAR(scratch.row_velocity[i], u[dim * problem.contact_count + i], rounding * 100);
}

TEST(Residual, EqualsTheFormulaOnTheDenseProblem) {
  for (const int dim : {2, 3}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      for (const ContactProblem& problem : random_problems(dim, seed))
        expect_formula(problem, random_impulses(problem, seed + 100));
    }
  }
}

// A row that is far from its bound cannot push: it changes neither the residual nor the solution, by no bit, however
// far it is.
TEST(Residual, IsBlindToWhatCannotPush) {
  constexpr Real far = 1e6;  // m/s, a gap of a kilometre in a step of a millisecond
  for (const int dim : {2, 3}) {
    const ContactProblem bare = testing::random_dense_problem(
        {.contacts = {.dimension = dim, .blocks = 60, .contacts = 200, .seed = 5}, .dense = 3, .rows = 12});
    ContactProblem more = bare;
    const Index block = more.block_count;
    const Eigen::MatrixXd one = Eigen::MatrixXd::Ones(1, more.velocity_size(block));
    testing::add_row(more, no_index, no_index, block,
                     testing::add_side(more, one, 0.1 * Eigen::MatrixXd::Identity(one.cols(), one.cols())), far, 0.0,
                     std::numeric_limits<Real>::infinity());
    ContactSolution with = random_impulses(bare, 3), without = with;
    with.row_impulse.push_back(0.0);
    ResidualScratch scratch;
    EXPECT_EQ(residual(more, with, scratch, Parallel(1)).scaled, residual(bare, without, scratch, Parallel(1)).scaled);
    NlgsScratch nlgs;
    const SolveReport a = solve_nlgs(more, with, nlgs, {}, Parallel(1));
    const SolveReport b = solve_nlgs(bare, without, nlgs, {}, Parallel(1));
    EXPECT_EQ(a.iterations, b.iterations);
    EXPECT_EQ(a.residual, b.residual);
    EXPECT_EQ(with.velocity, without.velocity);
    EXPECT_EQ(with.row_impulse.back(), 0.0);
  }
}

TEST(Residual, IsBitwiseTheSameForAnyNumberOfThreads) {
  const ContactProblem problem =
      testing::random_dense_problem({.contacts = {.blocks = 3000, .contacts = 10000}, .dense = 20, .rows = 2000});
  const ContactSolution solution = random_impulses(problem, 7);
  ResidualScratch one;
  const Residual reference = residual(problem, solution, one, Parallel(1));
  for (const int threads : {2, 3, 4}) {
    ResidualScratch many;
    const Residual result = residual(problem, solution, many, Parallel(threads));
    EXPECT_EQ(result.scaled, reference.scaled);
    EXPECT_EQ(result.max_velocity, reference.max_velocity);
    EXPECT_EQ(result.dense_velocity, reference.dense_velocity);
    EXPECT_EQ(many.velocity, one.velocity);
  }
}

TEST(Residual, OfNothingIsZero) {
  ContactProblem problem;
  ResidualScratch scratch;
  EXPECT_EQ(residual(problem, {}, scratch, Parallel(1)).scaled, 0.0);
  // A body at rest that touches without load: no scale to divide by.
  testing::add_sphere(problem, 1.0, 1.0, Vec3::Zero(), Vec3::Zero());
  testing::add_contact(problem, no_index, 0, Vec3(0, 0, 1), Vec3::Zero(), Vec3(0, 0, -1), 0.5);
  EXPECT_EQ(residual(problem, {{Vec3::Zero()}, {}, {}}, scratch, Parallel(1)).scaled, 0.0);
}

TEST(Residual, ShowsNotANumber) {
  ContactProblem problem = testing::random_problem({});
  ContactSolution solution = random_impulses(problem, 1);
  ResidualScratch scratch;
  solution.impulse[3][1] = std::numeric_limits<Real>::quiet_NaN();
  const Residual result = residual(problem, solution, scratch, Parallel(1));
  EXPECT_TRUE(std::isnan(result.scaled));
  EXPECT_TRUE(std::isnan(result.max_velocity));

  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (int kind = 0; kind < 5; ++kind) {
    problem = testing::random_dense_problem({.contacts = {.blocks = 1, .contacts = 0}, .dense = 1, .rows = 2});
    solution.impulse.clear();
    solution.row_impulse.assign(2, 0.0);
    if (kind == 0) problem.jacobian[0] = nan;
    if (kind == 1) problem.response[0] = nan;
    if (kind == 2) problem.row_shift[0] = nan;
    if (kind == 3) problem.row_lower[1] = nan;
    if (kind == 4) solution.row_impulse[1] = nan;
    EXPECT_TRUE(std::isnan(residual(problem, solution, scratch, Parallel(1)).scaled)) << kind;
    EXPECT_TRUE(std::isnan(residual(problem, solution, scratch, Parallel(1)).dense_velocity)) << kind;
  }
}

}  // namespace
}  // namespace grus::residual_test
