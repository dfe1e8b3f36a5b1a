// Kinetic and potential energy of the dynamic bodies, J.
#pragma once

#include "model/model.hpp"
#include "model/state.hpp"

namespace grus {

// T = sum m v.v/2 + w.J w/2 with J principal in the body frame. Bodies not yet released count with their start
// velocity, so that a rain does not look like a source of energy.
Real kinetic_energy(const Model& model, const State& state);

// V = -sum m g.x
Real potential_energy(const Model& model, const State& state);

}  // namespace grus
