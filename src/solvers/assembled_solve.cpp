#include "solvers/assembled_solve.hpp"

#include <string>

#include "core/error.hpp"
#include "solvers/registry.hpp"

namespace grus {

SolveReport solve_assembled(const ContactProblem& problem, ContactSolution& solution, SolverKind kind,
                            const LocalSolveOptions& options, AssembledScratch& scratch, ResidualScratch& quality,
                            const Parallel& parallel) {
  const std::int64_t blocks = assembled_blocks(problem);
  if (blocks > most_assembled_blocks) {
    throw NumericalError("solver " + std::string(solver_name(kind)) + " needs W assembled, which would have " +
                         std::to_string(blocks) + " blocks, more than " + std::to_string(most_assembled_blocks) +
                         "; nlgs and nlgs-accelerated do without it");
  }
  assemble_local(problem, scratch.problem, scratch.assembly, parallel);
  gather_impulses(problem, scratch.problem, scratch.assembly, solution, scratch.impulse);
  const LocalSolveReport solved = solve_local(scratch.problem, kind, scratch.impulse, options);
  scatter_impulses(problem, scratch.problem, scratch.assembly, scratch.impulse, solution);
  const Residual measured = residual(problem, solution, quality, parallel);
  solution.velocity = quality.velocity;
  SolveReport report;
  report.iterations = solved.iterations;
  report.residual = measured.scaled;
  report.max_velocity = measured.max_velocity;
  report.dense_velocity = measured.dense_velocity;
  report.converged = measured.scaled <= options.tolerance;
  return report;
}

}  // namespace grus
