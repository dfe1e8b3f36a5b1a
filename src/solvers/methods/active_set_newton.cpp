#include "solvers/methods/active_set_newton.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/local_residual.hpp"

namespace grus {

ActiveSetNewton::ActiveSetNewton(const LocalProblem& problem, const std::vector<Real>& rho)
    : problem_(problem), rho_(rho) {
  const auto blocks = static_cast<std::size_t>(problem.block_count());
  member_.assign(blocks, 0);
  size_.resize(blocks);
  status_.resize(blocks);
  direction_.resize(2 * blocks);
  turning_.resize(blocks);
  reduced_.resize(problem.entry.size());
}

bool ActiveSetNewton::step(const std::vector<Real>& r, const std::vector<Real>& u, const std::vector<Real>& shift,
                           std::vector<Real>& target) {
  const Index dim = problem_.dimension;
  classify(r, u, target);
  if (unknowns_ == 0) return true;
  // velocities where open impulses are dropped and slipping ones lie on their rays
  change_.resize(r.size());
  velocity_.resize(r.size());
  for (std::size_t k = 0; k < r.size(); ++k) change_[k] = target[k] - r[k];
  apply_delassus(problem_, change_.data(), velocity_.data());
  for (std::size_t k = 0; k < r.size(); ++k)
    velocity_[k] += u[k] + shift[k / static_cast<std::size_t>(dim)] * change_[k];

  analyze_when_outgrown();
  assemble(shift);
  reduce_velocity(velocity_);
  if (!lu_.factor(size_, reduced_)) return false;
  lu_.solve(unknown_);
  expand_step(target);
  return std::all_of(target.begin(), target.end(), [](Real x) { return std::isfinite(x); });
}

void ActiveSetNewton::classify(const std::vector<Real>& r, const std::vector<Real>& u, std::vector<Real>& target) {
  const Index dim = problem_.dimension;
  target = r;
  unknowns_ = 0;
  for (Index i = 0; i < problem_.block_count(); ++i) {
    status_[i] = Status::fixed;
    size_[i] = 0;
    if (rho_[i] == 0.0) continue;
    if (i < problem_.contact_count) {
      classify_contact(i, r.data() + i * dim, u.data() + i * dim, target.data() + i * dim);
    } else {
      const Index row = i - problem_.contact_count;
      const Real z = r[i * dim] - rho_[i] * u[i * dim];
      if (z <= problem_.lower[row]) {
        target[i * dim] = problem_.lower[row];
      } else if (z >= problem_.upper[row]) {
        target[i * dim] = problem_.upper[row];
      } else {
        status_[i] = Status::free;
        size_[i] = 1;
      }
    }
    unknowns_ += size_[i];
  }
}

void ActiveSetNewton::classify_contact(Index i, const Real* r, const Real* u, Real* target) {
  const Index dim = problem_.dimension;
  const Real rho = rho_[i], mu = problem_.friction[i];
  const Real z_n = r[0] - rho * u[0], z_1 = r[1] - rho * u[1], z_2 = dim == 3 ? r[2] - rho * u[2] : 0.0;
  const Real length = std::sqrt(z_1 * z_1 + z_2 * z_2), radius = mu * z_n;
  if (!(z_n > 0.0)) {
    std::fill(target, target + dim, 0.0);
    return;
  }
  if (length <= radius) {
    status_[i] = Status::stick;
    size_[i] = static_cast<std::uint8_t>(dim);
    return;
  }
  status_[i] = Status::slip;
  const Real d_1 = z_1 / length, d_2 = z_2 / length;
  direction_[2 * i] = d_1;
  direction_[2 * i + 1] = d_2;
  target[1] = mu * r[0] * d_1;
  if (dim == 3) target[2] = mu * r[0] * d_2;
  // Without friction the direction means nothing, and the equation of turning would be divided by zero.
  const bool turns = dim == 3 && radius > 0.0;
  size_[i] = turns ? 2 : 1;
  const Real u_2 = dim == 3 ? u[2] : 0.0;
  turning_[i] = turns ? std::sqrt(u[1] * u[1] + u_2 * u_2) / radius : 0.0;
}

// The analysis serves every set of unknowns inside its members: all blocks, unless most are open. Then it grows with
// the set, and shrinks when most of it is not used.
void ActiveSetNewton::analyze_when_outgrown() {
  constexpr Index worth = 4;  // an analysis costs as much as one to four factorisations
  const Index blocks = problem_.block_count();
  Index active = 0;
  bool inside = true;
  for (Index i = 0; i < blocks; ++i) {
    active += size_[i] > 0;
    inside = inside && (size_[i] == 0 || member_[i]);
  }
  const bool shrink = worth * active < analyzed_count_;
  if (inside && !shrink) return;
  const bool all = worth * active >= blocks;
  analyzed_count_ = 0;
  for (Index i = 0; i < blocks; ++i) {
    member_[i] = size_[i] > 0 || (all && rho_[i] > 0.0) || (!shrink && member_[i]);
    analyzed_count_ += member_[i];
  }
  lu_.analyze(problem_, member_);
}

void ActiveSetNewton::assemble(const std::vector<Real>& shift) {
  const auto slots = static_cast<std::size_t>(problem_.dimension * problem_.dimension);
  for (Index i = 0; i < problem_.block_count(); ++i) {
    if (size_[i] == 0) continue;
    for (Index k = problem_.block_begin[i]; k < problem_.block_begin[i + 1]; ++k) {
      const Index j = problem_.column[k];
      if (size_[j] == 0) continue;
      const std::size_t place = static_cast<std::size_t>(k) * slots;
      assemble_block(i, j, problem_.entry.data() + place, i == j ? shift[i] : 0.0, reduced_.data() + place);
    }
  }
}

// Row i tested with N (and p, or all rows of a sticking contact), column j times the directions its impulse may take.
// shift: on the diagonal of the block.
void ActiveSetNewton::assemble_block(Index i, Index j, const Real* w, Real shift, Real* reduced) const {
  const Index dim = problem_.dimension;
  Real columns[9] = {};  // W_ij times the directions of j, dim x size_j
  const int rows_used = i < problem_.contact_count ? dim : 1, width = size_[j];
  const bool slip = status_[j] == Status::slip;
  for (int a = 0; a < rows_used; ++a) {
    const auto entry = [&](int b) { return b < dim ? w[a * dim + b] + (a == b ? shift : 0.0) : 0.0; };
    const Real m[3] = {entry(0), entry(1), entry(2)};
    if (slip) {
      const Real mu = problem_.friction[j], d_1 = direction_[2 * j], d_2 = direction_[2 * j + 1];
      columns[a * width] = m[0] + mu * (m[1] * d_1 + m[2] * d_2);
      if (width == 2) columns[a * width + 1] = m[2] * d_1 - m[1] * d_2;
    } else {
      std::copy_n(m, width, columns + a * width);
    }
  }
  if (status_[i] != Status::slip) {
    std::copy(columns, columns + size_[i] * width, reduced);
    return;
  }
  for (int b = 0; b < width; ++b) reduced[b] = columns[b];
  if (size_[i] < 2) return;
  const Real d_1 = direction_[2 * i], d_2 = direction_[2 * i + 1];
  for (int b = 0; b < width; ++b) reduced[width + b] = d_1 * columns[2 * width + b] - d_2 * columns[width + b];
  if (i == j) reduced[width + 1] += turning_[i];
}

void ActiveSetNewton::reduce_velocity(const std::vector<Real>& u) {
  const Index dim = problem_.dimension;
  unknown_.assign(u.size(), 0.0);
  for (Index i = 0; i < problem_.block_count(); ++i) {
    if (size_[i] == 0) continue;
    const Real* const from = u.data() + i * dim;
    Real* const to = unknown_.data() + i * dim;
    to[0] = -from[0];
    if (status_[i] == Status::stick) {
      for (Index a = 1; a < dim; ++a) to[a] = -from[a];
    } else if (size_[i] == 2) {
      to[1] = direction_[2 * i + 1] * from[1] - direction_[2 * i] * from[2];
    }
  }
}

void ActiveSetNewton::expand_step(std::vector<Real>& target) const {
  const Index dim = problem_.dimension;
  for (Index i = 0; i < problem_.block_count(); ++i) {
    if (size_[i] == 0) continue;
    const Real* const y = unknown_.data() + i * dim;
    Real* const r = target.data() + i * dim;
    r[0] += y[0];
    if (status_[i] == Status::stick) {
      for (Index a = 1; a < dim; ++a) r[a] += y[a];
    } else if (status_[i] == Status::slip) {
      const Real along = problem_.friction[i] * y[0], turn = size_[i] == 2 ? y[1] : 0.0;
      r[1] += along * direction_[2 * i] - turn * direction_[2 * i + 1];
      if (dim == 3) r[2] += along * direction_[2 * i + 1] + turn * direction_[2 * i];
    }
  }
}

}  // namespace grus
