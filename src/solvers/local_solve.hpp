// One call for every method on a problem in local form. Each method is a file of its own (methods/NAME.cpp); this is
// what they share: what to reach, when to give up, what to report.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/solver_kind.hpp"
#include "solvers/local_problem.hpp"

namespace grus {

enum class ErrorMeasure {
  scaled_map,  // residual.hpp: free of units, for simulations
  siconos,     // rho = 1, divided by max(||q||, ||r||, ||u||): for problem files, to compare with published numbers
};

struct LocalSolveOptions {
  Real tolerance = 1e-4;
  ErrorMeasure measure = ErrorMeasure::scaled_map;
  Index max_iterations = 10000;
  // Asked between iterations; true ends the solve with the best impulses so far. Never set inside a simulation: a
  // clock would make its result depend on the machine.
  std::function<bool()> stop = {};

  // Of the methods that sweep over contacts.
  SweepOrder order = SweepOrder::forward;
  std::uint64_t order_seed = 1;  // of SweepOrder::permuted
  Index facets =
      default_facets;  // of the cone in nlgs-lemke and nlgs-qp; in the plane the cone has two whatever is set
};

struct LocalSolveReport {
  Index iterations = 0;  // of the method: sweeps, Newton steps, ...
  Real error = 0.0;      // by the measure asked for, of the impulses returned
  bool converged = false;
  SolverKind solver = SolverKind::nlgs;  // which method ended it; of interest after `auto`. Set by solve_local.
};

// Solves a problem by the method of that name. impulse: [unknown_count()], the starting guess (zeros when the size does
// not fit) and the result, inside cones and bounds whether converged or not. NaN in the problem or the guess: returns
// at once with a NaN error. Blocks that no impulse can influence get none; the methods never see them.
LocalSolveReport solve_local(const LocalProblem& problem, SolverKind kind, std::vector<Real>& impulse,
                             const LocalSolveOptions& options);

}  // namespace grus
