#include "solvers/methods/accelerated_projected_gradient.hpp"

#include <cmath>

#include "solvers/methods/solve_progress.hpp"

namespace grus {
namespace {

class AcceleratedGradient {
 public:
  AcceleratedGradient(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse,
                      const LocalSolveOptions& options)
      : problem_(problem),
        progress_(meter, impulse, options),
        rho_(progress_.rho()),
        dim_(static_cast<std::size_t>(problem.dimension)),
        r_(impulse),
        u_(progress_.meter().velocity()),
        y_(r_),
        y_u_(u_),
        next_(r_),
        next_u_(u_) {}

  LocalSolveReport run() {
    while (!progress_.finished()) {
      progress_.count_iteration();
      if (!step()) break;
      if (!std::isfinite(progress_.measure(next_, next_u_))) break;
      extrapolate();
    }
    return progress_.report();
  }

 private:
  static constexpr Real first_step =
      1.0;  // the largest that could do: t <= 1/lambda_max(D^-1 W), and that is at least 1/3
  static constexpr Real shorter_step = 0.9;  // of what the curvature allows
  static constexpr Real longer_step = 1.02;  // per iteration: an early, pessimistic t is forgotten
  static constexpr int most_repetitions = 20;

  // From y to next, with a step that the curvature along it allows.
  bool step() {
    step_ *= longer_step;
    for (int k = 0; k < most_repetitions; ++k) {
      project_step();
      local_velocity(problem_, next_, next_u_);
      Real curvature = 0.0, length2 = 0.0;
      for (std::size_t i = 0; i < rho_.size(); ++i) {
        if (rho_[i] == 0.0) continue;
        for (std::size_t j = i * dim_; j < (i + 1) * dim_; ++j) {
          const Real d = next_[j] - y_[j];
          curvature += d * (next_u_[j] - y_u_[j]);
          length2 += d * d / rho_[i];
        }
      }
      if (!(step_ * curvature > length2)) return std::isfinite(curvature);
      step_ = shorter_step * length2 / curvature;
    }
    return true;
  }

  void project_step() {
    for (std::size_t i = 0; i < rho_.size(); ++i) {
      if (rho_[i] == 0.0) continue;
      const std::size_t at = i * dim_;
      for (std::size_t a = 0; a < dim_; ++a) next_[at + a] = y_[at + a] - step_ * rho_[i] * y_u_[at + a];
      next_[at] -= step_ * rho_[i] * saxce_shift(problem_, static_cast<Index>(i), u_.data() + at);
      project_block(problem_, static_cast<Index>(i), next_.data() + at);
    }
  }

  void extrapolate() {
    Real against = 0.0;
    for (std::size_t i = 0; i < rho_.size(); ++i) {
      if (rho_[i] == 0.0) continue;
      for (std::size_t j = i * dim_; j < (i + 1) * dim_; ++j)
        against += (y_[j] - next_[j]) * (next_[j] - r_[j]) / rho_[i];
    }
    Real momentum = 0.0;
    if (against > 0.0) {
      theta_ = 1.0;
    } else {
      const Real next_theta = 0.5 * theta_ * (std::sqrt(theta_ * theta_ + 4.0) - theta_);
      momentum = theta_ * (1.0 - theta_) / (theta_ * theta_ + next_theta);
      theta_ = next_theta;
    }
    for (std::size_t j = 0; j < r_.size(); ++j) {
      y_[j] = next_[j] + momentum * (next_[j] - r_[j]);
      y_u_[j] = next_u_[j] + momentum * (next_u_[j] - u_[j]);
    }
    r_.swap(next_);
    u_.swap(next_u_);
  }

  const LocalProblem& problem_;
  SolveProgress progress_;
  const std::vector<Real>& rho_;
  std::size_t dim_;
  std::vector<Real> r_, u_, y_, y_u_, next_, next_u_;
  Real step_ = first_step, theta_ = 1.0;
};

}  // namespace

LocalSolveReport solve_accelerated_projected_gradient(const LocalProblem& problem, LocalMeter& meter,
                                                      std::vector<Real>& impulse, const LocalSolveOptions& options) {
  return AcceleratedGradient(problem, meter, impulse, options).run();
}

}  // namespace grus
