// Run a scene or a study from its file to its report.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace grus {

// Where a run is; given to RunOptions::progress after every step.
struct Progress {
  std::string run;  // name of the run in a study, else empty
  std::int64_t step = 0;
  std::int64_t steps = 0;
  double time = 0.0;  // s, simulated
  double end = 0.0;   // s, simulated
  std::int64_t bodies = 0;
  std::int64_t contacts = 0;
  std::int64_t sweeps = 0;
  double residual = 0.0;
  double machine_error = 0.0;  // m/s, of the worst contact or row of a mechanism
  double wall_seconds = 0.0;   // of this call
  std::int64_t steps_this_call = 0;
};

struct RunOptions {
  std::string scene;
  std::string out;                     // directory; empty: out/<scene name>
  int threads = 0;                     // 0: all cores
  std::vector<std::string> overrides;  // "name=value"
  std::optional<double> until;         // s; instead of time.end; before it, checks are not evaluated
  std::string only;                    // of a study: this run alone, into its folder; the study's summary is left alone
  std::string save_problems;           // which contact problems go to DIR/problems, e.g. "worst=5"; empty: none
  bool resume = false;
  // Write into a folder that is not empty and that no run is known to have filled: files with the names of a run's are
  // replaced, all others stay. With `resume` the checkpoint that is found there is taken for this run's.
  bool force = false;
  bool report = true;  // write report.html at the end
  std::function<void(const Progress&)> progress;
  std::function<void(const std::string&)> message;  // warnings and notices, one line each
  std::function<bool()> stop;                       // asked after every step; true: write a checkpoint and return
};

enum class RunStatus : std::uint8_t { done, check_failed, interrupted };

struct RunOutcome {
  RunStatus status = RunStatus::done;
  std::string out;                 // where the files are
  std::vector<std::string> words;  // the closing summary
};

// Throws InputError (grus/error.hpp) for a faulty scene, NumericalError when the run breaks down, IoError for the disk.
RunOutcome run(const RunOptions& options);

}  // namespace grus
