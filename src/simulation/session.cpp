#include "simulation/session.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "multibody/make_scene.hpp"
#include "simulation/load_run.hpp"
#include "simulation/not_finite_words.hpp"

namespace grus {

namespace {

// The reader asks the same of time.end.
constexpr Real most_steps = 1e9;

std::int64_t last_step_of(const Spec& spec, const RunOptions& options) {
  const Real end = options.until.value_or(spec.end), h = spec.integrator.step;
  if (end / h > most_steps)
    throw InputError(
        {{{spec.file, 0, 0},
          fmt::format("{:.3g} s are {:.3g} steps of time.step, expected at most {:.0e}", end, end / h, most_steps)}});
  return steps_to(end, h);
}

}  // namespace

Session::Session(Spec spec, std::string run_name, const std::string& directory, const RunOptions& options)
    : spec_(std::move(spec)),
      run_name_(std::move(run_name)),
      options_(options),
      scene_(make_scene(spec_)),
      stepper_(scene_.model, scene_.initial, Parallel(options.threads)),
      last_step_(last_step_of(spec_, options)),
      recorder_(spec_, scene_, stepper_, recorder_options(directory)) {}

RecorderOptions Session::recorder_options(const std::string& directory) {
  RecorderOptions options;
  options.directory = directory;
  options.last_step = last_step_;
  options.resume = options_.resume;
  options.force = options_.force;
  options.report = options_.report;
  options.save_problems = options_.save_problems;
  if (options_.message)
    options.message = [this](const std::string& line) {
      options_.message(run_name_.empty() ? line : run_name_ + ": " + line);
    };
  return options;
}

RunStatus Session::run() {
  RunStatus status = RunStatus::done;
  while (stepper_.state().step < last_step_) {
    one_step();
    if (options_.stop && options_.stop()) {
      status = RunStatus::interrupted;
      break;
    }
  }
  recorder_.finish(status);
  if (status == RunStatus::interrupted) return status;
  for (const SummaryCheck& check : summary().checks)
    if (!check.pass) status = RunStatus::check_failed;
  return status;
}

void Session::one_step() {
  try {
    stepper_.step();
  } catch (const NumericalError& error) {
    recorder_.flush();
    const std::string words = not_finite_words(scene_, stepper_.state());
    throw NumericalError(fmt::format("{} (step {})", words.empty() ? error.what() : words, stepper_.state().step));
  }
  recorder_.after_step();
  report_progress();
}

void Session::report_progress() const {
  if (!options_.progress) return;
  const State& state = stepper_.state();
  const StepReport& report = stepper_.report();
  Progress progress;
  progress.run = run_name_;
  progress.step = state.step;
  progress.steps = last_step_;
  progress.time = state.time;
  progress.end = static_cast<Real>(last_step_) * scene_.model.integrator.step;
  progress.bodies = stepper_.work().active;
  progress.contacts = report.contacts;
  progress.sweeps = report.sweeps;
  progress.residual = report.residual;
  progress.machine_error = report.residual_mechanism;
  progress.wall_seconds = recorder_.wall_seconds();
  progress.steps_this_call = state.step - recorder_.first_step();
  options_.progress(progress);
}

}  // namespace grus
