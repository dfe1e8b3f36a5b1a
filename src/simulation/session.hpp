// One run of one scene: its steps, from the start or a checkpoint to the end, recorded.
#pragma once

#include <cstdint>
#include <string>

#include "grus/run.hpp"
#include "integrators/stepper.hpp"
#include "model/compile.hpp"
#include "model/spec.hpp"
#include "simulation/recorder.hpp"

namespace grus {

class Session {
 public:
  // `run_name` is empty outside a study. Opens (or resumes) the files in `directory`.
  Session(Spec spec, std::string run_name, const std::string& directory, const RunOptions& options);

  RunStatus run();
  const Summary& summary() const { return recorder_.summary(); }

 private:
  RecorderOptions recorder_options(const std::string& directory);
  void one_step();
  void report_progress() const;

  Spec spec_;
  std::string run_name_;
  const RunOptions& options_;
  CompiledScene scene_;
  Stepper stepper_;
  std::int64_t last_step_ = 0;
  Recorder recorder_;
};

}  // namespace grus
