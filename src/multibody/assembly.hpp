// The start of every mechanism: loops closed from a rough guess, consistent velocities, a first partition.
//
// Positions the user wrote are kept when the others can close the loops, else all are moved as little as possible; the
// same for velocities. Conditions that repeat others are found by the rank of J and moved behind
// Mechanism::closed_count. Faults (in words: which loop, how far open; which driven coordinates contradict; velocities
// against the loops) are added, warnings too.
#pragma once

#include "model/compile.hpp"

namespace grus {

// Changes the mechanisms of scene.model (order of conditions) and the joints in scene.initial. Throws InputError.
void assemble_mechanisms(CompiledScene& scene);

}  // namespace grus
