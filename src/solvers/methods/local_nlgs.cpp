#include "solvers/methods/local_nlgs.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/methods/sweep_order.hpp"

namespace grus {
namespace {

// Increments, relative to the impulses, below which sweeps go nowhere any more: the rounding of one, or for a cone of
// facets, whose limit keeps an error of its own, a part of the tolerance.
constexpr Real rounding_of_sweep = 1e-16, rounding_with_facets = 1e-12;
constexpr Real part_of_tolerance = 1e-2;

bool has_facets(ContactMethod method) { return method == ContactMethod::lemke || method == ContactMethod::qp; }

// sum ||r||^2/rho, the square of what increments compare with.
Real squared_size(const LocalProblem& problem, const std::vector<Real>& rho, const std::vector<Real>& impulse) {
  Real sum = 0.0;
  for (Index i = 0; i < problem.block_count(); ++i) {
    if (rho[i] == 0.0) continue;
    for (Index a = 0; a < problem.dimension; ++a) {
      const Real r = impulse[i * problem.dimension + a];
      sum += r * r / rho[i];
    }
  }
  return sum;
}

}  // namespace

LocalNlgs::LocalNlgs(const LocalProblem& problem, LocalMeter& meter, const LocalNlgsOptions& options)
    : problem_(problem),
      options_(options),
      meter_(meter),
      sweep_(make_block_sweep(problem, meter.rho(), options.method, options.facets,
                              sweep_order(problem, options.order, options.order_seed))) {}

// From the impulses a run began with.
void LocalNlgs::start_anderson() {
  weight_ = inverse_rho(problem_, meter_.rho());
  anderson_.emplace(weight_);
  anderson_->restart(last_.data());
}

// From the result of a sweep to the start of the next.
void LocalNlgs::accelerate(Real squared_increment) {
  const std::span<Real> r = sweep_->impulse();
  if (options_.acceleration == Acceleration::anderson) {
    if (!anderson_) start_anderson();
    anderson_->next(r.data(), squared_increment);
  } else if (options_.acceleration == Acceleration::momentum) {
    const Real b = momentum_.next(squared_increment);
    for (std::size_t i = 0; i < r.size(); ++i) {
      const Real now = r[i];
      r[i] = now + b * (now - last_[i]);
      last_[i] = now;
    }
  }
}

Index LocalNlgs::run(std::vector<Real>& impulse, Real& error, Index budget, const GiveUp& give_up) {
  const std::span<Real> r = sweep_->impulse();
  std::copy(impulse.begin(), impulse.end(), r.begin());
  if (anderson_) anderson_->restart(r.data());  // a run before made it
  momentum_ = {};
  last_ = impulse;

  // The increment that announces convergence, unknown before the first sweep. Measured after 1, 5, 21 sweeps and then
  // at the latest after a quarter of the work done: a few sweeps may do what increments do not show.
  Real trigger = 0.0;
  Index earliest = 1, latest = 1, done = 0;
  const bool backward_too = options_.order == SweepOrder::symmetric, facets = has_facets(options_.method);
  const Real rest = facets ? std::max(rounding_with_facets, part_of_tolerance * options_.tolerance) : rounding_of_sweep;
  while (done < budget && !(error <= options_.tolerance) && std::isfinite(error)) {
    const Real squared_increment = sweep_->sweep(backward_too && sweeps_ % 2 == 1);
    ++sweeps_;
    const Real increment = std::sqrt(squared_increment);
    // The error before the first sweep belongs to its increment.
    if (++done == 1) trigger = increment * options_.tolerance / error;
    const bool stopped = options_.stop && options_.stop();
    if (done >= latest || done == budget || stopped || (done >= earliest && increment <= trigger)) {
      std::copy(r.begin(), r.end(), impulse.begin());
      error = meter_.error(impulse);
      trigger = increment * options_.tolerance / error;
      earliest = done + std::max<Index>(1, done / 32);
      latest = done + std::max(std::min<Index>(4 * done, 16), done / 4);
      const bool at_rest = squared_increment <= rest * rest * squared_size(problem_, meter_.rho(), impulse);
      if (error <= options_.tolerance || stopped || at_rest || (give_up && give_up(done, error))) break;
    }
    accelerate(squared_increment);
  }
  return done;
}

LocalSolveReport solve_local_nlgs(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse,
                                  const LocalNlgsOptions& options) {
  LocalSolveReport report;
  report.error = meter.error(impulse);
  if (report.error > options.tolerance) {
    LocalNlgs nlgs(problem, meter, options);
    report.iterations = nlgs.run(impulse, report.error, options.max_iterations);
  }
  report.converged = report.error <= options.tolerance;
  return report;
}

}  // namespace grus
