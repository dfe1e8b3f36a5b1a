// summary.json: what a run did, in numbers, for people and scripts. The keys are the contract of the command line;
// units SI. A number that does not exist (a mean over no contacts) is null in the file and NaN here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace grus {

struct SummaryCheck {
  std::string name;
  Real value = 0.0;
  std::string bound;  // in words of mathematics, e.g. "< 0.001"
  bool pass = false;

  bool operator==(const SummaryCheck&) const = default;
};

// Columns of series.csv over another one: a figure of the report.
struct SummaryFigure {
  std::string title;
  std::string x = "t";
  std::vector<std::string> y;
  bool log = false;

  bool operator==(const SummaryFigure&) const = default;
};

struct SummaryEnergy {  // J, at the end of the run
  Real kinetic = 0.0;
  Real potential = 0.0;
  Real dissipated_contact = 0.0;
  Real dissipated_joint = 0.0;
  Real work_external = 0.0;
  Real recovery = 0.0;
  Real kinetic_start = 0.0, potential_start = 0.0;              // at the start of the run
  Real work_walls = 0.0, work_drives = 0.0, work_forces = 0.0;  // the parts of work_external
  Real balance_error = 0.0;                                     // end - start - what came in + what went out
  Real balance_error_potential = 0.0;                           // its part in gravity and springs
  Real turned_over = 0.0;
  Real balance_error_part = 0.0;  // of turned_over

  bool operator==(const SummaryEnergy&) const = default;
};

// Key and field of every number of `energy`, in the order of the file.
template <class Energy, class Visit>
void visit_energy(Energy& e, const Visit& visit) {
  visit("kinetic", e.kinetic);
  visit("potential", e.potential);
  visit("dissipated_contact", e.dissipated_contact);
  visit("dissipated_joint", e.dissipated_joint);
  visit("work_external", e.work_external);
  visit("recovery", e.recovery);
  visit("kinetic_start", e.kinetic_start);
  visit("potential_start", e.potential_start);
  visit("work_walls", e.work_walls);
  visit("work_drives", e.work_drives);
  visit("work_forces", e.work_forces);
  visit("balance_error", e.balance_error);
  visit("balance_error_potential", e.balance_error_potential);
  visit("turned_over", e.turned_over);
  visit("balance_error_part", e.balance_error_part);
}

struct Summary {
  std::string scene;            // file as given
  std::string title;            // one line: what it shows
  std::string paper;            // empty: none
  std::string status = "done";  // done, interrupted, failed, running
  std::string version;
  int threads = 1;
  std::int64_t steps = 0;
  Real time_step = 0.0;  // s
  Real t_end = 0.0;      // s, time reached
  Real wall_s = 0.0;
  std::vector<std::pair<std::string, Real>> wall_s_per_stage;  // in the order of the step
  Index bodies = 0;                                            // free and of mechanisms
  Real contacts_mean = 0.0;
  std::int64_t contacts_max = 0;
  Real pairs_mean = 0.0;
  Real sweeps_mean = 0.0;
  Real tolerance = 0.0;          // of the contact solver, beside the residuals
  Real machine_tolerance = 0.0;  // m/s, on the worst contact or row of a mechanism; not finite: none
  Real residual_p99 = 0.0;
  Real residual_max = 0.0;
  Real residual_velocity_max = 0.0;  // m/s, worst contact of the worst step
  std::int64_t unconverged_steps = 0;
  Real penetration_mean = 0.0;        // m
  Real penetration_max = 0.0;         // m
  Real recovery_residual_max = 0.0;   // scaled natural map of the removal of penetration
  Real recovery_left_max = 0.0;       // m, what its worst contact was left to move in one step
  Real residual_mechanism_max = 0.0;  // m/s, worst contact or row of a mechanism
  Real loop_error_max = 0.0;          // m
  Real loop_velocity_max = 0.0;       // m/s or rad/s, of loops opening
  Real condition_error_max = 0.0;     // m, drift of the joints of the absolute lane
  std::int64_t partition_changes = 0;
  Index lost_bodies = 0;
  SummaryEnergy energy;
  std::map<std::string, std::string> units;  // of the columns of series.csv
  std::string state_hash;                    // 16 hexadecimal digits
  std::vector<SummaryCheck> checks;
  std::vector<SummaryFigure> figures;
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> settings;  // for the page: integrator, solver, law, overrides, ...
  std::string scene_text;                                     // the composed scene

  bool checks_pass() const;
  bool operator==(const Summary&) const = default;
};

void write_summary(const std::string& path, const Summary& summary);
// Throws IoError when absent, InputError when it is no summary of a run. Absent keys keep their defaults.
Summary read_summary(const std::string& path);
// The same for a text; `path` is for messages.
Summary parse_summary(const std::string& text, const std::string& path);

// A study: several runs of one scene file, each in its own folder.
struct StudyRun {
  std::string name;
  std::string directory;  // a name in the study's folder
  std::vector<std::pair<std::string, std::string>> set;
  std::string status = "done";
  std::string state_hash;
  Real wall_s = 0.0;
  std::vector<SummaryCheck> checks;
};

struct StudySummary {
  std::string scene;
  std::string title;
  std::string paper;
  std::string version;
  Real wall_s = 0.0;
  std::vector<StudyRun> runs;
  std::vector<SummaryCheck> checks;  // that compare runs
  std::vector<std::string> warnings;
};

void write_study_summary(const std::string& path, const StudySummary& study);
StudySummary read_study_summary(const std::string& path);
StudySummary parse_study_summary(const std::string& text, const std::string& path);

// True when the text is the summary of a study. Throws like parse_summary.
bool is_study_summary(const std::string& text, const std::string& path);

}  // namespace grus
