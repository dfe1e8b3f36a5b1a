// What a mechanism remembers: values taken from its coordinates at a moment, for the forces that come after it, such as
// a controller that holds the height reached at the end of a phase.
#pragma once

#include "model/model.hpp"
#include "model/state.hpp"

namespace grus {

// Takes the memories of a state at time `now`, whose last step started at `before`; those that were due by then are
// kept. At the start `before` is minus infinity. `values` is scratch.
void remember(const Mechanism& mechanism, const IntegratorOptions& integrator, Real before, Real now, State& state,
              std::vector<Real>& values);

}  // namespace grus
