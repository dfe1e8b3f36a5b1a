// Proximal point method around a nonsmooth Newton method, for tight tolerances and rank-deficient W.
//
// Rigid bodies with more contacts than they need make W singular: Newton's linear systems have no solution, or move
// along its null space without end. Each outer step therefore solves a problem that is regular (Rockafellar 1976),
//
//   W_k = W + alpha_k D,   q_k = q - alpha_k D r_k,   D = diag(1/rho_i),   r_(k+1): its solution
//
// whose limit solves W, q: at r_(k+1) = r_k the added terms cancel. The price of a large alpha is many outer steps (the
// error that remains is alpha D (r_(k+1) - r_k)), that of a small one hard inner problems: alpha falls after an easy
// inner solve and grows after a failed one.
//
// Inner: the active-set Newton step of active_set_newton.hpp with a step length t = 1, 1/2, ... for which the natural
// map of the inner problem falls below the largest of its last values (non-monotone, Grippo, Lampariello and Lucidi
// 1986): the active set must be free to change for the worse before it changes for the better. Before the first step,
// and after a failed inner solve, sweeps of Gauss-Seidel: they find the rough active set.
#pragma once

#include <vector>

#include "solvers/local_residual.hpp"

namespace grus {

struct ProximalNewtonOptions {
  Index warm_up_sweeps = 100;  // at most; they end early when the tolerance is reached. 0: start with Newton
  Real first_alpha = 1e-6;
};

// iterations: Newton steps. The impulses returned lie inside their cones and bounds and have the least error seen.
LocalSolveReport solve_proximal_newton(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse,
                                       const LocalSolveOptions& options, const ProximalNewtonOptions& own = {});

}  // namespace grus
