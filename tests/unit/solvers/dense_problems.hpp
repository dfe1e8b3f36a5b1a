// Contact problems with dense blocks and scalar rows, for tests and benchmarks of solvers.
#pragma once

#include <Eigen/Dense>
#include <limits>

#include "solvers/contact_problem.hpp"
#include "unit/solvers/problems.hpp"

namespace grus::testing {

// Appends the rows of a side, H^T and H^T A^-1; returns where they begin.
inline Index add_side(ContactProblem& problem, const Eigen::MatrixXd& h, const Eigen::MatrixXd& inverse_a) {
  const auto begin = static_cast<Index>(problem.jacobian.size());
  const Eigen::MatrixXd y = h * inverse_a;
  for (Eigen::Index i = 0; i < h.rows(); ++i) {
    for (Eigen::Index k = 0; k < h.cols(); ++k) {
      problem.jacobian.push_back(h(i, k));
      problem.response.push_back(y(i, k));
    }
  }
  return begin;
}

// After the last rigid block. Returns the number of the block.
inline Index add_dense_block(ContactProblem& problem, const Eigen::VectorXd& free_velocity) {
  if (problem.dense_begin.empty()) problem.dense_begin = {problem.block_count * problem.block_size()};
  problem.free_velocity.insert(problem.free_velocity.end(), free_velocity.data(),
                               free_velocity.data() + free_velocity.size());
  problem.dense_begin.push_back(static_cast<Index>(problem.free_velocity.size()));
  return problem.block_count + problem.dense_count++;
}

inline void add_row(ContactProblem& problem, Index block_a, Index side_a, Index block_b, Index side_b, Real shift,
                    Real lower, Real upper, Real compliance = 0.0, Real length = 1.0) {
  ++problem.row_count;
  problem.row_block_a.push_back(block_a);
  problem.row_side_a.push_back(side_a);
  problem.row_block_b.push_back(block_b);
  problem.row_side_b.push_back(side_b);
  problem.row_shift.push_back(shift);
  problem.row_lower.push_back(lower);
  problem.row_upper.push_back(upper);
  problem.row_compliance.push_back(compliance);
  problem.row_length.push_back(length);
}

inline Eigen::MatrixXd inverse_mass_matrix(const ContactProblem& problem, Index block) {
  const int dim = problem.dimension, size = problem.block_size();
  const SymMat3& j = problem.inverse_inertia[block];
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(size, size);
  for (int i = 0; i < dim; ++i) m(i, i) = problem.inverse_mass[block];
  if (dim == 2) {
    m(2, 2) = j.zz;
  } else {
    m.bottomRightCorner<3, 3>() << j.xx, j.xy, j.xz, j.xy, j.yy, j.yz, j.xz, j.yz, j.zz;
  }
  return m;
}

// Rows (n, t1, t2) of the velocity of the point at `arm` of a rigid block.
inline Eigen::MatrixXd rigid_jacobian(const ContactProblem& problem, Index contact, const Vec3& arm) {
  const int dim = problem.dimension, size = problem.block_size();
  Vec3 axes[3];
  axes[0] = problem.normal[contact];
  tangents(axes[0], axes[1], axes[2]);
  Eigen::MatrixXd h(dim, size);
  for (int i = 0; i < dim; ++i) {
    for (int k = 0; k < size; ++k) {
      // velocity of the point for a unit k-th velocity of the block
      Vec3 motion = Vec3::Zero();
      if (dim == 2) {
        motion = k < 2 ? Vec3(Vec3::Unit(k)) : Vec3(-arm[1], arm[0], 0.0);
      } else {
        motion = k < 3 ? Vec3(Vec3::Unit(k)) : Vec3(Vec3(Vec3::Unit(k - 3)).cross(arm));
      }
      h(i, k) = axes[i].dot(motion);
    }
  }
  return h;
}

// The same problem with its last `count` rigid blocks told as dense ones. No block changes its number.
inline ContactProblem last_blocks_as_dense(const ContactProblem& rigid, Index count) {
  ContactProblem problem = rigid;
  problem.block_count -= count;
  problem.dense_count = count;
  problem.inverse_mass.resize(static_cast<std::size_t>(problem.block_count));
  problem.inverse_inertia.resize(static_cast<std::size_t>(problem.block_count));
  for (Index d = 0; d <= count; ++d) problem.dense_begin.push_back((problem.block_count + d) * problem.block_size());
  for (Index c = 0; c < problem.contact_count; ++c) {
    const auto side = [&](Index block, Vec3& arm, Real sign) {
      if (!problem.is_dense(block)) return no_index;
      const Index begin = add_side(problem, sign * rigid_jacobian(rigid, c, arm), inverse_mass_matrix(rigid, block));
      arm.setConstant(std::numeric_limits<Real>::quiet_NaN());  // not to be used
      return begin;
    };
    problem.dense_a.push_back(side(problem.block_a[c], problem.arm_a[c], -1.0));
    problem.dense_b.push_back(side(problem.block_b[c], problem.arm_b[c], 1.0));
  }
  return problem;
}

inline Eigen::MatrixXd random_matrix(Random& random, Index rows, Index cols) {
  Eigen::MatrixXd m(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index k = 0; k < cols; ++k) m(i, k) = random.normal();
  return m;
}

// A^-1 with eigenvalues of order one.
inline Eigen::MatrixXd random_inverse_mass(Random& random, Index size) {
  const Eigen::MatrixXd m = random_matrix(random, size, size) / std::sqrt(static_cast<Real>(size));
  return 0.5 * (m * m.transpose() + 0.5 * Eigen::MatrixXd::Identity(size, size));
}

struct RandomDenseProblem {
  RandomProblem contacts;  // of its blocks, `dense` become dense ones
  Index dense = 4;
  Index largest = 12;  // velocities of a dense block, 1 to this
  Index rows = 0;      // scalar rows: limits, dry friction, joints and compliant rows with bounds in turn
};

inline ContactProblem random_dense_problem(const RandomDenseProblem& options) {
  ContactProblem problem = random_problem(options.contacts);
  Random random(options.contacts.seed + 1000);
  problem.block_count -= options.dense;
  problem.inverse_mass.resize(static_cast<std::size_t>(problem.block_count));
  problem.inverse_inertia.resize(static_cast<std::size_t>(problem.block_count));
  problem.free_velocity.resize(static_cast<std::size_t>(problem.block_count * problem.block_size()));
  std::vector<Eigen::MatrixXd> inverse_a;
  for (Index b = 0; b < problem.block_count; ++b) inverse_a.push_back(inverse_mass_matrix(problem, b));
  for (Index d = 0; d < options.dense; ++d) {
    const auto size = static_cast<Index>(1 + random.below(static_cast<std::uint64_t>(options.largest)));
    inverse_a.push_back(random_inverse_mass(random, size));
    add_dense_block(problem, random_matrix(random, size, 1));
  }
  const auto side = [&](Index block, Index rows) {
    if (block == no_index) return no_index;
    const Eigen::MatrixXd& inverse = inverse_a[static_cast<std::size_t>(block)];
    return add_side(problem, random_matrix(random, rows, static_cast<Index>(inverse.rows())), inverse);
  };
  for (Index c = 0; c < problem.contact_count; ++c) {
    const Index a = problem.block_a[c], b = problem.block_b[c];
    problem.dense_a.push_back(problem.is_dense(a) ? side(a, problem.dimension) : no_index);
    problem.dense_b.push_back(problem.is_dense(b) ? side(b, problem.dimension) : no_index);
  }
  const auto blocks = static_cast<std::uint64_t>(options.contacts.blocks);
  const Real infinity = std::numeric_limits<Real>::infinity();
  for (Index i = 0; i < options.rows; ++i) {
    const Index a = random.below(4) == 0 ? no_index : static_cast<Index>(random.below(blocks));
    const Index b = static_cast<Index>(random.below(blocks));
    const Real bound = random.uniform(0.1, 1.0);
    const bool bounded = i % 4 == 1 || i % 4 == 3;
    const Real lower = i % 4 == 0 ? 0.0 : (bounded ? -bound : -infinity), upper = bounded ? bound : infinity;
    const Index side_a = a == b ? no_index : side(a, 1);
    const Real compliance = i % 4 == 3 ? random.uniform(0.01, 10.0) : 0.0;
    add_row(problem, a == b ? no_index : a, side_a, b, side(b, 1), 0.1 * random.normal(), lower, upper, compliance,
            random.uniform(0.5, 2.0));
  }
  return problem;
}

// A tool of 20 kg pressed at 20 mm/s on `touched` grains of the top of a bed.
//   free        a rigid body
//   mechanism   8 velocities: those of the body and two joints that move it, with dry friction in all of them
//   jointed     the rigid body hung on a chain of three others by joints between free bodies
enum class Tool { free, mechanism, jointed };

inline ContactProblem tool_on_bed(Tool tool, Bed bed, Index touched) {
  constexpr Real mass = 20.0, size = 0.4, speed = 0.02, radius = 0.01, dry_friction = 0.01;
  const Real infinity = std::numeric_limits<Real>::infinity();
  ContactProblem problem = bed_problem(bed);
  Random random(bed.seed + 1);
  const Index top = problem.block_count - bed.side * bed.side, body = problem.block_count;
  SymMat3 j;
  j.xx = j.yy = j.zz = 6.0 / (mass * size * size);
  for (int link = 0; link < (tool == Tool::jointed ? 4 : 1); ++link)
    add_block(problem, 1.0 / mass, j, Vec3(0.0, 0.0, -speed), Vec3::Zero());
  const Index first = problem.contact_count;
  for (Index i = 0; i < touched; ++i) {
    const Vec3 n = (Vec3(0.0, 0.0, 1.0) + 0.3 * normal_vector(random)).normalized();
    const Vec3 place(2.0 * radius * static_cast<Real>(i % bed.side), 2.0 * radius * static_cast<Real>(i / bed.side), 0);
    const Vec3 middle = radius * static_cast<Real>(bed.side) * Vec3(1.0, 1.0, 0.0);
    add_contact(problem, top + i, body, n, radius * n, place - middle - Vec3(0.0, 0.0, 0.1), bed.friction);
  }
  const Eigen::MatrixXd inverse_m = inverse_mass_matrix(problem, body);
  if (tool == Tool::jointed) {
    for (Index b = body; b < body + 4; ++b) {
      for (int i = 0; i < 3; ++i) {
        // joints at the ends of links that lean by 45 degrees
        const auto end = [&](const Vec3& arm, Real sign) {
          const Eigen::MatrixXd h = sign * rigid_jacobian(problem, first, arm);
          return add_side(problem, h.row(i), inverse_m);
        };
        const bool last = b == body + 3;
        const Index side_b = last ? no_index : end(Vec3(-0.2, 0.0, -0.2), 1.0);
        add_row(problem, b, end(Vec3(0.2, 0.0, 0.2), -1.0), last ? no_index : b + 1, side_b, 0.0, -infinity, infinity);
      }
    }
  }
  if (tool != Tool::mechanism) return problem;

  Eigen::MatrixXd motion(6, 8);  // of the body, by the velocities of the mechanism
  motion << Eigen::MatrixXd::Identity(6, 6), random_matrix(random, 6, 2);
  Eigen::MatrixXd a = motion.transpose() * inverse_m.inverse() * motion;
  a.diagonal().tail<2>().array() += mass;
  const Eigen::MatrixXd inverse_a = a.inverse();
  problem.block_count = body;
  problem.inverse_mass.pop_back();
  problem.inverse_inertia.pop_back();
  problem.free_velocity.resize(static_cast<std::size_t>(body * 6));
  add_dense_block(problem, -speed * Eigen::VectorXd::Unit(8, 2));
  problem.dense_a.assign(static_cast<std::size_t>(problem.contact_count), no_index);
  problem.dense_b = problem.dense_a;
  for (Index c = first; c < problem.contact_count; ++c)
    problem.dense_b[c] = add_side(problem, rigid_jacobian(problem, c, problem.arm_b[c]) * motion, inverse_a);
  for (Index k = 0; k < 8; ++k) {
    const Index side = add_side(problem, Eigen::RowVectorXd::Unit(8, k), inverse_a);
    add_row(problem, no_index, no_index, body, side, 0.0, -dry_friction, dry_friction);
  }
  return problem;
}

}  // namespace grus::testing
