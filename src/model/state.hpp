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

// Running sums of energy, J. kinetic + potential + dissipated_contact + dissipated_joint - work_external - recovery
// moves only by the error of the scheme: docs/theory.md, "The ledger".
struct EnergyLedger {
  Real dissipated_contact = 0.0;  // taken by contacts: restitution < 1 and friction
  Real dissipated_joint = 0.0;    // taken by dampers, dry friction and limits of joints
  Real work_walls = 0.0;          // done by kinematic bodies through contacts
  Real work_drives = 0.0;         // done by driven coordinates of mechanisms
  Real work_forces = 0.0;         // done by motors and all other forces without a potential
  Real recovery = 0.0;            // potential energy added by pushing penetrating bodies and passed limits apart
  Real work_conservative =
      0.0;  // done by gravity and springs on the velocities; the potential energy should fall by it
  // Sums over the steps of what came in and of what went out, every term above but the last by the sign it had.
  Real gross_in = 0.0, gross_out = 0.0;
  Real kinetic_max = 0.0;  // largest kinetic energy at the end of a step

  Real work_external() const { return work_walls + work_drives + work_forces; }
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

  // Named inputs [Model::inputs]: set for the steps to come, and at both ends of the last step.
  std::vector<Real> input, input_start, input_end;
  std::vector<Real> input_rate;  // 1/s, how fast they went in the step before the last one

  EnergyLedger energy;
};

// 64-bit hash of the bits above.
std::uint64_t state_hash(const State& state);

}  // namespace grus
