#include "solvers/methods/auto.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/methods/local_nlgs.hpp"
#include "solvers/methods/proximal_newton.hpp"

namespace grus {
namespace {

// Sweeps that must be foretold before a run of sweeps is given up, in the first round; a Newton step costs 30 to 200.
constexpr Index first_patience = 400;
// Sweeps of which nothing is foretold.
constexpr Index first_look = 50;
constexpr Index first_newton_steps = 40;
// Unknowns beyond which Newton's factorisations, of some n^1.5 work, are not worth while.
constexpr Index most_newton_unknowns = 15000;
constexpr int most_rounds = 24;  // patience doubles in each: no problem gets there

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
    if (!(gain > 0.0)) return sweeps >= patience_ / 2;
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
    for (int round = 0; round < most_rounds && !finished(); ++round) {
      const Index patience = first_patience << std::min(round, 20);
      sweep(round, patience);
      if (problem_.unknown_count() <= most_newton_unknowns && !finished())
        newton(round, first_newton_steps << std::min(round, 20));
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

  void sweep(int round, Index patience) {
    LocalNlgsOptions nlgs;
    static_cast<LocalSolveOptions&>(nlgs) = options_;
    nlgs.stop = [this] { return stopped_ = stopped_ || (options_.stop && options_.stop()); };
    SolverKind kind = SolverKind::nlgs;
    if (round % 3 == 0) {
      nlgs.acceleration = Acceleration::anderson;
      kind = SolverKind::nlgs_anderson;
    } else if (round % 3 == 1) {
      nlgs.acceleration = Acceleration::momentum;
      kind = SolverKind::nlgs_accelerated;
    } else {
      // a problem that stalls in one order may not in another
      nlgs.order = SweepOrder::permuted;
      nlgs.order_seed = static_cast<std::uint64_t>(round);
    }
    LocalNlgs sweeps(problem_, meter_, nlgs);
    // Where there are many solutions Anderson's impulses may lie where Newton goes nowhere: the second round starts
    // anew.
    std::vector<Real>& impulse = last_;
    impulse = round == 1 ? guess_ : best_;
    Real error = round == 1 ? meter_.error(impulse) : report_.error;
    Forecast forecast(options_.tolerance, error, patience);
    const auto give_up = [&](Index done, Real now) {
      keep(impulse, now, kind);
      return forecast.hopeless(done, now);
    };
    report_.iterations += sweeps.run(impulse, error, left(), give_up);
    keep(impulse, error, kind);
  }

  void newton(int round, Index steps) {
    LocalSolveOptions limited = options_;
    limited.max_iterations = std::min(steps, left());
    limited.stop = [this] { return stopped_ = stopped_ || (options_.stop && options_.stop()); };
    std::vector<Real> impulse = round == 1 ? last_ : best_;
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
