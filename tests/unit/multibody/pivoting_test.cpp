#include "multibody/pivoting.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "core/random.hpp"

namespace grus::pivoting_test {
namespace {

Eigen::MatrixXd random_matrix(Random& random, Index rows, Index columns) {
  Eigen::MatrixXd A(rows, columns);
  for (Index c = 0; c < columns; ++c)
    for (Index r = 0; r < rows; ++r) A(r, c) = random.uniform(-1.0, 1.0);
  return A;
}

TEST(Pivoting, PivotsMultiplyToTheDeterminant) {
  Random random(61);
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::MatrixXd A = random_matrix(random, 6, 6);
    const Real determinant = std::abs(A.determinant());
    Elimination e;
    eliminate(A, std::vector<ColumnUse>(6, ColumnUse::then), 0.0, e);
    Real product = 1.0;
    for (const Real pivot : e.pivots) product *= pivot;
    EXPECT_NEAR(product / determinant, 1.0, 1e-10);
  }
}

TEST(Pivoting, FindsTheRank) {
  Random random(62);
  for (Index rank = 1; rank <= 5; ++rank) {
    Eigen::MatrixXd A = random_matrix(random, 7, rank) * random_matrix(random, rank, 9);
    Elimination e;
    eliminate(A, std::vector<ColumnUse>(9, ColumnUse::then), 1e-10, e);
    EXPECT_EQ(static_cast<Index>(e.rows.size()), rank);
  }
}

TEST(Pivoting, TakesColumnsInTheOrderOfTheirUse) {
  Eigen::MatrixXd A(2, 4);
  A << 9.0, 1.0, 5.0, 8.0,  //
      0.0, 0.1, 6.0, 8.0;
  Elimination e;
  eliminate(A, std::vector<ColumnUse>{ColumnUse::never, ColumnUse::first, ColumnUse::then, ColumnUse::then}, 0.0, e);
  EXPECT_EQ(e.columns, (std::vector<Index>{1, 3}));
  EXPECT_EQ(e.rows, (std::vector<Index>{0, 1}));
  EXPECT_EQ(e.smallest(), 1.0);
  EXPECT_EQ(Elimination{}.smallest(), 1.0);
}

// Ties go to the lower column, then to the lower row: the same choice on every machine.
TEST(Pivoting, BreaksTiesByPosition) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(3, 3);
  Elimination e;
  eliminate(A, std::vector<ColumnUse>(3, ColumnUse::then), 0.0, e);
  EXPECT_EQ(e.columns, (std::vector<Index>{0, 1, 2}));
}

}  // namespace
}  // namespace grus::pivoting_test
