#include "io/summary.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/file_fault.hpp"
#include "io/foreign_file.hpp"
#include "io/foreign_json.hpp"
#include "io/json_text.hpp"
#include "io/reader_limits.hpp"
#include "io/whole_file.hpp"

namespace grus {
namespace {

using Json = nlohmann::ordered_json;
using TextPairs = std::vector<std::pair<std::string, std::string>>;

Json pairs_json(const TextPairs& pairs) {
  Json json = Json::object();
  for (const auto& [key, value] : pairs) json[key] = value;
  return json;
}

Json checks_json(const std::vector<SummaryCheck>& checks) {
  Json json = Json::array();
  for (const SummaryCheck& c : checks) {
    json.push_back({{"name", c.name}, {"value", c.value}, {"bound", c.bound}, {"pass", c.pass}});
  }
  return json;
}

Json figures_json(const std::vector<SummaryFigure>& figures) {
  Json json = Json::array();
  for (const SummaryFigure& f : figures) json.push_back({{"title", f.title}, {"x", f.x}, {"y", f.y}, {"log", f.log}});
  return json;
}

Json parsed_summary(const std::string& text, const std::string& path) {
  Json json = parse_foreign_json(text, path);
  if (!json.is_object() || !json.contains("scene")) throw file_fault(path, "is no summary of a run");
  return json;
}

// null stands for a number that does not exist.
Real real_of(const Json& json) { return json.is_null() ? std::numeric_limits<Real>::quiet_NaN() : json.get<Real>(); }

// Both throw the library's error of type when `json` is something else; its loops would take anything.
const Json& object(const Json& json) {
  static_cast<void>(json.get_ref<const Json::object_t&>());
  return json;
}
const Json& array(const Json& json) {
  static_cast<void>(json.get_ref<const Json::array_t&>());
  return json;
}

// Reads keys into fields; an absent key leaves the field as it is.
struct Reader {
  const Json& json;

  template <class Use>
  void with(const char* key, const Use& use) const {
    if (const auto it = json.find(key); it != json.end()) use(*it);
  }
  void operator()(const char* key, Real& field) const {
    with(key, [&](const Json& j) { field = real_of(j); });
  }
  template <class T>
  void operator()(const char* key, T& field) const {
    with(key, [&](const Json& j) { field = j.get<T>(); });
  }
  void operator()(const char* key, TextPairs& field) const {
    with(key, [&](const Json& j) {
      for (const auto& [name, value] : object(j).items()) field.emplace_back(name, value.get<std::string>());
    });
  }
  void operator()(const char* key, std::vector<std::pair<std::string, Real>>& field) const {
    with(key, [&](const Json& j) {
      for (const auto& [name, value] : object(j).items()) field.emplace_back(name, real_of(value));
    });
  }
  void operator()(const char* key, std::vector<SummaryCheck>& field) const {
    each(key, field, [](const Reader& read, SummaryCheck& check) {
      read("name", check.name);
      read("value", check.value);
      read("bound", check.bound);
      read("pass", check.pass);
    });
  }
  void operator()(const char* key, std::vector<SummaryFigure>& field) const {
    each(key, field, [](const Reader& read, SummaryFigure& figure) {
      read("title", figure.title);
      read("x", figure.x);
      read("y", figure.y);
      read("log", figure.log);
    });
  }
  template <class Item, class ReadItem>
  void each(const char* key, std::vector<Item>& field, const ReadItem& read_item) const {
    with(key, [&](const Json& j) {
      for (const Json& item : array(j)) read_item(Reader{object(item)}, field.emplace_back());
    });
  }
};

// Runs `read`; what nlohmann-json finds of a wrong type becomes a fault of the file.
template <class Read>
auto guarded(const std::string& path, const Read& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& e) {
    throw file_fault(path, fmt::format("has a value of the wrong type ({})", e.what()));
  }
}

Json summary_json(const Summary& s) {
  Json stages = Json::object();
  for (const auto& [stage, seconds] : s.wall_s_per_stage) stages[stage] = seconds;
  Json energy = Json::object();
  visit_energy(s.energy, [&](const char* key, Real value) { energy[key] = value; });
  return {{"scene", s.scene},
          {"title", s.title},
          {"paper", s.paper},
          {"status", s.status},
          {"version", s.version},
          {"threads", s.threads},
          {"steps", s.steps},
          {"time_step", s.time_step},
          {"t_end", s.t_end},
          {"wall_s", s.wall_s},
          {"wall_s_per_stage", stages},
          {"bodies", s.bodies},
          {"contacts_mean", s.contacts_mean},
          {"contacts_max", s.contacts_max},
          {"pairs_mean", s.pairs_mean},
          {"sweeps_mean", s.sweeps_mean},
          {"tolerance", s.tolerance},
          {"machine_tolerance", s.machine_tolerance},
          {"residual_p99", s.residual_p99},
          {"residual_max", s.residual_max},
          {"residual_velocity_max", s.residual_velocity_max},
          {"unconverged_steps", s.unconverged_steps},
          {"penetration_mean", s.penetration_mean},
          {"penetration_max", s.penetration_max},
          {"recovery_residual_max", s.recovery_residual_max},
          {"recovery_left_max", s.recovery_left_max},
          {"residual_mechanism_max", s.residual_mechanism_max},
          {"loop_error_max", s.loop_error_max},
          {"loop_velocity_max", s.loop_velocity_max},
          {"condition_error_max", s.condition_error_max},
          {"partition_changes", s.partition_changes},
          {"lost_bodies", s.lost_bodies},
          {"energy", energy},
          {"units", s.units},
          {"state_hash", s.state_hash},
          {"checks", checks_json(s.checks)},
          {"figures", figures_json(s.figures)},
          {"warnings", s.warnings},
          {"settings", pairs_json(s.settings)},
          {"scene_text", s.scene_text}};
}

}  // namespace

bool Summary::checks_pass() const {
  return std::all_of(checks.begin(), checks.end(), [](const SummaryCheck& c) { return c.pass; });
}

void write_summary(const std::string& path, const Summary& summary) {
  write_whole_file(path, json_text(summary_json(summary), 2));
}

Summary read_summary(const std::string& path) { return parse_summary(read_foreign_file(path, most_json_bytes), path); }

Summary parse_summary(const std::string& text, const std::string& path) {
  const Json json = parsed_summary(text, path);
  if (json.contains("runs")) throw file_fault(path, "is the summary of a study, not of one run");
  return guarded(path, [&] {
    Summary s;
    const Reader read{json};
    read("scene", s.scene);
    read("title", s.title);
    read("paper", s.paper);
    read("status", s.status);
    read("version", s.version);
    read("threads", s.threads);
    read("steps", s.steps);
    read("time_step", s.time_step);
    read("t_end", s.t_end);
    read("wall_s", s.wall_s);
    read("wall_s_per_stage", s.wall_s_per_stage);
    read("bodies", s.bodies);
    read("contacts_mean", s.contacts_mean);
    read("contacts_max", s.contacts_max);
    read("pairs_mean", s.pairs_mean);
    read("sweeps_mean", s.sweeps_mean);
    read("tolerance", s.tolerance);
    read("machine_tolerance", s.machine_tolerance);
    read("residual_p99", s.residual_p99);
    read("residual_max", s.residual_max);
    read("residual_velocity_max", s.residual_velocity_max);
    read("unconverged_steps", s.unconverged_steps);
    read("penetration_mean", s.penetration_mean);
    read("penetration_max", s.penetration_max);
    read("recovery_residual_max", s.recovery_residual_max);
    read("recovery_left_max", s.recovery_left_max);
    read("residual_mechanism_max", s.residual_mechanism_max);
    read("loop_error_max", s.loop_error_max);
    read("loop_velocity_max", s.loop_velocity_max);
    read("condition_error_max", s.condition_error_max);
    read("partition_changes", s.partition_changes);
    read("lost_bodies", s.lost_bodies);
    read.with("energy", [&](const Json& j) { visit_energy(s.energy, Reader{object(j)}); });
    read("units", s.units);
    read("state_hash", s.state_hash);
    read("checks", s.checks);
    read("figures", s.figures);
    read("warnings", s.warnings);
    read("settings", s.settings);
    read("scene_text", s.scene_text);
    return s;
  });
}

void write_study_summary(const std::string& path, const StudySummary& study) {
  Json runs = Json::array();
  for (const StudyRun& run : study.runs) {
    runs.push_back({{"name", run.name},
                    {"directory", run.directory},
                    {"set", pairs_json(run.set)},
                    {"status", run.status},
                    {"state_hash", run.state_hash},
                    {"wall_s", run.wall_s},
                    {"checks", checks_json(run.checks)}});
  }
  const Json json = {{"scene", study.scene},
                     {"title", study.title},
                     {"paper", study.paper},
                     {"version", study.version},
                     {"wall_s", study.wall_s},
                     {"runs", runs},
                     {"checks", checks_json(study.checks)},
                     {"warnings", study.warnings}};
  write_whole_file(path, json_text(json, 2));
}

StudySummary parse_study_summary(const std::string& text, const std::string& path) {
  const Json json = parsed_summary(text, path);
  if (!json.contains("runs")) throw file_fault(path, "is the summary of one run, not of a study");
  return guarded(path, [&] {
    StudySummary study;
    const Reader read{json};
    read("scene", study.scene);
    read("title", study.title);
    read("paper", study.paper);
    read("version", study.version);
    read("wall_s", study.wall_s);
    read("checks", study.checks);
    read("warnings", study.warnings);
    for (const Json& item : array(json.at("runs"))) {
      StudyRun run;
      const Reader read_run{object(item)};
      read_run("name", run.name);
      read_run("directory", run.directory);
      read_run("set", run.set);
      read_run("status", run.status);
      read_run("state_hash", run.state_hash);
      read_run("wall_s", run.wall_s);
      read_run("checks", run.checks);
      // it is joined to the study's folder, for reading and for writing
      if (!is_plain_name(run.directory))
        throw file_fault(path, fmt::format("run '{}': found the folder '{}', expected a name without slashes", run.name,
                                           run.directory));
      study.runs.push_back(std::move(run));
      if (study.runs.size() > most_study_runs)
        throw file_fault(path, fmt::format("found more than {} runs", most_study_runs));
    }
    return study;
  });
}

StudySummary read_study_summary(const std::string& path) {
  return parse_study_summary(read_foreign_file(path, most_json_bytes), path);
}

bool is_study_summary(const std::string& text, const std::string& path) {
  return parsed_summary(text, path).contains("runs");
}

}  // namespace grus
