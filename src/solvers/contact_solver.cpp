#include "solvers/contact_solver.hpp"

#include <algorithm>
#include <cmath>

namespace grus {
namespace {

// `auto` leaves problems beyond this size to sweeps, and ends after so many iterations of its methods: a step of
// Newton's method costs as much as some hundred sweeps, and one more unconverged step is not worth a thousand times the
// others.
constexpr Index most_switched_unknowns = 600, most_switched_iterations = 300;

// Without rows that do not push: a joint stop that is not reached must not decide about the method.
Index unknowns(const ContactProblem& problem, const ContactSolution& solution) {
  const auto pushes = [](Real impulse) { return impulse != 0.0; };
  return problem.dimension * problem.contact_count +
         static_cast<Index>(std::count_if(solution.row_impulse.begin(), solution.row_impulse.end(), pushes));
}

// Contacts share out the velocities that are there: those of the free motion, of walls, drives and laws. Through chains
// of ever lighter bodies and in wedges they can grow, a little in each. What exceeds them by this much solves nothing,
// even where it is small against its own scale.
constexpr Real most_gain_of_velocity = 1e3;

bool is_within_reason(const ContactProblem& problem, const ContactSolution& solution) {
  const auto largest = [](const std::vector<Real>& values) {
    Real most = 0.0;
    for (const Real value : values) most = std::max(most, std::abs(value));
    return most;
  };
  Real given = std::max(largest(problem.free_velocity), largest(problem.row_shift));
  for (const Vec3& shift : problem.shift) given = std::max(given, shift.lpNorm<Eigen::Infinity>());
  return largest(solution.velocity) <= most_gain_of_velocity * given;
}

}  // namespace

SolveReport ContactSolver::solve(const ContactProblem& problem, ContactSolution& solution, const SolverOptions& chosen,
                                 const Parallel& parallel) {
  NlgsOptions sweeps;
  sweeps.tolerance = chosen.tolerance;
  sweeps.dense_tolerance = *chosen.machine_tolerance;
  sweeps.max_iterations = chosen.max_iterations;
  sweeps.accelerated = chosen.kind != SolverKind::nlgs;
  // One sweep before any method: steps that only coast on carried impulses would let a bed at rest creep.
  if (!is_matrix_free(chosen.kind) && chosen.kind != SolverKind::automatic) sweeps.fixed_sweeps = 1;
  const SolveReport swept = solve_nlgs(problem, solution, sweeps_, sweeps, parallel);
  if (is_matrix_free(chosen.kind)) return swept;
  if (chosen.kind == SolverKind::automatic &&
      (swept.converged || !std::isfinite(swept.residual) || unknowns(problem, solution) > most_switched_unknowns))
    return swept;

  LocalSolveOptions options;
  options.tolerance = chosen.tolerance;
  options.max_iterations = chosen.kind == SolverKind::automatic
                               ? std::min(chosen.max_iterations, most_switched_iterations)
                               : chosen.max_iterations;
  options.order = chosen.order;
  options.facets = chosen.facets;
  SolveReport solved = solve_assembled(problem, solution, chosen.kind, options, *chosen.machine_tolerance, assembled_,
                                       sweeps_.residual, parallel);
  solved.iterations += swept.iterations;
  solved.converged = solved.converged && is_within_reason(problem, solution);
  return solved;
}

}  // namespace grus
