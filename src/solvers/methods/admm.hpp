// Alternating direction method of multipliers, with a scaled and adaptive penalty, for Coulomb friction.
//
//   min 1/2 r.W r + (q + s).r + indicator_K(z),  r = z,   s = mu ||u_T|| e_N per contact (De Saxce)
//
//   r+ = (W + R)^-1 (R (z - w) - q - s)        R = beta diag(1/rho_i): one number per contact, scaled by its W_ii
//   z+ = P_K(r+ + w)
//   w+ = w + r+ - z+                           scaled multiplier: u + s -> -R w
//
// (Boyd et al. 2011, sections 3.1 and 3.4; without over-relaxation, which here costs more iterations than it saves; for
// friction Acary, Bremond and Huber 2018). s is renewed at every iteration from u_T = -(R w)_T, so that the fixed point
// obeys Coulomb's law and not its convex relaxation; with large friction that outer iteration may fail to converge
// although the convex problems are solved.
//
// W + R is factored once per penalty (block_lu.hpp). The penalty follows the ratio of the primal residual ||r - z|| and
// the dual one ||R (z+ - z)||, both measured in energy, and is changed only when it pays for a new factorisation.
#pragma once

#include <vector>

#include "solvers/local_residual.hpp"

namespace grus {

LocalSolveReport solve_admm(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse,
                            const LocalSolveOptions& options);

}  // namespace grus
