// From contact points to the contact problem.
//
// Block i is dynamic body i, block block_count + d mechanism d. For every point: arms from the centres of mass in q_m,
// the velocity of a kinematic side and the part that driven joints make as a shift, the law's term on the normal row,
// and the impulse carried from the last step in the new frame. Rows of mechanisms: contact/dense_sides.hpp.
#pragma once

#include <span>
#include <vector>

#include "collision/contact_point.hpp"
#include "core/parallel.hpp"
#include "model/model.hpp"
#include "model/motion.hpp"
#include "solvers/contact_problem.hpp"

namespace grus {

// Velocities of all bodies as the contact points see them.
struct BodyTwists {
  std::span<const Vec3> linear;  // of the dynamic bodies, at the centre of mass
  std::span<const Vec3> angular;
  std::span<const Twist> linked;     // [linked_count]
  std::span<const Twist> kinematic;  // [body_count - kinematic_begin()]
};

// Per contact, beside the problem: what the energy ledger and the laws need.   [contact_count]
struct ContactKinematics {
  std::vector<Vec3> start_velocity;  // relative velocity with v_n, (N, T1, T2), m/s
  std::vector<Vec3> wall_start;      // part of it that is due to kinematic bodies
  std::vector<Vec3> wall_end;        // the same at the end of the step; it is in the problem's shift
  std::vector<Vec3> drive_end;       // part of u(n+1) that driven joints make; it is in the problem's shift
};

struct BuildInput {
  const Model& model;
  std::span<const ContactPoint> contacts;
  std::span<const Pose> pose_m;             // [body_count]
  BodyTwists start;                         // velocities at t_n
  std::span<const Twist> linked_drive;      // of linked bodies, made by driven joints at t_{n+1}
  std::span<const Twist> kinematic_end;     // of kinematic bodies over the step
  std::span<const Vec3> carried_impulse_W;  // [contact_count], on the body of collider b
};

// Fills the rows of `problem` (its blocks are filled by the integrator) and the starting impulses of `solution`.
void build_rows(const BuildInput& input, ContactProblem& problem, ContactSolution& solution,
                ContactKinematics& kinematics, const Parallel& parallel);

}  // namespace grus
