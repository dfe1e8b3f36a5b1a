// Quality of a solution, measured outside the solvers: the scaled natural map, free of units and mass scale.
//
//   v = v_free + A^-1 H r  recomputed from the impulses,  u = H^T v + shift
//   rho_c = dim / tr W_cc,   d_c = r_c - P_K(r_c - rho_c (u_c + mu ||u_T|| e_N))
//   scaled = sqrt(sum ||d_c||^2/rho_c) / sqrt(max(sum ||r_c||^2/rho_c, sum ||d_c(0)||^2/rho_c))
// with d_c(0) the map at zero impulse: what each contact would push if it were alone. What cannot push, an open gap or
// a joint stop that is not reached, is zero there; by the velocities themselves a stop that is far away, whose shift is
// gap/(theta h), would make the scale so large that no other contact were solved.
//
// ||d_c|| less the rounding errors of what it is a difference of (cone.hpp beyond_rounding).
//   max_velocity = max ||d_c||/rho_c                                                                     in m/s
//   dense_velocity: the same over what touches a dense block; a bed of thousands of grains hides the tine of a machine
// Scalar rows are terms of the same sums and maxima (an angle times its length, ContactProblem::row_length), with
//   rho = 1/(w + compliance),  d = r - clamp(r - rho u, lower, upper);  bounds out of order give NaN,
// and d^2 w in the sums, |d| w in the maxima: what the error of the impulse moves. By w + compliance a soft spring,
// whose row asks for a large velocity where it lacks a small force, would enlarge the scale.
//
// Contacts and rows that no impulse can influence (contact_rho = 0, w = 0) are left out. NaN anywhere gives NaN, never
// a small number. Sums run over fixed chunks and blocks gather their impulses in the order of the contacts: the same
// bits for any number of threads.
#pragma once

#include "core/parallel.hpp"
#include "solvers/contact_problem.hpp"

namespace grus {

struct Residual {
  Real scaled = 0.0;
  Real max_velocity = 0.0;
  Real dense_velocity = 0.0;
};

struct ResidualScratch {
  // by prepare_residual
  std::vector<Index> side_begin;  // [block_count + dense_count + 1] ranges of `sides`; empty for immovable ones
  std::vector<Index> sides;       // 2 i + (0: block is a, 1: block is b), ascending within a block; i is a contact, or
                                  // contact_count + a scalar row
  std::vector<Real> rho;          // kg, 0: left out      [contact_count]
  std::vector<Real> magnitude,
      row_magnitude;             // m/s, of the terms that velocities are sums of [contact_count, row_count]
  std::vector<Real> row_rho;     // kg or kg m2, 0: left out   [row_count]
  std::vector<Real> row_weight;  // w of the rows, 1/kg or 1/(kg m2)   [row_count]
  Real free_scale = 0.0;         // sum ||d(0)||^2/rho
  // by evaluate_residual
  std::vector<Vec3> world_impulse;     // N s, world axes        [contact_count]
  std::vector<Real> velocity;          // of the blocks          [velocity_count()]
  std::vector<Vec3> contact_velocity;  // u_c, (N, T1, T2)       [contact_count]
  std::vector<Real> row_velocity;      // u of the scalar rows   [row_count]
  Real scale = 0.0;                    // squared denominator of Residual::scaled

  struct Sums {
    Real defect = 0.0, impulse = 0.0, max_velocity = 0.0, dense_velocity = 0.0;
  };
  std::vector<Sums> partial;
};

// What depends on the problem alone; once per problem.
void prepare_residual(const ContactProblem& problem, ResidualScratch& scratch, const Parallel& parallel);

// The residual of the impulses of the solution of a prepared problem; its velocities are not trusted, nor changed.
// Leaves velocities of blocks, contacts and rows in the scratch.
Residual evaluate_residual(const ContactProblem& problem, const ContactSolution& solution, ResidualScratch& scratch,
                           const Parallel& parallel);

// Both at once.
Residual residual(const ContactProblem& problem, const ContactSolution& solution, ResidualScratch& scratch,
                  const Parallel& parallel);

}  // namespace grus
