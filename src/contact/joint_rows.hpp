// Scalar rows of the contact problem: limits and dry friction of joints, forces held at their limits, joints of the
// absolute lane.
//
//   limit       gap = q - lower or upper - q.  Restitution e > 0 or theta < 1: Newton, 0 <= u + e u_n when the gap in
//   q_m
//               is closed. Else the gap law, 0 <= u + max(gap, 0)/(theta h), so that the stop is met without overshoot.
//   friction    u = 0 with |r| <= h F
//   force       a law p = clamp(h f_0 - D u, -h L, h L) held at +h L (multibody/forces.hpp): r = p - h L in [-2 h L, 0]
//               with  u + r/D + (h L - h f_0)/D = 0 inside;  held at -h L with the signs turned
//   condition   u = 0: the gradient of a JointCondition in q_m times the velocities of two free bodies. Positions
//   drift.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contact/dense_sides.hpp"
#include "model/model.hpp"
#include "model/state.hpp"

namespace grus {

struct JointRow {
  enum class Kind : std::uint8_t { lower_limit, upper_limit, friction, force, condition } kind = Kind::friction;
  Index index = 0;            // joint velocity or held force in the State, or joint condition of the Model
  Index mechanism = 0;        // of a force
  Real start_velocity = 0.0;  // with v_n, m/s or rad/s
  Real affine_end = 0.0;      // part of the end velocity that driven joints make
  Real gap = 0.0;             // limits, in q_m
};

struct JointRowInput {
  const Model& model;
  const State& state;
  std::span<ReducedMechanism> mechanisms;  // their scratch is used
  std::span<const Pose> pose_m;            // [body_count]
  Index active = 0;                        // dynamic bodies released
};

// Fills the scalar rows of the problem and their starting impulses; entries are appended behind those of contacts.
void build_joint_rows(const JointRowInput& input, DenseSideScratch& scratch, std::vector<JointRow>& rows,
                      ContactProblem& problem, ContactSolution& solution);

}  // namespace grus
