// Forces of joints and between points of a mechanism: springs, dampers, motors, expressions.
//
// Every law acts on one scalar x(q) with gradient g, x' = g.v: the position of a joint's coordinate (of a ball: a
// component of its rotation vector) or the distance of two points. Its generalised force is g f.
//
// Implicit laws take their linear part at the end of the step, x_m the position in q_m, W = g g^T:
//   f = -k (x_m + theta h x'_{n+1} - rest) - d (x'_{n+1} - rate)
// With v_{n+1} = v_n + dv this is what is known at v_n, less (d + theta h k) g.dv, and M dv = h g f becomes
//   (M + (h d + theta h^2 k) W) dv = h g (-k (x_m + theta h x'_n - rest) - d (x'_n - rate)).
// A law at its limit is a constant force: which ones are is guessed from v_n and revised when v_{n+1} is known.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "multibody/kinematics.hpp"

namespace grus {

enum class LawMode : std::uint8_t { at_velocity, at_end, at_upper_limit, at_lower_limit };

struct ForceScratch {
  std::vector<LawMode> mode;   // [joint_forces + point_forces], by add_implicit_mass
  std::vector<Real> values;    // of `force_variables`                             [1 + 2 velocity_count + memories]
  std::vector<Real> memory;    // of the State, by predict_mechanism               [memories]
  std::vector<Real> gradient;  // g                                                [velocity_count]
};

// Position of every coordinate and its rate as forces and expressions see them: t, x_0, x_0', x_1, ...
void coordinate_values(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v,
                       std::vector<Real>& values);
// The same, then what is remembered.
void force_values(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v,
                  std::span<const Real> memory, std::vector<Real>& values);

// The force of a law, within its limit; `values` as above, for its expression.
Real joint_force_value(const ForceLaw& law, Real x, Real rate, Real time, std::span<const Real> values);

// First of a step: decides which implicit laws are linear and adds (h d + theta h^2 k) g g^T of these. True when there
// is any. v is v_n; needs place().
bool add_implicit_mass(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v,
                       const MechanismKinematics& kinematics, Real h, Real theta, ForceScratch& scratch,
                       Eigen::MatrixXd& mass);

// Adds all applied forces to `generalised`: explicit ones at (q, v), implicit ones as the right side above with
// `v_start` = v_n. Needs place() and add_implicit_mass().
void add_forces(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v,
                std::span<const Real> v_start, Real h, Real theta, const MechanismKinematics& kinematics,
                ForceScratch& scratch, std::span<Real> generalised);

// Implicit laws at v_end = v_{n+1}: those that pass their limit are held there, those held there that would not pass it
// are freed. True when any changed: then mass and forces are to be built again (with the same scratch, by
// add_mass_of_modes instead of add_implicit_mass). One law settles in two rounds.
bool revise_limits(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v_end, Real h,
                   Real theta, const MechanismKinematics& kinematics, ForceScratch& scratch);
bool add_mass_of_modes(const Mechanism& mechanism, const MechanismKinematics& kinematics, Real h, Real theta,
                       ForceScratch& scratch, Eigen::MatrixXd& mass);

// The forces that the ledger of energy counts, at (q, v), implicit laws at v_end: dampers (no limit, rate zero) take
// energy, and all that has no potential adds work. Springs of stored_energy are in neither.
void add_ledger_forces(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v,
                       std::span<const Real> v_end, Real h, Real theta, const MechanismKinematics& kinematics,
                       ForceScratch& scratch, std::span<Real> damping, std::span<Real> external);

// A force at a point and a torque on a link, world axes.
struct LinkLoad {
  Index link = no_index;
  Vec3 point = Vec3::Zero(), force = Vec3::Zero(), torque = Vec3::Zero();
};

// What springs between points and applied forces put on the links in a step; forces of coordinates stay in their
// joints.
void append_force_loads(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v,
                        std::span<const Real> v_end, Real h, Real theta, const MechanismKinematics& kinematics,
                        ForceScratch& scratch, std::vector<LinkLoad>& loads);

// Of linear springs with a constant rest and no limit, J.
Real stored_energy(const Mechanism& mechanism, Real time, std::span<const Real> q,
                   const MechanismKinematics& kinematics, ForceScratch& scratch);

// Length of a point-to-point element and its direction, from A to B.
struct PointLine {
  Vec3 p_A = Vec3::Zero(), p_B = Vec3::Zero(), direction = Vec3::UnitX();
  Real length = 0.0;
};
PointLine point_line(const PointForce& force, const MechanismKinematics& kinematics);

}  // namespace grus
