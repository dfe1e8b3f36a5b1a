// The operator W = H A^-1 H^T contact by contact; it is never assembled.
//
//   u_c  = H_c v + shift_c = E_c^T [(v_b + omega_b x arm_b) - (v_a + omega_a x arm_a)] + shift_c,  E = (n, t1, t2)
//   W_cc = sum over sides of  1/m + (arm x e_i) . J^-1 (arm x e_j)                                 in 1/kg
//   tr W_cc = sum over sides of  dim/m + |arm|^2 tr J^-1 - arm . J^-1 arm                          (|arm|^2 J_zz in
//   plane)
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
  if (problem.inverse_mass[block] != 0.0) return true;
  const SymMat3 j = block_inverse_inertia(problem, block);
  return j.xx != 0.0 || j.yy != 0.0 || j.zz != 0.0 || j.xy != 0.0 || j.xz != 0.0 || j.yz != 0.0;
}

// Velocity of the point at `arm` of a block, in world axes.
inline Vec3 point_velocity(const ContactProblem& problem, const std::vector<Real>& velocity, Index block,
                           const Vec3& arm) {
  if (block == no_index) return Vec3::Zero();
  const Real* v = velocity.data() + static_cast<std::size_t>(block) * static_cast<std::size_t>(problem.block_size());
  if (problem.dimension == 2) return Vec3(v[0] - v[2] * arm[1], v[1] + v[2] * arm[0], 0.0);
  const Vec3 omega(v[3], v[4], v[5]);
  return Vec3(v[0], v[1], v[2]) + omega.cross(arm);
}

// u_c for given block velocities.
inline Vec3 contact_velocity(const ContactProblem& problem, const std::vector<Real>& velocity,
                             const ContactFrame& frame, Index contact) {
  const Vec3 relative = point_velocity(problem, velocity, problem.block_b[contact], problem.arm_b[contact]) -
                        point_velocity(problem, velocity, problem.block_a[contact], problem.arm_a[contact]);
  return to_frame(frame, relative) + problem.shift[contact];
}

inline SymMat3 local_delassus(const ContactProblem& problem, const ContactFrame& frame, Index contact) {
  SymMat3 w;
  const auto add_side = [&](Index block, const Vec3& arm) {
    if (block == no_index) return;
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
  add_side(problem.block_a[contact], problem.arm_a[contact]);
  add_side(problem.block_b[contact], problem.arm_b[contact]);
  return w;
}

inline Real local_trace(const ContactProblem& problem, Index contact) {
  Real sum = 0.0;
  const auto add_side = [&](Index block, const Vec3& arm) {
    if (block == no_index) return;
    const SymMat3 j = block_inverse_inertia(problem, block);
    sum += problem.dimension * problem.inverse_mass[block];
    if (problem.dimension == 2) {
      sum += j.zz * (arm[0] * arm[0] + arm[1] * arm[1]);
    } else {
      sum += arm.squaredNorm() * trace(j) - arm.dot(j * arm);
    }
  };
  add_side(problem.block_a[contact], problem.arm_a[contact]);
  add_side(problem.block_b[contact], problem.arm_b[contact]);
  return sum;
}

}  // namespace grus
