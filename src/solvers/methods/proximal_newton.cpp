#include "solvers/methods/proximal_newton.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solvers/methods/active_set_newton.hpp"
#include "solvers/methods/anderson.hpp"
#include "solvers/methods/block_sweep.hpp"
#include "solvers/methods/solve_progress.hpp"

namespace grus {
namespace {

constexpr Real squared(Real x) { return x * x; }

class ProximalNewton {
 public:
  ProximalNewton(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse,
                 const LocalSolveOptions& options)
      : problem_(problem),
        progress_(meter, impulse, options),
        rho_(progress_.rho()),
        newton_(problem, rho_),
        shift_(rho_.size()),
        weight_(inverse_rho(problem, rho_)),
        anderson_(weight_),
        r_(impulse) {}

  LocalSolveReport run(const ProximalNewtonOptions& own) {
    sweep(own.warm_up_sweeps);
    set_alpha(own.first_alpha);
    for (int start = 0; start <= most_restarts && !progress_.finished(); ++start) {
      if (start > 0) restart(start);
      while (!progress_.finished() && !stuck_) {
        outer_step();
        watch_progress();
      }
    }
    return progress_.report();
  }

 private:
  // Chosen on eight of the problem files: half or twice of each keeps all of them solved; the plane granular flow then
  // takes 30 to 440 ms instead of 20 to 100.
  static constexpr Index most_inner_steps = 20;
  static constexpr Index easy_inner_steps = 10;
  static constexpr std::size_t remembered_merits = 10;
  static constexpr int most_halvings = 6;
  static constexpr Real sufficient_decrease = 0.1;  // of a full step
  // An inner solution is good enough when its own error is this part of the error of the whole problem.
  static constexpr Real inner_accuracy = 0.1;
  static constexpr Real alpha_factor = 10.0;
  // Outer steps after which a smaller alpha, that failed before, is tried again; twice as many every time.
  static constexpr Index first_retry = 8;
  // Below, W is not regularised beyond its rounding errors; above, an outer step is no longer than one of Jacobi's.
  static constexpr Real least_alpha = 1e-12, largest_alpha = 1.0;
  static constexpr Index most_idle_steps = 100;
  // Impulses to start again from: multiples of what stops each contact alone.
  static constexpr std::array<Real, 6> restart_guess{0.0, 1.0, 10.0, 0.1, 100.0, 3.0};
  static constexpr int most_restarts = static_cast<int>(restart_guess.size());
  static constexpr Real restart_alpha = 1e-2;
  static constexpr Index sweeps_after_failure = 10;
  static constexpr Index sweeps_between_checks = 5;

  // Steps that do not halve the error for long will not later.
  void watch_progress() {
    if (progress_.least_error() < 0.5 * watched_error_) {
      watched_error_ = progress_.least_error();
      watched_steps_ = progress_.iterations();
    }
    stuck_ = stuck_ || progress_.iterations() - watched_steps_ > most_idle_steps;
  }

  // Strong friction couples contacts so that sweeps and Newton steps may cycle around one start and not around another.
  void restart(int start) {
    stuck_ = false;
    failures_at_largest_ = 0;
    watched_error_ = std::numeric_limits<Real>::infinity();
    watched_steps_ = progress_.iterations();
    const auto dim = static_cast<std::size_t>(problem_.dimension);
    for (std::size_t k = 0; k < r_.size(); ++k) {
      const Real single = rho_[k / dim] * std::abs(problem_.q[k]);
      r_[k] = k % dim == 0 ? restart_guess[static_cast<std::size_t>(start - 1)] * single : 0.0;
    }
    project_impulses(problem_, r_);
    failed_alpha_ = 0.0;
    set_alpha(restart_alpha);
  }

  void sweep(Index count) {
    if (count == 0 || progress_.finished()) return;
    if (!sweep_) sweep_ = make_block_sweep(problem_, rho_, ContactMethod::exact, 0, {});
    std::copy(r_.begin(), r_.end(), sweep_->impulse().begin());
    for (Index done = 0; done < count && !progress_.finished();) {
      for (Index k = 0; k < sweeps_between_checks && done < count; ++k, ++done) sweep_->sweep(false);
      r_.assign(sweep_->impulse().begin(), sweep_->impulse().end());
      progress_.measure(r_);
    }
  }

  void outer_step() {
    centre_ = r_;
    for (std::size_t i = 0; i < shift_.size(); ++i) shift_[i] = rho_[i] > 0.0 ? alpha_ / rho_[i] : 0.0;
    inner_velocity(r_, u_);
    const Real first = merit(r_, u_);
    Real last = first;
    const bool solved = inner_solve(last);
    if (progress_.finished()) return;
    if (solved) {
      stuck_ = r_ == centre_;
      const Real lower = std::max(alpha_ / alpha_factor, least_alpha);
      if (inner_steps_ <= easy_inner_steps && lower < alpha_ && (lower > failed_alpha_ || ++solved_since_ > retry_)) {
        if (lower <= failed_alpha_) failed_alpha_ = 0.0, retry_ *= 2;
        set_alpha(lower);
      } else {
        anderson_.next(r_.data(), squared_distance());
      }
      return;
    }
    failed_alpha_ = std::max(failed_alpha_, alpha_);
    solved_since_ = 0;
    if (!(last < squared(0.5) * first)) r_ = centre_;
    project_impulses(problem_, r_);
    // With the largest regularisation an inner solve that fails leaves nothing else to try.
    stuck_ = alpha_ >= largest_alpha && ++failures_at_largest_ > 3;
    sweep(sweeps_after_failure);
    set_alpha(std::min(alpha_ * alpha_factor, largest_alpha));
  }

  // A new map: what Anderson's differences know of the old one misleads.
  void set_alpha(Real alpha) {
    alpha_ = alpha;
    solved_since_ = 0;
    anderson_.restart(r_.data());
  }

  // Between r_ and the centre, squared, weighted as the natural map.
  Real squared_distance() const {
    Real sum = 0.0;
    for (std::size_t k = 0; k < r_.size(); ++k) sum += weight_[k] * squared(r_[k] - centre_[k]);
    return sum;
  }

  // True when r_ solves the inner problem well enough, or the whole one.
  bool inner_solve(Real& merit_now) {
    history_.fill(0.0);
    history_[0] = merit_now;
    for (inner_steps_ = 1; inner_steps_ <= most_inner_steps; ++inner_steps_) {
      if (progress_.exhausted()) return false;
      progress_.count_iteration();
      if (!newton_.step(r_, u_, shift_, target_)) return false;
      inner_velocity(target_, target_u_);
      merit_now = line_search();
      if (!std::isfinite(merit_now)) return false;
      history_[static_cast<std::size_t>(inner_steps_) % remembered_merits] = merit_now;
      trial_ = r_;
      project_impulses(problem_, trial_);
      if (progress_.measure(trial_) <= progress_.tolerance()) return true;
      if (merit_now <= squared(inner_accuracy) * merit(trial_, progress_.meter().velocity())) {
        r_ = trial_;
        return true;
      }
    }
    return false;
  }

  // Moves r_, u_ towards the target; the merit there.
  Real line_search() {
    const Real reference = *std::max_element(history_.begin(), history_.end());
    Real best = std::numeric_limits<Real>::infinity(), best_length = 0.0, length = 1.0;
    for (int halving = 0; halving < most_halvings; ++halving, length *= 0.5) {
      interpolate(length);
      const Real value = merit(trial_, trial_u_);
      if (value < best) {
        best = value;
        best_length = length;
      }
      if (value <= squared(1.0 - sufficient_decrease * length) * reference) break;
    }
    interpolate(best_length);
    r_.swap(trial_);
    u_.swap(trial_u_);
    return best;
  }

  void interpolate(Real length) {
    trial_.resize(r_.size());
    trial_u_.resize(r_.size());
    for (std::size_t k = 0; k < r_.size(); ++k) {
      trial_[k] = r_[k] + length * (target_[k] - r_[k]);
      trial_u_[k] = u_[k] + length * (target_u_[k] - u_[k]);
    }
  }

  // u of the inner problem.
  void inner_velocity(const std::vector<Real>& r, std::vector<Real>& u) const {
    local_velocity(problem_, r, u);
    const auto dim = static_cast<std::size_t>(problem_.dimension);
    for (std::size_t k = 0; k < r.size(); ++k) u[k] += shift_[k / dim] * (r[k] - centre_[k]);
  }

  // The scaled natural map, squared and undivided: a root would round differently after a change of units.
  Real merit(const std::vector<Real>& r, const std::vector<Real>& u) const {
    const Index dim = problem_.dimension;
    Real sum = 0.0;
    for (Index i = 0; i < problem_.block_count(); ++i) {
      const Real rho = rho_[i];
      if (rho == 0.0) continue;
      Real defect[3] = {};
      block_natural_map(problem_, i, r.data() + i * dim, u.data() + i * dim, rho, defect);
      sum += (defect[0] * defect[0] + defect[1] * defect[1] + defect[2] * defect[2]) / rho;
    }
    return sum;
  }

  const LocalProblem& problem_;
  SolveProgress progress_;
  const std::vector<Real>& rho_;
  ActiveSetNewton newton_;
  std::unique_ptr<BlockSweep> sweep_;
  std::vector<Real> shift_;   // alpha/rho     [block_count()]
  std::vector<Real> weight_;  // 1/rho of each unknown
  Anderson anderson_;         // of the outer steps
  std::vector<Real> r_, u_, centre_, target_, target_u_, trial_, trial_u_;
  std::array<Real, remembered_merits> history_{};
  Real alpha_ = 0.0;
  Real failed_alpha_ = 0.0;  // the largest that an inner solve failed with
  Index solved_since_ = 0;   // outer steps with this alpha
  Index retry_ = first_retry;
  Real watched_error_ = std::numeric_limits<Real>::infinity();
  Index watched_steps_ = 0;
  Index inner_steps_ = 0, failures_at_largest_ = 0;
  bool stuck_ = false;
};

}  // namespace

LocalSolveReport solve_proximal_newton(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse,
                                       const LocalSolveOptions& options, const ProximalNewtonOptions& own) {
  return ProximalNewton(problem, meter, impulse, options).run(own);
}

}  // namespace grus
