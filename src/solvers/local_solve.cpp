#include "solvers/local_solve.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/local_residual.hpp"
#include "solvers/methods/accelerated_projected_gradient.hpp"
#include "solvers/methods/admm.hpp"
#include "solvers/methods/auto.hpp"
#include "solvers/methods/interior_point.hpp"
#include "solvers/methods/local_nlgs.hpp"
#include "solvers/methods/projected_conjugate_gradient.hpp"
#include "solvers/methods/proximal_newton.hpp"

namespace grus {
namespace {

LocalSolveReport solve_by_nlgs(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse,
                               const LocalSolveOptions& options, ContactMethod method, Acceleration acceleration) {
  LocalNlgsOptions nlgs;
  static_cast<LocalSolveOptions&>(nlgs) = options;
  nlgs.method = method;
  nlgs.acceleration = acceleration;
  return solve_local_nlgs(problem, meter, impulse, nlgs);
}

LocalSolveReport dispatch(const LocalProblem& problem, LocalMeter& meter, SolverKind kind, std::vector<Real>& impulse,
                          const LocalSolveOptions& options) {
  switch (kind) {
    case SolverKind::automatic:
      return solve_auto(problem, meter, impulse, options);
    case SolverKind::nlgs:
      return solve_by_nlgs(problem, meter, impulse, options, ContactMethod::exact, Acceleration::none);
    case SolverKind::nlgs_accelerated:
      return solve_by_nlgs(problem, meter, impulse, options, ContactMethod::exact, Acceleration::momentum);
    case SolverKind::nlgs_anderson:
      return solve_by_nlgs(problem, meter, impulse, options, ContactMethod::exact, Acceleration::anderson);
    case SolverKind::nlgs_newton:
      return solve_by_nlgs(problem, meter, impulse, options, ContactMethod::newton, Acceleration::none);
    case SolverKind::nlgs_projection:
      return solve_by_nlgs(problem, meter, impulse, options, ContactMethod::projection, Acceleration::none);
    case SolverKind::nlgs_lemke:
      return solve_by_nlgs(problem, meter, impulse, options, ContactMethod::lemke, Acceleration::none);
    case SolverKind::nlgs_qp:
      return solve_by_nlgs(problem, meter, impulse, options, ContactMethod::qp, Acceleration::none);
    case SolverKind::proximal_newton:
      return solve_proximal_newton(problem, meter, impulse, options);
    case SolverKind::admm:
      return solve_admm(problem, meter, impulse, options);
    case SolverKind::accelerated_projected_gradient:
      return solve_accelerated_projected_gradient(problem, meter, impulse, options);
    case SolverKind::projected_conjugate_gradient:
      return solve_projected_conjugate_gradient(problem, meter, impulse, options);
    case SolverKind::interior_point:
      return solve_interior_point(problem, meter, impulse, options);
  }
  return {};
}

// The blocks that impulses can influence.
std::vector<Index> live_blocks(const std::vector<Real>& rho) {
  std::vector<Index> live;
  live.reserve(rho.size());
  for (std::size_t i = 0; i < rho.size(); ++i)
    if (rho[i] != 0.0) live.push_back(static_cast<Index>(i));
  return live;
}

// The problem of some of the blocks, the impulses of the others zero.
LocalProblem reduced_problem(const LocalProblem& problem, const std::vector<Index>& live) {
  const Index dim = problem.dimension;
  std::vector<Index> number(static_cast<std::size_t>(problem.block_count()), no_index);
  for (std::size_t k = 0; k < live.size(); ++k) number[live[k]] = static_cast<Index>(k);
  LocalProblem reduced;
  reduced.dimension = problem.dimension;
  reduced.block_begin = {0};
  for (const Index i : live) {
    for (Index k = problem.block_begin[i]; k < problem.block_begin[i + 1]; ++k) {
      if (number[problem.column[k]] == no_index) continue;
      reduced.column.push_back(number[problem.column[k]]);
      const Real* const block =
          problem.entry.data() + static_cast<std::size_t>(k) * static_cast<std::size_t>(dim * dim);
      reduced.entry.insert(reduced.entry.end(), block, block + dim * dim);
    }
    reduced.block_begin.push_back(static_cast<Index>(reduced.column.size()));
    reduced.q.insert(reduced.q.end(), problem.q.begin() + i * dim, problem.q.begin() + (i + 1) * dim);
    if (i < problem.contact_count) {
      ++reduced.contact_count;
      reduced.friction.push_back(problem.friction[i]);
    } else {
      ++reduced.row_count;
      reduced.lower.push_back(problem.lower[i - problem.contact_count]);
      reduced.upper.push_back(problem.upper[i - problem.contact_count]);
      if (!problem.row_weight.empty()) reduced.row_weight.push_back(problem.row_weight[i - problem.contact_count]);
    }
  }
  return reduced;
}

// `meter` measures the whole problem: the error of problem files sees the other blocks too.
LocalSolveReport solve_live(const LocalProblem& problem, LocalMeter& meter, SolverKind kind, std::vector<Real>& impulse,
                            const LocalSolveOptions& options) {
  const Index dim = problem.dimension;
  const std::vector<Index> live = live_blocks(meter.rho());
  const LocalProblem reduced = reduced_problem(problem, live);
  std::vector<Real> part;
  for (const Index i : live) part.insert(part.end(), impulse.begin() + i * dim, impulse.begin() + (i + 1) * dim);
  LocalMeter reduced_meter(reduced, options.measure);
  LocalSolveReport report = dispatch(reduced, reduced_meter, kind, part, options);
  std::fill(impulse.begin(), impulse.end(), 0.0);
  for (std::size_t k = 0; k < live.size(); ++k)
    std::copy_n(part.begin() + static_cast<std::ptrdiff_t>(k) * dim, dim, impulse.begin() + live[k] * dim);
  report.error = meter.error(impulse);
  report.converged = report.error <= options.tolerance;
  return report;
}

}  // namespace

LocalSolveReport solve_local(const LocalProblem& problem, SolverKind kind, std::vector<Real>& impulse,
                             const LocalSolveOptions& options) {
  const auto size = static_cast<std::size_t>(problem.unknown_count());
  if (impulse.size() == size) {
    project_impulses(problem, impulse);
  } else {
    impulse.assign(size, 0.0);
  }
  LocalMeter meter(problem, options.measure);
  const bool all_live = std::find(meter.rho().begin(), meter.rho().end(), 0.0) == meter.rho().end();
  LocalSolveReport report =
      all_live ? dispatch(problem, meter, kind, impulse, options) : solve_live(problem, meter, kind, impulse, options);
  if (kind != SolverKind::automatic) report.solver = kind;
  return report;
}

}  // namespace grus
