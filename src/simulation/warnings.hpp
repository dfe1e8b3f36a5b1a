// What a run warns of at its end, with likely causes: poor time steps, deep penetration, lost grains,
// unconverged steps, contacts that are far off, an energy balance that does not close.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/summary.hpp"
#include "model/compile.hpp"
#include "simulation/statistics.hpp"

namespace grus {

std::vector<std::string> run_warnings(const CompiledScene& scene, const Statistics& statistics,
                                      const SummaryEnergy& energy);

// The closing summary, in words, one sentence a line.
std::vector<std::string> closing_words(const Summary& summary);

// Values of model/series_columns.hpp summary_keys, by name.
std::map<std::string, Real> summary_totals(const Summary& summary);

}  // namespace grus
