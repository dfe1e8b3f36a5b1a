#include "multibody/pivoting.hpp"

#include <algorithm>
#include <cmath>

namespace grus {

namespace {

struct Pivot {
  Index row = no_index, column = no_index;
  Real size = 0.0;
};

Pivot largest_left(const Eigen::MatrixXd& A, std::span<const ColumnUse> use, ColumnUse wanted, const Elimination& e) {
  Pivot pivot;
  for (Index c = 0; c < A.cols(); ++c) {
    if (use[c] != wanted || e.column_done[c]) continue;
    for (Index r = 0; r < A.rows(); ++r) {
      if (!e.row_done[r] && std::abs(A(r, c)) > pivot.size) pivot = {r, c, std::abs(A(r, c))};
    }
  }
  return pivot;
}

}  // namespace

Real Elimination::smallest() const { return pivots.empty() ? 1.0 : *std::min_element(pivots.begin(), pivots.end()); }
Real Elimination::largest() const { return pivots.empty() ? 1.0 : *std::max_element(pivots.begin(), pivots.end()); }

void eliminate(Eigen::MatrixXd& A, std::span<const ColumnUse> use, Real floor, Elimination& result) {
  result.rows.clear();
  result.columns.clear();
  result.pivots.clear();
  result.row_done.assign(static_cast<std::size_t>(A.rows()), 0);
  result.column_done.assign(static_cast<std::size_t>(A.cols()), 0);
  for (const ColumnUse wanted : {ColumnUse::first, ColumnUse::then}) {
    while (static_cast<Index>(result.rows.size()) < A.rows()) {
      const Pivot pivot = largest_left(A, use, wanted, result);
      if (pivot.row == no_index || pivot.size <= floor) break;
      result.rows.push_back(pivot.row);
      result.columns.push_back(pivot.column);
      result.pivots.push_back(pivot.size);
      result.row_done[pivot.row] = 1;
      result.column_done[pivot.column] = 1;
      for (Index r = 0; r < A.rows(); ++r) {
        if (result.row_done[r]) continue;
        const Real factor = A(r, pivot.column) / A(pivot.row, pivot.column);
        if (factor == 0.0) continue;
        for (Index c = 0; c < A.cols(); ++c) {
          if (!result.column_done[c]) A(r, c) -= factor * A(pivot.row, c);
        }
        A(r, pivot.column) = 0.0;
      }
    }
  }
}

}  // namespace grus
