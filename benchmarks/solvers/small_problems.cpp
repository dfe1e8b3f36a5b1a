// How many of the random small hard problems (tests/unit/solvers/small_problems.hpp) each solver solves.
//
//   small_problems [COUNT]    100000
//
// `auto` as scenes with tight tolerances use it, to 1e-10 of the scaled map within 10 000 iterations; then all methods
// with round cones to 1e-6 within 2000. The problems are those of the seeds 0 to COUNT - 1: the numbers are
// reproducible.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "solvers/local_residual.hpp"
#include "solvers/local_solve.hpp"
#include "solvers/registry.hpp"
#include "unit/solvers/small_problems.hpp"

namespace {

using namespace grus;

struct Tally {
  int solved = 0;
  double iterations = 0.0;
};

// Whether a problem is solved is measured from the impulses, not asked of the solver.
Tally tally(SolverKind kind, int count, const LocalSolveOptions& options) {
  Tally sum;
  for (int seed = 0; seed < count; ++seed) {
    const LocalProblem problem = testing::assembled(testing::small_problem(static_cast<std::uint64_t>(seed)));
    std::vector<Real> impulse;
    sum.iterations += solve_local(problem, kind, impulse, options).iterations;
    sum.solved += LocalMeter(problem, options.measure).error(impulse) <= options.tolerance;
  }
  return sum;
}

void print(const SolverEntry& entry, int count, const LocalSolveOptions& options) {
  const Tally found = tally(entry.kind, count, options);
  std::printf("| %.*s | %g | %d | %d | %d | %.3f %% | %.1f |\n", static_cast<int>(entry.name.size()), entry.name.data(),
              options.tolerance, options.max_iterations, count, count - found.solved, 100.0 * found.solved / count,
              found.iterations / count);
  std::fflush(stdout);
}

}  // namespace

int main(int argument_count, char** argument) {
  const int count = argument_count > 1 ? std::max(1, std::atoi(argument[1])) : 100'000;
  const LocalSolveOptions tight{.tolerance = 1e-10, .max_iterations = 10'000};
  const LocalSolveOptions loose{.tolerance = 1e-6, .max_iterations = 2000};
  std::printf("| solver | tolerance | most iterations | problems | not solved | solved | mean iterations |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  for (const SolverEntry& entry : solver_registry())
    if (entry.kind == SolverKind::automatic) print(entry, count, tight);
  for (const SolverEntry& entry : solver_registry())
    if (!has_facets(entry.kind)) print(entry, count, loose);
  return 0;
}
