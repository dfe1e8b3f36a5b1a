// Quality of impulses of a problem in local form, measured outside the solvers: u = W r + q recomputed, then
//
//   scaled map   rho_i = dim/tr W_ii (1/w of a scalar row),  d_i = r_i - P_i(r_i - rho_i (u_i + mu ||u_T|| e_N))
//                error = sqrt(sum ||d_i||^2/rho_i) / sqrt(max(sum ||r_i||^2/rho_i, sum ||d_i(0)||^2/rho_i))
//                as residual.hpp, free of units; d_i(0) is the map at zero impulse
//   siconos      rho_i = 1,  error = sqrt(sum ||d_i||^2) / max(||q||, ||r||, ||u||), undivided when that maximum is
//                below the machine epsilon; the definition of the published numbers (Acary et al. 2018, section 13.5)
//
// P_i is the projection on the cone, or on [lower, upper] of a scalar row (no De Saxce term there). A block that no
// impulse can influence (rho = 0) is left out of the scaled map. NaN anywhere gives NaN, never a small number.
#pragma once

#include <cmath>

#include "solvers/local_problem.hpp"
#include "solvers/local_solve.hpp"

namespace grus {

// Place of the block (i, i) in `column`, by bisection.
Index diagonal_place(const LocalProblem& problem, Index i);
// kg (kg m2 for a row of an angle); 0 for a block that no impulse can influence, by the rule of delassus.hpp.
Real block_rho(const LocalProblem& problem, Index i);

// The weights that make ||r||^2 of the natural map an energy: 1/rho of each unknown, 0 where no impulse counts. `rho`:
// of each block.
std::vector<Real> inverse_rho(const LocalProblem& problem, const std::vector<Real>& rho);

// y = W r, or W r + q.
void apply_delassus(const LocalProblem& problem, const Real* r, Real* y);
void local_velocity(const LocalProblem& problem, const std::vector<Real>& impulse, std::vector<Real>& velocity);

// z (dimension entries) to the nearest point of the set of block i.
void project_block(const LocalProblem& problem, Index i, Real* z);
// Every block, so that impulses lie inside their cones and bounds.
void project_impulses(const LocalProblem& problem, std::vector<Real>& impulse);
// ||v_T|| of the vector of a contact.
inline Real tangential_norm(const LocalProblem& problem, const Real* v) {
  return problem.dimension == 3 ? std::sqrt(v[1] * v[1] + v[2] * v[2]) : std::abs(v[1]);
}
// mu ||v_T|| of a contact, which De Saxce adds to its normal velocity; 0 of a scalar row.
inline Real saxce_shift(const LocalProblem& problem, Index i, const Real* v) {
  return i < problem.contact_count ? problem.friction[i] * tangential_norm(problem, v) : 0.0;
}
// d_i for a given rho; `defect` has dimension entries.
void block_natural_map(const LocalProblem& problem, Index i, const Real* r, const Real* u, Real rho, Real* defect);

// The error of impulses of one problem by one measure. Keeps what depends on the problem alone.
class LocalMeter {
 public:
  LocalMeter(const LocalProblem& problem, ErrorMeasure measure);

  // Recomputes u.
  Real error(const std::vector<Real>& impulse);
  // For given u = W r + q.
  Real error(const std::vector<Real>& impulse, const std::vector<Real>& velocity) const;

  // u of the last impulses measured.
  const std::vector<Real>& velocity() const { return velocity_; }
  // rho of each block as in the scaled map, whatever the measure   [block_count()]
  const std::vector<Real>& rho() const { return rho_; }

 private:
  // 1/kg, that squares of impulses of block i count with in the scaled map.
  Real weight(Index i) const {
    const Index row = i - problem_.contact_count;
    return row < 0 || problem_.row_weight.empty() ? 1.0 / rho_[i] : problem_.row_weight[row];
  }

  const LocalProblem& problem_;
  ErrorMeasure measure_;
  std::vector<Real> rho_;
  std::vector<Real> velocity_;
  Real free_scale_ = 0.0;  // sum ||d(0)||^2/rho, or ||q||^2
};

// What is wrong, in physical units, worst over contacts and rows.
struct LocalViolations {
  Real complementarity = 0.0;  // J: |r . (u + mu ||u_T|| e_N)|; of a row |u| times the distance to the bound it needs
  Real cone = 0.0;             // N s: distance from the cone, or from the bounds
  Real velocity = 0.0;         // m/s: approach -u_N left at a contact; of a row inside its bounds |u|
};
LocalViolations local_violations(const LocalProblem& problem, const std::vector<Real>& impulse);

}  // namespace grus
