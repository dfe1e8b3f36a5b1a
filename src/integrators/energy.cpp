#include "integrators/energy.hpp"

#include "multibody/dynamics.hpp"
#include "multibody/forces.hpp"
#include "multibody/reduction.hpp"

namespace grus {

Real kinetic_energy(const Model& model, const State& state, const LinkedBodies& linked) {
  Real sum = 0.0;
  for (Index i = 0; i < model.dynamic_count; ++i) {
    const Vec3 omega_B = state.rotation[i].conjugate() * state.angular_velocity[i];
    sum += 0.5 * model.mass[i] * state.velocity[i].squaredNorm();
    sum += 0.5 * omega_B.cwiseProduct(model.inertia[i]).dot(omega_B);
  }
  for (std::size_t d = 0; d < model.mechanisms.size(); ++d)
    sum += kinetic_energy(model.mechanisms[d], linked.mechanisms[d]);
  return sum;
}

Real potential_energy(const Model& model, const State& state, const LinkedBodies& linked) {
  Real sum = 0.0;
  ForceScratch scratch;
  for (Index i = 0; i < model.dynamic_count; ++i) sum -= model.mass[i] * model.gravity.dot(state.position[i]);
  for (std::size_t d = 0; d < model.mechanisms.size(); ++d) {
    const Mechanism& mechanism = model.mechanisms[d];
    sum += gravity_energy(mechanism, linked.mechanisms[d], model.gravity);
    sum += stored_energy(mechanism, state.time, positions(mechanism, state), linked.mechanisms[d], scratch);
  }
  return sum;
}

Energy mechanical_energy(const Model& model, const State& state) {
  LinkedBodies linked;
  place_linked_bodies(model, state, linked);
  return {kinetic_energy(model, state, linked), potential_energy(model, state, linked)};
}

}  // namespace grus
