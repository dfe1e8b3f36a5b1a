#include "solvers/assembled_solve.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "solvers/registry.hpp"

namespace grus {

namespace {

// Of what the norm should be for the worst contact of a machine to be within its bound, by proportion.
constexpr Real tightening = 0.5;
// Rounding: beyond it nothing is gained.
constexpr Real least_tolerance = 1e-14;

}  // namespace

SolveReport solve_assembled(const ContactProblem& problem, ContactSolution& solution, SolverKind kind,
                            const LocalSolveOptions& options, Real dense_tolerance, AssembledScratch& scratch,
                            ResidualScratch& quality, const Parallel& parallel) {
  const std::int64_t blocks = assembled_blocks(problem);
  if (blocks > most_assembled_blocks) {
    throw NumericalError("solver " + std::string(solver_name(kind)) + " needs W assembled, which would have " +
                         std::to_string(blocks) + " blocks, more than " + std::to_string(most_assembled_blocks) +
                         "; nlgs and nlgs-accelerated do without it");
  }
  assemble_local(problem, scratch.problem, scratch.assembly, parallel);
  SolveReport report;
  LocalSolveOptions asked = options;
  do {
    gather_impulses(problem, scratch.problem, scratch.assembly, solution, scratch.impulse);
    asked.max_iterations = options.max_iterations - report.iterations;
    const LocalSolveReport solved = solve_local(scratch.problem, kind, scratch.impulse, asked);
    scatter_impulses(problem, scratch.problem, scratch.assembly, scratch.impulse, solution);
    const Residual measured = residual(problem, solution, quality, parallel);
    solution.velocity = quality.velocity;
    report.iterations += solved.iterations;
    report.residual = measured.scaled;
    report.max_velocity = measured.max_velocity;
    report.dense_velocity = measured.dense_velocity;
    report.converged = is_within(report, options.tolerance, dense_tolerance);
    // The methods know the norm alone: where that is met and a machine is not, they are asked for more.
    if (!solved.converged) break;
    asked.tolerance = tightening * std::min({asked.tolerance, report.residual,
                                             report.residual * dense_tolerance / report.dense_velocity});
  } while (!report.converged && asked.tolerance >= least_tolerance && report.iterations < options.max_iterations);
  return report;
}

}  // namespace grus
