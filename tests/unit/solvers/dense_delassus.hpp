// The reference that the matrix-free operator is compared with: H^T, Y = H^T A^-1 and W = H^T Y^T assembled densely,
// row by row from the definition u = E^T (v_b + omega_b x arm_b - v_a - omega_a x arm_a), in a way of its own. Scalar
// rows come after the contacts.
#pragma once

#include "unit/solvers/dense_problems.hpp"

namespace grus::testing {

struct DenseProblem {
  Eigen::MatrixXd h, y, w;
  Eigen::VectorXd free_velocity, q;
};

inline DenseProblem assemble(const ContactProblem& problem) {
  const Index dim = problem.dimension, contact_rows = dim * problem.contact_count;
  DenseProblem dense;
  dense.h.setZero(contact_rows + problem.row_count, problem.velocity_count());
  dense.y = dense.h;
  dense.q.resize(dense.h.rows());
  const auto add_entries = [&](Index row, Index rows, Index block, Index side) {
    const Index size = problem.velocity_size(block), begin = problem.velocity_begin(block);
    for (Index i = 0; i < rows * size; ++i) {
      dense.h(row + i / size, begin + i % size) += problem.jacobian[side + i];
      dense.y(row + i / size, begin + i % size) += problem.response[side + i];
    }
  };
  for (Index c = 0; c < problem.contact_count; ++c) {
    const auto add = [&](Index block, Index side, const Vec3& arm, Real sign) {
      if (block == no_index) return;
      if (problem.is_dense(block)) return add_entries(dim * c, dim, block, side);
      const Eigen::MatrixXd h = sign * rigid_jacobian(problem, c, arm);
      dense.h.block(dim * c, problem.velocity_begin(block), dim, h.cols()) += h;
      dense.y.block(dim * c, problem.velocity_begin(block), dim, h.cols()) += h * inverse_mass_matrix(problem, block);
    };
    add(problem.block_b[c], problem.dense_b.empty() ? no_index : problem.dense_b[c], problem.arm_b[c], 1.0);
    add(problem.block_a[c], problem.dense_a.empty() ? no_index : problem.dense_a[c], problem.arm_a[c], -1.0);
    for (Index i = 0; i < dim; ++i) dense.q[dim * c + i] = problem.shift[c][i];
  }
  for (Index i = 0; i < problem.row_count; ++i) {
    const auto add = [&](Index block, Index side) {
      if (block != no_index) add_entries(contact_rows + i, 1, block, side);
    };
    add(problem.row_block_a[i], problem.row_side_a[i]);
    add(problem.row_block_b[i], problem.row_side_b[i]);
    dense.q[contact_rows + i] = problem.row_shift[i];
  }
  dense.free_velocity = Eigen::Map<const Eigen::VectorXd>(problem.free_velocity.data(),
                                                          static_cast<Eigen::Index>(problem.free_velocity.size()));
  dense.q += dense.h * dense.free_velocity;
  dense.w = dense.h * dense.y.transpose();
  for (Index i = 0; i < problem.row_count; ++i) dense.w(contact_rows + i, contact_rows + i) += problem.compliance_of(i);
  return dense;
}

// Impulses as one vector: dim entries per contact, then one per scalar row.
inline Eigen::VectorXd stacked(const ContactSolution& solution, int dim) {
  const auto contacts = static_cast<Eigen::Index>(solution.impulse.size()) * dim;
  Eigen::VectorXd r(contacts + static_cast<Eigen::Index>(solution.row_impulse.size()));
  for (std::size_t c = 0; c < solution.impulse.size(); ++c) {
    for (int i = 0; i < dim; ++i) r[static_cast<Eigen::Index>(c) * dim + i] = solution.impulse[c][i];
  }
  for (std::size_t i = 0; i < solution.row_impulse.size(); ++i)
    r[contacts + static_cast<Eigen::Index>(i)] = solution.row_impulse[i];
  return r;
}

}  // namespace grus::testing
