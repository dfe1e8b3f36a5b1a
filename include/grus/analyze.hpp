// What is asked of a run besides its curves: solid fraction, coordination, forces.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace grus {

// What is empty or absent is taken from the analysis section of the run's scene, or else by default.
struct AnalyzeOptions {
  std::string directory;           // of a run or a study
  std::vector<double> times;       // s
  std::optional<double> cell;      // m, side of a cell of the map
  std::optional<double> strength;  // N
  std::string scene;               // a scene file whose analysis section is taken instead of the run's own
  int threads = 0;                 // 0: all cores
};

// Writes DIR/analysis.json and the tables in DIR/analysis/ from DIR/frames, and makes DIR/report.html anew where there
// is a summary. Of a study: for each run. Returns what was found, a line per frame. Throws InputError, IoError.
std::vector<std::string> analyze(const AnalyzeOptions& options);

}  // namespace grus
