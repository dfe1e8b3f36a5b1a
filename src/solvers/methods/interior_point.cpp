#include "solvers/methods/interior_point.hpp"

#include <array>
#include <cmath>

#include "solvers/methods/block_lu.hpp"
#include "solvers/methods/proximal_newton.hpp"
#include "solvers/methods/solve_progress.hpp"

namespace grus {
namespace {

using Triple = std::array<Real, 3>;

Real lorentz(const Triple& x) { return x[0] * x[0] - x[1] * x[1] - x[2] * x[2]; }
Real dot(const Triple& x, const Triple& y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

// The scaling of Nesterov and Todd: y = H x, H = eta (2 w w^T - J) = eta G^2, G = 2 a a^T - J. The root of H brings x
// and y to one point; that of eta would round differently after a change of units, and is not needed.
struct Scaling {
  Triple w, a;
  Real eta;

  // of x and y inside Lorentz' cone; rounding may put them on its surface
  Scaling(const Triple& x, const Triple& y) {
    const Real x_size = std::sqrt(std::max(lorentz(x), 1e-32 * x[0] * x[0]));
    const Real y_size = std::sqrt(std::max(lorentz(y), 1e-32 * y[0] * y[0]));
    const Real half = 1.0 / (2.0 * std::sqrt(0.5 * (1.0 + dot(x, y) / (x_size * y_size))));
    eta = y_size / x_size;
    w = {half * (y[0] / y_size + x[0] / x_size), half * (y[1] / y_size - x[1] / x_size),
         half * (y[2] / y_size - x[2] / x_size)};
    const Real length = 1.0 / std::sqrt(2.0 * (w[0] + 1.0));
    a = {length * (w[0] + 1.0), length * w[1], length * w[2]};
  }

  Triple apply(const Triple& z) const { return reflect(a, z); }                             // G z
  Triple apply_inverse(const Triple& z) const { return reflect({a[0], -a[1], -a[2]}, z); }  // G^-1 z

 private:
  // (2 b b^T - J) z
  static Triple reflect(const Triple& b, const Triple& z) {
    const Real p = 2.0 * dot(b, z);
    return {p * b[0] - z[0], p * b[1] + z[1], p * b[2] + z[2]};
  }
};

// G (l o)^-1 (G dx o G^-1 dy), l = G x: by how much y misses x o y = t e after the steps dx and dy, to second order.
// The root of eta cancels.
Triple second_order(const Triple& x, const Triple& y, const Triple& dx, const Triple& dy) {
  const Scaling scaling(x, y);
  const Triple l = scaling.apply(x), p = scaling.apply(dx), q = scaling.apply_inverse(dy);
  const Triple c{dot(p, q), p[0] * q[1] + q[0] * p[1], p[0] * q[2] + q[0] * p[2]};
  const Real first = (l[0] * c[0] - l[1] * c[1] - l[2] * c[2]) / lorentz(l);
  return scaling.apply({first, (c[1] - first * l[1]) / l[0], (c[2] - first * l[2]) / l[0]});
}

// The longest t <= limit with x + t d in Lorentz' cone, x inside it.
Real longest_step(const Triple& x, const Triple& d, Real limit) {
  const Real a = lorentz(d), c = lorentz(x), b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
  // a t^2 + 2 b t + c = 0
  Real t = limit;
  const Real root = b * b - a * c;
  if (std::abs(a) <= 1e-16 * d[0] * d[0]) {
    if (b < 0.0) t = std::min(t, -0.5 * c / b);
  } else if (root >= 0.0) {
    // the smaller positive root, without cancellation
    const Real sum = -b - std::copysign(std::sqrt(root), b);
    for (const Real candidate : {sum / a, sum != 0.0 ? c / sum : limit})
      if (candidate > 0.0) t = std::min(t, candidate);
  }
  if (d[0] < 0.0) t = std::min(t, -x[0] / d[0]);
  return t;
}

class InteriorPoint {
 public:
  InteriorPoint(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse,
                const LocalSolveOptions& options)
      : problem_(problem),
        progress_(meter, impulse, options),
        rho_(progress_.rho()),
        dim_(static_cast<std::size_t>(problem.dimension)),
        r_(impulse) {}

  LocalSolveReport run() {
    if (progress_.finished()) return progress_.report();
    choose_sizes();
    lu_.analyze(problem_, size_);
    start();
    Index last_gain = 0;
    Real last_length = 1.0, least_gap = gap(), gained = progress_.least_error();
    const Real smallest_gap = rounding * least_gap;
    while (!progress_.finished() && progress_.iterations() - last_gain < most_idle_iterations) {
      progress_.count_iteration();
      if (!newton_matrix()) break;
      miss_.assign(rho_.size(), {});
      direction(0.0);
      const Real affine = step_length();
      foresee_miss();
      const Real centring = last_length < poor_step ? most_centring : (1.0 - affine) * (1.0 - affine);
      direction(std::clamp(centring, least_centring, most_centring) * gap());
      const Real length = last_length = to_boundary * step_length();
      if (!std::isfinite(length)) break;
      move(length);
      rounded_ = r_;
      project_impulses(problem_, rounded_);
      if (!std::isfinite(progress_.measure(rounded_))) break;
      // either of them: in unlucky units the error stays large until the end, and the gap may grow at first
      const bool gap_fell = gap() < 0.5 * least_gap && least_gap > smallest_gap;
      if (gap_fell || progress_.least_error() < 0.5 * gained) {
        least_gap = std::min(least_gap, gap());
        gained = progress_.least_error();
        last_gain = progress_.iterations();
      }
    }
    return progress_.report();
  }

 private:
  static constexpr Real to_boundary = 0.99;  // of the longest step
  static constexpr Real least_centring = 1e-3, most_centring = 0.9;
  static constexpr Real poor_step = 0.2;  // after a shorter one the next goes to the middle of the cones
  // Without halving the gap or the error, the gap not yet this part of the first: rounding has the word.
  static constexpr Index most_idle_iterations = 12;
  static constexpr Real rounding = 1e-20;
  // Of 1/rho, added to the diagonal: where W is singular H tends to zero and would leave nothing to divide by.
  static constexpr Real lift = 1e-13;

  bool is_contact(std::size_t i) const { return i < static_cast<std::size_t>(problem_.contact_count); }
  Real lower(std::size_t i) const { return problem_.lower[i - static_cast<std::size_t>(problem_.contact_count)]; }
  Real upper(std::size_t i) const { return problem_.upper[i - static_cast<std::size_t>(problem_.contact_count)]; }

  // A frictionless contact has its normal impulse alone; a row between equal bounds nothing.
  void choose_sizes() {
    size_.resize(rho_.size());
    cones_ = 0.0;
    for (std::size_t i = 0; i < rho_.size(); ++i) {
      if (rho_[i] == 0.0) {
        size_[i] = 0;
      } else if (is_contact(i)) {
        size_[i] = static_cast<std::uint8_t>(problem_.friction[i] > 0.0 ? dim_ : 1);
        cones_ += 1.0;
      } else {
        size_[i] = lower(i) < upper(i) ? 1 : 0;
        cones_ += size_[i] * (std::isfinite(lower(i)) + std::isfinite(upper(i)));
      }
    }
  }

  // On the axes of the cones, velocities of the size of q and impulses of the size that stops one contact.
  void start() {
    Real sum = 0.0;
    for (std::size_t j = 0; j < problem_.q.size(); ++j) sum += problem_.q[j] * problem_.q[j];
    const Real speed = std::sqrt(sum / static_cast<Real>(problem_.q.size()));
    v_.assign(r_.size(), 0.0);
    low_.assign(rho_.size(), 0.0);
    high_.assign(rho_.size(), 0.0);
    for (std::size_t i = 0; i < rho_.size(); ++i) {
      if (size_[i] == 0) continue;
      const std::size_t at = i * dim_;
      const Real impulse = rho_[i] * speed;
      if (is_contact(i)) {
        std::fill(r_.begin() + static_cast<std::ptrdiff_t>(at), r_.begin() + static_cast<std::ptrdiff_t>(at + dim_),
                  0.0);
        r_[at] = impulse;
        v_[at] = speed;
      } else {
        const Real a = lower(i), b = upper(i);
        r_[at] = std::isfinite(a) ? (std::isfinite(b) ? 0.5 * (a + b) : a + impulse)
                                  : (std::isfinite(b) ? b - impulse : 0.0);
        low_[i] = std::isfinite(a) ? speed : 0.0;
        high_[i] = std::isfinite(b) ? speed : 0.0;
      }
    }
    dr_.assign(r_.size(), 0.0);
    dv_.assign(r_.size(), 0.0);
    entry_.resize(problem_.entry.size());
    scaling_.resize(rho_.size());
    residual_.resize(r_.size());
  }

  // x and y of a contact; of a frictionless one (r_N, v_N).
  Triple primal(std::size_t i, const std::vector<Real>& r) const { return triple(i, r, problem_.friction[i]); }
  Triple dual(std::size_t i, const std::vector<Real>& v) const { return triple(i, v, 1.0 / problem_.friction[i]); }
  Triple triple(std::size_t i, const std::vector<Real>& z, Real factor) const {
    const Real* const at = z.data() + i * dim_;
    if (size_[i] == 1) return {at[0], 0.0, 0.0};
    return {factor * at[0], at[1], dim_ == 3 ? at[2] : 0.0};
  }

  Real gap() const {
    Real sum = 0.0;
    for (std::size_t i = 0; i < rho_.size(); ++i) {
      if (size_[i] == 0) continue;
      if (is_contact(i)) {
        for (std::size_t a = 0; a < size_[i]; ++a) sum += r_[i * dim_ + a] * v_[i * dim_ + a];
      } else {
        if (low_[i] > 0.0) sum += low_[i] * (r_[i * dim_] - lower(i));
        if (high_[i] > 0.0) sum += high_[i] * (upper(i) - r_[i * dim_]);
      }
    }
    return cones_ > 0.0 ? sum / cones_ : 0.0;
  }

  // H of Nesterov and Todd.
  static void scaling_matrix(const Triple& x, const Triple& y, Real* h) {
    const Scaling scaling(x, y);
    const Triple& w = scaling.w;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        h[3 * a + b] = scaling.eta * (2.0 * w[a] * w[b] - (a == b ? (a == 0 ? 1.0 : -1.0) : 0.0));
  }

  bool newton_matrix() {
    for (std::size_t i = 0; i < rho_.size(); ++i) {
      if (size_[i] == 0) continue;
      scaling_[i].fill(0.0);
      if (!is_contact(i)) {
        const Real r = r_[i * dim_];
        if (low_[i] > 0.0) scaling_[i][0] += low_[i] / (r - lower(i));
        if (high_[i] > 0.0) scaling_[i][0] += high_[i] / (upper(i) - r);
      } else if (size_[i] == 1) {
        scaling_[i][0] = v_[i * dim_] / r_[i * dim_];
      } else {
        scaling_matrix(primal(i, r_), dual(i, v_), scaling_[i].data());
      }
    }
    for (Index i = 0; i < problem_.block_count(); ++i) {
      if (size_[i] == 0) continue;
      for (Index k = problem_.block_begin[i]; k < problem_.block_begin[i + 1]; ++k)
        if (size_[problem_.column[k]] > 0)
          newton_block(static_cast<std::size_t>(i), static_cast<std::size_t>(problem_.column[k]),
                       static_cast<std::size_t>(k));
    }
    return lu_.factor(size_, entry_);
  }

  // S^-1 W_ij, on the diagonal with T H T.
  void newton_block(std::size_t i, std::size_t j, std::size_t place) {
    const Real* const w = problem_.entry.data() + place * dim_ * dim_;
    Real* const m = entry_.data() + place * dim_ * dim_;
    const std::size_t rows = size_[i], columns = size_[j];
    for (std::size_t a = 0; a < rows; ++a)
      for (std::size_t b = 0; b < columns; ++b) m[a * columns + b] = w[a * dim_ + b];
    const Triple d = sliding(i);
    for (std::size_t a = 1; a < rows; ++a)
      for (std::size_t b = 0; b < columns; ++b) m[b] += d[a] * m[a * columns + b];
    if (i != j) return;
    const Real mu = is_contact(i) && rows > 1 ? problem_.friction[i] : 1.0;
    for (std::size_t a = 0; a < rows; ++a)
      for (std::size_t b = 0; b < rows; ++b)
        m[a * rows + b] += (a == 0 ? mu : 1.0) * (b == 0 ? mu : 1.0) * scaling_[i][3 * a + b];
    for (std::size_t a = 0; a < rows; ++a) m[a * (rows + 1)] += lift / rho_[i];
  }

  // mu v_T/||v_T||, of a contact with friction; else zero.
  Triple sliding(std::size_t i) const {
    if (!is_contact(i) || size_[i] == 1) return {};
    const Real v_1 = v_[i * dim_ + 1], v_2 = dim_ == 3 ? v_[i * dim_ + 2] : 0.0;
    const Real length = std::sqrt(v_1 * v_1 + v_2 * v_2);
    if (length == 0.0) return {};
    return {0.0, problem_.friction[i] * v_1 / length, problem_.friction[i] * v_2 / length};
  }

  // dr, dv and the multipliers of rows towards x o y = target e.
  void direction(Real target) {
    local_velocity(problem_, r_, residual_);
    for (std::size_t i = 0; i < rho_.size(); ++i) {
      const std::size_t at = i * dim_;
      for (std::size_t a = 0; a < dim_; ++a) dr_[at + a] = 0.0;
      if (size_[i] == 0) continue;
      if (!is_contact(i)) {
        Real pull = 0.0;  // towards the central path
        if (low_[i] > 0.0) pull += (target - miss_[i][0]) / (r_[at] - lower(i));
        if (high_[i] > 0.0) pull -= (target - miss_[i][1]) / (upper(i) - r_[at]);
        dr_[at] = -residual_[at] + pull;
        continue;
      }
      const Triple d = sliding(i);
      Real residual[3] = {};
      for (std::size_t a = 0; a < size_[i]; ++a) residual[a] = residual_[at + a] - v_[at + a];
      residual[0] += d[1] * v_[at + 1] + (dim_ == 3 ? d[2] * v_[at + 2] : 0.0);      // s
      for (std::size_t a = 1; a < size_[i]; ++a) residual[0] += d[a] * residual[a];  // S^-1
      const Triple pull = central_pull(i, target);
      for (std::size_t a = 0; a < size_[i]; ++a) dr_[at + a] = pull[a] - residual[a];
    }
    lu_.solve(dr_);
    for (std::size_t i = 0; i < static_cast<std::size_t>(problem_.contact_count); ++i) {
      if (size_[i] == 0) continue;
      const Real mu = size_[i] > 1 ? problem_.friction[i] : 1.0;
      const Triple pull = central_pull(i, target);
      for (std::size_t a = 0; a < size_[i]; ++a) {
        Real sum = 0.0;
        for (std::size_t b = 0; b < size_[i]; ++b)
          sum += scaling_[i][3 * a + b] * (b == 0 ? mu : 1.0) * dr_[i * dim_ + b];
        dv_[i * dim_ + a] = pull[a] - (a == 0 ? mu : 1.0) * sum;
      }
    }
    target_ = target;
  }

  // What the products of the affine direction add to x o y (Mehrotra 1992): the second direction makes up for it.
  void foresee_miss() {
    for (std::size_t i = 0; i < rho_.size(); ++i) {
      if (size_[i] == 0) continue;
      const std::size_t at = i * dim_;
      if (!is_contact(i)) {
        miss_[i] = {low_[i] > 0.0 ? change_low(i) * dr_[at] : 0.0, high_[i] > 0.0 ? -change_high(i) * dr_[at] : 0.0,
                    0.0};
      } else if (size_[i] == 1) {
        miss_[i] = {dr_[at] * dv_[at] / r_[at], 0.0, 0.0};
      } else {
        miss_[i] = second_order(primal(i, r_), dual(i, v_), primal(i, dr_), dual(i, dv_));
        miss_[i][0] *= problem_.friction[i];
      }
    }
  }

  // T (target x^-1 - y - miss)
  Triple central_pull(std::size_t i, Real target) const {
    const Real* const v = v_.data() + i * dim_;
    const Triple& miss = miss_[i];
    if (size_[i] == 1) return {target / r_[i * dim_] - v[0] - miss[0], 0.0, 0.0};
    const Triple x = primal(i, r_);
    const Real factor = target / lorentz(x);
    return {problem_.friction[i] * factor * x[0] - v[0] - miss[0], -factor * x[1] - v[1] - miss[1],
            dim_ == 3 ? -factor * x[2] - v[2] - miss[2] : 0.0};
  }

  // Changes of the multipliers of a row.
  Real change_low(std::size_t i) const {
    const Real slack = r_[i * dim_] - lower(i);
    return (target_ - miss_[i][0] - low_[i] * dr_[i * dim_]) / slack - low_[i];
  }
  Real change_high(std::size_t i) const {
    const Real slack = upper(i) - r_[i * dim_];
    return (target_ - miss_[i][1] + high_[i] * dr_[i * dim_]) / slack - high_[i];
  }

  Real step_length() const {
    Real t = 1.0;
    const auto positive = [&](Real x, Real d) {
      if (d < 0.0) t = std::min(t, -x / d);
    };
    for (std::size_t i = 0; i < rho_.size(); ++i) {
      if (size_[i] == 0) continue;
      const std::size_t at = i * dim_;
      if (!is_contact(i)) {
        if (low_[i] > 0.0) positive(r_[at] - lower(i), dr_[at]), positive(low_[i], change_low(i));
        if (high_[i] > 0.0) positive(upper(i) - r_[at], -dr_[at]), positive(high_[i], change_high(i));
      } else if (size_[i] == 1) {
        positive(r_[at], dr_[at]);
        positive(v_[at], dv_[at]);
      } else {
        t = longest_step(primal(i, r_), primal(i, dr_), t);
        t = longest_step(dual(i, v_), dual(i, dv_), t);
      }
    }
    return t;
  }

  void move(Real length) {
    for (std::size_t i = 0; i < rho_.size(); ++i) {
      if (size_[i] == 0 || is_contact(i)) continue;
      const Real low = low_[i] > 0.0 ? change_low(i) : 0.0, high = high_[i] > 0.0 ? change_high(i) : 0.0;
      low_[i] += length * low;
      high_[i] += length * high;
    }
    for (std::size_t j = 0; j < r_.size(); ++j) {
      r_[j] += length * dr_[j];
      v_[j] += length * dv_[j];
    }
  }

  const LocalProblem& problem_;
  SolveProgress progress_;
  const std::vector<Real>& rho_;
  std::size_t dim_;
  BlockLu lu_;
  std::vector<std::uint8_t> size_;  // unknowns of each block        [block_count()]
  std::vector<Real> r_, v_, dr_, dv_, residual_, rounded_;
  std::vector<Real> low_, high_;              // multipliers of rows, 0 without a bound   [block_count()]
  std::vector<std::array<Real, 9>> scaling_;  // H of each block
  std::vector<Triple> miss_;                  // T times the correction of second order; of a row, of its two slacks
  std::vector<Real> entry_;
  Real cones_ = 0.0, target_ = 0.0;
};

}  // namespace

LocalSolveReport solve_interior_point(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse,
                                      const LocalSolveOptions& options) {
  // Where the method ends before the tolerance the active set is known, nearly always; Newton's method takes it over.
  constexpr Real active_set_known = 1e-3;
  LocalSolveReport report = InteriorPoint(problem, meter, impulse, options).run();
  LocalSolveOptions rest = options;
  rest.max_iterations -= report.iterations;
  if (report.converged || rest.max_iterations <= 0 || !(report.error <= active_set_known)) return report;
  LocalSolveReport last = solve_proximal_newton(problem, meter, impulse, rest, {.warm_up_sweeps = 0});
  last.iterations += report.iterations;
  return last;
}

}  // namespace grus
