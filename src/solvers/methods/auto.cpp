#include "solvers/methods/auto.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/methods/local_nlgs.hpp"
#include "solvers/methods/proximal_newton.hpp"

namespace grus {
namespace {

// Sweeps of which nothing is foretold, and after which a half without any gain ends a run.
constexpr Index first_look = 50, last_look = 100;
// A run of sweeps is given up when more than `patience` are foretold: this and the number of unknowns, since the
// factorisations of Newton's method cost the more sweeps the larger the problem. It doubles in every round.
constexpr Index least_patience = 400;
constexpr Index first_newton_steps = 40;
// Unknowns beyond which Newton's factorisations, of some n^1.5 work, are not worth while.
constexpr Index most_newton_unknowns = 15000;
constexpr int most_rounds = 16;  // no problem gets there: what doubles exceeds max_iterations before

// Foretells from the least errors so far when the tolerance will be reached.
class Forecast {
 public:
  Forecast(Real tolerance, Real error, Index patience) : tolerance_(tolerance), patience_(patience) {
    points_.push_back({0, error});
  }

  // True when more than `patience` sweeps are still to come.
  bool hopeless(Index sweeps, Real error) {
    points_.push_back({sweeps, std::min(error, points_.back().second)});
    if (sweeps < first_look) return false;
    std::size_t half = points_.size() - 1;
    while (half > 0 && 2 * points_[half].first > sweeps) --half;
    const auto [then, before] = points_[half];
    const Real gain = std::log(before / points_.back().second);
    if (!(gain > 0.0)) return sweeps >= last_look;
    const Real missing = std::log(points_.back().second / tolerance_);
    return missing * static_cast<Real>(sweeps - then) > gain * static_cast<Real>(patience_);
  }

 private:
  std::vector<std::pair<Index, Real>> points_;
  Real tolerance_;
  Index patience_;
};

class Auto {
 public:
  Auto(const LocalProblem& problem, std::vector<Real>& impulse, const LocalSolveOptions& options)
      : problem_(problem), options_(options), meter_(problem, options.measure), best_(impulse), guess_(impulse) {
    report_.error = meter_.error(best_);
    report_.solver = SolverKind::nlgs_anderson;
  }

  LocalSolveReport solve() {
    const Index patience = least_patience + problem_.unknown_count();
    if (!finished()) sweep(Acceleration::anderson, SweepOrder::forward, best_, patience);
    // Where Anderson fails momentum may not, and leaves impulses from which Newton finds the active set: where there
    // are many solutions those of Anderson may lie where Newton goes nowhere. So it starts anew.
    if (!finished()) sweep(Acceleration::momentum, SweepOrder::forward, guess_, patience);
    for (int round = 0; round < most_rounds && !finished(); ++round) {
      if (problem_.unknown_count() <= most_newton_unknowns)
        newton(round == 0 ? last_ : best_, first_newton_steps << round);
      if (finished()) break;
      // A problem that stalls in one order may not in another.
      const bool mixed = round % 2 == 1;
      seed_ = static_cast<std::uint64_t>(round) + 1;
      sweep(mixed ? Acceleration::anderson : Acceleration::momentum, SweepOrder::permuted, best_, patience << round);
    }
    report_.converged = report_.error <= options_.tolerance;
    return report_;
  }

 private:
  bool finished() const {
    return report_.error <= options_.tolerance || !std::isfinite(report_.error) ||
           report_.iterations >= options_.max_iterations || stopped_;
  }

  Index left() const { return options_.max_iterations - report_.iterations; }

  void keep(const std::vector<Real>& impulse, Real error, SolverKind by) {
    if (!(error < report_.error)) return;
    best_ = impulse;
    report_.error = error;
    report_.solver = by;
  }

  void sweep(Acceleration acceleration, SweepOrder order, const std::vector<Real>& start, Index patience) {
    LocalNlgsOptions nlgs;
    static_cast<LocalSolveOptions&>(nlgs) = options_;
    nlgs.stop = [this] { return stopped_ = stopped_ || (options_.stop && options_.stop()); };
    nlgs.acceleration = acceleration;
    nlgs.order = order;
    nlgs.order_seed = seed_;
    const SolverKind kind =
        acceleration == Acceleration::anderson ? SolverKind::nlgs_anderson : SolverKind::nlgs_accelerated;
    LocalNlgs sweeps(problem_, meter_, nlgs);
    last_ = start;
    Real error = &start == &best_ ? report_.error : meter_.error(last_);
    Forecast forecast(options_.tolerance, error, patience);
    const auto give_up = [&](Index done, Real now) {
      keep(last_, now, kind);
      return forecast.hopeless(done, now);
    };
    report_.iterations += sweeps.run(last_, error, left(), give_up);
    keep(last_, error, kind);
  }

  void newton(const std::vector<Real>& start, Index steps) {
    LocalSolveOptions limited = options_;
    limited.max_iterations = std::min(steps, left());
    limited.stop = [this] { return stopped_ = stopped_ || (options_.stop && options_.stop()); };
    std::vector<Real> impulse = start;
    const LocalSolveReport solved = solve_proximal_newton(problem_, impulse, limited, {.warm_up_sweeps = 0});
    report_.iterations += std::max<Index>(solved.iterations, 1);
    keep(impulse, solved.error, SolverKind::proximal_newton);
  }

  const LocalProblem& problem_;
  const LocalSolveOptions& options_;
  LocalMeter meter_;
  std::vector<Real>& best_;
  const std::vector<Real> guess_;
  std::vector<Real> last_;  // where the last sweeps ended
  std::uint64_t seed_ = 1;  // of the permuted order
  LocalSolveReport report_;
  bool stopped_ = false;
};

}  // namespace

LocalSolveReport solve_auto(const LocalProblem& problem, std::vector<Real>& impulse, const LocalSolveOptions& options) {
  const auto size = static_cast<std::size_t>(problem.unknown_count());
  if (impulse.size() != size) impulse.assign(size, 0.0);
  return Auto(problem, impulse, options).solve();
}

}  // namespace grus
