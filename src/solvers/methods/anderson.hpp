// Anderson acceleration of a fixed-point iteration x -> g(x) (Anderson 1965; type II in Walker and Ni 2011):
//
//   f_k = g(x_k) - x_k,   gamma = argmin ||f_k - dF gamma||,   x_(k+1) = g(x_k) - dG gamma
//
// dF, dG: the differences of the last `window` steps. The norm is weighted as in the residual. The normal equations are
// lifted by a little of their trace: redundant contacts make the differences nearly dependent.
//
// Contact problems are not smooth: when the active set changes the old differences mislead. When a step's ||f|| exceeds
// the least one since the last restart by `growth_limit` (squared norms), or none falls below it for `patience` steps,
// the differences are thrown away. A run between two restarts that ends higher than it began is paid for with plain
// steps, 1, 3, 7, ... for every such run in turn: where mixing cannot work the iteration becomes the plain one.
#pragma once

#include <Eigen/Cholesky>
#include <limits>
#include <vector>

#include "core/types.hpp"

namespace grus {

class Anderson {
 public:
  static constexpr int window = 8;

  // weight: of each entry, kept by the caller.
  explicit Anderson(const std::vector<Real>& weight)
      : weight_(Eigen::Map<const Eigen::VectorXd>(weight.data(), static_cast<Eigen::Index>(weight.size()))),
        start_(weight_.size()),
        value_(weight_.size()),
        defect_(weight_.size()),
        d_value_(weight_.size(), window),
        d_defect_(weight_.size(), window) {}

  // From now on x counts as the start of the next evaluation, and nothing is known of the past.
  void restart(const Real* x) {
    start_ = Eigen::Map<const Eigen::VectorXd>(x, start_.size());
    forget();
  }

  // g: in, the value at the last start; out, the next start. False when it restarted: then that is g itself.
  bool next(Real* g, Real squared_defect) {
    Eigen::Map<Eigen::VectorXd> x(g, start_.size());
    if (plain_ > 0) {
      --plain_;
      start_ = x;
      return false;
    }
    if (!has_last_) first_ = squared_defect;
    if (!(squared_defect <= growth_limit * least_) || ++since_least_ > patience) {
      penalty_ = squared_defect < first_ ? 0 : std::min(most_penalty, 2 * penalty_ + 1);
      plain_ = penalty_;
      forget();
      start_ = x;
      return false;
    }
    if (squared_defect < least_) {
      least_ = squared_defect;
      since_least_ = 0;
    }
    remember(x);
    if (count_ > 0) mix(x);
    start_ = x;
    return true;
  }

 private:
  // Between 2 and 10 the sweeps change by a tenth either way on the problems of docs/solvers/acceleration.md.
  static constexpr Real growth_limit = 4.0;
  static constexpr int patience = 4 * window;  // steps without a new least one
  static constexpr int most_penalty = 1 << 20;
  static constexpr Real lift = 1e-12;  // of the trace of the normal equations

  using Small = Eigen::Matrix<Real, Eigen::Dynamic, 1, 0, window, 1>;
  using Normal = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, 0, window, window>;

  void forget() {
    count_ = slot_ = since_least_ = 0;
    has_last_ = false;
    least_ = std::numeric_limits<Real>::infinity();
  }

  template <class X>
  void remember(const X& g) {
    if (has_last_) {
      d_value_.col(slot_) = g - value_;
      d_defect_.col(slot_) = (g - start_) - defect_;
      if (count_ < window) ++count_;
      start_ = weight_.cwiseProduct(d_defect_.col(slot_));  // start_ is free from here on
      const Small products = d_defect_.leftCols(count_).transpose() * start_;
      // defect . dF_k grows by the product of the newest difference with dF_k
      rhs_.head(count_) += products;
      rhs_[slot_] = start_.dot(defect_) + products[slot_];
      normal_.col(slot_).head(count_) = products;
      normal_.row(slot_).head(count_) = products.transpose();
      defect_ += d_defect_.col(slot_);
      slot_ = (slot_ + 1) % window;
    } else {
      defect_ = g - start_;
      has_last_ = true;
    }
    value_ = g;
  }

  template <class X>
  void mix(X& x) const {
    Normal a = normal_.topLeftCorner(count_, count_);
    a.diagonal().array() += lift * a.trace();
    const Small gamma = a.ldlt().solve(rhs_.head(count_));
    if (gamma.allFinite()) x.noalias() -= d_value_.leftCols(count_) * gamma;
  }

  Eigen::Map<const Eigen::VectorXd> weight_;
  Eigen::VectorXd start_, value_, defect_;
  Eigen::MatrixXd d_value_, d_defect_;  // column k: difference k
  Eigen::Matrix<Real, window, window> normal_;
  Eigen::Matrix<Real, window, 1> rhs_;
  int count_ = 0, slot_ = 0, since_least_ = 0;
  int plain_ = 0, penalty_ = 0;  // plain steps still to come; those of the last restart
  Real first_ = 0.0;             // squared defect at the beginning of this run
  bool has_last_ = false;
  Real least_ = std::numeric_limits<Real>::infinity();
};

}  // namespace grus
