#include "solvers/methods/projected_conjugate_gradient.hpp"

#include <cmath>
#include <limits>

#include "solvers/methods/solve_progress.hpp"

namespace grus {
namespace {

class ConjugateGradient {
 public:
  ConjugateGradient(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse,
                    const LocalSolveOptions& options)
      : problem_(problem),
        progress_(meter, impulse, options),
        rho_(progress_.rho()),
        dim_(static_cast<std::size_t>(problem.dimension)),
        r_(impulse),
        u_(progress_.meter().velocity()),
        g_(r_.size()),
        p_(r_.size(), 0.0),
        w_p_(r_.size(), 0.0),
        closed_(rho_.size(), 0) {
    shift();
  }

  LocalSolveReport run() {
    while (!progress_.finished()) {
      progress_.count_iteration();
      choose_direction();
      if (!step()) break;
      if (!std::isfinite(progress_.measure(r_, u_))) break;
    }
    return progress_.report();
  }

 private:
  static constexpr Real sufficient_decrease = 0.1;  // of what the slope promises (Armijo)
  static constexpr Real first_step = 1.0, shorter_step = 0.9, longer_step = 1.02;  // as of the accelerated gradient
  static constexpr int most_repetitions = 20;
  static constexpr Index most_idle = 10;  // 30 takes half as many iterations again where it matters
  // Nearer to the surface of the cone than this part of mu r_N counts as on it; some rounding errors.
  static constexpr Real edge = 1e-12;

  void choose_direction() {
    for (std::size_t i = 0; i < rho_.size(); ++i)
      for (std::size_t j = i * dim_; j < (i + 1) * dim_; ++j) g_[j] = -rho_[i] * shifted_[j];
    project_motion(g_);
    project_motion(p_);
    // W p is of the unknowns there were: where a contact has opened or closed the next direction is not conjugate to
    // it. On the way to the set of closed contacts that does no harm; near it steps go to and fro.
    const bool forget = open_or_close() && idle() > most_idle;
    const Real mix = !forget && bend_ > 0.0 ? -dot(g_, w_p_) / bend_ : 0.0;
    Real descent = 0.0;
    for (std::size_t j = 0; j < p_.size(); ++j) {
      p_[j] = g_[j] + mix * p_[j];
      descent -= p_[j] * shifted_[j];
    }
    if (!(descent > 0.0)) p_ = g_;
  }

  // Whether a contact did since the last call. Not whether one began or ceased to slide: on the curved surface that is
  // so in nearly every step.
  bool open_or_close() {
    bool changed = false;
    for (Index i = 0; i < problem_.contact_count; ++i) {
      const bool closed = r_[static_cast<std::size_t>(i) * dim_] > 0.0;
      changed = changed || closed != static_cast<bool>(closed_[i]);
      closed_[i] = closed;
    }
    return changed;
  }

  // Iterations since the error fell below the least one.
  Index idle() {
    if (progress_.least_error() < seen_error_) {
      seen_error_ = progress_.least_error();
      seen_iteration_ = progress_.iterations();
    }
    return progress_.iterations() - seen_iteration_;
  }

  bool step() {
    if (!conjugate_step() && !gradient_step()) return false;
    r_.swap(trial_);
    u_.swap(trial_u_);
    shift();
    return true;
  }

  // To the minimum along p, projected. False when the projection has spoilt it.
  bool conjugate_step() {
    apply_delassus(problem_, p_.data(), w_p_.data());
    bend_ = dot(p_, w_p_);
    const Real length = -dot(p_, shifted_) / bend_;
    if (!(bend_ > 0.0) || !(length > 0.0)) return false;
    trial_ = r_;
    for (std::size_t j = 0; j < r_.size(); ++j) trial_[j] += length * p_[j];
    evaluate_trial();
    return slope_ < 0.0 && slope_ + 0.5 * curvature_ <= sufficient_decrease * slope_;
  }

  // The step of projected gradients that always descends; forgets the directions.
  bool gradient_step() {
    bend_ = 0.0;
    std::fill(p_.begin(), p_.end(), 0.0);
    step_ *= longer_step;
    for (int k = 0; k < most_repetitions; ++k) {
      trial_ = r_;
      for (std::size_t j = 0; j < r_.size(); ++j) trial_[j] -= step_ * rho_[j / dim_] * shifted_[j];
      evaluate_trial();
      if (!(step_ * curvature_ > length2_)) return std::isfinite(curvature_);
      step_ = shorter_step * length2_ / curvature_;
    }
    return true;
  }

  // Projects the trial; its velocities, slope d.(u + s), curvature d.W d and length d.D d of the step d to it.
  void evaluate_trial() {
    project_impulses(problem_, trial_);
    local_velocity(problem_, trial_, trial_u_);
    slope_ = curvature_ = length2_ = 0.0;
    for (std::size_t j = 0; j < r_.size(); ++j) {
      const Real d = trial_[j] - r_[j], rho = rho_[j / dim_];
      slope_ += d * shifted_[j];
      curvature_ += d * (trial_u_[j] - u_[j]);
      if (rho > 0.0) length2_ += d * d / rho;
    }
  }

  static Real dot(const std::vector<Real>& a, const std::vector<Real>& b) {
    Real sum = 0.0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
    return sum;
  }

  // u + s
  void shift() {
    shifted_ = u_;
    for (Index i = 0; i < problem_.contact_count; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * dim_;
      shifted_[at] += saxce_shift(problem_, i, u_.data() + at);
    }
  }

  // Takes out of a motion what the status of each block forbids.
  void project_motion(std::vector<Real>& m) const {
    for (Index i = 0; i < problem_.block_count(); ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * dim_;
      const Real* const r = r_.data() + at;
      Real* const x = m.data() + at;
      if (rho_[i] == 0.0) {
        std::fill(x, x + dim_, 0.0);
      } else if (i >= problem_.contact_count) {
        const Index row = i - problem_.contact_count;
        if ((r[0] <= problem_.lower[row] && x[0] < 0.0) || (r[0] >= problem_.upper[row] && x[0] > 0.0)) x[0] = 0.0;
      } else if (r[0] <= 0.0) {
        project_block(problem_, i, x);
      } else {
        stay_inside(problem_.friction[i], r, x);
      }
    }
  }

  // A contact with r_N > 0: no motion along the outward normal (-mu, d) when r is on the surface.
  void stay_inside(Real mu, const Real* r, Real* x) const {
    const Real length = tangential_norm(problem_, r), radius = mu * r[0];
    if (length < (1.0 - edge) * radius) return;
    if (radius == 0.0) {
      std::fill(x + 1, x + dim_, 0.0);
      return;
    }
    Real outwards = -mu * x[0];
    for (std::size_t a = 1; a < dim_; ++a) outwards += x[a] * r[a] / length;
    if (outwards <= 0.0) return;
    outwards /= 1.0 + mu * mu;
    x[0] += mu * outwards;
    for (std::size_t a = 1; a < dim_; ++a) x[a] -= outwards * r[a] / length;
  }

  const LocalProblem& problem_;
  SolveProgress progress_;
  const std::vector<Real>& rho_;
  std::size_t dim_;
  std::vector<Real> r_, u_, shifted_, g_, p_, w_p_, trial_, trial_u_;
  std::vector<std::uint8_t> closed_;  // contacts with an impulse, at the last choice of a direction
  Real bend_ = 0.0;                   // p.W p of the last direction
  Real step_ = first_step;
  Real seen_error_ = std::numeric_limits<Real>::infinity();
  Index seen_iteration_ = 0;
  Real slope_ = 0.0, curvature_ = 0.0, length2_ = 0.0;  // of the trial
};

}  // namespace

LocalSolveReport solve_projected_conjugate_gradient(const LocalProblem& problem, LocalMeter& meter,
                                                    std::vector<Real>& impulse, const LocalSolveOptions& options) {
  return ConjugateGradient(problem, meter, impulse, options).run();
}

}  // namespace grus
