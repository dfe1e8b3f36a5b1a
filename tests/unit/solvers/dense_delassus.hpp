// The reference that the matrix-free operator is compared with: H, A^-1 and W = H A^-1 H^T assembled densely, row by
// row from the definition u = E^T (v_b + omega_b x arm_b - v_a - omega_a x arm_a), in a way of its own.
#pragma once

#include <Eigen/Dense>

#include "solvers/contact_problem.hpp"

namespace grus::testing {

struct DenseProblem {
  Eigen::MatrixXd h, inverse_mass, w;
  Eigen::VectorXd free_velocity, q;
};

inline DenseProblem assemble(const ContactProblem& problem) {
  const int dim = problem.dimension, size = problem.block_size();
  DenseProblem dense;
  dense.h.setZero(dim * problem.contact_count, size * problem.block_count);
  dense.inverse_mass.setZero(size * problem.block_count, size * problem.block_count);
  for (Index b = 0; b < problem.block_count; ++b) {
    const SymMat3& j = problem.inverse_inertia[b];
    for (int i = 0; i < dim; ++i) dense.inverse_mass(size * b + i, size * b + i) = problem.inverse_mass[b];
    if (dim == 2) {
      dense.inverse_mass(size * b + 2, size * b + 2) = j.zz;
    } else {
      Eigen::Matrix3d full;
      full << j.xx, j.xy, j.xz, j.xy, j.yy, j.yz, j.xz, j.yz, j.zz;
      dense.inverse_mass.block<3, 3>(size * b + 3, size * b + 3) = full;
    }
  }
  dense.q.resize(dim * problem.contact_count);
  for (Index c = 0; c < problem.contact_count; ++c) {
    Vec3 axes[3];
    axes[0] = problem.normal[c];
    tangents(axes[0], axes[1], axes[2]);
    for (int i = 0; i < dim; ++i) {
      const auto add = [&](Index block, const Vec3& arm, Real sign) {
        if (block == no_index) return;
        for (int k = 0; k < size; ++k) {
          // velocity of the point for a unit k-th velocity of the block
          Vec3 motion = Vec3::Zero();
          if (dim == 2) {
            motion = k < 2 ? Vec3(Vec3::Unit(k)) : Vec3(-arm[1], arm[0], 0.0);
          } else {
            motion = k < 3 ? Vec3(Vec3::Unit(k)) : Vec3(Vec3(Vec3::Unit(k - 3)).cross(arm));
          }
          dense.h(dim * c + i, size * block + k) += sign * axes[i].dot(motion);
        }
      };
      add(problem.block_b[c], problem.arm_b[c], 1.0);
      add(problem.block_a[c], problem.arm_a[c], -1.0);
      dense.q[dim * c + i] = problem.shift[c][i];
    }
  }
  dense.free_velocity = Eigen::Map<const Eigen::VectorXd>(problem.free_velocity.data(),
                                                          static_cast<Eigen::Index>(problem.free_velocity.size()));
  dense.q += dense.h * dense.free_velocity;
  dense.w = dense.h * dense.inverse_mass * dense.h.transpose();
  return dense;
}

// Impulses as one vector of dim entries per contact.
inline Eigen::VectorXd stacked(const std::vector<Vec3>& impulse, int dim) {
  Eigen::VectorXd r(static_cast<Eigen::Index>(impulse.size()) * dim);
  for (std::size_t c = 0; c < impulse.size(); ++c) {
    for (int i = 0; i < dim; ++i) r[static_cast<Eigen::Index>(c) * dim + i] = impulse[c][i];
  }
  return r;
}

}  // namespace grus::testing
