// Where the bodies of a mechanism are and how they move, by one pass from the ground outwards.
//
// Everything is in world axes. A unit velocity k moves all that hangs on its joint like a rigid body: the velocity of a
// point x is  linear_k + angular_k x (x - point_k). With it a Jacobian needs no transformations: the power of a force f
// at p and a torque t on a link, per unit velocity k of the joints between it and the ground, is
//   linear_k.f + angular_k.(t + (p - point_k) x f)          (generalised force)
#pragma once

#include <span>
#include <vector>

#include "model/mechanism.hpp"

namespace grus {

struct MechanismKinematics {
  // by place(), a function of q
  std::vector<Pose> X_WB;                    // [links]
  std::vector<Real> angle;                   // planar scenes: continuous, rad [links]
  std::vector<Vec3> linear, angular, point;  // [velocity_count]

  // by move(), a function of q and v
  std::vector<Vec3> velocity, omega;                // of the centre of mass, m/s; rad/s   [links]
  std::vector<Vec3> bias_acceleration, bias_alpha;  // with v' = 0 and without gravity     [links]
};

// Velocity numbers of the joint that carries a link: [begin, end). Numbers rise with the axes, without gaps.
struct VelocityRange {
  Index begin = 0, end = 0;
};
inline VelocityRange velocities_of(const Mechanism& mechanism, Index link) {
  const Link& l = mechanism.links[link];
  if (l.axis_begin == l.axis_end) return {};
  const JointAxis& last = mechanism.axes[l.axis_end - 1];
  return {mechanism.axes[l.axis_begin].velocity, last.velocity + (last.kind == AxisKind::ball ? 3 : 1)};
}

void place(const Mechanism& mechanism, std::span<const Real> q, MechanismKinematics& kinematics);
void move(const Mechanism& mechanism, std::span<const Real> v, MechanismKinematics& kinematics);

// q moved by the velocities v over a time h: sums for slides and turns, the exponential map for balls.
void integrate_positions(const Mechanism& mechanism, std::span<const Real> v, Real h, std::span<Real> q);

// Adds scale times the generalised force of (force at p, torque) on a link to `generalised` [velocity_count]; the
// ground (no_index) takes any force. With force = e_i at p it is a row of a Jacobian.
void add_generalised_force(const Mechanism& mechanism, const MechanismKinematics& kinematics, Index link, const Vec3& p,
                           const Vec3& force, const Vec3& torque, Real scale, std::span<Real> generalised);

// Velocity of the point p (world) of a link.
Vec3 point_velocity(const MechanismKinematics& kinematics, Index link, const Vec3& p);

}  // namespace grus
