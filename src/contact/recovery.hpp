// Removal of existing penetration, apart from the velocities.
//
// After the velocities of a step are known, a second, frictionless contact problem on pseudo-velocities z
// (z = A^-1 H_N^T p, start from rest) moves penetrating bodies apart:
//   g_end = g(q_m) + theta h u_N(n+1)                    gap the step will end with
//   0 <= z_N + (g_end + slop)/h                          where g_end >= -slop: it may close, not overlap
//   0 <= z_N - min(-(g_end + slop)/h, recovery_speed)    where g_end < -slop
// complementary to p >= 0, and q_{n+1} gains h z. Velocities never feel it, so no kinetic energy is made (up to the
// small turn of a body that is no sphere, whose inertia turns with it); what is added is the potential energy of the
// lifted bodies, which the ledger reports as `recovery`. The slop keeps resting contacts closed. Limits of joints that
// were passed are taken back in the same way, without a slop; joints of the absolute lane hold (z = 0 in their rows),
// and dry friction takes no part.
#pragma once

#include <span>
#include <vector>

#include "collision/contact_point.hpp"
#include "contact/joint_rows.hpp"
#include "core/parallel.hpp"
#include "model/model.hpp"
#include "solvers/contact_problem.hpp"
#include "solvers/nlgs.hpp"

namespace grus {

struct RecoveryScratch {
  std::vector<Vec3> shift;                            // [contact_count]
  std::vector<Real> friction;                         // zeros, [contact_count]
  std::vector<Real> row_shift, row_lower, row_upper;  // [row_count]
  std::vector<Real> rest;                             // zeros, the free velocity, [velocity_count]
  ContactSolution solution;                           // pseudo-impulses p and pseudo-velocities z
};

struct RecoveryReport {
  bool applied = false;
  Index iterations = 0;
};

struct RecoveryInput {
  const Model& model;
  std::span<const ContactPoint> contacts;
  std::span<const Vec3> contact_velocity;  // u(n+1), (N, T1, T2)   [contact_count]
  std::span<const JointRow> rows;
  std::span<const Real> row_velocity;  // at the end of the step   [row_count]
};

// The problem's rows are used in place and left as they were. On return scratch.solution.velocity holds z when applied.
RecoveryReport recover_penetration(const RecoveryInput& input, ContactProblem& problem, RecoveryScratch& scratch,
                                   NlgsScratch& nlgs, const Parallel& parallel);

}  // namespace grus
