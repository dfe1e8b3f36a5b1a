// A sweep over the blocks of an assembled problem: each in turn is solved with the others held (Jean 1999; equation 6
// of paper 002),
//
//   q_c = u_c - W_cc r_c,   u_c = q + sum_j W_cj r_j with the newest impulses,   r_c <- local solution of (W_cc, q_c)
//
// u is gathered from W at every block: no velocities are kept that could drift away from the impulses, and the state of
// the iteration is r alone.
#pragma once

#include <memory>
#include <span>

#include "solvers/local_problem.hpp"
#include "solvers/local_solve.hpp"

namespace grus {

// How one contact is solved; scalar rows are always solved exactly.
enum class ContactMethod : std::uint8_t {
  exact,       // closed forms, sliding angle (local/local_solver.hpp)
  newton,      // Alart and Curnier (local/alart_curnier.hpp), the exact one where it fails
  projection,  // on the cone, step adapted (local/cone_projection.hpp)
  lemke,       // on a cone of facets, lexicographic Lemke (local/lemke.hpp)
  qp,          // on a cone of facets, quadratic programs (local/polyhedral_qp.hpp)
};

class BlockSweep {
 public:
  virtual ~BlockSweep() = default;
  // One pass; returns the squared increment sum ||r_new - r_old||^2/rho. Every block ends inside its set.
  virtual Real sweep(bool backward) = 0;
  // [unknown_count()]
  virtual std::span<Real> impulse() = 0;
};

// rho: of each block (LocalMeter). `order` as of sweep_order().
std::unique_ptr<BlockSweep> make_block_sweep(const LocalProblem& problem, const std::vector<Real>& rho,
                                             ContactMethod method, Index facets, std::vector<Index> order);

}  // namespace grus
