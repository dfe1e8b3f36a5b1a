// Which number of a run is not finite, in the words of its scene.
#pragma once

#include <string>

#include "model/compile.hpp"
#include "model/state.hpp"

namespace grus {

// "the drive of 'crank.angle' is not a number at t = 0.5 s": a motion or drive near the time of the state, else the
// first number of the state that is not finite; empty when all are.
std::string not_finite_words(const CompiledScene& scene, const State& state);

}  // namespace grus
