// The methods of local_solve.hpp on a problem in mechanical form: assemble, solve, write impulses and velocities back.
// What is reported is the residual of the mechanical form (residual.hpp), whatever the method says.
#pragma once

#include "core/parallel.hpp"
#include "solvers/assemble.hpp"
#include "solvers/contact_problem.hpp"
#include "solvers/local_solve.hpp"
#include "solvers/residual.hpp"

namespace grus {

// Disposable; keeps its capacity from one solve to the next.
struct AssembledScratch {
  LocalProblem problem;
  AssembleScratch assembly;
  std::vector<Real> impulse;
};

// solution and what is left in `quality` as of solve_nlgs; `dense_tolerance` in m/s, of SolveReport::dense_velocity.
// Throws NumericalError when W is too large to be stored.
SolveReport solve_assembled(const ContactProblem& problem, ContactSolution& solution, SolverKind kind,
                            const LocalSolveOptions& options, Real dense_tolerance, AssembledScratch& scratch,
                            ResidualScratch& quality, const Parallel& parallel);

}  // namespace grus
