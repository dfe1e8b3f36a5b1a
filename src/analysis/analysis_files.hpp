// analysis.json and the tables of its maps beside a run (docs/files.md).
#pragma once

#include <string>

#include "analysis/run_analysis.hpp"

namespace grus {

// Writes DIR/analysis.json, DIR/analysis/map.csv and DIR/analysis/cells.csv, each whole.
void write_analysis(const std::string& directory, const RunAnalysis& analysis);

}  // namespace grus
