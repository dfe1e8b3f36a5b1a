// The contact solvers, as a scene chooses them (solver.kind). Names and summaries: solvers/registry.hpp.
#pragma once

#include <cstdint>

namespace grus {

enum class SolverKind : std::uint8_t {
  nlgs,
  nlgs_accelerated,
  nlgs_anderson,
  nlgs_newton,
  nlgs_projection,
  nlgs_lemke,
  nlgs_qp,
  proximal_newton,
  admm,
};

}  // namespace grus
