// Forces of joints and between points of a mechanism: springs, dampers, motors, expressions.
//
// Every law acts on one scalar x(q) with gradient g, x' = g.v: the position of a joint's coordinate (of a ball: a
// component of its rotation vector) or the distance of two points. Its generalised force is g f.
//
// Implicit laws take their linear part, with rest and rate, at the end of the step. x_m is the position in q_m, D/h =
// d + theta h k, and what is known in advance is f_0 = k (rest - x_m) + d rate + table + expression:
//   f = f_0 - (D/h) x'_{n+1}
// With x'_{n+1} = g.(v_n + dv), M dv = h g f becomes  (M + D g g^T) dv = h g (f_0 - (D/h) g.v_n):  stable for any k, d.
//
// A limit |f| <= L must hold under contact too. A law is *engaged*, D g g^T in the mass, or *held*: a constant force
// +-L, and a scalar row of the contact problem carries the rest, between 0 and -+2 h L, in the same law (by
// contact/joint_rows.hpp). Every step starts with the laws held that ended the last one at their limits; an engaged law
// that passes its limit, without contacts or with them, is held and the step solved again. Laws are never engaged
// within a step, so this ends. A law within its limit has no row and costs nothing.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "multibody/kinematics.hpp"

namespace grus {

enum class LawMode : std::uint8_t { at_velocity, engaged, held_at_upper, held_at_lower };
inline bool is_held(LawMode mode) { return mode == LawMode::held_at_upper || mode == LawMode::held_at_lower; }

// One law in a step. Laws are numbered: those of joints, then those between points.
struct LawStep {
  LawMode mode = LawMode::at_velocity;
  Real known = 0.0;   // N or N m: f_0 of implicit laws
  Real other = 0.0;   // N or N m: the part of table and expression in it
  Real gain = 0.0;    // D/h, N s/m or N m s/rad
  Real excess = 0.0;  // N s or N m s: impulse of the row of a held law
  Real acted = 0.0;   // N or N m: the force over the step, by settle_forces
};

struct ForceScratch {
  std::vector<LawStep> laws;  // [law_count()]
  std::vector<Real>
      values;  // of `force_variables`                             [1 + 2 velocity_count + inputs + memories]
  std::vector<Real> memory;    // of the State, by predict_mechanism               [memories]
  std::vector<Real> gradient;  // g                                                [velocity_count]
};

// What the laws see of a step.
struct ForceStep {
  const Mechanism& mechanism;
  const MechanismKinematics& kinematics;  // in q_m, by place()
  std::span<const Real> q;                // q_m
  Real time = 0.0;                        // t_m; implicit laws look theta h ahead of it
  Real h = 0.0, theta = 1.0;
  std::span<const Real> inputs = {};  // of the scene, as set for this step
};

// Position of every coordinate and its rate as forces and expressions see them, then the inputs: t, x_0, x_0', x_1, ...
void coordinate_values(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v,
                       std::span<const Real> inputs, std::vector<Real>& values);
// The same, then what is remembered.
void force_values(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v,
                  std::span<const Real> inputs, std::span<const Real> memory, std::vector<Real>& values);

// The force of a law, within its limit; `values` as above, for its expression.
Real joint_force_value(const ForceLaw& law, Real x, Real rate, Real time, std::span<const Real> values,
                       std::span<const Real> inputs = {});

// First of a step: all implicit laws are engaged but those that `held` (State::held_force of the mechanism; empty:
// none) keeps at their limits.
void begin_forces(const ForceStep& step, std::span<const std::uint32_t> held, ForceScratch& scratch);

// Adds D g g^T of the engaged laws; true when there is any.
bool add_implicit_mass(const ForceStep& step, ForceScratch& scratch, Eigen::MatrixXd& mass);

// Adds all applied forces to `generalised`: explicit ones at (q, v), engaged ones as the right side above with
// `v_start` = v_n, held ones as constants.
void add_forces(const ForceStep& step, std::span<const Real> v, std::span<const Real> v_start, ForceScratch& scratch,
                std::span<Real> generalised);

// Holds the engaged laws that pass their limit at v_end; true when there is any. Mass and forces are then to be built
// again.
bool hold_exceeded(const ForceStep& step, std::span<const Real> v_end, ForceScratch& scratch);

// The forces that acted, in LawStep::acted: explicit laws at `v`, engaged ones at v_end, held ones with what their rows
// carried (LawStep::excess).
void settle_forces(const ForceStep& step, std::span<const Real> v, std::span<const Real> v_end, ForceScratch& scratch);

const ForceLaw& law_of(const Mechanism& mechanism, std::size_t number);
// Gradient of a law in scratch.gradient.
void find_gradient(const ForceStep& step, std::size_t number, ForceScratch& scratch);

// The generalised forces that acted as the ledger of energy counts them: dampers (no limit, rate zero) take energy, and
// all that has no potential adds work; springs of stored_energy apart. After settle_forces; v as there.
void add_ledger_forces(const ForceStep& step, std::span<const Real> v, std::span<const Real> v_end,
                       ForceScratch& scratch, std::span<Real> damping, std::span<Real> external,
                       std::span<Real> stored);

// A force at a point and a torque on a link, world axes.
struct LinkLoad {
  Index link = no_index;
  Vec3 point = Vec3::Zero(), force = Vec3::Zero(), torque = Vec3::Zero();
};

// What springs between points and applied forces put on the links in a step; forces of coordinates stay in their
// joints. After settle_forces; v as there.
void append_force_loads(const ForceStep& step, std::span<const Real> v, ForceScratch& scratch,
                        std::vector<LinkLoad>& loads);

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
