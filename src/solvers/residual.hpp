// Quality of a solution, measured outside the solvers: the scaled natural map, free of units and mass scale.
//
//   v = v_free + A^-1 H^T r  recomputed from the impulses,  u = H v + shift,  q = H v_free + shift
//   rho_c = dim / tr W_cc,   d_c = r_c - P_K(r_c - rho_c (u_c + mu ||u_T|| e_N))
//   scaled = sqrt(sum ||d_c||^2/rho_c) / sqrt(max(sum ||r_c||^2/rho_c, sum rho_c ||q_c||^2))
//   max_velocity = max ||d_c||/rho_c                                                                     in m/s
//
// Contacts that no impulse can influence (tr W_cc = 0) are left out. NaN anywhere gives NaN, never a small number.
// Sums run over fixed chunks and blocks gather their impulses in the order of the contacts: the same bits for any
// number of threads.
#pragma once

#include "core/parallel.hpp"
#include "solvers/contact_problem.hpp"

namespace grus {

struct Residual {
  Real scaled = 0.0;
  Real max_velocity = 0.0;
};

struct ResidualScratch {
  // by prepare_residual
  std::vector<Index> side_begin;  // [block_count + 1] ranges of `sides`; empty for blocks that do not move
  std::vector<Index> sides;       // 2 contact + (0: block is a, 1: block is b), ascending within a block
  std::vector<Real> rho;          // kg, 0: left out      [contact_count]
  Real free_scale = 0.0;          // sum rho ||q||^2
  // by evaluate_residual
  std::vector<Vec3> world_impulse;     // N s, world axes        [contact_count]
  std::vector<Real> velocity;          // of the blocks          [block_count * block_size()]
  std::vector<Vec3> contact_velocity;  // u_c, (N, T1, T2)       [contact_count]
  Real scale = 0.0;                    // squared denominator of Residual::scaled

  struct Sums {
    Real defect = 0.0, impulse = 0.0, max_velocity = 0.0;
  };
  std::vector<Sums> partial;
};

// What depends on the problem alone; once per problem.
void prepare_residual(const ContactProblem& problem, ResidualScratch& scratch, const Parallel& parallel);

// The residual of the given impulses of a prepared problem. Leaves block and contact velocities in the scratch.
Residual evaluate_residual(const ContactProblem& problem, const std::vector<Vec3>& impulse, ResidualScratch& scratch,
                           const Parallel& parallel);

// Both at once, from the impulses of the solution; its velocities are not trusted, nor changed.
Residual residual(const ContactProblem& problem, const ContactSolution& solution, ResidualScratch& scratch,
                  const Parallel& parallel);

}  // namespace grus
