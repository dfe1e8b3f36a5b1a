// Which contact a solution leaves farthest from the contact law: the one behind Residual::max_velocity, scalar rows
// apart.
#pragma once

#include "solvers/residual.hpp"

namespace grus {

struct WorstContact {
  Index contact = no_index;
  Real velocity = 0.0;  // m/s, ||d_c||/rho_c
};

// `scratch` as evaluate_residual left it for this solution.
WorstContact worst_contact(const ContactProblem& problem, const ContactSolution& solution,
                           const ResidualScratch& scratch);

}  // namespace grus
