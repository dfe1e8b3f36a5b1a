// The choice of a method by how it goes (docs/solvers/auto.md). In turn, until the tolerance is reached:
//
//   sweeps      with Anderson acceleration, then with momentum, then plain and permuted: cheap, and enough for most
//               problems. Given up when the errors of the second half of a run foretell more than `patience` sweeps.
//   Newton      proximal_newton.hpp from the impulses of the sweeps: rank-deficient stacks and tight tolerances. Only
//   up
//               to a size for which a factorisation costs no more than some thousand sweeps.
//
// Both get more of their own in every round. Every decision is a function of the problem and the iterates; none looks
// at a clock.
#pragma once

#include "solvers/local_solve.hpp"

namespace grus {

// iterations: sweeps and Newton steps together. report.solver: the method that ended it.
LocalSolveReport solve_auto(const LocalProblem& problem, std::vector<Real>& impulse, const LocalSolveOptions& options);

}  // namespace grus
