// grus solve: one problem file to its impulses.
#include <algorithm>

#include <fmt/format.h>

#include "core/nearest_name.hpp"
#include "core/timer.hpp"
#include "grus/problem.hpp"
#include "io/file_fault.hpp"
#include "io/problem/problem_file.hpp"
#include "io/problem/problem_statistics.hpp"
#include "solvers/local_residual.hpp"
#include "solvers/local_solve.hpp"
#include "solvers/registry.hpp"

namespace grus {
namespace {

constexpr std::int64_t most_iterations = 2'000'000'000;

SolverKind kind_of(const std::string& name) {
  if (const std::optional<SolverKind> kind = solver_kind(name)) return *kind;
  std::vector<std::string> names;
  for (const SolverEntry& entry : solver_registry()) names.emplace_back(entry.name);
  throw file_fault("--solver", fmt::format("no solver is called '{}'{}", name, name_hint(name, names)));
}

SweepOrder order_of(const std::string& name) {
  std::vector<std::string> names;
  for (const SweepOrderEntry& entry : sweep_orders()) {
    if (entry.name == name) return entry.order;
    names.emplace_back(entry.name);
  }
  throw file_fault("--order", fmt::format("no order of sweeps is called '{}'{}", name, name_hint(name, names)));
}

}  // namespace

SolveOutcome solve_problem(const SolveOptions& options) {
  const SolverKind kind = kind_of(options.solver);
  LocalSolveOptions asked;
  asked.tolerance = options.tolerance;
  asked.measure = ErrorMeasure::siconos;
  asked.max_iterations = static_cast<Index>(std::min(options.max_iterations, most_iterations));
  asked.order = order_of(options.order);
  asked.facets = options.facets;
  ProblemFile file = read_problem_file(options.problem);
  SolveOutcome outcome;
  outcome.statistics = describe_problem(file, options.problem);

  const Timer wall;
  if (options.time_limit > 0.0 || options.stop)
    asked.stop = [&] {
      return (options.time_limit > 0.0 && wall.seconds() >= options.time_limit) || (options.stop && options.stop());
    };
  std::vector<Real> impulse(static_cast<std::size_t>(file.problem.unknown_count()), 0.0);
  if (options.from_guess && !file.guess.empty()) impulse = file.guess;
  const LocalSolveReport report = solve_local(file.problem, kind, impulse, asked);
  outcome.seconds = wall.seconds();

  outcome.solver = solver_name(report.solver);
  outcome.iterations = report.iterations;
  outcome.error = LocalMeter(file.problem, ErrorMeasure::siconos).error(impulse);
  outcome.converged = outcome.error <= options.tolerance;
  const LocalViolations violations = local_violations(file.problem, impulse);
  outcome.complementarity = violations.complementarity;
  outcome.cone = violations.cone;
  outcome.velocity = violations.velocity;
  if (!options.out.empty()) {
    file.solution = std::move(impulse);
    write_problem_file(options.out, file, ProblemFormat::fclib);
  }
  return outcome;
}

}  // namespace grus
