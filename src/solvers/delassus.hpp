// The operator W = H^T A^-1 H contact by contact; it is never assembled.
//
//   u_c  = H_c^T v + shift_c = E_c^T [(v_b + omega_b x arm_b) - (v_a + omega_a x arm_a)] + shift_c,  E = (n, t1, t2)
//   W_cc = sum over sides of  1/m + (arm x e_i) . J^-1 (arm x e_j)                                 in 1/kg
//   tr W_cc = sum over sides of  dim/m + |arm|^2 tr J^-1 - arm . J^-1 arm                          (|arm|^2 J_zz in
//   plane)
// A side on a dense block adds H_c^T v to the velocity and H_c^T Y_c^T to W_cc, Y_c = H_c^T A^-1 from `response`. A
// scalar row is one such row: w = sum over sides of H^T Y^T.
#pragma once

#include <array>

#include "solvers/contact_problem.hpp"

namespace grus {

struct ContactFrame {
  Vec3 n, t1, t2;
};

inline ContactFrame contact_frame(const ContactProblem& problem, Index contact) {
  ContactFrame frame;
  frame.n = problem.normal[contact];
  tangents(frame.n, frame.t1, frame.t2);
  return frame;
}

inline Vec3 to_world(const ContactFrame& frame, const Vec3& x) {
  return x[0] * frame.n + x[1] * frame.t1 + x[2] * frame.t2;
}

inline Vec3 to_frame(const ContactFrame& frame, const Vec3& x) {
  return Vec3(frame.n.dot(x), frame.t1.dot(x), frame.t2.dot(x));
}

inline Vec3 operator*(const SymMat3& m, const Vec3& x) {
  return Vec3(m.xx * x[0] + m.xy * x[1] + m.xz * x[2], m.xy * x[0] + m.yy * x[1] + m.yz * x[2],
              m.xz * x[0] + m.yz * x[1] + m.zz * x[2]);
}

inline Real trace(const SymMat3& m) { return m.xx + m.yy + m.zz; }

// In a planar problem only zz counts, whatever else is stored.
inline SymMat3 block_inverse_inertia(const ContactProblem& problem, Index block) {
  if (problem.dimension == 3) return problem.inverse_inertia[block];
  SymMat3 planar;
  planar.zz = problem.inverse_inertia[block].zz;
  return planar;
}

// False for the world and for blocks that no impulse can move: they couple no contacts.
inline bool block_moves(const ContactProblem& problem, Index block) {
  if (block == no_index) return false;
  if (problem.is_dense(block)) return problem.velocity_size(block) > 0;
  if (problem.inverse_mass[block] != 0.0) return true;
  const SymMat3 j = block_inverse_inertia(problem, block);
  return j.xx != 0.0 || j.yy != 0.0 || j.zz != 0.0 || j.xy != 0.0 || j.xz != 0.0 || j.yz != 0.0;
}

inline bool touches_dense(const ContactProblem& problem, Index contact) {
  return problem.is_dense(problem.block_a[contact]) || problem.is_dense(problem.block_b[contact]);
}

// Velocity of the point at `arm` of a rigid block, in world axes; zero for the world and for dense blocks.
inline Vec3 point_velocity(const ContactProblem& problem, const std::vector<Real>& velocity, Index block,
                           const Vec3& arm) {
  if (block == no_index || problem.is_dense(block)) return Vec3::Zero();
  const Real* v = velocity.data() + static_cast<std::size_t>(block) * static_cast<std::size_t>(problem.block_size());
  if (problem.dimension == 2) return Vec3(v[0] - v[2] * arm[1], v[1] + v[2] * arm[0], 0.0);
  const Vec3 omega(v[3], v[4], v[5]);
  return Vec3(v[0], v[1], v[2]) + omega.cross(arm);
}

// sum_k x[k] y[k].
inline Real dot_product(const Real* x, const Real* y, Index size) {
  Real sum = 0.0;
  for (Index k = 0; k < size; ++k) sum += x[k] * y[k];
  return sum;
}

// H^T v of one side on a dense block; `side` as in dense_a, dense_b.
inline Vec3 dense_side_velocity(const ContactProblem& problem, const std::vector<Real>& velocity, Index block,
                                Index side) {
  const Index size = problem.velocity_size(block);
  const Real* v = velocity.data() + problem.velocity_begin(block);
  Vec3 u = Vec3::Zero();
  for (Index i = 0; i < problem.dimension; ++i) u[i] = dot_product(problem.jacobian.data() + side + i * size, v, size);
  return u;
}

// Adds H^T Y^T of one side on a dense block.
inline void add_dense_side(const ContactProblem& problem, Index block, Index side, SymMat3& w) {
  const Index size = problem.velocity_size(block);
  const auto product = [&](Index i, Index j) {
    return dot_product(problem.jacobian.data() + side + i * size, problem.response.data() + side + j * size, size);
  };
  w.xx += product(0, 0);
  w.xy += product(0, 1);
  w.yy += product(1, 1);
  if (problem.dimension == 2) return;
  w.xz += product(0, 2);
  w.yz += product(1, 2);
  w.zz += product(2, 2);
}

// u_c for given block velocities.
inline Vec3 contact_velocity(const ContactProblem& problem, const std::vector<Real>& velocity,
                             const ContactFrame& frame, Index contact) {
  const Vec3 relative = point_velocity(problem, velocity, problem.block_b[contact], problem.arm_b[contact]) -
                        point_velocity(problem, velocity, problem.block_a[contact], problem.arm_a[contact]);
  Vec3 u = to_frame(frame, relative) + problem.shift[contact];
  const Index a = problem.block_a[contact], b = problem.block_b[contact];
  if (problem.is_dense(a)) u += dense_side_velocity(problem, velocity, a, problem.dense_a[contact]);
  if (problem.is_dense(b)) u += dense_side_velocity(problem, velocity, b, problem.dense_b[contact]);
  return u;
}

// Bound of the terms that u_c or u of a row is the sum of, m/s: times the machine epsilon it is the rounding error of
// u.
inline Real side_magnitude(const ContactProblem& problem, Index block, Index entries, Index rows, const Vec3* arm) {
  if (block == no_index) return 0.0;
  const Real* const v = problem.free_velocity.data() + problem.velocity_begin(block);
  const Index size = problem.velocity_size(block);
  Real sum = 0.0;
  if (problem.is_dense(block) || arm == nullptr) {
    const Real* const h = problem.jacobian.data() + entries;
    for (Index i = 0; i < rows * size; ++i) sum += std::abs(h[i] * v[i % size]);
    return sum;
  }
  const Index dim = problem.dimension;
  for (Index k = 0; k < dim; ++k) sum += std::abs(v[k]);
  Real turn = 0.0;
  for (Index k = dim; k < size; ++k) turn += std::abs(v[k]);
  return sum + turn * arm->cwiseAbs().sum();
}
inline Real contact_magnitude(const ContactProblem& problem, Index c) {
  const auto side = [&](Index block, const std::vector<Index>& dense, const Vec3& arm) {
    return side_magnitude(problem, block, problem.is_dense(block) ? dense[c] : no_index, problem.dimension, &arm);
  };
  return problem.shift[c].cwiseAbs().sum() + side(problem.block_a[c], problem.dense_a, problem.arm_a[c]) +
         side(problem.block_b[c], problem.dense_b, problem.arm_b[c]);
}
inline Real row_magnitude(const ContactProblem& problem, Index row) {
  return std::abs(problem.row_shift[row]) +
         side_magnitude(problem, problem.row_block_a[row], problem.row_side_a[row], 1, nullptr) +
         side_magnitude(problem, problem.row_block_b[row], problem.row_side_b[row], 1, nullptr);
}

inline SymMat3 local_delassus(const ContactProblem& problem, const ContactFrame& frame, Index contact) {
  SymMat3 w;
  const auto add_side = [&](Index block, const Vec3& arm) {
    if (block == no_index || problem.is_dense(block)) return;
    const Real inverse_mass = problem.inverse_mass[block];
    const SymMat3 inverse_inertia = block_inverse_inertia(problem, block);
    const Vec3 lever_n = arm.cross(frame.n), lever_1 = arm.cross(frame.t1), lever_2 = arm.cross(frame.t2);
    const Vec3 turn_n = inverse_inertia * lever_n, turn_1 = inverse_inertia * lever_1;
    w.xx += inverse_mass + lever_n.dot(turn_n);
    w.xy += lever_1.dot(turn_n);
    w.yy += inverse_mass + lever_1.dot(turn_1);
    if (problem.dimension == 2) return;
    w.xz += lever_2.dot(turn_n);
    w.yz += lever_2.dot(turn_1);
    w.zz += inverse_mass + lever_2.dot(inverse_inertia * lever_2);
  };
  const Index a = problem.block_a[contact], b = problem.block_b[contact];
  add_side(a, problem.arm_a[contact]);
  add_side(b, problem.arm_b[contact]);
  if (problem.is_dense(a)) add_dense_side(problem, a, problem.dense_a[contact], w);
  if (problem.is_dense(b)) add_dense_side(problem, b, problem.dense_b[contact], w);
  return w;
}

inline Real local_trace(const ContactProblem& problem, Index contact) {
  Real sum = 0.0;
  const auto add_side = [&](Index block, const Vec3& arm) {
    if (block == no_index || problem.is_dense(block)) return;
    const SymMat3 j = block_inverse_inertia(problem, block);
    sum += problem.dimension * problem.inverse_mass[block];
    if (problem.dimension == 2) {
      sum += j.zz * (arm[0] * arm[0] + arm[1] * arm[1]);
    } else {
      sum += arm.squaredNorm() * trace(j) - arm.dot(j * arm);
    }
  };
  const Index a = problem.block_a[contact], b = problem.block_b[contact];
  add_side(a, problem.arm_a[contact]);
  add_side(b, problem.arm_b[contact]);
  const Index dim = problem.dimension;
  const auto add_dense = [&](Index block, Index side) {
    // H^T and Y row by row: the trace is the product of all entries
    const Index entries = dim * problem.velocity_size(block);
    sum += dot_product(problem.jacobian.data() + side, problem.response.data() + side, entries);
  };
  if (problem.is_dense(a)) add_dense(a, problem.dense_a[contact]);
  if (problem.is_dense(b)) add_dense(b, problem.dense_b[contact]);
  return sum;
}

// rho_c = dim / tr W_cc in kg, or 0 for a contact whose gap no impulse can change: it gets none. The normal row of a
// machine that slides along a wall is zero up to rounding, some 1e-30 of the trace: dividing by it would stop the
// machine.
inline Real contact_rho(const ContactProblem& problem, Index contact) {
  const Real tr = local_trace(problem, contact);
  if (tr == 0.0) return 0.0;
  if (touches_dense(problem, contact)) {
    constexpr Real negligible = 1e-24;
    if (local_delassus(problem, contact_frame(problem, contact), contact).xx <= negligible * tr) return 0.0;
  }
  return problem.dimension / tr;
}

// u of a scalar row for given block velocities.
inline Real row_velocity(const ContactProblem& problem, const std::vector<Real>& velocity, Index row) {
  Real u = problem.row_shift[row];
  const auto add_side = [&](Index block, Index side) {
    if (block == no_index) return;
    u += dot_product(problem.jacobian.data() + side, velocity.data() + problem.velocity_begin(block),
                     problem.velocity_size(block));
  };
  add_side(problem.row_block_a[row], problem.row_side_a[row]);
  add_side(problem.row_block_b[row], problem.row_side_b[row]);
  return u;
}

// w of a scalar row; 0 when no impulse can influence it.
inline Real row_delassus(const ContactProblem& problem, Index row) {
  Real w = 0.0;
  const auto add_side = [&](Index block, Index side) {
    if (block == no_index) return;
    w += dot_product(problem.jacobian.data() + side, problem.response.data() + side, problem.velocity_size(block));
  };
  add_side(problem.row_block_a[row], problem.row_side_a[row]);
  add_side(problem.row_block_b[row], problem.row_side_b[row]);
  return w;
}

inline bool row_touches_dense(const ContactProblem& problem, Index row) {
  return problem.is_dense(problem.row_block_a[row]) || problem.is_dense(problem.row_block_b[row]);
}

}  // namespace grus
