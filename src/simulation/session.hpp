// One run of one scene: steps, observers, files, checkpoints, summary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/parallel.hpp"
#include "core/timer.hpp"
#include "grus/run.hpp"
#include "integrators/energy.hpp"
#include "integrators/step_report.hpp"
#include "integrators/workspace.hpp"
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

class Session {
 public:
  // `run_name` is empty outside a study. Opens (or resumes) the files in `directory`.
  Session(Spec spec, std::string run_name, std::string directory, const RunOptions& options);

  RunStatus run();
  const Summary& summary() const { return summary_; }

 private:
  void open_folder();
  // With fixed names; parts of frames and the like are claimed when they are written.
  std::vector<std::string> planned_files() const;
  void start_fresh();
  void resume();
  bool is_summed_up();
  void one_step();
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
  void report_progress() const;
  // Nothing, or the words that summary.json warns with: an analysis that fails does not cost the run.
  std::vector<std::string> analyze() const;
  void finish(RunStatus status);
  SummaryEnergy summary_energy() const;
  Summary make_summary(RunStatus status) const;
  void say(const std::string& line) const;

  Spec spec_;
  std::string run_name_;
  std::string directory_;
  const RunOptions& options_;
  CompiledScene scene_;
  Parallel parallel_;
  State state_;
  Energy start_;  // of scene_.initial
  Workspace work_;
  StepReport last_;
  CarriedBodies carried_;  // of the last row or frame
  Statistics statistics_;
  std::int64_t first_step_ = 0;  // of this call
  std::int64_t last_step_ = 0;
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
