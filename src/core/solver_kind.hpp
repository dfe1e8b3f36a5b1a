// The contact solvers, as a scene chooses them (solver.kind). Names and summaries: solvers/registry.hpp.
#pragma once

#include <cstdint>

namespace grus {

enum class SolverKind : std::uint8_t {
  automatic,
  nlgs,
  nlgs_accelerated,
  nlgs_anderson,
  nlgs_newton,
  nlgs_projection,
  nlgs_lemke,
  nlgs_qp,
  proximal_newton,
  admm,
  accelerated_projected_gradient,
  projected_conjugate_gradient,
  interior_point,
};

// In simulations these sweep over bodies and contacts as they are; all others assemble W first (`automatic` only where
// sweeps do not converge).
inline bool is_matrix_free(SolverKind kind) { return kind == SolverKind::nlgs || kind == SolverKind::nlgs_accelerated; }
// These work on a cone of `solver.facets` facets.
inline bool has_facets(SolverKind kind) { return kind == SolverKind::nlgs_lemke || kind == SolverKind::nlgs_qp; }
// These sweep over the contacts of the assembled problem, in `solver.order`.
inline bool sweeps_assembled(SolverKind kind) {
  return has_facets(kind) || kind == SolverKind::nlgs_anderson || kind == SolverKind::nlgs_newton ||
         kind == SolverKind::nlgs_projection;
}

// In which order the sweeps over an assembled problem visit its blocks (solvers/methods/sweep_order.hpp).
enum class SweepOrder : std::uint8_t { forward, symmetric, permuted, coloured };

// Of the cone, when a scene or a caller says nothing: the radius is right to 2 %.
inline constexpr int default_facets = 16;

}  // namespace grus
