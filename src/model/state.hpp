// All that carries history, and nothing else. A step from the same State with a fresh Workspace is
// bitwise the same step.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "math/vector.hpp"

namespace grus {

struct Model;

// Total order of contact points: colliders a < b, then the feature that tells the points of one pair apart.
struct ContactKey {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t feature = 0;
  auto operator<=>(const ContactKey&) const = default;
};

// Running sums of energy, J. kinetic + potential + dissipated_contact - work_external - recovery moves
// only by the error of the scheme (zero in free flight for theta = 1/2).
struct EnergyLedger {
  Real dissipated_contact = 0.0;  // taken by contacts: restitution < 1 and friction
  Real work_external = 0.0;       // done by kinematic bodies through contacts
  Real recovery = 0.0;            // potential energy added by pushing penetrating bodies apart
  Real dissipated_joint = 0.0;    // taken by dampers, dry friction and limits of joints
};

struct State {
  Real time = 0.0;  // s
  std::int64_t step = 0;

  // Dynamic bodies, [Model::dynamic_count] each. Velocities in the world frame.
  std::vector<Vec3> position;          // centre of mass, m
  std::vector<Quat> rotation;          // R_WB
  std::vector<Real> angle;             // planar scenes: rotation about z, continuous, rad; empty otherwise
  std::vector<Vec3> velocity;          // m/s
  std::vector<Vec3> angular_velocity;  // rad/s

  // Impulses of the last step, sorted by key: the warm start of the next one.
  std::vector<ContactKey> impulse_key;
  std::vector<Vec3> impulse;  // N s, world frame, on the body of collider b

  // Mechanisms: positions and velocities of all joints (Mechanism::first_position, first_velocity), and which
  // velocities are dependent now (1) or not (0).
  std::vector<Real> joint_position;
  std::vector<Real> joint_velocity;
  std::vector<std::uint32_t> joint_dependent;
  std::vector<Real> memory;  // what mechanisms remember (Mechanism::first_memory)
  // Impulses of the last step, N s or N m s: limit (lower positive, upper negative) and dry friction of every joint
  // velocity, conditions of the absolute lane.
  std::vector<Real> limit_impulse;      // [joint_velocity]
  std::vector<Real> friction_impulse;   // [joint_velocity]
  std::vector<Real> condition_impulse;  // [Model::joint_conditions]
  // Forces of mechanisms (Mechanism::first_law) that ended the last step at their limits: 1 upper, 2 lower, 0 within.
  std::vector<std::uint32_t> held_force;

  EnergyLedger energy;
};

// 64-bit hash of the bits above.
std::uint64_t state_hash(const State& state);

}  // namespace grus
