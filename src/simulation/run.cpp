#include "grus/run.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/timer.hpp"
#include "grus/version.hpp"
#include "io/report.hpp"
#include "io/run_folder.hpp"
#include "io/scene/scene.hpp"
#include "io/summary.hpp"
#include "simulation/load_run.hpp"
#include "simulation/provide_beds.hpp"
#include "simulation/session.hpp"
#include "simulation/warnings.hpp"

namespace grus {

namespace {

constexpr const char* study_summary_file = "summary.json";
constexpr const char* study_report_file = "report.html";

// False when the user stopped while a bed was made.
bool add_beds(Spec& spec, const RunOptions& options) {
  if (spec.settle)
    throw InputError({Fault{spec.settle->mark, "this scene makes a bed: make it with `grus bed`, found `grus run`"}});
  return provide_beds(spec, options.threads, {options.progress, options.message, options.stop});
}

RunOutcome run_session(Spec spec, const std::string& name, const std::string& out, const RunOptions& options) {
  RunOutcome outcome;
  outcome.out = out;
  outcome.status = RunStatus::interrupted;
  if (!add_beds(spec, options)) return outcome;
  Session session(std::move(spec), name, out, options);
  outcome.status = session.run();
  outcome.words = closing_words(session.summary());
  return outcome;
}

// A folder of runs may come from somebody else: a link in it would lead to another run.
std::string folder_of_run(const std::string& out, const std::string& name) {
  const std::string folder = out + "/" + name;
  if (std::filesystem::is_symlink(folder))
    throw InputError({{{folder, 0, 0}, "is a link, expected a folder: a study writes beneath its own folder only"}});
  return folder;
}

RunOutcome run_one_of(const Spec& study, const std::string& out, const RunOptions& options) {
  const RunSpec& run = run_called(study, options.only);
  return run_session(load_scene(options.scene, overrides_of_run(run, options.overrides)), run.name,
                     folder_of_run(out, run.name), options);
}

RunOutcome run_study(const Spec& study, const std::string& out, const RunOptions& options) {
  RunOutcome outcome;
  outcome.out = out;
  StudySummary summary;
  summary.scene = study.file;
  summary.title = study.about.title;
  summary.paper = study.about.paper;
  summary.version = version();
  RunFolder folder(out, RunFolder::Use::study,
                   options.force ? RunFolder::Foreign::replace : RunFolder::Foreign::refuse);
  if (!options.resume) folder.clear();
  folder.claim({study_summary_file});
  const bool reports = options.report && can_write_report();
  if (reports) folder.claim({study_report_file});
  const auto write_down = [&] {
    folder.check_in_place();
    write_study_summary(folder / study_summary_file, summary);
  };
  Timer wall;
  for (const RunSpec& run : study.runs) {
    Spec spec = load_scene(options.scene, overrides_of_run(run, options.overrides));
    if (!add_beds(spec, options)) {
      outcome.status = RunStatus::interrupted;
      break;
    }
    Session session(std::move(spec), run.name, folder_of_run(out, run.name), options);
    RunStatus status = RunStatus::done;
    try {
      status = session.run();
    } catch (const NumericalError& error) {
      // One run that breaks down does not cost the user the others.
      summary.runs.push_back({run.name, run.name, run.set, "failed", "", wall.seconds(), {}});
      summary.warnings.push_back(run.name + " broke down: " + error.what());
      write_down();
      outcome.words.push_back(summary.warnings.back());
      outcome.status = RunStatus::check_failed;
      continue;
    }
    const Summary& done = session.summary();
    summary.runs.push_back({run.name, run.name, run.set, done.status, done.state_hash, done.wall_s, done.checks});
    summary.wall_s = wall.seconds();
    write_down();
    for (const std::string& line : closing_words(done)) outcome.words.push_back(run.name + ": " + line);
    if (status == RunStatus::check_failed) outcome.status = status;
    if (status == RunStatus::interrupted) {
      outcome.status = status;
      break;
    }
  }
  if (reports) write_report(out);
  return outcome;
}

}  // namespace

RunOutcome run(const RunOptions& options) {
  if (!options.save_problems.empty()) parse_save_problems(options.save_problems);  // a slip is told before the work
  Spec spec = load_scene(options.scene, options.overrides);
  const std::string out = !options.out.empty() ? options.out : "out/" + spec.name;
  if (!options.only.empty()) return run_one_of(spec, out, options);
  if (!spec.runs.empty()) return run_study(spec, out, options);
  return run_session(std::move(spec), "", out, options);
}

}  // namespace grus
