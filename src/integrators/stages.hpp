// The stages of a step that belong to the integrator; detection, matching and building have their own folders.
#pragma once

#include "core/parallel.hpp"
#include "integrators/step_report.hpp"
#include "integrators/workspace.hpp"
#include "model/loads.hpp"
#include "model/model.hpp"
#include "model/state.hpp"

namespace grus {

// Poses of kinematic bodies at t_m = t_n + (1 - theta) h, their twists at both ends of the step, bodies released.
void drive(const Model& model, const State& state, Workspace& work);

// q_m of the dynamic bodies and how far each body may travel in the step.
void predict(const Model& model, const State& state, Workspace& work, const Parallel& parallel);

// Blocks of the contact problem: inverse mass and inertia in q_m, free velocity.
void free_velocities(const Model& model, const State& state, const Loads& loads, Workspace& work,
                     const Parallel& parallel);

// m: gap below which pairs under the gap law take part even at rest.
Real activation_skin(const Model& model);

// Impulses and velocities, and the residual that solvers/residual.hpp measures of them.
void solve(const Model& model, Workspace& work, StepReport& report, const Parallel& parallel);

// v_{n+1}, q_{n+1}, t_{n+1} and the impulses that start the next step.
void advance(const Model& model, State& state, Workspace& work, bool recovered, const Parallel& parallel);

// Energy ledger, penetration, lost and broken bodies.
void check(const Model& model, State& state, const Loads& loads, Workspace& work, bool recovered, StepReport& report,
           const Parallel& parallel);

}  // namespace grus
