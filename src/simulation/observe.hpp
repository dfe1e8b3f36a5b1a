// A row of series.csv: the standard columns, then the scene's probes. Read-only over Model, State and the
// contacts of the last step.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "integrators/energy.hpp"
#include "integrators/step_report.hpp"
#include "integrators/workspace.hpp"
#include "model/compile.hpp"
#include "simulation/carried_bodies.hpp"

namespace grus {

std::vector<std::string> series_column_names(const std::vector<Probe>& probes);
std::vector<std::string> series_column_units(const std::vector<Probe>& probes);

// `row` gets one number per column. `carried` is placed at `state`; `work` holds the contacts of the step that led to
// it; before the first step it holds none. `start` is the energy of scene.initial.
void observe(const CompiledScene& scene, const Energy& start, const State& state, const CarriedBodies& carried,
             Workspace& work, const StepReport& report, std::vector<Real>& row);

// The first column of a row that is not finite and not undefined by definition; empty when there is none. Undefined,
// and written `nan`, are: reductions over a group of which no body is there yet, its surface angle where it has no
// surface and its distance outside of nothing; before the first step (`stepped` false) forces of drives and reactions
// of joints of mechanisms; and formulas of such columns.
std::string odd_column(const CompiledScene& scene, std::span<const Real> row, bool stepped);

}  // namespace grus
