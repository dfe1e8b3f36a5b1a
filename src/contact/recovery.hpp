// Removal of existing penetration, apart from the velocities.
//
// After the velocities of a step are known, a second, frictionless contact problem on pseudo-velocities z
// (z = A^-1 H_N p, start from rest) moves penetrating bodies apart:
//   g_end = g(q_m) + theta h u_N(n+1)                    gap the step will end with
//   0 <= z_N + (g_end + slop)/h                          where g_end >= -slop: it may close, not overlap
//   0 <= z_N - min(-part (g_end + slop)/h, recovery_speed)   where g_end < -slop: a part of it is taken back
// complementary to p >= 0, and q_{n+1} gains h z. Velocities never feel it, so no kinetic energy is made (up to the
// small turn of a body that is no sphere, whose inertia turns with it); what is added is the potential energy of the
// lifted bodies, which the ledger reports as `recovery`. The slop keeps resting contacts closed. Limits of joints that
// were passed are taken back in the same way, without a slop; joints of the absolute lane hold (z = 0 in their rows),
// and dry friction and held forces take no part.
//
// Only what lies around an overlap moves. The depths of a bed at rest drift by the tolerance of the velocities, here
// and there past the slop, and a problem of the whole bed in every step cost as much as the velocities themselves.
//   waking   a contact deeper than `waking_depth` slops, a limit that was passed, wakes its bodies and all within
//            `waking_rings` contacts or rows of them; among those every depth is taken back towards one slop.
//   asleep   all others stay (z = 0), and what is awake may press into them to `pressing_depth` slops: past the waking
//            depth, so that an overlap that finds no room spreads and wakes them in the next step.
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
  std::vector<Real> velocity;  // the result: z, as ContactProblem::free_velocity      [velocity_count]

  std::vector<Real> end_gap;  // m, of contacts                                          [contact_count]
  std::vector<Index> ring;    // of each block, 0 at an overlap; no_index: asleep        [block_count + dense_count]
  std::vector<Index> place;   // of each rigid block in `around`; no_index: asleep       [block_count]
  ContactProblem around;      // what is awake
  ContactSolution solution;   // of `around`
};

struct RecoveryReport {
  bool applied = false;
  Index iterations = 0;
  Real residual = 0.0;      // scaled natural map of the problem around the overlaps
  Real max_velocity = 0.0;  // m/s, of its worst contact
};

struct RecoveryInput {
  const Model& model;
  std::span<const ContactPoint> contacts;
  std::span<const Vec3> contact_velocity;  // u(n+1), (N, T1, T2)   [contact_count]
  std::span<const JointRow> rows;
  std::span<const Real> row_velocity;  // at the end of the step   [row_count]
};

// The entries of the problem's sides are used in place and left as they were. On return scratch.velocity holds z when
// applied.
RecoveryReport recover_penetration(const RecoveryInput& input, ContactProblem& problem, RecoveryScratch& scratch,
                                   NlgsScratch& nlgs, const Parallel& parallel);

}  // namespace grus
