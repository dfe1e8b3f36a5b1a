// Nonlinear block Gauss-Seidel over contacts (Jean 1999; paper 000 section 3): each contact in turn is solved exactly
// with the others held, and the velocities of its two blocks move at once.
//
//   u_c = H_c^T v + shift_c,  q_c = u_c - W_cc r_c,  r_c <- exact local solution,  v += A^-1 H_c (r_c - r_c^old)
//
// Contacts go cluster by cluster, then colour by colour, then the hub lane (contact_graph.hpp), then the tail of scalar
// rows and contacts on dense blocks (dense_rows.hpp). It stops on the
// true residual (residual.hpp), never on the increment alone: the increment of a sweep, in the norm of the residual,
// only tells when it is worth while to measure. The schedule depends on the iterates alone, so neither the number of
// sweeps nor a bit of the result depends on the threads.
#pragma once

#include "core/parallel.hpp"
#include "solvers/contact_graph.hpp"
#include "solvers/contact_problem.hpp"
#include "solvers/dense_rows.hpp"
#include "solvers/nlgs_rows.hpp"
#include "solvers/pair_lane.hpp"
#include "solvers/residual.hpp"
#include "solvers/sweep_iteration.hpp"

namespace grus {

// Disposable; keeps its capacity from one solve to the next.
struct NlgsScratch {
  ContactGraph graph;
  ResidualScratch residual;  // after a solve: velocities of contacts and rows of the solution
  std::vector<SpatialBlock> spatial_blocks;
  std::vector<PlanarBlock> planar_blocks;
  std::vector<LaneOf> lane_of;  // of each contact of the graph
  Lane<SphereRow> spheres;
  PairLane pairs;
  Lane<SpatialRow> spatial;
  Lane<PlanarRow> planar;
  Tail<SpatialRow> spatial_tail;
  Tail<PlanarRow> planar_tail;
  MomentumScratch momentum;
  ContactSolution best;          // impulses of the least error measured
  std::vector<Real> increments;  // one per strand of a sweep
};

// solution.impulse and row_impulse are the starting guess (zeros when the size does not fit) and the result;
// solution.velocity is set.
// With NaN in the problem or the guess it returns at once, not converged, with a NaN residual.
SolveReport solve_nlgs(const ContactProblem& problem, ContactSolution& solution, NlgsScratch& scratch,
                       const NlgsOptions& options, const Parallel& parallel);

}  // namespace grus
