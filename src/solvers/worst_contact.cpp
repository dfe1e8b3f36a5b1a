#include "solvers/worst_contact.hpp"

#include "solvers/cone.hpp"

namespace grus {

WorstContact worst_contact(const ContactProblem& problem, const ContactSolution& solution,
                           const ResidualScratch& scratch) {
  WorstContact worst;
  for (Index c = 0; c < problem.contact_count; ++c) {
    const Real rho = scratch.rho[c];
    if (rho == 0.0) continue;
    const Vec3 d = natural_map(solution.impulse[c], scratch.contact_velocity[c], problem.friction[c], rho);
    const Real velocity = d.norm() / rho;
    if (velocity > worst.velocity) worst = {c, velocity};
  }
  return worst;
}

}  // namespace grus
