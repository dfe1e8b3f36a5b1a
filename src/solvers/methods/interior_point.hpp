// Primal-dual interior-point method for Coulomb friction, for small and medium problems.
//
//   v = W r + q + s,   s = mu ||v_T|| e_N (De Saxce; v_T = u_T),   r in K, v in its dual cone, r.v = 0
//
// In x = (mu r_N, r_T), y = (v_N/mu, v_T) both cones are Lorentz', and with x o y = t e, t -> 0, and the scaling point
// of Nesterov and Todd (1997), y = H x,
//
//   W dr + ds - dv = -(W r + q + s - v),      dv = T (t x^-1 - y - H T dr),   T = diag(mu, 1, 1)
//
// solved twice in each iteration with the same factors: for t = 0, then with t chosen by how far that goes and with the
// products dx o dy it would leave taken off (predictor and corrector, Mehrotra 1992).
//
// Unlike methods for the convex relaxation with s fixed, s is part of Newton's equations, ds = mu v_T/||v_T|| . dv_T
// e_N: one loop, no outer fixed point (as Acary, Armand, Nguyen and Shpakovych 2022). It makes the matrix S^-1 W + T H
// T unsymmetric, S^-1 adding mu d times the tangential rows to the normal ones: block_lu.hpp. A scalar row has one
// slack and multiplier for each finite bound; one without bounds is an equation.
//
// Each iteration factors a matrix of the pattern of W, whatever the state of the contacts; iterations hardly grow with
// the size. Where contacts neither press nor part the last digits are lost to rounding, and with large friction the
// central path may bend away: when 12 iterations halve neither the error nor the gap r.v the best impulses are handed
// to the proximal Newton method, if they are good enough to know the active set from (crossover).
#pragma once

#include <vector>

#include "solvers/local_residual.hpp"

namespace grus {

LocalSolveReport solve_interior_point(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse,
                                      const LocalSolveOptions& options);

}  // namespace grus
