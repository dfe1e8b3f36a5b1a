#include "simulation/energy.hpp"

namespace grus {

Real kinetic_energy(const Model& model, const State& state) {
  Real sum = 0.0;
  for (Index i = 0; i < model.dynamic_count; ++i) {
    const Vec3 omega_B = state.rotation[i].conjugate() * state.angular_velocity[i];
    sum += 0.5 * model.mass[i] * state.velocity[i].squaredNorm();
    sum += 0.5 * omega_B.cwiseProduct(model.inertia[i]).dot(omega_B);
  }
  return sum;
}

Real potential_energy(const Model& model, const State& state) {
  Real sum = 0.0;
  for (Index i = 0; i < model.dynamic_count; ++i) sum -= model.mass[i] * model.gravity.dot(state.position[i]);
  return sum;
}

}  // namespace grus
