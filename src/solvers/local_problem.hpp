// The frictional contact problem in local form, with the Delassus matrix assembled: what problem files hold, and what
// the methods that factor or shift W work on. A ContactProblem is brought to it by assemble.hpp.
//
//   u = W r + q,  block i of r in its set:  contacts  K_i = { r : ||r_T|| <= mu_i r_N },  rows N, T1, T2 (N, T1 in the
//   plane), Coulomb's law as in contact_problem.hpp; behind them scalar rows r in [lower, upper].
//
// All blocks are dimension x dimension, so that one code reads them. A scalar row uses the first entry of its vectors
// and the first row and column of its blocks; the rest is zero, there is no unknown behind it.
//
// W may be rank deficient, slightly unsymmetric and, from files rounded to six digits, slightly indefinite.
#pragma once

#include <vector>

#include "core/types.hpp"

namespace grus {

struct LocalProblem {
  int dimension = 3;  // 2 planar, 3 spatial
  Index contact_count = 0;
  Index row_count = 0;

  // W by rows of blocks: blocks [block_begin[i], block_begin[i + 1]) of row i, columns ascending, the diagonal always
  // there; `entry` holds dimension^2 numbers per block, row by row.
  std::vector<Index> block_begin;  // [block_count() + 1]
  std::vector<Index> column;
  std::vector<Real> entry;

  std::vector<Real> q;             // m/s                  [unknown_count()]
  std::vector<Real> friction;      //                      [contact_count]
  std::vector<Real> lower, upper;  // N s or N m s         [row_count]
  // What the error of a row's impulse counts with in the scaled map (residual.hpp): the diagonal of W less the
  // compliance of the row. 1/kg or 1/(kg m2); empty: the diagonal   [row_count]
  std::vector<Real> row_weight;

  Index block_count() const { return contact_count + row_count; }
  Index unknown_count() const { return block_count() * dimension; }
};

}  // namespace grus
