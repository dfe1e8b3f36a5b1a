// The contact solver of a simulation: which method a scene asks for, what each needs, and what `auto` does.
//
// Every method starts with a sweep over bodies and contacts as they are (nlgs.hpp). `auto` goes on with sweeps, and
// only where they end without the tolerance, in a small problem, with the methods on the assembled one
// (methods/auto.hpp).
#pragma once

#include "core/parallel.hpp"
#include "core/solver_options.hpp"
#include "solvers/assembled_solve.hpp"
#include "solvers/contact_problem.hpp"
#include "solvers/nlgs.hpp"

namespace grus {

class ContactSolver {
 public:
  // solution.impulse and row_impulse are the starting guess and the result; solution.velocity is set. NaN in the
  // problem gives a NaN residual.
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, const SolverOptions& options,
                    const Parallel& parallel);

  // Of the last solve: velocities of contacts and rows, recomputed from the impulses.
  const ResidualScratch& quality() const { return sweeps_.residual; }
  // For other problems that are swept, between two solves.
  NlgsScratch& sweeps() { return sweeps_; }

 private:
  NlgsScratch sweeps_;
  AssembledScratch assembled_;
};

}  // namespace grus
