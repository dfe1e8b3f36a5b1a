// One call for every method on a problem in local form. Each method is a file of its own (methods/NAME.cpp); this is
// what they share: what to reach, when to give up, what to report.
#pragma once

#include <functional>
#include <span>

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
  std::function<bool()> stop;
};

struct LocalSolveReport {
  Index iterations = 0;  // of the method: sweeps, Newton steps, ...
  Real error = 0.0;      // by the measure asked for, of the impulses returned
  bool converged = false;
};

}  // namespace grus
