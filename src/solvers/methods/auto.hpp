// The choice of a method by how it goes (docs/solvers/auto.md). In turn, until the tolerance is reached:
//
//   sweeps      with Anderson acceleration: cheap, and enough for most problems. Given up when the errors of the second
//               half of the run foretell too many more.
//   sweeps      with momentum, from the guess
//   Newton      proximal_newton.hpp from there: rank-deficient stacks and tight tolerances. Only up to a size for which
//               factorisations are worth while.
//   sweeps      in a permuted order, then Newton again, each with twice the steps of the round before
//
// Every decision is a function of the problem and the iterates; none looks at a clock.
#pragma once

#include "solvers/local_solve.hpp"

namespace grus {

// iterations: sweeps and Newton steps together. report.solver: the method that ended it.
LocalSolveReport solve_auto(const LocalProblem& problem, std::vector<Real>& impulse, const LocalSolveOptions& options);

}  // namespace grus
