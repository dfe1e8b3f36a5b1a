// Loop cuts: closing them, choosing the dependent velocities, and the map from independent velocities to all.
//
// Paper 000, eqs 16-24, with the driven coordinates of the errata. Velocities are split into independent (u), dependent
// (v) and driven (c); J = dh/dq over all of them:
//   Newton-Raphson        q_v <- q_v - J_v^-1 h                                        (Algorithm 1)
//   v_v = B v_u + beta,   B = -J_v^-1 J_u,   beta = -J_v^-1 J_c c'                     (eq. 20)
//   v_v' = B v_u' + b,    b = -J_v^-1 (J' v + J_c c'')                                 (eq. 24)
// The partition is chosen by LU of J with complete pivoting, or by the user; it is kept until its smallest pivot is far
// below the best possible one.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/LU>

#include "multibody/condition.hpp"
#include "multibody/kinematics.hpp"
#include "multibody/pivoting.hpp"

namespace grus {

struct Partition {
  std::vector<Index> independent, dependent, driven;  // velocity numbers, rising
};

// From State::joint_dependent (one number per velocity) and the roles.
Partition partition_of(const Mechanism& mechanism, std::span<const std::uint32_t> dependent);
void set_partition(const Mechanism& mechanism, std::span<const std::uint32_t> dependent, Partition& partition);

struct LoopScratch {
  Eigen::MatrixXd J;                          // [closed_count x velocity_count]
  Eigen::VectorXd h;                          // [closed_count]
  Eigen::MatrixXd J_v;                        // [closed_count x closed_count]
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_v;  // of J_v
  std::vector<Real> step;                     // [velocity_count]
  Eigen::VectorXd rhs, solution;              // [closed_count]
  Eigen::MatrixXd scaled;                     // J without units, eaten by the elimination
  std::vector<ColumnUse> use;                 // [velocity_count]
  Elimination elimination;
};

// h and J = dh/dv of the first `count` conditions, rows in their own units. Needs place().
void evaluate_loops(const Mechanism& mechanism, const MechanismKinematics& kinematics, Index count,
                    LoopScratch& scratch);

// Factor that makes a condition a length: 1, or the size for angles.
Real condition_scale(const Mechanism& mechanism, const JointCondition& condition);

// J of `scratch` without units: turns and balls as arcs of the radius `size`, angles between axes as lengths.
void scale_jacobian(const Mechanism& mechanism, const Eigen::MatrixXd& J, Eigen::MatrixXd& scaled);

struct ClosureReport {
  bool converged = true;
  Index iterations = 0;
  Real error = 0.0;  // largest |h| over all conditions (also those that repeat others), m (angles times the size)
};

// Moves the dependent positions until all loops are closed, from the q given; leaves `kinematics` placed at the
// result and J, lu_v of it in the scratch. Iterates to rounding, not to a tolerance: h stays below 1e-12 of the size.
// Not converged: q is not to be used.
ClosureReport close_loops(const Mechanism& mechanism, const Partition& partition, std::span<Real> q,
                          MechanismKinematics& kinematics, LoopScratch& scratch);

// All velocities as a function of the independent ones: v = T v_u + affine.
struct VelocityMap {
  Eigen::MatrixXd T;              // [velocity_count x independent]: 1 for u, B for v, 0 for c
  Eigen::VectorXd affine;         // [velocity_count]: 0, beta, c'
  Eigen::MatrixXd rhs, solution;  // [closed_count x (independent + 1)]
};

// Needs close_loops() at this configuration. `driven_velocity` has one number per velocity; those of driven ones count.
void map_velocities(const Mechanism& mechanism, const Partition& partition, std::span<const Real> driven_velocity,
                    const LoopScratch& scratch, VelocityMap& map);

// The accelerations of all velocities when those of the independent ones are zero: 0, b, c''. Needs move() with
// consistent velocities.
void bias_accelerations(const Mechanism& mechanism, const Partition& partition, const MechanismKinematics& kinematics,
                        std::span<const Real> driven_acceleration, LoopScratch& scratch, std::span<Real> acceleration);

// How good a partition is here: smallest pivot of J_v over the largest that J offers, without units; 1 without loops.
// `best` by complete pivoting over all velocities whose role allows it.
struct PartitionQuality {
  Real now = 1.0;
  Real best = 1.0;
};
PartitionQuality partition_quality(const Mechanism& mechanism, const Partition& partition, LoopScratch& scratch);

// The best partition at the configuration of `scratch`: velocities that the user made dependent first, then automatic
// ones. Fewer dependents than closed_count: the roles leave too few.
Partition choose_partition(const Mechanism& mechanism, LoopScratch& scratch);

// A partition is changed when it is this much worse than the best one (and its roles are automatic).
inline constexpr Real partition_hysteresis = 0.1;

}  // namespace grus
