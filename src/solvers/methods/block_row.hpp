// One block row of W times the impulses, for sweeps: u_i = q_i + sum_j W_ij r_j, with the blocks of a LocalProblem as
// they are, row by row.
//
// A 3 x 3 block is read as three registers of four reals that overlap, so that it need not be copied into a padded
// form first; the superfluous lane of each is never summed. The third reads from entry 5, not from 6: it stays inside
// the array. The impulses therefore need one readable real before the first and one behind the last (PaddedImpulses).
#pragma once

#include <cstring>
#include <vector>

#include "math/vector.hpp"
#include "solvers/local_problem.hpp"

namespace grus {

// Impulses with the margins that block_row reads.
class PaddedImpulses {
 public:
  explicit PaddedImpulses(Index size) : values_(static_cast<std::size_t>(size) + 2, 0.0) {}
  Real* data() { return values_.data() + 1; }
  const Real* data() const { return values_.data() + 1; }

 private:
  std::vector<Real> values_;
};

namespace detail {

using Four = Real __attribute__((vector_size(4 * sizeof(Real))));

// By reference: to return one is another convention for every instruction set.
[[gnu::always_inline]] inline void load(const Real* from, Four& x) { std::memcpy(&x, from, sizeof x); }

}  // namespace detail

template <int dim>
using BlockVector = Eigen::Matrix<Real, dim, 1, Eigen::DontAlign>;

template <int dim>
[[gnu::always_inline]] inline BlockVector<dim> block_row(const LocalProblem& problem, Index i, const Real* r) {
  using detail::Four;
  const Index end = problem.block_begin[i + 1];
  const Real* w = problem.entry.data() + static_cast<std::size_t>(problem.block_begin[i]) * (dim * dim);
  const Real* const q = problem.q.data() + i * dim;
  if constexpr (dim == 3) {
    Four first{}, second{}, third{};
    for (Index k = problem.block_begin[i]; k < end; ++k, w += 9) {
      const Real* const x = r + problem.column[k] * 3;
      Four row_1, row_2, row_3, from_start, from_before;
      detail::load(w, row_1);
      detail::load(w + 3, row_2);
      detail::load(w + 5, row_3);
      detail::load(x, from_start);
      detail::load(x - 1, from_before);
      first += row_1 * from_start;
      second += row_2 * from_start;
      third += row_3 * from_before;
    }
    return {q[0] + (first[0] + first[1] + first[2]), q[1] + (second[0] + second[1] + second[2]),
            q[2] + (third[1] + third[2] + third[3])};
  } else {
    Four both{};
    for (Index k = problem.block_begin[i]; k < end; ++k, w += 4) {
      const Real* const x = r + problem.column[k] * 2;
      Four block;
      detail::load(w, block);
      both += block * Four{x[0], x[1], x[0], x[1]};
    }
    return {q[0] + (both[0] + both[1]), q[1] + (both[2] + both[3])};
  }
}

// The first entry alone: a scalar row.
template <int dim>
inline Real scalar_row(const LocalProblem& problem, Index i, const Real* r) {
  Real u = problem.q[i * dim];
  for (Index k = problem.block_begin[i]; k < problem.block_begin[i + 1]; ++k) {
    const Real* const w = problem.entry.data() + static_cast<std::size_t>(k) * (dim * dim);
    for (int a = 0; a < dim; ++a) u += w[a] * r[problem.column[k] * dim + a];
  }
  return u;
}

}  // namespace grus
