#include "solvers/local_residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/cone.hpp"

namespace grus {
namespace {

template <int dim>
void apply_rows(const LocalProblem& problem, const Real* r, Real* y) {
  for (Index i = 0; i < problem.block_count(); ++i) {
    Real sum[dim] = {};
    for (Index k = problem.block_begin[i]; k < problem.block_begin[i + 1]; ++k) {
      const Real* const w = problem.entry.data() + static_cast<std::size_t>(k) * (dim * dim);
      const Real* const x = r + problem.column[k] * dim;
      for (int a = 0; a < dim; ++a)
        for (int b = 0; b < dim; ++b) sum[a] += w[a * dim + b] * x[b];
    }
    for (int a = 0; a < dim; ++a) y[i * dim + a] = sum[a];
  }
}

// Entries of a block, T2 = 0 in the plane and T = 0 of a scalar row.
Vec3 block_vector(const LocalProblem& problem, const Real* x) {
  return Vec3(x[0], x[1], problem.dimension == 3 ? x[2] : 0.0);
}

Real square(Real x) { return x * x; }

// Like max, but a NaN wins: std::max would drop it.
Real larger_or_nan(Real a, Real b) { return (a >= b || std::isnan(a)) ? a : b; }

// The slack of a scalar row that must be zero where u does not vanish: down to the lower bound for u > 0, up to the
// upper one for u < 0.
Real row_slack(const LocalProblem& problem, Index row, Real r, Real u) {
  if (u == 0.0) return 0.0;
  return std::abs(u > 0.0 ? r - problem.lower[row] : problem.upper[row] - r);
}

}  // namespace

Index diagonal_place(const LocalProblem& problem, Index i) {
  const auto begin = problem.column.begin();
  return static_cast<Index>(std::lower_bound(begin + problem.block_begin[i], begin + problem.block_begin[i + 1], i) -
                            begin);
}

Real block_rho(const LocalProblem& problem, Index i) {
  const Index dim = problem.dimension;
  const Real* const w =
      problem.entry.data() + static_cast<std::size_t>(diagonal_place(problem, i)) * static_cast<std::size_t>(dim * dim);
  if (i >= problem.contact_count) return w[0] == 0.0 ? 0.0 : 1.0 / w[0];
  Real trace = 0.0;
  for (Index a = 0; a < dim; ++a) trace += w[a * (dim + 1)];
  // A normal row that is zero up to rounding: no impulse can change the gap (contact_rho of delassus.hpp).
  constexpr Real negligible = 1e-24;
  if (w[0] <= negligible * std::abs(trace)) return 0.0;
  return static_cast<Real>(dim) / trace;
}

std::vector<Real> inverse_rho(const LocalProblem& problem, const std::vector<Real>& rho) {
  const Index dim = problem.dimension;
  std::vector<Real> weight(static_cast<std::size_t>(problem.unknown_count()));
  for (Index i = 0; i < problem.block_count(); ++i)
    std::fill_n(weight.begin() + i * dim, dim, rho[i] > 0.0 ? 1.0 / rho[i] : 0.0);
  return weight;
}

void apply_delassus(const LocalProblem& problem, const Real* r, Real* y) {
  if (problem.dimension == 3) return apply_rows<3>(problem, r, y);
  apply_rows<2>(problem, r, y);
}

void local_velocity(const LocalProblem& problem, const std::vector<Real>& impulse, std::vector<Real>& velocity) {
  velocity.resize(problem.q.size());
  apply_delassus(problem, impulse.data(), velocity.data());
  for (std::size_t k = 0; k < velocity.size(); ++k) velocity[k] += problem.q[k];
}

void project_block(const LocalProblem& problem, Index i, Real* z) {
  if (i >= problem.contact_count) {
    const Index row = i - problem.contact_count;
    z[0] = clamp_impulse(z[0], problem.lower[row], problem.upper[row]);
    return;
  }
  const Vec3 nearest = project_on_cone(block_vector(problem, z), problem.friction[i]);
  std::copy_n(nearest.data(), problem.dimension, z);
}

void project_impulses(const LocalProblem& problem, std::vector<Real>& impulse) {
  for (Index i = 0; i < problem.block_count(); ++i) project_block(problem, i, impulse.data() + i * problem.dimension);
}

void block_natural_map(const LocalProblem& problem, Index i, const Real* r, const Real* u, Real rho, Real* defect) {
  if (i >= problem.contact_count) {
    const Index row = i - problem.contact_count;
    std::fill_n(defect, problem.dimension, 0.0);
    defect[0] = row_natural_map(r[0], u[0], problem.lower[row], problem.upper[row], rho);
    return;
  }
  const Vec3 d = natural_map(block_vector(problem, r), block_vector(problem, u), problem.friction[i], rho);
  std::copy_n(d.data(), problem.dimension, defect);
}

LocalMeter::LocalMeter(const LocalProblem& problem, ErrorMeasure measure) : problem_(problem), measure_(measure) {
  const Index dim = problem.dimension;
  rho_.resize(static_cast<std::size_t>(problem.block_count()));
  for (Index i = 0; i < problem.block_count(); ++i) {
    rho_[i] = block_rho(problem, i);
    const Real* const q = problem.q.data() + i * dim;
    if (measure == ErrorMeasure::siconos) {
      for (Index a = 0; a < dim; ++a) free_scale_ += square(q[a]);
    } else if (rho_[i] != 0.0) {
      constexpr Real zero[3] = {};
      Real push[3] = {};
      block_natural_map(problem, i, zero, q, rho_[i], push);
      for (Index a = 0; a < dim; ++a) free_scale_ += square(push[a]) * weight(i);
    }
  }
}

Real LocalMeter::error(const std::vector<Real>& impulse) {
  local_velocity(problem_, impulse, velocity_);
  return error(impulse, velocity_);
}

Real LocalMeter::error(const std::vector<Real>& impulse, const std::vector<Real>& velocity) const {
  const Index dim = problem_.dimension;
  const bool siconos = measure_ == ErrorMeasure::siconos;
  Real defect2 = 0.0, impulse2 = 0.0, velocity2 = 0.0;
  for (Index i = 0; i < problem_.block_count(); ++i) {
    const Real rho = siconos ? 1.0 : rho_[i];
    if (rho == 0.0) continue;
    const Real* const r = impulse.data() + i * dim;
    const Real* const u = velocity.data() + i * dim;
    Real defect[3] = {};
    block_natural_map(problem_, i, r, u, rho, defect);
    Real d2 = 0.0, r2 = 0.0, u2 = 0.0, q2 = 0.0;
    for (Index a = 0; a < dim; ++a) {
      d2 += square(defect[a]);
      r2 += square(r[a]);
      u2 += square(u[a]);
      q2 += square(problem_.q[i * dim + a]);
    }
    velocity2 += u2;
    impulse2 += siconos ? r2 : r2 * weight(i);
    defect2 += siconos ? d2
                       : square(beyond_rounding(std::sqrt(d2), std::sqrt(r2), rho * (std::sqrt(u2) + std::sqrt(q2)))) *
                             weight(i);
  }
  Real scale2 = larger_or_nan(impulse2, free_scale_);
  // an infinite q would divide every error away, or be taken for a gap that never closes
  if (std::isinf(scale2) || std::isinf(velocity2)) return std::numeric_limits<Real>::quiet_NaN();
  if (!siconos) return scale2 == 0.0 ? std::sqrt(defect2) : std::sqrt(defect2 / scale2);
  scale2 = larger_or_nan(scale2, velocity2);
  const Real scale = std::sqrt(scale2);
  return scale < std::numeric_limits<Real>::epsilon() ? std::sqrt(defect2) : std::sqrt(defect2) / scale;
}

LocalViolations local_violations(const LocalProblem& problem, const std::vector<Real>& impulse) {
  const Index dim = problem.dimension;
  std::vector<Real> velocity;
  local_velocity(problem, impulse, velocity);
  LocalViolations worst;
  for (Index i = 0; i < problem.block_count(); ++i) {
    const Vec3 r = block_vector(problem, impulse.data() + i * dim),
               u = block_vector(problem, velocity.data() + i * dim);
    Vec3 nearest = r;
    project_block(problem, i, nearest.data());
    worst.cone = larger_or_nan(worst.cone, (nearest - r).norm());
    Real product = 0.0, approach = 0.0;
    if (i < problem.contact_count) {
      product = std::abs(r.dot(u) + r[0] * problem.friction[i] * tangential_norm(u));
      approach = u[0] >= 0.0 ? 0.0 : -u[0];
    } else {
      const Index row = i - problem.contact_count;
      const Real slack = row_slack(problem, row, r[0], u[0]);
      // a bilateral row has no bound to reach: all of its velocity is wrong
      product = std::isinf(slack) ? std::abs(u[0] * r[0]) : std::abs(u[0]) * slack;
      approach = r[0] > problem.lower[row] && r[0] < problem.upper[row] ? std::abs(u[0]) : 0.0;
    }
    worst.complementarity = larger_or_nan(worst.complementarity, product);
    worst.velocity = larger_or_nan(worst.velocity, approach);
  }
  return worst;
}

}  // namespace grus
