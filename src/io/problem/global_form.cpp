#include "io/problem/global_form.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

namespace grus {
namespace {

using DenseMatrix = Eigen::MatrixXd;
using SparseMatrix = Eigen::SparseMatrix<Real>;

// Larger groups are factored as sparse matrices. A dense factor of this size takes a hundredth of a second.
constexpr Index most_dense = 300;
// Columns solved at once: the working memory of a large group.
constexpr Index column_batch = 64;
// Entries of W: each takes 16 bytes on its way to the problem.
constexpr std::size_t most_entries = std::size_t{1} << 29;

SparseMatrix sparse_of(const MatrixEntries& entries) {
  std::vector<Eigen::Triplet<Real>> triplets;
  triplets.reserve(entries.count());
  for (std::size_t k = 0; k < entries.count(); ++k)
    triplets.emplace_back(entries.row[k], entries.column[k], entries.value[k]);
  SparseMatrix matrix(entries.rows, entries.columns);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

// Number of the group of each velocity; groups are numbered by their first velocity.
std::vector<Index> group_velocities(const MatrixEntries& mass, Index& group_count) {
  std::vector<Index> parent(static_cast<std::size_t>(mass.rows));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](Index v) {
    while (parent[static_cast<std::size_t>(v)] != v) {
      Index& up = parent[static_cast<std::size_t>(v)];
      up = parent[static_cast<std::size_t>(up)];
      v = up;
    }
    return v;
  };
  for (std::size_t k = 0; k < mass.count(); ++k) {
    const Index a = root(mass.row[k]), b = root(mass.column[k]);
    parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  // A root is the smallest of its group, so it is numbered before the others ask for it.
  std::vector<Index> group(parent.size());
  group_count = 0;
  for (Index v = 0; v < mass.rows; ++v) {
    const Index top = root(v);
    group[static_cast<std::size_t>(v)] = top == v ? group_count++ : group[static_cast<std::size_t>(top)];
  }
  return group;
}

// M^-1 of one group. Symmetric matrices are factored as such, so that W comes out symmetric to rounding.
class GroupFactor {
 public:
  // False when the matrix is singular.
  bool factor(const SparseMatrix& mass) {
    symmetric_ = (mass - SparseMatrix(mass.transpose())).norm() == 0.0;
    dense_ = mass.rows() <= most_dense;
    if (dense_) {
      const DenseMatrix full(mass);
      if (symmetric_) dense_symmetric_.compute(full);
      definite_ = symmetric_ && dense_symmetric_.info() == Eigen::Success;
      if (!definite_) dense_general_.compute(full);
      return definite_ || dense_general_.isInvertible();
    }
    if (symmetric_) sparse_symmetric_.compute(mass);
    definite_ = symmetric_ && sparse_symmetric_.info() == Eigen::Success;
    if (!definite_) sparse_general_.compute(mass);
    return definite_ || sparse_general_.info() == Eigen::Success;
  }
  DenseMatrix solve(const DenseMatrix& right) const {
    if (dense_)
      return definite_ ? DenseMatrix(dense_symmetric_.solve(right)) : DenseMatrix(dense_general_.solve(right));
    return definite_ ? DenseMatrix(sparse_symmetric_.solve(right)) : DenseMatrix(sparse_general_.solve(right));
  }

 private:
  bool symmetric_ = false, definite_ = false, dense_ = false;
  Eigen::LLT<DenseMatrix> dense_symmetric_;
  Eigen::FullPivLU<DenseMatrix> dense_general_;
  Eigen::SimplicialLLT<SparseMatrix> sparse_symmetric_;
  Eigen::SparseLU<SparseMatrix> sparse_general_;
};

// The velocities of one group and what touches them, renumbered from 0.
struct VelocityGroup {
  std::vector<Index> velocity;  // ascending
  MatrixEntries mass;
  MatrixEntries directions;    // columns: positions in `unknown`
  std::vector<Index> unknown;  // ascending
};

std::vector<VelocityGroup> split_form(const GlobalForm& form) {
  Index group_count = 0;
  const std::vector<Index> group_of = group_velocities(form.mass, group_count);
  std::vector<VelocityGroup> groups(static_cast<std::size_t>(group_count));
  std::vector<Index> within(group_of.size());
  for (std::size_t v = 0; v < group_of.size(); ++v) {
    std::vector<Index>& velocity = groups[static_cast<std::size_t>(group_of[v])].velocity;
    within[v] = static_cast<Index>(velocity.size());
    velocity.push_back(static_cast<Index>(v));
  }
  const auto group_with = [&](Index v) -> VelocityGroup& {
    return groups[static_cast<std::size_t>(group_of[static_cast<std::size_t>(v)])];
  };
  for (std::size_t k = 0; k < form.mass.count(); ++k)
    group_with(form.mass.row[k])
        .mass.add(within[static_cast<std::size_t>(form.mass.row[k])],
                  within[static_cast<std::size_t>(form.mass.column[k])], form.mass.value[k]);
  for (std::size_t k = 0; k < form.directions.count(); ++k) {
    VelocityGroup& group = group_with(form.directions.row[k]);
    group.unknown.push_back(form.directions.column[k]);
    group.directions.add(within[static_cast<std::size_t>(form.directions.row[k])], form.directions.column[k],
                         form.directions.value[k]);
  }
  for (VelocityGroup& group : groups) {
    std::sort(group.unknown.begin(), group.unknown.end());
    group.unknown.erase(std::unique(group.unknown.begin(), group.unknown.end()), group.unknown.end());
    for (Index& column : group.directions.column)
      column = static_cast<Index>(std::lower_bound(group.unknown.begin(), group.unknown.end(), column) -
                                  group.unknown.begin());
    group.mass.rows = group.mass.columns = group.directions.rows = static_cast<Index>(group.velocity.size());
    group.directions.columns = static_cast<Index>(group.unknown.size());
  }
  return groups;
}

// Adds H^T M^-1 H and H^T M^-1 f of one group.
void add_group(const VelocityGroup& group, const GroupFactor& factor, const GlobalForm& form, MatrixEntries& w,
               std::vector<Real>& q) {
  const SparseMatrix directions = sparse_of(group.directions);
  Eigen::VectorXd force(group.directions.rows);
  for (Index i = 0; i < group.directions.rows; ++i)
    force[i] = form.force[static_cast<std::size_t>(group.velocity[static_cast<std::size_t>(i)])];
  const Eigen::VectorXd moved = directions.transpose() * factor.solve(force);
  for (std::size_t a = 0; a < group.unknown.size(); ++a)
    q[static_cast<std::size_t>(group.unknown[a])] += moved[static_cast<Index>(a)];
  for (Index begin = 0; begin < group.directions.columns; begin += column_batch) {
    const Index width = std::min(column_batch, group.directions.columns - begin);
    const DenseMatrix solved = factor.solve(DenseMatrix(directions.middleCols(begin, width)));
    const DenseMatrix part = directions.transpose() * solved;
    for (Index b = 0; b < width; ++b) {
      for (Index a = 0; a < group.directions.columns; ++a)
        w.add(group.unknown[static_cast<std::size_t>(a)], group.unknown[static_cast<std::size_t>(begin + b)],
              part(a, b));
    }
  }
}

}  // namespace

std::string reduce_to_local(const GlobalForm& form, MatrixEntries& w, std::vector<Real>& q) {
  const std::vector<VelocityGroup> groups = split_form(form);
  std::size_t expected = 0;
  for (const VelocityGroup& group : groups) expected += group.unknown.size() * group.unknown.size();
  if (expected > most_entries)
    return fmt::format("its W = H^T M^-1 H would have {} entries, expected at most {}", expected, most_entries);
  w = MatrixEntries{};
  w.rows = w.columns = form.directions.columns;
  q = form.shift;
  for (const VelocityGroup& group : groups) {
    if (group.unknown.empty()) continue;
    GroupFactor factor;
    if (!factor.factor(sparse_of(group.mass)))
      return fmt::format("M is singular among the {} velocities from {} on, expected a regular matrix",
                         group.velocity.size(), group.velocity.front());
    add_group(group, factor, form, w, q);
  }
  const auto is_finite = [](Real x) { return std::isfinite(x); };
  if (!std::all_of(w.value.begin(), w.value.end(), is_finite) || !std::all_of(q.begin(), q.end(), is_finite))
    return "M is so close to singular that W = H^T M^-1 H is not finite";
  return {};
}

std::vector<Real> global_velocity(const GlobalForm& form, const std::vector<Real>& impulse) {
  std::vector<Real> right = form.force;
  for (std::size_t k = 0; k < form.directions.count(); ++k)
    right[static_cast<std::size_t>(form.directions.row[k])] +=
        form.directions.value[k] * impulse[static_cast<std::size_t>(form.directions.column[k])];
  for (const VelocityGroup& group : split_form(form)) {
    GroupFactor factor;
    factor.factor(sparse_of(group.mass));
    Eigen::VectorXd part(group.mass.rows);
    for (Index i = 0; i < group.mass.rows; ++i)
      part[i] = right[static_cast<std::size_t>(group.velocity[static_cast<std::size_t>(i)])];
    const Eigen::VectorXd velocity = factor.solve(part);
    for (Index i = 0; i < group.mass.rows; ++i)
      right[static_cast<std::size_t>(group.velocity[static_cast<std::size_t>(i)])] = velocity[i];
  }
  return right;
}

}  // namespace grus
