#include "solvers/residual.hpp"

#include <gtest/gtest.h>

#include "solvers/cone.hpp"
#include "solvers/delassus.hpp"
#include "unit/solvers/dense_delassus.hpp"
#include "unit/solvers/problems.hpp"

namespace grus {
namespace {

constexpr Real rounding = 1e-12;  // sums of some hundred terms of order one

ContactSolution random_impulses(const ContactProblem& problem, std::uint64_t seed) {
  Random random(seed);
  ContactSolution solution;
  for (Index c = 0; c < problem.contact_count; ++c) {
    Vec3 r = testing::random_vector(random);
    if (problem.dimension == 2) r[2] = 0.0;
    solution.impulse.push_back(project_on_cone(r, problem.friction[c]));
  }
  return solution;
}

TEST(Delassus, LocalMatricesEqualTheDiagonalBlocksOfTheDenseOne) {
  for (const int dim : {2, 3}) {
    const ContactProblem problem = testing::random_problem({.dimension = dim, .blocks = 15, .contacts = 40});
    const testing::DenseProblem dense = testing::assemble(problem);
    for (Index c = 0; c < problem.contact_count; ++c) {
      const SymMat3 w = local_delassus(problem, contact_frame(problem, c), c);
      const Eigen::MatrixXd block = dense.w.block(dim * c, dim * c, dim, dim);
      EXPECT_NEAR(w.xx, block(0, 0), rounding);
      EXPECT_NEAR(w.xy, block(0, 1), rounding);
      EXPECT_NEAR(w.yy, block(1, 1), rounding);
      if (dim == 3) {
        EXPECT_NEAR(w.xz, block(0, 2), rounding);
        EXPECT_NEAR(w.yz, block(1, 2), rounding);
        EXPECT_NEAR(w.zz, block(2, 2), rounding);
      }
      EXPECT_NEAR(local_trace(problem, c), block.trace(), rounding);
    }
  }
}

TEST(Residual, EqualsTheFormulaOnTheDenseProblem) {
  for (const int dim : {2, 3}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const ContactProblem problem =
          testing::random_problem({.dimension = dim, .blocks = 15, .contacts = 40, .seed = seed});
      const ContactSolution solution = random_impulses(problem, seed + 100);
      const testing::DenseProblem dense = testing::assemble(problem);
      const Eigen::VectorXd r = testing::stacked(solution.impulse, dim);
      const Eigen::VectorXd u = dense.w * r + dense.q;
      const Eigen::VectorXd v = dense.free_velocity + dense.inverse_mass * dense.h.transpose() * r;
      Real defect = 0.0, impulse = 0.0, free = 0.0, worst = 0.0;
      for (Index c = 0; c < problem.contact_count; ++c) {
        const Real rho = dim / dense.w.block(dim * c, dim * c, dim, dim).trace();
        Vec3 u_c = Vec3::Zero(), q_c = Vec3::Zero();
        for (int i = 0; i < dim; ++i) {
          u_c[i] = u[dim * c + i];
          q_c[i] = dense.q[dim * c + i];
        }
        const Vec3 d = natural_map(solution.impulse[c], u_c, problem.friction[c], rho);
        defect += d.squaredNorm() / rho;
        impulse += solution.impulse[c].squaredNorm() / rho;
        free += rho * q_c.squaredNorm();
        worst = std::max(worst, d.norm() / rho);
      }
      ResidualScratch scratch;
      const Residual result = residual(problem, solution, scratch, Parallel(1));
      EXPECT_NEAR(result.scaled, std::sqrt(defect / std::max(impulse, free)), rounding);
      EXPECT_NEAR(result.max_velocity, worst, rounding * 100);
      for (Index i = 0; i < static_cast<Index>(v.size()); ++i) EXPECT_NEAR(scratch.velocity[i], v[i], rounding * 10);
      for (Index c = 0; c < problem.contact_count; ++c) {
        for (int i = 0; i < dim; ++i) EXPECT_NEAR(scratch.contact_velocity[c][i], u[dim * c + i], rounding * 100);
      }
    }
  }
}

TEST(Residual, IsBitwiseTheSameForAnyNumberOfThreads) {
  const ContactProblem problem = testing::random_problem({.blocks = 3000, .contacts = 10000});
  const ContactSolution solution = random_impulses(problem, 7);
  ResidualScratch one;
  const Residual reference = residual(problem, solution, one, Parallel(1));
  for (const int threads : {2, 3, 4}) {
    ResidualScratch many;
    const Residual result = residual(problem, solution, many, Parallel(threads));
    EXPECT_EQ(result.scaled, reference.scaled);
    EXPECT_EQ(result.max_velocity, reference.max_velocity);
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
  EXPECT_EQ(residual(problem, {{Vec3::Zero()}, {}}, scratch, Parallel(1)).scaled, 0.0);
}

TEST(Residual, ShowsNotANumber) {
  ContactProblem problem = testing::random_problem({});
  ContactSolution solution = random_impulses(problem, 1);
  ResidualScratch scratch;
  solution.impulse[3][1] = std::numeric_limits<Real>::quiet_NaN();
  const Residual result = residual(problem, solution, scratch, Parallel(1));
  EXPECT_TRUE(std::isnan(result.scaled));
  EXPECT_TRUE(std::isnan(result.max_velocity));
}

}  // namespace
}  // namespace grus
