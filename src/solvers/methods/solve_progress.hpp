// What every method on an assembled problem does alike: start from the guess, measure, keep the best impulses, end.
//
// solve_local() has brought the guess to its size and inside its cones and bounds before any method sees it.
#pragma once

#include <cmath>
#include <vector>

#include "solvers/local_residual.hpp"

namespace grus {

class SolveProgress {
 public:
  // Measures the guess.
  SolveProgress(LocalMeter& meter, std::vector<Real>& impulse, const LocalSolveOptions& options)
      : options_(options), meter_(meter), best_(impulse) {
    last_error_ = least_error_ = meter_.error(best_);
  }

  // Error of impulses inside their sets; kept when it is the least.
  Real measure(const std::vector<Real>& r) { return keep(r, meter_.error(r)); }
  // For given u = W r + q.
  Real measure(const std::vector<Real>& r, const std::vector<Real>& u) { return keep(r, meter_.error(r, u)); }

  bool converged() const { return least_error_ <= options_.tolerance; }
  // Also when the problem or the guess holds a NaN: nothing will come of it.
  bool exhausted() const {
    return iterations_ >= options_.max_iterations || std::isnan(least_error_) || (options_.stop && options_.stop());
  }
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
    if (error < least_error_) {
      least_error_ = error;
      best_ = r;
    }
    return error;
  }

  const LocalSolveOptions& options_;
  LocalMeter& meter_;
  std::vector<Real>& best_;
  Real least_error_ = 0.0, last_error_ = 0.0;
  Index iterations_ = 0;
};

}  // namespace grus
