#include "simulation/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "analysis/analysis_files.hpp"
#include "core/error.hpp"
#include "core/hash.hpp"
#include "grus/version.hpp"
#include "io/checkpoint.hpp"
#include "io/report.hpp"
#include "simulation/evaluate_checks.hpp"
#include "simulation/load_run.hpp"
#include "simulation/not_finite_words.hpp"
#include "simulation/observe.hpp"
#include "simulation/warnings.hpp"
#include "solvers/registry.hpp"

namespace grus {

namespace {

constexpr const char* checkpoint_file = "checkpoint.h5";
constexpr const char* summary_file = "summary.json";

// Output times are steps: intervals are rounded to whole steps, so that they carry no state and a resumed run
// writes the same rows.
std::int64_t steps_in(Real interval, Real h) { return std::max<std::int64_t>(1, std::llround(interval / h)); }

}  // namespace

Recorder::Recorder(const Spec& spec, const CompiledScene& scene, Stepper& stepper, RecorderOptions options)
    : spec_(spec),
      scene_(scene),
      stepper_(stepper),
      options_(std::move(options)),
      start_(mechanical_energy(scene.model, scene.initial)) {
  open_folder();
  for (const std::string& warning : scene_.warnings) say("warning: " + warning);
  if (!options_.save_problems.empty())
    problems_.emplace(*folder_, spec_.name, parse_save_problems(options_.save_problems),
                      [this](const std::string& line) { say(line); });
  if (options_.resume && folder_->holds(checkpoint_file))
    resume();
  else
    start_fresh();
  first_step_ = state().step;
}

void Recorder::open_folder() {
  folder_.emplace(options_.directory, RunFolder::Use::run,
                  options_.force ? RunFolder::Foreign::replace : RunFolder::Foreign::refuse);
  const std::string checkpoint = *folder_ / checkpoint_file;
  if (options_.resume && options_.force && std::filesystem::exists(checkpoint) && !folder_->holds(checkpoint_file))
    folder_->adopt();
}

std::vector<std::string> Recorder::planned_files() const {
  std::vector<std::string> names = {checkpoint_file, summary_file, "series.csv"};
  const auto add = [&](bool written, const std::vector<std::string>& more) {
    if (written) names.insert(names.end(), more.begin(), more.end());
  };
  add(options_.report && can_write_report(), {"report.html"});
  add(spec_.outputs.frames, {"frames/index.json", "frames/scene.json"});
  add(spec_.outputs.vtk, {"vtk/run.pvd"});
  add(problems_.has_value(), {"problems/index.json"});
  add(spec_.analysis.has_value(), {"analysis.json", "analysis/map.csv", "analysis/cells.csv"});
  return names;
}

void Recorder::start_fresh() {
  if (options_.resume) say("no checkpoint in " + options_.directory + ": starting from the beginning");
  // What an earlier run left would be taken for this one's after a kill.
  folder_->clear();
  folder_->claim(planned_files());
  if (problems_) problems_->start_fresh();
  series_.emplace(options_.directory + "/series.csv", series_column_names(scene_.probes));
  if (spec_.outputs.frames) frames_.emplace(*folder_, frame_scene(), frame_options());
  if (spec_.outputs.vtk) vtk_.emplace(*folder_, frame_scene(), scene_.model.integrator.step);
  const std::string odd = not_finite_words(scene_, state());
  if (!odd.empty()) throw NumericalError(odd);
  stepper_.find_contacts();
  append_row();
  append_frame();
}

void Recorder::resume() {
  const std::string path = *folder_ / checkpoint_file;
  std::optional<Checkpoint> saved = load_checkpoint(path);
  if (!saved) throw IoError("cannot read " + path);
  if (saved->scene_hash != scene_.model.scene_hash)
    throw InputError({{{path, 0, 0},
                       "this checkpoint belongs to another scene or other settings; expected that of " + spec_.file +
                           "; repeat the --set of the first run, or run without --resume to start anew"}});
  check_fits(*saved, scene_.model, scene_.initial, path);
  stepper_.state() = std::move(saved->state);
  statistics_.load(saved->extra);
  wall_before_ = statistics_.wall();
  if (state().step >= options_.last_step && is_summed_up()) {
    say(fmt::format("already at t = {:.6g} s, step {}: nothing to do", state().time, state().step));
    return;
  }
  folder_->claim(planned_files());
  const auto number = [&](const char* name) { return saved_count(*saved, name, path); };
  series_.emplace(SeriesWriter::resume(options_.directory + "/series.csv", series_column_names(scene_.probes),
                                       number("series_offset")));
  const std::int64_t frames = number("frame_count");
  if (spec_.outputs.frames) frames_.emplace(FrameWriter::resume(*folder_, frame_scene(), frames, frame_options()));
  if (spec_.outputs.vtk) vtk_.emplace(*folder_, frame_scene(), scene_.model.integrator.step, number("vtk_frame_count"));
  if (problems_) problems_->resume(state().step);
  say(fmt::format("resumed at t = {:.6g} s, step {}", state().time, state().step));
}

// An earlier call ended in this state. Its files are whole, and hold a last row and frame that the checkpoint does not
// count: they stay.
bool Recorder::is_summed_up() {
  if (!folder_->holds(summary_file)) return false;
  summary_ = read_summary(*folder_ / summary_file);
  return summary_.state_hash == to_hex(state_hash(state()));
}

FrameScene Recorder::frame_scene() const { return make_frame_scene(spec_.name, scene_.model, scene_.names); }

FrameOptions Recorder::frame_options() const {
  FrameOptions options;
  options.part_bytes = static_cast<std::int64_t>(spec_.outputs.frame_part_megabytes * 1048576.0);
  return options;
}

void Recorder::flush() {
  if (series_) series_->flush();
  if (frames_) frames_->flush();
}

void Recorder::after_step() {
  if (!series_) return;
  statistics_.add(stepper_.report());
  Timer output;
  if (is_due(spec_.outputs.series_interval)) append_row();
  if (frame_is_due()) append_frame();
  if (problems_)
    problems_->after_step(state().step, state().time, stepper_.work(), stepper_.report(), stepper_.parallel());
  // The last step's is written by finish().
  if (state().step < options_.last_step && checkpoint_is_due()) write_checkpoint(safe_lengths());
  statistics_.add_output_seconds(output.seconds());
}

bool Recorder::is_due(Real interval) const {
  return state().step % steps_in(interval, scene_.model.integrator.step) == 0;
}

// On the schedule, or at a time that the analysis asks for.
bool Recorder::frame_is_due() const {
  if (spec_.outputs.frame_interval > 0.0 && is_due(spec_.outputs.frame_interval)) return true;
  if (!spec_.analysis) return false;
  const auto step = static_cast<Real>(state().step);
  return std::any_of(spec_.analysis->times.begin(), spec_.analysis->times.end(), [&](Real time) {
    return std::isfinite(time) && std::round(time / scene_.model.integrator.step) == step;
  });
}

void Recorder::append_row() {
  place_carried_bodies(scene_.model, state(), carried_);
  observe(scene_, start_, state(), carried_, stepper_.work(), stepper_.report(), row_);
  const std::string odd = odd_column(scene_, row_, state().step > 0);
  if (!odd.empty()) {
    series_->flush();
    throw NumericalError(
        fmt::format("column '{}' is not a number at t = {:.6g} s (step {})", odd, state().time, state().step));
  }
  series_->append(row_);
}

void Recorder::append_frame() {
  if (!frames_ && !vtk_) return;
  const Model& model = scene_.model;
  place_carried_bodies(model, state(), carried_);
  std::vector<FrameContact> contacts;
  if (spec_.outputs.contacts_in_frames) {
    contacts.reserve(stepper_.work().contacts.size());
    for (std::size_t c = 0; c < stepper_.work().contacts.size(); ++c) {
      const ContactPoint& point = stepper_.work().contacts[c];
      contacts.push_back({point.position, point.normal, state().impulse[c], point.gap, point.body_a, point.body_b});
    }
  }
  FrameData frame;
  frame.time = state().time;
  frame.step = state().step;
  frame.active_count = model.active_count(state().time);
  frame.dynamic = {state().position, state().rotation, state().velocity, state().angular_velocity};
  frame.carried = {carried_.position, carried_.rotation, carried_.velocity, carried_.angular_velocity};
  frame.contacts = contacts;
  if (frames_) frames_->append(frame);
  if (vtk_) vtk_->append(frame);
}

bool Recorder::checkpoint_is_due() {
  if (spec_.outputs.checkpoint_interval) return is_due(*spec_.outputs.checkpoint_interval);
  return since_checkpoint_.seconds() >= spec_.outputs.checkpoint_seconds;
}

Recorder::FileLengths Recorder::safe_lengths() {
  flush();
  return {series_->offset(), frames_ ? frames_->frame_count() : 0, vtk_ ? vtk_->frame_count() : 0};
}

void Recorder::write_checkpoint(const FileLengths& lengths) {
  Checkpoint checkpoint;
  checkpoint.state = state();
  checkpoint.scene_hash = scene_.model.scene_hash;
  checkpoint.program_version = version();
  Statistics so_far = statistics_;
  so_far.set_wall(wall_before_ + wall_.seconds());
  so_far.save(checkpoint.extra);
  checkpoint.extra["series_offset"] = {static_cast<double>(lengths.series_offset)};
  checkpoint.extra["frame_count"] = {static_cast<double>(lengths.frame_count)};
  checkpoint.extra["vtk_frame_count"] = {static_cast<double>(lengths.vtk_frame_count)};
  folder_->check_in_place();
  save_checkpoint(*folder_ / checkpoint_file, checkpoint);
  since_checkpoint_ = Timer();
}

// The last row and frame may be off the schedule, and a run that is resumed to a later end must not keep them: the
// checkpoint does not count them. It comes after the summary, so that a kill in between repeats the last steps.
void Recorder::finish(RunStatus status) {
  if (!series_) return;
  const FileLengths lengths = safe_lengths();
  const bool stepped = state().step > first_step_;
  if (stepped && !is_due(spec_.outputs.series_interval)) append_row();
  if (stepped && !frame_is_due()) append_frame();
  flush();
  statistics_.set_wall(wall_before_ + wall_.seconds());
  summary_ = make_summary(status);
  for (const std::string& name : folder_->missing())
    summary_.warnings.push_back(name + " was deleted while the run went on");
  if (status == RunStatus::done && spec_.analysis) {
    for (std::string& fault : analyze()) summary_.warnings.push_back(std::move(fault));
  }
  folder_->check_in_place();
  write_summary(*folder_ / summary_file, summary_);
  write_checkpoint(lengths);
  if (options_.report && can_write_report()) write_report(options_.directory);
}

std::vector<std::string> Recorder::analyze() const {
  AnalysisSpec asked = *spec_.analysis;
  // A run cut short by --until has no frames beyond.
  std::erase_if(asked.times, [&](Real time) {
    return std::isfinite(time) && time > state().time + 0.5 * scene_.model.integrator.step;
  });
  try {
    if (!asked.times.empty())
      write_analysis(options_.directory, analyze_run(options_.directory, asked, stepper_.parallel()));
  } catch (const InputError& error) {
    return {std::string("analysis: ") + error.what()};
  }
  return {};
}

SummaryEnergy Recorder::summary_energy() const {
  const Energy now = mechanical_energy(scene_.model, state());
  const EnergyLedger& ledger = state().energy;
  const EnergyBalance balance = energy_balance(start_, now, ledger);
  SummaryEnergy e;
  e.kinetic = now.kinetic;
  e.potential = now.potential;
  e.dissipated_contact = ledger.dissipated_contact;
  e.dissipated_joint = ledger.dissipated_joint;
  e.work_external = ledger.work_external();
  e.recovery = ledger.recovery;
  e.kinetic_start = start_.kinetic;
  e.potential_start = start_.potential;
  e.work_walls = ledger.work_walls;
  e.work_drives = ledger.work_drives;
  e.work_forces = ledger.work_forces;
  e.balance_error = balance.error;
  e.balance_error_potential = balance.error_potential;
  e.turned_over = balance.turned_over;
  e.balance_error_part = balance.part();
  return e;
}

Summary Recorder::make_summary(RunStatus status) const {
  const Model& model = scene_.model;
  Summary s;
  s.scene = spec_.file;
  s.title = spec_.about.title;
  s.paper = spec_.about.paper;
  s.status = status == RunStatus::interrupted ? "interrupted" : "done";
  s.version = version();
  s.threads = stepper_.parallel().threads();
  s.steps = state().step;
  s.time_step = model.integrator.step;
  s.t_end = state().time;
  s.wall_s = statistics_.wall();
  for (int k = 0; k < stage_count; ++k) s.wall_s_per_stage.emplace_back(stage_names[k], statistics_.stage_seconds()[k]);
  s.bodies = model.dynamic_count + model.linked_count;
  s.contacts_mean = statistics_.contacts_mean();
  s.contacts_max = static_cast<std::int64_t>(statistics_.contacts_max());
  s.pairs_mean = statistics_.pairs_mean();
  s.sweeps_mean = statistics_.sweeps_mean();
  s.tolerance = model.solver.tolerance;
  s.machine_tolerance = *model.solver.machine_tolerance;
  s.residual_p99 = statistics_.residual_quantile(0.99);
  s.residual_max = statistics_.residual_max();
  s.residual_velocity_max = statistics_.residual_velocity_max();
  s.unconverged_steps = static_cast<std::int64_t>(statistics_.unconverged_steps());
  s.penetration_mean = statistics_.penetration_mean();
  s.penetration_max = statistics_.penetration_max();
  s.lost_bodies = static_cast<Index>(statistics_.lost());
  s.residual_mechanism_max = statistics_.residual_mechanism_max();
  s.loop_error_max = statistics_.loop_error_max();
  s.loop_velocity_max = statistics_.loop_velocity_max();
  s.condition_error_max = statistics_.condition_error_max();
  s.partition_changes = static_cast<std::int64_t>(statistics_.partition_changes());
  s.recovery_residual_max = statistics_.recovery_residual_max();
  s.recovery_left_max = statistics_.recovery_left_max();
  s.energy = summary_energy();
  const std::vector<std::string> names = series_column_names(scene_.probes), units = series_column_units(scene_.probes);
  for (std::size_t k = 0; k < names.size(); ++k) s.units[names[k]] = units[k];
  s.state_hash = to_hex(state_hash(state()));
  s.warnings = run_warnings(scene_, statistics_, s.energy);
  s.warnings.insert(s.warnings.begin(), scene_.warnings.begin(), scene_.warnings.end());
  s.settings = {{"time step", fmt::format("{:.6g} s", model.integrator.step)},
                {"integrator", fmt::format("{}, theta {:.4g}", spec_.integrator_kind, model.integrator.theta)},
                {"solver", fmt::format("{}, tolerance {:.2g}, at most {} sweeps", solver_name(model.solver.kind),
                                       model.solver.tolerance, model.solver.max_iterations)}};
  for (const FigureSpec& f : spec_.figures) s.figures.push_back({f.title, f.x, f.y, f.log});
  s.scene_text = spec_.text;
  // Checks speak of the whole run: one cut short by --until has nothing to say about them.
  if (state().step >= steps_to(spec_.end, model.integrator.step))
    s.checks = evaluate_checks(spec_, read_series(options_.directory + "/series.csv"), summary_totals(s));
  return s;
}

void Recorder::say(const std::string& line) const {
  if (options_.message) options_.message(line);
}

}  // namespace grus
