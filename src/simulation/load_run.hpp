// A scene, or one run of a study, from its file to a Spec that can be compiled: settings applied, beds at hand.
#pragma once

#include <string>
#include <vector>

#include "model/spec.hpp"
#include "simulation/settle.hpp"

namespace grus {

// The settings of a run of a study, then `overrides`, which win.
std::vector<std::string> overrides_of_run(const RunSpec& run, const std::vector<std::string>& overrides);

// The run of this name. Throws InputError when there is none.
const RunSpec& run_called(const Spec& study, const std::string& name);

// `run` is empty for a scene that is no study. Throws InputError; also for a scene that makes a bed, and when a bed was
// stopped.
Spec load_run(const std::string& path, const std::string& run, const std::vector<std::string>& overrides, int threads,
              const SettleCallbacks& callbacks);

// Steps to reach `end`; an end that is a multiple of h up to rounding is not overshot by a step.
std::int64_t steps_to(Real end, Real h);

}  // namespace grus
