// Matrices of problem files on their way to a LocalProblem: entries in any order, duplicates add up.
//
// Files number the unknowns one after the other: `dimension` for each contact, then one for each scalar row. A
// LocalProblem gives every block `dimension` places; to_local_places() moves a vector over.
#pragma once

#include <string>
#include <vector>

#include "solvers/local_problem.hpp"

namespace grus {

struct MatrixEntries {
  Index rows = 0, columns = 0;
  std::vector<Index> row, column;
  std::vector<Real> value;

  // Zeros are left out, so that a dense file gives a sparse problem.
  void add(Index i, Index j, Real x) {
    if (x == 0.0) return;
    row.push_back(i);
    column.push_back(j);
    value.push_back(x);
  }
  std::size_t count() const { return value.size(); }
};

// Blocks that a LocalProblem may have: a place in `entry` then fits into an Index.
inline constexpr std::size_t most_blocks = 2147483647 / 9;

// The problem with W of these entries; q, friction and bounds are left empty. Returns an empty text, or what is wrong
// with W; the problem is then of no use.
std::string set_local_matrix(int dimension, Index contact_count, Index row_count, const MatrixEntries& entries,
                             LocalProblem& problem);

// W as entries, in the numbering of files, by ascending columns and rows; zeros are left out.
MatrixEntries matrix_of(const LocalProblem& problem);

// The same entries by ascending columns; the order within a column stays.
MatrixEntries sorted_by_column(const MatrixEntries& entries);

// Vectors between the numbering of files and that of the problem.
std::vector<Real> to_local_places(const LocalProblem& problem, const std::vector<Real>& of_file);
std::vector<Real> to_file_places(const LocalProblem& problem, const std::vector<Real>& of_problem);

// Unknowns in the numbering of files.
Index file_unknowns(const LocalProblem& problem);

}  // namespace grus
