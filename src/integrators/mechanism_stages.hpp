// The stages of a step that belong to mechanisms: every one walks over the mechanisms and calls src/multibody.
#pragma once

#include <span>

#include "integrators/energy.hpp"
#include "integrators/step_report.hpp"
#include "integrators/workspace.hpp"
#include "model/loads.hpp"

namespace grus {

// Stages 1 to 4: q_m with closed loops, poses, twists and reach of the linked bodies.
void predict_mechanisms(const Model& model, const State& state, Workspace& work);

// Stages 5 and 6: reduced mass matrix and free velocity; the dense blocks of the contact problem.
void free_mechanism_velocities(const Model& model, const State& state, const Loads& loads, Workspace& work);

// Stage 9: sides of contacts on mechanisms, scalar rows.
void build_machine_rows(const Model& model, const State& state, Workspace& work);
// The same after hold_exceeded_forces; the guess is the solution so far.
void rebuild_machine_rows(const Model& model, const State& state, Workspace& work);

// Stage 11: holds the forces that pass their limits in the solution, with reduced mass matrices and free velocities to
// match. True when there is any: rows on mechanisms are then to be built and solved again.
bool hold_exceeded_forces(const Model& model, const State& state, Workspace& work);

// Stages 12 and 13: joints at the end of the step, loops closed. `end` is t_{n+1}.
void advance_mechanisms(const Model& model, State& state, Workspace& work, bool recovered, Real end);

// Stage 14: loop errors, reactions, energy of forces, drives and scalar rows. Returns the kinetic energy at the end, J.
Real check_mechanisms(const Model& model, const State& state, Workspace& work, bool recovered, StepReport& report,
                      EnergyFlows& flows);

}  // namespace grus
