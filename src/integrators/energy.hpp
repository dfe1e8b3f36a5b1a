// Kinetic and potential energy of dynamic bodies and mechanisms, J.
#pragma once

#include "model/model.hpp"
#include "model/state.hpp"
#include "multibody/linked_bodies.hpp"

namespace grus {

// T = sum m v.v/2 + w.J w/2 with J principal in the body frame. Bodies not yet released count with their start
// velocity, so that a rain does not look like a source of energy. `linked` is placed at the state.
Real kinetic_energy(const Model& model, const State& state, const LinkedBodies& linked);

// V = -sum m g.x, and what linear springs of mechanisms hold.
Real potential_energy(const Model& model, const State& state, const LinkedBodies& linked);

// Both with the linked bodies placed anew.
struct Energy {
  Real kinetic = 0.0, potential = 0.0;
};
Energy mechanical_energy(const Model& model, const State& state);

}  // namespace grus
