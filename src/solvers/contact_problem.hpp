// The narrow waist: one frictional contact problem. Solvers see this and nothing else.
//
//   v = v_free + A^-1 H r                            velocities of the blocks
//   u_c = H_c^T v + shift_c                            relative velocity of contact c, ordered (N, T1, T2)
//   K_c = { r : ||r_T|| <= mu_c r_N }                Coulomb's cone
//   u_N >= 0, r_N >= 0, u_N r_N = 0;  r_T = -mu r_N u_T/||u_T|| when sliding
// equivalently  -(u_c + mu_c ||u_T|| e_N) in the normal cone of K_c at r_c  (De Saxce).
//
// A block is a rigid body: 6 velocities (v, omega) in the world frame about its centre of mass, or 3
// (v_x, v_y, omega_z) in a planar problem. A contact touches block a, block b or the world (no_index).
// The normal n points from a to b: u = (v_b + omega_b x arm_b) - (v_a + omega_a x arm_a) in the frame
// (n, t1, t2) of math/vector.hpp tangents(), and r acts on b, -r on a. A planar problem has two rows, N and T1.
//
// Behind the rigid blocks come dense ones: block block_count + d is a mechanism, n_d independent velocities with a
// dense A. A side of a contact on a dense block is given by its rows of H^T and of H^T A^-1, so solvers never see A
// itself: entries [side, side + dim n) of `jacobian` are H_c^T (row by row, with the sign of the side), those of
// `response` H_c^T A^-1, and the arm is not used. Both sides on one dense block (two bodies of one machine) are one
// side, b.
//
// Beside the contacts stand scalar rows: u = H^T v + compliance r + shift with r in [lower, upper],
//   u = 0 inside, u >= 0 at the lower bound, u <= 0 at the upper one:
// a joint limit [0, inf), dry friction of a joint [-h F, h F], a joint between free bodies (-inf, inf), and with a
// compliance a motor or spring at its largest force. Their sides are in `jacobian` and `response` for rigid blocks too
// (block_size() entries); both on one block are one side, b.
//
// Everything that is a law or a moving wall is in `shift`: Newton restitution e u_N^-, the gap term
// max(g, 0)/(theta h), the velocity of a kinematic body.
//
// Plain arrays, 32-bit indices, no pointers: the same arrays can be handed to a GPU.
#pragma once

#include <vector>

#include "math/vector.hpp"

namespace grus {

// Symmetric 3x3, upper triangle.
struct SymMat3 {
  Real xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
};

struct ContactProblem {
  int dimension = 3;  // 2 planar, 3 spatial: rows per contact

  Index block_count = 0;
  std::vector<Real> inverse_mass;        // 1/kg                           [block_count]
  std::vector<SymMat3> inverse_inertia;  // 1/(kg m2), world axes; planar: zz   [block_count]
  std::vector<Real> free_velocity;       // m/s, rad/s    [velocity_count()]: rigid blocks, then dense ones

  Index dense_count = 0;
  std::vector<Index> dense_begin;  // first velocity of each dense block, from block_count * block_size() [dense_count +
                                   // 1]; may be empty without dense blocks

  // Optional: number of the cluster of each block, from 0 [block_count], or empty. Blocks near each other share a
  // cluster; solvers may use it to keep their work in the cache and to share it out.
  std::vector<Index> cluster;

  Index contact_count = 0;
  std::vector<Index> block_a, block_b;  // no_index: the world           [contact_count]
  std::vector<Vec3> normal;             // unit, from a to b; planar: z = 0
  std::vector<Vec3> arm_a, arm_b;       // m, contact point from the centre of mass
  std::vector<Vec3> shift;              // m/s, (N, T1, T2); planar: T2 = 0
  std::vector<Real> friction;
  // Sides on dense blocks, into jacobian and response; no_index: the side is rigid or the world. May be empty without
  // dense blocks.
  std::vector<Index> dense_a, dense_b;  // [contact_count]

  Index row_count = 0;
  std::vector<Index> row_block_a, row_block_b;  // no_index: the world   [row_count]
  std::vector<Index> row_side_a, row_side_b;    // into jacobian and response; no_index: the world
  std::vector<Real> row_shift;                  // m/s or rad/s
  std::vector<Real> row_lower, row_upper;       // N s or N m s
  std::vector<Real> row_compliance;             // 1/kg or 1/(kg m2); empty: all zero
  // Metres that a unit of the row's velocity stands for where errors of contacts and rows are compared: 1 of a slide,
  // the size of the machine of a turn. Empty: all 1.
  std::vector<Real> row_length;

  std::vector<Real> jacobian, response;  // entries of sides

  Real compliance_of(Index row) const { return row_compliance.empty() ? 0.0 : row_compliance[row]; }
  Real length_of(Index row) const { return row_length.empty() ? 1.0 : row_length[row]; }
  int block_size() const { return dimension == 3 ? 6 : 3; }
  Index velocity_count() const { return dense_count > 0 ? dense_begin.back() : block_count * block_size(); }
  bool is_dense(Index block) const { return block >= block_count; }
  // First velocity and number of velocities of a block.
  Index velocity_begin(Index block) const {
    return is_dense(block) ? dense_begin[static_cast<std::size_t>(block - block_count)] : block * block_size();
  }
  Index velocity_size(Index block) const {
    if (!is_dense(block)) return block_size();
    const auto d = static_cast<std::size_t>(block - block_count);
    return dense_begin[d + 1] - dense_begin[d];
  }
};

struct ContactSolution {
  std::vector<Vec3> impulse;      // N s, (N, T1, T2) per contact; on entry the starting guess
  std::vector<Real> row_impulse;  // N s or N m s per scalar row; on entry the starting guess
  std::vector<Real> velocity;     // of the blocks, as free_velocity; set by the solver
};

struct SolveReport {
  Index iterations = 0;       // sweeps
  Real residual = 0.0;        // scaled natural map, by residual.hpp after the last iteration
  Real max_velocity = 0.0;    // m/s, of the worst contact: a global norm hides a light body
  Real dense_velocity = 0.0;  // m/s, the same over the contacts and rows of dense blocks
  bool converged = false;
};

// Both must hold: a norm over thousands of grains hides the tine of a machine.
inline bool is_within(const SolveReport& report, Real tolerance, Real dense_tolerance) {
  return report.residual <= tolerance && report.dense_velocity <= dense_tolerance;
}

}  // namespace grus
