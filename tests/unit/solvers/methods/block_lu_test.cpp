#include "solvers/methods/block_lu.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "solvers/local_residual.hpp"
#include "unit/solvers/local_problems.hpp"

namespace grus::block_lu_test {
namespace {

// Random sizes and values on the pattern of a problem, the diagonal lifted until A is far from singular.
struct RandomSystem {
  LocalProblem problem;
  std::vector<std::uint8_t> size;
  std::vector<Real> entry, b;
  Eigen::MatrixXd dense;
  std::vector<Index> place;  // of each scalar in x

  RandomSystem(int dim, Index contacts, std::uint64_t seed) {
    problem = testing::assembled(
        testing::random_problem({.dimension = dim, .blocks = contacts, .contacts = contacts, .seed = seed}));
    Random random(seed + 1);
    const auto slots = static_cast<std::size_t>(dim * dim);
    entry.assign(problem.entry.size(), 0.0);
    b.assign(problem.q.size(), 0.0);
    std::vector<Index> offset;
    for (Index i = 0; i < problem.block_count(); ++i) {
      size.push_back(static_cast<std::uint8_t>(random.below(static_cast<std::uint64_t>(dim) + 1)));
      offset.push_back(static_cast<Index>(place.size()));
      for (int a = 0; a < size.back(); ++a) {
        place.push_back(i * dim + a);
        b[place.back()] = random.normal();
      }
    }
    dense.setZero(static_cast<Eigen::Index>(place.size()), static_cast<Eigen::Index>(place.size()));
    for (Index i = 0; i < problem.block_count(); ++i) {
      for (Index k = problem.block_begin[i]; k < problem.block_begin[i + 1]; ++k) {
        const Index j = problem.column[k];
        Real* value = entry.data() + static_cast<std::size_t>(k) * slots;
        for (int a = 0; a < size[i]; ++a)
          for (int c = 0; c < size[j]; ++c, ++value) {
            *value = random.normal() + (i == j && a == c ? 12.0 : 0.0);
            dense(offset[i] + a, offset[j] + c) = *value;
          }
      }
    }
  }

  Real error(const std::vector<Real>& x) const {
    Eigen::VectorXd solution(static_cast<Eigen::Index>(place.size())), right = solution;
    for (std::size_t k = 0; k < place.size(); ++k) {
      solution[static_cast<Eigen::Index>(k)] = x[place[k]];
      right[static_cast<Eigen::Index>(k)] = b[place[k]];
    }
    return (dense * solution - right).norm() / right.norm();
  }
};

TEST(BlockLu, SolvesSystemsOfAnySizesOfBlocks) {
  for (const int dim : {2, 3}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const RandomSystem system(dim, 40, seed);
      BlockLu lu;
      lu.analyze(system.problem, std::vector<std::uint8_t>(system.size.size(), 1));
      ASSERT_TRUE(lu.factor(system.size, system.entry));
      std::vector<Real> x = system.b;
      lu.solve(x);
      EXPECT_LE(system.error(x), 1e-12) << dim << " seed " << seed;
    }
  }
}

// Fronts wider than one panel, and an analysis of the blocks in use alone.
TEST(BlockLu, SolvesLargeSystemsAnalysedForTheirOwnBlocks) {
  const RandomSystem system(3, 400, 7);
  BlockLu lu;
  lu.analyze(system.problem, system.size);
  ASSERT_TRUE(lu.factor(system.size, system.entry));
  std::vector<Real> x = system.b;
  lu.solve(x);
  EXPECT_LE(system.error(x), 1e-11);
  EXPECT_LE(lu.flops(), lu.analyzed_flops());
}

TEST(BlockLu, ReportsNumbersThatAreNotFinite) {
  RandomSystem system(3, 10, 3);
  std::fill(system.size.begin(), system.size.end(), std::uint8_t{3});
  std::fill(system.entry.begin(), system.entry.end(), std::numeric_limits<Real>::quiet_NaN());
  BlockLu lu;
  lu.analyze(system.problem, system.size);
  EXPECT_FALSE(lu.factor(system.size, system.entry));
}

}  // namespace
}  // namespace grus::block_lu_test
