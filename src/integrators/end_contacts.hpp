// The contacts at the end of a step, found by the narrow phase in the positions that the step has led to: the truth
// about its penetration.
//
// With theta = 1 these positions are q_m of the next step, and detection is what a bed of stones spends much of its
// time on. So they are detected with the reach of the next step, and that step takes the contacts over if it turns out
// to start from the same bits: then nothing is detected twice. Otherwise (theta < 1, or a state that was changed in
// between) it detects by itself. The result of a step is the same either way.
#pragma once

#include "core/parallel.hpp"
#include "integrators/step_report.hpp"
#include "integrators/workspace.hpp"

namespace grus {

// After a step, or before the first one: penetration at `state` into the report, the time it took into its stage
// `detect`.
void find_end_contacts(const Model& model, const State& state, Workspace& work, StepReport& report,
                       const Parallel& parallel);

// Stage `detect` of a step: takes the contacts that were found at the end of the last one; false when these are not the
// contacts of this q_m. Returns touching pairs in `pair_count`.
bool take_end_contacts(Workspace& work, Index& pair_count);

}  // namespace grus
