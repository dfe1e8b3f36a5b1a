// The folder of a run: rows, frames, checkpoints and the summary of a scene that somebody else steps.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/timer.hpp"
#include "grus/run.hpp"
#include "integrators/energy.hpp"
#include "integrators/stepper.hpp"
#include "io/frames.hpp"
#include "io/run_folder.hpp"
#include "io/series.hpp"
#include "io/summary.hpp"
#include "io/vtk.hpp"
#include "model/compile.hpp"
#include "model/spec.hpp"
#include "simulation/carried_bodies.hpp"
#include "simulation/save_problems.hpp"
#include "simulation/statistics.hpp"

namespace grus {

struct RecorderOptions {
  std::string directory;
  std::int64_t last_step = std::numeric_limits<std::int64_t>::max();  // after it finish() is called
  bool resume = false;
  bool force = false;         // as RunOptions
  bool report = true;         // write report.html at the end
  std::string save_problems;  // as RunOptions
  std::function<void(const std::string&)> message;
};

class Recorder {
 public:
  // Opens the files of a run, or with `resume` goes on with them: then the state of the stepper is that of the
  // checkpoint. All that is referred to outlives the recorder.
  Recorder(const Spec& spec, const CompiledScene& scene, Stepper& stepper, RecorderOptions options);

  // What is due after a step.
  void after_step();
  // Everything so far to the disk: before an error is passed on.
  void flush();
  // The last row and frame, summary, checkpoint and report. Nothing is recorded after it.
  void finish(RunStatus status);

  const Summary& summary() const { return summary_; }
  Real wall_seconds() const { return wall_.seconds(); }
  std::int64_t first_step() const { return first_step_; }

 private:
  void open_folder();
  // With fixed names; parts of frames and the like are claimed when they are written.
  std::vector<std::string> planned_files() const;
  void start_fresh();
  void resume();
  bool is_summed_up();
  const State& state() const { return stepper_.state(); }
  FrameScene frame_scene() const;
  FrameOptions frame_options() const;
  bool is_due(Real interval) const;
  bool frame_is_due() const;
  void append_row();
  void append_frame();
  // How much of the files belongs to the checkpoint; everything written is on the disk then.
  struct FileLengths {
    std::int64_t series_offset, frame_count, vtk_frame_count;
  };
  FileLengths safe_lengths();
  void write_checkpoint(const FileLengths& lengths);
  bool checkpoint_is_due();
  // Nothing, or the words that summary.json warns with: an analysis that fails does not cost the run.
  std::vector<std::string> analyze() const;
  SummaryEnergy summary_energy() const;
  Summary make_summary(RunStatus status) const;
  void say(const std::string& line) const;

  const Spec& spec_;
  const CompiledScene& scene_;
  Stepper& stepper_;
  RecorderOptions options_;
  Energy start_;           // of scene_.initial
  CarriedBodies carried_;  // of the last row or frame
  Statistics statistics_;
  std::int64_t first_step_ = 0;  // of this call
  Timer wall_;
  Timer since_checkpoint_;
  Real wall_before_ = 0.0;  // s, of the calls this one resumes

  std::optional<RunFolder> folder_;
  std::optional<SeriesWriter> series_;  // empty when a resumed run has nothing left to do
  std::optional<FrameWriter> frames_;
  std::optional<VtkWriter> vtk_;
  std::optional<ProblemSaver> problems_;
  std::vector<Real> row_;
  Summary summary_;
};

}  // namespace grus
