// Projected conjugate gradients of Renouf and Alart (2005), preconditioned by the diagonal blocks, for Coulomb
// friction.
//
//   min 1/2 r.W r + (q + s).r over the cones,   s = mu ||u_T|| e_N per contact (De Saxce), renewed at every iteration
//
//   g = -D^-1 (u + s) projected on the tangent cone at r,   u = W r + q,   D = diag(1/rho_i)
//   b = -(g.W p)/(p.W p),   p+ = g + b p~,   p~: p projected alike
//   a = -p.(u + s)/(p.W p),   r+ = P_K(r + a p)
//
// The paper projects by the status of each contact (open, sliding, sticking); here the status is the place of r in its
// cone: at the apex motions go into the cone, on the surface not outwards, inside anywhere; a row at a bound moves only
// inwards. With the shift s the fixed points are those of Coulomb's law, not of its convex relaxation.
//
// Cones are curved, and a projection may spoil the step: where it lowers the energy by less than a tenth of what its
// slope promises, a step of projected gradients is made instead and the directions are forgotten. They are forgotten
// too when a contact opens or closes while the error does not fall: W p belongs to another set of unknowns then.
#pragma once

#include <vector>

#include "solvers/local_residual.hpp"

namespace grus {

LocalSolveReport solve_projected_conjugate_gradient(const LocalProblem& problem, LocalMeter& meter,
                                                    std::vector<Real>& impulse, const LocalSolveOptions& options);

}  // namespace grus
