// What the joints of a mechanism carried in a step: multipliers of the loops (paper 000, eq. 18) and forces of drives.
//
// With the accelerations a = T dv_u/h + a_0 of the step, all velocities obey
//   M a + c = f + H I/h + J^T lambda + drive
// so  lambda = J_v^-T e_v,  drive_c = e_c - J_c^T lambda  with  e = M a + c - f - H I/h, and e_u = J_u^T lambda is the
// equation of motion that was solved.
#pragma once

#include <span>
#include <vector>

#include "multibody/reduction.hpp"

namespace grus {

struct Reactions {
  std::vector<Real> acceleration;  // a                                             [velocity_count]
  std::vector<Real> residual;      // e - J^T lambda: drive forces of driven velocities, rounding elsewhere, N or N m
  Eigen::VectorXd loop;            // lambda, N or N m                              [closed_count]
};

// After the solve. `independent` is v_u at the end, `impulse` the generalised impulse of contacts and rows
// [velocity_count].
void find_reactions(const Mechanism& mechanism, const IntegratorOptions& integrator, const Vec3& gravity,
                    std::span<const Real> independent, std::span<const Real> impulse, ReducedMechanism& reduced,
                    Reactions& reactions);

struct Wrench {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
};

// Of a loop cut (JointCondition::group) on its side b, the torque about the point of its first condition.
Wrench loop_wrench(const Mechanism& mechanism, const ReducedMechanism& reduced, const Reactions& reactions, Index cut);

// What the joint of a link passes on to it, forces of its coordinates included, about the origin of the joint's frame
// in the child. `contacts` are the loads of contacts on the links. After settle_forces and find_reactions.
Wrench joint_wrench(const Mechanism& mechanism, const IntegratorOptions& integrator, Index link,
                    std::span<const LinkLoad> contacts, ReducedMechanism& reduced, const Reactions& reactions);

}  // namespace grus
