// Nesterov's accelerated projected gradient method with adaptive restart, for Coulomb friction.
//
//   min 1/2 r.W r + (q + s).r over the cones,   s = mu ||u_T|| e_N per contact (De Saxce)
//
//   r+ = P_K(y - t D^-1 (W y + q + s)),   y+ = r+ + b (r+ - r),   b = th (1 - th)/(th^2 + th+),
//   th+ the positive root of th+^2 = (1 - th+) th^2                                     D = diag(1/rho_i): one number
//                                                                                       per contact, from its W_ii
// (Nesterov 1983; for contact Mazhar, Heyn, Negrut and Tasora 2015). The momentum is dropped when it points against the
// step, (y - r+).D (r+ - r) > 0 (O'Donoghue and Candes 2015). The step t follows the curvature seen: with d = r+ - y,
// t d.W d <= d.D d, else it is repeated with a shorter one.
//
// s is renewed at every iteration from the velocities at r, so that the fixed point obeys Coulomb's law and not its
// convex relaxation. One product with W per iteration and no factorisation: for large problems and loose tolerances.
#pragma once

#include <vector>

#include "solvers/local_residual.hpp"

namespace grus {

LocalSolveReport solve_accelerated_projected_gradient(const LocalProblem& problem, LocalMeter& meter,
                                                      std::vector<Real>& impulse, const LocalSolveOptions& options);

}  // namespace grus
