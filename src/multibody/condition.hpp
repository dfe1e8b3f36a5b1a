// One scalar condition between a frame on A and a frame on B: its value, its gradient and its acceleration.
//
// The gradient of every kind is a wrench on B and the opposite one on A, both at p_B:
//   along          h = a.d            force a
//   perpendicular  h = a.b            torque b x a  (on B)
//   distance       h = |d| - length   force d/|d|
// so  h' = force.(v_B(p_B) - v_A(p_B)) + torque.(omega_B - omega_A),  and lambda times the wrench is the reaction.
#pragma once

#include "model/mechanism.hpp"

namespace grus {

// Motion of a body as a condition sees it; the ground is the default.
struct BodyMotion {
  Pose X_WB;
  Vec3 velocity = Vec3::Zero(), omega = Vec3::Zero();                // at the origin of B
  Vec3 bias_acceleration = Vec3::Zero(), bias_alpha = Vec3::Zero();  // with all joint accelerations zero
};

struct ConditionGradient {
  Real value = 0.0;  // h, m or 1
  Vec3 point = Vec3::Zero();
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();  // on B at `point`, the opposite on A
};

ConditionGradient condition_gradient(const JointCondition& condition, const Pose& X_WA, const Pose& X_WB);

// J' v: the part of h'' that velocities make (eq. 22 of paper 000).
Real condition_bias(const JointCondition& condition, const BodyMotion& a, const BodyMotion& b);

}  // namespace grus
