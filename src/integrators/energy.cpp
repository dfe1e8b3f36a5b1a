#include "integrators/energy.hpp"

#include <algorithm>

#include "integrators/gyroscopic.hpp"
#include "multibody/dynamics.hpp"
#include "multibody/forces.hpp"
#include "multibody/reduction.hpp"

namespace grus {

Real body_kinetic_energy(const Model& model, const State& state, Index i) {
  const Vec3& w = state.angular_velocity[i];
  const Vec3& inertia = model.inertia[i];
  const Vec3 w_B = model.planar || is_isotropic(inertia) ? w : Vec3(state.rotation[i].conjugate() * w);
  return 0.5 * (model.mass[i] * state.velocity[i].squaredNorm() + w_B.cwiseProduct(inertia).dot(w_B));
}

Real kinetic_energy(const Model& model, const State& state, const LinkedBodies& linked) {
  Real sum = 0.0;
  for (Index i = 0; i < model.dynamic_count; ++i) sum += body_kinetic_energy(model, state, i);
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

void add_to_ledger(const EnergyFlows& flows, Real kinetic, EnergyLedger& ledger) {
  ledger.dissipated_contact += flows.dissipated_contact;
  ledger.dissipated_joint += flows.dissipated_joint;
  ledger.work_walls += flows.walls;
  ledger.work_drives += flows.drives;
  ledger.work_forces += flows.forces;
  ledger.recovery += flows.recovery;
  ledger.work_conservative += flows.conservative;
  for (const Real gain :
       {-flows.dissipated_contact, -flows.dissipated_joint, flows.walls, flows.drives, flows.forces, flows.recovery}) {
    ledger.gross_in += std::max(gain, 0.0);
    ledger.gross_out += std::max(-gain, 0.0);
  }
  ledger.kinetic_max = std::max(ledger.kinetic_max, kinetic);
}

EnergyBalance energy_balance(const Energy& start, const Energy& now, const EnergyLedger& ledger) {
  const Real in = ledger.work_external() + ledger.recovery;
  const Real out = ledger.dissipated_contact + ledger.dissipated_joint;
  EnergyBalance balance;
  balance.error = now.total() - start.total() - in + out;
  balance.error_potential = now.potential - start.potential - ledger.recovery + ledger.work_conservative;
  balance.turned_over = std::max({ledger.gross_in, ledger.gross_out, ledger.kinetic_max, start.kinetic});
  return balance;
}

Energy mechanical_energy(const Model& model, const State& state) {
  LinkedBodies linked;
  place_linked_bodies(model, state, linked);
  return {kinetic_energy(model, state, linked), potential_energy(model, state, linked)};
}

}  // namespace grus
