// The choice of a method by how it goes (docs/solvers/auto.md). In turn, until the tolerance is reached:
//
//   sweeps      with Anderson acceleration: cheap, and enough for most problems. Given up when forecast.hpp foretells
//               more than Newton's method costs.
//   sweeps      with momentum, from the guess
//   rounds of   sweeps, until they have cost as much as what follows; Newton (proximal_newton.hpp) from there, for
//               rank-deficient stacks and tight tolerances, where its factors are worth it; as many sweeps again. The
//               second round begins with the interior-point method
//
// Every decision is a function of the problem and the iterates; none looks at a clock.
#pragma once

#include "solvers/local_residual.hpp"

namespace grus {

// iterations: sweeps and Newton steps together. report.solver: the method that ended it.
LocalSolveReport solve_auto(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse,
                            const LocalSolveOptions& options);

}  // namespace grus
