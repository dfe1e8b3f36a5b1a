// Gaussian elimination with complete pivoting: which columns of a wide matrix carry it best, which rows repeat others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/types.hpp"

namespace grus {

enum class ColumnUse : std::uint8_t { first, then, never };  // pivots are looked for in this order

struct Elimination {
  std::vector<Index> rows, columns;  // of the pivots, in order of elimination
  std::vector<Real> pivots;          // their absolute values
  std::vector<std::uint8_t> row_done, column_done;

  Real smallest() const;  // 1 without pivots
  Real largest() const;
};

// Overwrites A. Stops when rows or columns are used up or what is left is below `floor`. Ties go to the lower column,
// then to the lower row.
void eliminate(Eigen::MatrixXd& A, std::span<const ColumnUse> use, Real floor, Elimination& result);

}  // namespace grus
