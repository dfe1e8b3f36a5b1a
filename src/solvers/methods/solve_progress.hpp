// What every method on an assembled problem does alike: start from the guess, measure, keep the best impulses, end.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solvers/local_residual.hpp"

namespace grus {

class SolveProgress {
 public:
  // The guess (zeros when its size does not fit, or it is not finite) is put inside its cones and bounds and measured.
  SolveProgress(const LocalProblem& problem, std::vector<Real>& impulse, const LocalSolveOptions& options)
      : options_(options), meter_(problem, options.measure), best_(impulse) {
    const auto finite = [](Real x) { return std::isfinite(x); };
    if (best_.size() != problem.q.size() || !std::all_of(best_.begin(), best_.end(), finite))
      best_.assign(problem.q.size(), 0.0);
    project_impulses(problem, best_);
    last_error_ = least_error_ = meter_.error(best_);
  }

  // Error of impulses inside their sets; kept when it is the least.
  Real measure(const std::vector<Real>& r) { return keep(r, meter_.error(r)); }
  // For given u = W r + q.
  Real measure(const std::vector<Real>& r, const std::vector<Real>& u) { return keep(r, meter_.error(r, u)); }

  bool converged() const { return least_error_ <= options_.tolerance; }
  bool exhausted() const { return iterations_ >= options_.max_iterations || (options_.stop && options_.stop()); }
  bool finished() const { return converged() || exhausted(); }

  void count_iteration() { ++iterations_; }
  Index iterations() const { return iterations_; }
  Real least_error() const { return least_error_; }
  Real last_error() const { return last_error_; }
  Real tolerance() const { return options_.tolerance; }
  const std::vector<Real>& best() const { return best_; }
  const LocalMeter& meter() const { return meter_; }
  const std::vector<Real>& rho() const { return meter_.rho(); }

  LocalSolveReport report() const {
    return {.iterations = iterations_, .error = least_error_, .converged = converged()};
  }

 private:
  Real keep(const std::vector<Real>& r, Real error) {
    last_error_ = error;
    // written so that anything is better than a NaN
    if (error < least_error_ || (std::isnan(least_error_) && !std::isnan(error))) {
      least_error_ = error;
      best_ = r;
    }
    return error;
  }

  const LocalSolveOptions& options_;
  LocalMeter meter_;
  std::vector<Real>& best_;
  Real least_error_ = 0.0, last_error_ = 0.0;
  Index iterations_ = 0;
};

}  // namespace grus
