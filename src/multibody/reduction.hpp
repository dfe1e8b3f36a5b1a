// A mechanism in the configuration q_m of a step, reduced to its independent velocities (paper 000, eqs 25-27).
//
//   v = T v_u + affine                 T = (1; B; 0), affine = (0; beta; c')                        (eq. 20 and errata)
//   A dv_u = h T^T (f - M a_0 - c),    A = T^T M T,  a_0 = (0; b; c'')                              (eq. 25)
// f the applied forces, c the velocity-dependent terms and gravity. T^T (M a_0 + c) is one inverse dynamics. Engaged
// implicit forces (forces.hpp) add to M. With `bias: midpoint` the velocity-dependent terms are taken at (v_n +
// v_free)/2, found by iteration; with `explicit` at v_n, as in the paper.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Cholesky>

#include "model/model.hpp"
#include "model/state.hpp"
#include "multibody/dynamics.hpp"
#include "multibody/forces.hpp"
#include "multibody/loops.hpp"

namespace grus {

struct ReducedMechanism {
  // by predict_mechanism
  Partition partition;
  std::vector<Real> q;             // q_m                                       [position_count]
  std::vector<Real> input;         // of the scene, as forces take them         [Model::inputs]
  MechanismKinematics kinematics;  // of q_m, moved with the velocities the bias terms are taken at
  LoopScratch loops;
  VelocityMap start, end;            // of v_n and of v_{n+1}: the same T, c' at both times
  std::vector<Real> velocity_start;  // v_n as q_m sees it: T v_u + affine        [velocity_count]
  std::vector<Twist> start_twist;    // of the links with it                      [links]
  std::vector<Twist> drive_twist;    // of the links due to c' at t_{n+1} alone   [links]

  // by free_mechanism_velocity
  Real time = 0.0;                      // t_m, s
  Eigen::MatrixXd mass;                 // M; implicit_mass holds what forces add     [velocity_count^2]
  Eigen::MatrixXd A;                    // T^T M T                                   [independent^2]
  Eigen::LLT<Eigen::MatrixXd> factor;   // of A
  Eigen::VectorXd independent_start;    // v_u at t_n                                [independent]
  Eigen::VectorXd free_velocity;        // v_u without contacts                      [independent]
  std::vector<Real> bias_velocity;      // velocities of the bias terms              [velocity_count]
  std::vector<Real> bias_acceleration;  // a_0                                       [velocity_count]
  std::vector<Real> applied;            // f                                         [velocity_count]
  // Loads from outside, set before free_mechanism_velocity: forces at points of links (in world axes, at their places
  // in q_m), and these with forces along velocities as generalised forces; empty: none.
  std::vector<LinkLoad> link_loads;
  std::vector<Real> load;  // N or N m                                  [velocity_count]
  bool has_implicit = false;
  Eigen::MatrixXd implicit_mass;  // what implicit forces add to the mass  [velocity_count^2]

  // by finish_mechanism
  std::vector<Real> velocity_end;  // v_{n+1} as q_m sees it                       [velocity_count]
  MechanismKinematics at_end;      // of q_{n+1}
  LoopScratch loops_end;
  VelocityMap map_end;

  DynamicsScratch dynamics;
  ForceScratch forces;
  std::vector<Real> generalised, external, stored, driven_acceleration, travel;
  Eigen::MatrixXd mass_T;
  Eigen::VectorXd work, affine_change, loop_velocity;
};

// Views of one mechanism into the State.
inline std::span<Real> positions(const Mechanism& m, State& s) {
  return std::span(s.joint_position).subspan(m.first_position, m.position_count);
}
inline std::span<Real> velocities(const Mechanism& m, State& s) {
  return std::span(s.joint_velocity).subspan(m.first_velocity, m.velocity_count);
}
inline std::span<const Real> positions(const Mechanism& m, const State& s) {
  return std::span(s.joint_position).subspan(m.first_position, m.position_count);
}
inline std::span<const Real> velocities(const Mechanism& m, const State& s) {
  return std::span(s.joint_velocity).subspan(m.first_velocity, m.velocity_count);
}

// Stages 1 to 4: q_m with closed loops, the maps of velocities, motion of the links. False when the loops do not close.
bool predict_mechanism(const Mechanism& mechanism, const IntegratorOptions& integrator, const State& state,
                       const Inputs& inputs, ReducedMechanism& reduced);

// The step as forces see it. After predict_mechanism; the time is that of free_mechanism_velocity.
ForceStep force_step(const Mechanism& mechanism, const IntegratorOptions& integrator, const ReducedMechanism& reduced);

// Stages 5 and 6: mass matrix, forces, free velocity. False when A is not positive definite or the midpoint iteration
// does not converge. `time` is t_m, `held` the part of State::held_force.
bool free_mechanism_velocity(const Mechanism& mechanism, const IntegratorOptions& integrator, const Vec3& gravity,
                             Real time, std::span<const std::uint32_t> held, ReducedMechanism& reduced);

// Holds the engaged forces that pass their limits with the independent velocities v_u of a solution; true when there is
// any. A and the free velocity are then out of date, until reduce_again().
bool hold_exceeded_forces(const Mechanism& mechanism, const IntegratorOptions& integrator,
                          std::span<const Real> independent, ReducedMechanism& reduced);
// False as free_mechanism_velocity.
bool reduce_again(const Mechanism& mechanism, const IntegratorOptions& integrator, const Vec3& gravity,
                  ReducedMechanism& reduced);

struct MechanismReport {
  bool closed = true;
  Real loop_error = 0.0;     // m, at the end of the step
  Real loop_velocity = 0.0;  // m/s or rad/s, of the loops opening there: rounding
  bool partition_changed = false;
};

// Stages 12 and 13: v_u = `independent`, positions moved by theta h v + h z (z: pseudo-velocities that remove
// penetration, may be empty), loops closed, dependent velocities back on them, and the partition changed when it has
// become poor. Writes the joints of the state; `end` is t_{n+1}.
MechanismReport finish_mechanism(const Mechanism& mechanism, const IntegratorOptions& integrator, Real end,
                                 const Inputs& inputs, std::span<const Real> independent,
                                 std::span<const Real> recovery, State& state, ReducedMechanism& reduced);

// Energy that the applied forces took (dampers) and gave (all that has no potential, springs that have one) in the
// step, J. After the step and settle_forces.
struct ForceWork {
  Real dissipated = 0.0;
  Real external = 0.0;
  Real stored = 0.0;
};
ForceWork work_of_forces(const Mechanism& mechanism, const IntegratorOptions& integrator, ReducedMechanism& reduced);

// Velocity of a driven coordinate at `time` as the step sees it: the mean over one step between two configurations q_m,
// so that positions in q_m follow the drive exactly (as Motion::mean_twist does for walls).
Real driven_velocity(const Coordinate& coordinate, const IntegratorOptions& integrator, Real time,
                     const Inputs& inputs);

}  // namespace grus
