#include "solvers/methods/auto.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/forecast.hpp"
#include "solvers/methods/block_lu.hpp"
#include "solvers/methods/interior_point.hpp"
#include "solvers/methods/local_nlgs.hpp"
#include "solvers/methods/proximal_newton.hpp"

namespace grus {
namespace {

// Sweeps that are always waited for before another method is thought of, and more than which never are.
constexpr Real least_patience = 200.0, most_patience = 1000.0;
// Problems of so few contacts and rows begin with so many sweeps without Anderson's method.
constexpr Index few_blocks = 16, few_sweeps = 20;
constexpr Index first_newton_steps = 40, most_newton_steps = 320;
// Iterations of the interior-point method with its crossover, each about a step of Newton's method on all contacts, and
// the round that begins with it.
constexpr Index interior_steps = 100;
constexpr int interior_round = 1;
// Unknowns beyond which the analysis alone takes seconds, and sweeps for one step of Newton's method beyond which it is
// left out.
constexpr Index most_newton_unknowns = 60'000;
constexpr Real most_sweeps_for_step = 2000.0;
// A part of the error that sweeps must gain to go on as they do.
constexpr Real stall_ratio = 0.9;
constexpr int most_rounds = 24;  // no problem gets there: what doubles exceeds max_iterations before

// What sweeps and factorisations take, in ns, fitted to the problem files on one core: a sweep reads W and solves
// contacts, a factorisation handles fronts and multiplies. Only their ratio matters, and that to a factor of two.
constexpr Real time_of_entry = 0.3, time_of_contact = 30.0;
constexpr Real time_of_front_entry = 3.0, time_of_flop = 0.05;
constexpr Real sweeps_beside_factors = 5.0;  // products with W and errors of one step

constexpr auto never = [](Index, Real) { return false; };

class Auto {
 public:
  Auto(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse, const LocalSolveOptions& options)
      : problem_(problem), options_(options), meter_(meter), best_(impulse) {
    const auto is_zero = [](Real r) { return r == 0.0; };
    if (!std::all_of(impulse.begin(), impulse.end(), is_zero)) guess_ = impulse;
    report_.error = guess_error_ = meter_.error(best_);
    report_.solver = SolverKind::nlgs_anderson;
  }

  LocalSolveReport solve() {
    // Anderson's small matrices take longer than a sweep over few contacts; in the plane they are worth it, as the few
    // unknowns are soon spanned.
    if (!finished() && problem_.dimension == 3 && problem_.block_count() <= few_blocks) {
      start();
      run(Acceleration::momentum, SweepOrder::forward, guess_error_, std::min(few_sweeps, left()), never);
    }
    if (!finished()) sweep(Acceleration::anderson);
    // Where Anderson fails momentum may not, and leaves impulses from which Newton finds the active set: where there
    // are many solutions those of Anderson may lie where Newton goes nowhere. So it starts anew.
    if (!finished()) sweep(Acceleration::momentum);
    for (int round = 0; round < most_rounds && !finished(); ++round) {
      const Index steps = std::min(most_newton_steps, first_newton_steps << (round / 2));
      // Newton's method wants to be near: it costs no more than the sweeps before it.
      const auto balance = static_cast<Index>(patience(steps));
      if (round == interior_round && newton_pays()) interior_point();
      if (finished()) break;
      if (swept_ < balance) sweep_on(balance - swept_);
      if (!finished() && newton_pays()) newton(last_, steps);
      if (!finished()) sweep_on(swept_);
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

  void start() {
    last_ = guess_;
    last_.resize(best_.size(), 0.0);
  }

  // From the guess, until the tolerance is reached or more sweeps are foretold than Newton's method costs.
  void sweep(Acceleration acceleration) {
    start();
    Forecast forecast(options_.tolerance, guess_error_);
    run(acceleration, SweepOrder::forward, guess_error_, left(), [&](Index done, Real now) {
      const Real remaining = forecast.remaining(done, now);
      if (!(remaining > least_patience)) return false;
      // another acceleration can be had for nothing
      return remaining > most_patience || remaining > patience(first_newton_steps);
    });
  }

  // From where the last sweeps ended. When they gain nothing the next are made in another order: a problem that stalls
  // in one may not in another.
  void sweep_on(Index count) {
    const Real before = report_.error;
    const Real error = meter_.error(last_);
    run(mixed_ ? Acceleration::anderson : Acceleration::momentum,
        permuted_ ? SweepOrder::permuted : SweepOrder::forward, error, std::min(count, left()), never);
    if (report_.error < stall_ratio * before) return;
    mixed_ = permuted_ && !mixed_;
    permuted_ = true;
    ++seed_;
  }

  // On from last_, of which `error` is known.
  template <class GiveUp>
  void run(Acceleration acceleration, SweepOrder order, Real error, Index budget, const GiveUp& give_up) {
    LocalNlgsOptions nlgs;
    static_cast<LocalSolveOptions&>(nlgs) = options_;
    if (options_.stop) nlgs.stop = [this] { return stopped_ = stopped_ || options_.stop(); };
    nlgs.acceleration = acceleration;
    nlgs.order = order;
    nlgs.order_seed = seed_;
    const SolverKind kind =
        acceleration == Acceleration::anderson ? SolverKind::nlgs_anderson : SolverKind::nlgs_accelerated;
    LocalNlgs sweeps(problem_, meter_, nlgs);
    const auto watch = [&](Index done, Real now) {
      keep(last_, now, kind);
      return give_up(done, now);
    };
    // one reference: larger closures would be put on the heap
    const Index done =
        sweeps.run(last_, error, budget, [&watch](Index so_far, Real now) { return watch(so_far, now); });
    report_.iterations += done;
    swept_ += done;
    keep(last_, error, kind);
  }

  // Sweeps that cost as much as so many steps of Newton's method.
  Real patience(Index newton_steps) {
    return newton_pays() ? static_cast<Real>(newton_steps) * sweeps_for_step() : most_patience;
  }

  bool newton_pays() { return sweeps_for_step() <= most_sweeps_for_step; }

  Real sweeps_for_step() {
    if (sweeps_for_step_ >= 0.0) return sweeps_for_step_;
    sweeps_for_step_ = std::numeric_limits<Real>::infinity();
    if (problem_.unknown_count() > most_newton_unknowns) return sweeps_for_step_;
    BlockLu lu;
    const std::vector<std::uint8_t> member(static_cast<std::size_t>(problem_.block_count()), 1);
    lu.analyze(problem_, member);
    const Real sweep = time_of_entry * static_cast<Real>(problem_.entry.size()) +
                       time_of_contact * static_cast<Real>(problem_.block_count());
    const Real factors = time_of_front_entry * lu.analyzed_entries() + time_of_flop * lu.analyzed_flops();
    return sweeps_for_step_ = sweeps_beside_factors + factors / sweep;
  }

  LocalSolveOptions limited(Index steps) {
    LocalSolveOptions options = options_;
    options.max_iterations = std::min(steps, left());
    if (options_.stop) options.stop = [this] { return stopped_ = stopped_ || options_.stop(); };
    return options;
  }

  void newton(const std::vector<Real>& start, Index steps) {
    std::vector<Real> impulse = start;
    const LocalSolveReport solved =
        solve_proximal_newton(problem_, meter_, impulse, limited(steps), {.warm_up_sweeps = 0});
    report_.iterations += std::max<Index>(solved.iterations, 1);
    keep(impulse, solved.error, SolverKind::proximal_newton);
  }

  // Finds active sets that neither sweeps nor Newton's method come near. It cannot begin with a guess: where there are
  // many solutions it would leave the one that was wanted, near the guess.
  void interior_point() {
    if (!guess_.empty()) return;
    std::vector<Real> impulse(best_.size(), 0.0);
    const LocalSolveReport solved = solve_interior_point(problem_, meter_, impulse, limited(interior_steps));
    report_.iterations += std::max<Index>(solved.iterations, 1);
    keep(impulse, solved.error, SolverKind::interior_point);
  }

  const LocalProblem& problem_;
  const LocalSolveOptions& options_;
  LocalMeter& meter_;
  std::vector<Real>& best_;
  std::vector<Real> guess_;  // empty: zeros
  Real guess_error_ = 0.0;
  std::vector<Real> last_;  // where the last sweeps ended
  std::uint64_t seed_ = 0;  // of the permuted order
  Index swept_ = 0;         // sweeps so far
  bool permuted_ = false, mixed_ = false;
  Real sweeps_for_step_ = -1.0;  // not yet known
  LocalSolveReport report_;
  bool stopped_ = false;
};

}  // namespace

LocalSolveReport solve_auto(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse,
                            const LocalSolveOptions& options) {
  return Auto(problem, meter, impulse, options).solve();
}

}  // namespace grus
