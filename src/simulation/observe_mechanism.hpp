// Probes of mechanisms: coordinates, springs, reactions of joints and loops.
#pragma once

#include <limits>

#include "integrators/workspace.hpp"
#include "model/compile.hpp"
#include "simulation/carried_bodies.hpp"

namespace grus {

// What probes say where there is nothing to say.
inline constexpr Real not_a_number = std::numeric_limits<Real>::quiet_NaN();

// Source coordinate, joint or spring. Forces are those of the last step; before the first one they are not a number.
Real mechanism_value(const CompiledScene& scene, const State& state, const CarriedBodies& carried, Workspace& work,
                     const Probe& probe);

}  // namespace grus
