#include "solvers/methods/admm.hpp"

#include <cmath>

#include "solvers/methods/anderson.hpp"
#include "solvers/methods/block_lu.hpp"
#include "solvers/methods/solve_progress.hpp"

namespace grus {
namespace {

class Admm {
 public:
  Admm(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse, const LocalSolveOptions& options)
      : problem_(problem), progress_(meter, impulse, options), rho_(progress_.rho()), z_(impulse) {
    const std::size_t blocks = rho_.size();
    r_.resize(z_.size());
    member_.resize(blocks);
    for (std::size_t i = 0; i < blocks; ++i) {
      const bool contact = i < static_cast<std::size_t>(problem.contact_count);
      member_[i] = rho_[i] > 0.0 ? static_cast<std::uint8_t>(contact ? problem.dimension : 1) : 0;
    }
    // the multiplier that belongs to the guess: R w = -(u + s)
    w_ = progress_.meter().velocity();
    for (std::size_t i = 0; i < blocks; ++i) {
      if (!member_[i]) continue;
      Real* const u = w_.data() + i * dim();
      u[0] += saxce_shift(problem, static_cast<Index>(i), u);
      for (std::size_t a = 0; a < dim(); ++a) u[a] *= -rho_[i] / penalty_;
    }
    lu_.analyze(problem, member_);
    weight_ = inverse_rho(problem, rho_);
  }

  LocalSolveReport run() {
    if (progress_.finished() || !factor()) return progress_.report();
    Anderson anderson(weight_);
    join();
    anderson.restart(sum_.data());
    while (!progress_.finished()) {
      progress_.count_iteration();
      const Real squared_change = iterate();
      if (!std::isfinite(progress_.measure(z_))) break;
      const Real before = penalty_;
      if (!adapt_penalty()) break;
      if (penalty_ != before) {
        join();
        anderson.restart(sum_.data());
      } else if (anderson.next(sum_.data(), squared_change)) {
        split();
      }
    }
    return progress_.report();
  }

 private:
  static constexpr Real first_penalty = 0.1;
  static constexpr Real least_penalty = 1e-8, largest_penalty = 1e8;
  // The penalty is changed by the root of the ratio of the residuals when that exceeds penalty_factor, not before
  // some iterations have passed. The wait grows, so that the penalty settles and ADMM converges.
  static constexpr Real penalty_factor = 3.0;
  static constexpr Index first_wait = 3;
  static constexpr Real wait_growth = 1.2;

  std::size_t dim() const { return static_cast<std::size_t>(problem_.dimension); }

  bool factor() {
    entry_ = problem_.entry;
    for (Index i = 0; i < problem_.block_count(); ++i) {
      if (!member_[i]) continue;
      Real* const w = entry_.data() + static_cast<std::size_t>(diagonal_place(problem_, i)) * dim() * dim();
      for (std::size_t a = 0; a < dim(); ++a) w[a * (dim() + 1)] += penalty_ / rho_[i];
    }
    compact_rows();
    return lu_.factor(member_, entry_);
  }

  // Blocks of scalar rows in the form of block_lu.hpp: size_i x size_j numbers without gaps.
  void compact_rows() {
    if (problem_.row_count == 0) return;
    for (Index i = 0; i < problem_.block_count(); ++i) {
      for (Index k = problem_.block_begin[i]; k < problem_.block_begin[i + 1]; ++k) {
        const Index j = problem_.column[k];
        if (member_[j] != 1) continue;
        Real* const w = entry_.data() + static_cast<std::size_t>(k) * dim() * dim();
        for (std::size_t a = 1; a < member_[i]; ++a) w[a] = w[a * dim()];
      }
    }
  }

  // The state of the iteration is z + w alone.
  void join() {
    sum_.resize(z_.size());
    for (std::size_t k = 0; k < z_.size(); ++k) sum_[k] = z_[k] + w_[k];
  }
  void split() {
    z_ = sum_;
    project_impulses(problem_, z_);
    for (std::size_t k = 0; k < z_.size(); ++k) w_[k] = sum_[k] - z_[k];
  }

  // Returns the squared change of z + w.
  Real iterate() {
    primal_ = dual_ = 0.0;
    Real change = 0.0;
    for (std::size_t i = 0; i < rho_.size(); ++i) {
      if (!member_[i]) continue;
      const Real weight = penalty_ / rho_[i];
      const std::size_t at = i * dim();
      for (std::size_t a = 0; a < dim(); ++a) r_[at + a] = weight * (z_[at + a] - w_[at + a]) - problem_.q[at + a];
      r_[at] -= weight * saxce_shift(problem_, static_cast<Index>(i), w_.data() + at);
    }
    lu_.solve(r_);
    for (std::size_t i = 0; i < rho_.size(); ++i) {
      if (!member_[i]) continue;
      const std::size_t at = i * dim();
      Real next[3] = {};
      for (std::size_t a = 0; a < member_[i]; ++a) {
        next[a] = r_[at + a] + w_[at + a];
        change += (r_[at + a] - z_[at + a]) * (r_[at + a] - z_[at + a]) / rho_[i];
        sum_[at + a] = next[a];
      }
      project_block(problem_, static_cast<Index>(i), next);
      for (std::size_t a = 0; a < member_[i]; ++a) {
        const Real defect = r_[at + a] - next[a], move = penalty_ * (next[a] - z_[at + a]);
        primal_ += defect * defect / rho_[i];
        dual_ += move * move / rho_[i];
        w_[at + a] += defect;
        z_[at + a] = next[a];
      }
    }
    return change;
  }

  // False when the matrix with the new penalty cannot be factored.
  bool adapt_penalty() {
    if (++waited_ < wait_) return true;
    // both in (energy)^(1/2): r in N s over the root of rho, u = R (z+ - z) times it
    const Real factor_wanted = std::sqrt(std::sqrt(primal_ / dual_));
    if (!(factor_wanted > penalty_factor || factor_wanted < 1.0 / penalty_factor)) return true;
    const Real next = std::clamp(penalty_ * factor_wanted, least_penalty, largest_penalty);
    if (next == penalty_ || !std::isfinite(next)) return true;
    for (Real& x : w_) x *= penalty_ / next;
    penalty_ = next;
    waited_ = 0;
    wait_ = static_cast<Index>(std::ceil(wait_growth * static_cast<Real>(wait_)));
    return factor();
  }

  const LocalProblem& problem_;
  SolveProgress progress_;
  const std::vector<Real>& rho_;
  BlockLu lu_;
  std::vector<std::uint8_t> member_;  // unknowns of each block      [block_count()]
  std::vector<Real> entry_;           // of W + R
  std::vector<Real> r_, z_, w_, sum_;
  std::vector<Real> weight_;  // 1/rho of each unknown
  Real penalty_ = first_penalty;
  Real primal_ = 0.0, dual_ = 0.0;  // squared
  Index waited_ = 0, wait_ = first_wait;
};

}  // namespace

LocalSolveReport solve_admm(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse,
                            const LocalSolveOptions& options) {
  return Admm(problem, meter, impulse, options).run();
}

}  // namespace grus
