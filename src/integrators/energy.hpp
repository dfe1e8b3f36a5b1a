// Kinetic and potential energy of dynamic bodies and mechanisms, J.
#pragma once

#include <cmath>

#include "model/model.hpp"
#include "model/state.hpp"
#include "multibody/linked_bodies.hpp"

namespace grus {

// Of the free body i: T = m v.v/2 + w.J w/2 with J principal in the body frame.
Real body_kinetic_energy(const Model& model, const State& state, Index i);

// Of all. Bodies not yet released count with their start velocity, so that a rain does not look like a source of
// energy. `linked` is placed at the state.
Real kinetic_energy(const Model& model, const State& state, const LinkedBodies& linked);

// V = -sum m g.x, and what linear springs of mechanisms hold.
Real potential_energy(const Model& model, const State& state, const LinkedBodies& linked);

// Both with the linked bodies placed for it.
struct Energy {
  Real kinetic = 0.0, potential = 0.0;
  Real total() const { return kinetic + potential; }
};
Energy mechanical_energy(const Model& model, const State& state);

// What one step moved between the energy of the bodies and the world, J; the terms of EnergyLedger.
struct EnergyFlows {
  Real dissipated_contact = 0.0, dissipated_joint = 0.0;
  Real walls = 0.0, drives = 0.0, forces = 0.0, recovery = 0.0;
  Real conservative = 0.0;
};

// Adds one step that ended with this kinetic energy.
void add_to_ledger(const EnergyFlows& flows, Real kinetic, EnergyLedger& ledger);

// How well the ledger explains the change of energy from `start` to `now`, J.
struct EnergyBalance {
  Real error = 0.0;            // energy that came from nowhere
  Real error_potential = 0.0;  // its part in gravity and springs; the rest is in the kinetic energy
  Real turned_over = 0.0;      // the largest of: what came in, what went out, the kinetic energy

  Real part() const { return turned_over > 0.0 ? std::abs(error) / turned_over : 0.0; }
};
EnergyBalance energy_balance(const Energy& start, const Energy& now, const EnergyLedger& ledger);

}  // namespace grus
