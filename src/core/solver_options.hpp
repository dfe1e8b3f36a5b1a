// What a scene asks of the contact solver (`solver:`).
#pragma once

#include <optional>

#include "core/solver_kind.hpp"
#include "core/types.hpp"

namespace grus {

struct SolverOptions {
  SolverKind kind = SolverKind::automatic;
  Real tolerance = 1e-4;  // on the scaled natural map
  // m/s, on the worst contact and row of each mechanism; turns times the size of the mechanism. Not given: by
  // compile().
  std::optional<Real> machine_tolerance;
  Index max_iterations = 1000;
  SweepOrder order = SweepOrder::forward;  // of sweeps_assembled(kind)
  Index facets = default_facets;           // of has_facets(kind)
};

}  // namespace grus
