// The start of every mechanism: loops closed from a rough guess, consistent velocities, a first partition.
//
//   drives      driven coordinates at drive(0), with the secant over the first step as velocity
//   positions   moved are those the user made dependent; if these do not suffice, all that the user gave no start;
//               then all but driven ones, as little as possible and with a warning (find_closure.hpp)
//   conditions  those that repeat others, by the rank of J, go behind Mechanism::closed_count with a warning. The rank
//               is taken beside the start as well, where it is lower only at a dead centre: that is a fault
//   partition   loops.hpp, obeying the roles; then the loops are closed to rounding
//   velocities  driven and given ones are kept, the others are the least that keep the loops closed
//   mass        the reduced mass matrix is positive definite
// Faults say in words which loop stays open by how much, which driven coordinates or rates contradict, which roles do
// not fit, and which coordinate has no mass.
#pragma once

#include "model/compile.hpp"

namespace grus {

// Changes the mechanisms of scene.model (order of conditions) and the joints in scene.initial. Positions and velocities
// come from compile(); the other arrays of joints are sized here. Throws InputError with all faults.
void assemble_mechanisms(CompiledScene& scene);

// compile() and assembly: a scene ready to step.
CompiledScene assemble(const Spec& spec);

}  // namespace grus
