#include "simulation/save_problems.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "grus/version.hpp"
#include "io/file_fault.hpp"
#include "io/json_text.hpp"
#include "io/problem/fclib_problem.hpp"
#include "io/problem/mechanical_form.hpp"
#include "io/problem/problem_file.hpp"
#include "io/whole_file.hpp"
#include "solvers/delassus.hpp"
#include "solvers/local_residual.hpp"

namespace grus {
namespace {

// The reader of scenes asks the same of the number of steps.
constexpr std::int64_t most_step = 1'000'000'000;
// The working list is searched after every step.
constexpr std::int64_t most_files = 100'000;

[[noreturn]] void refuse_when(const std::string& message) { throw file_fault("--save-problems", message); }

std::int64_t number_after(std::string_view word, std::string_view key, std::int64_t high) {
  const std::string_view digits = word.substr(key.size() + 1);
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || stop != digits.data() + digits.size() || error != std::errc() || value < 1 || value > high)
    refuse_when(fmt::format("found '{}', expected {}= and a whole number from 1 to {}", word, key, high));
  return value;
}

void read_when(std::string_view word, SaveProblemsRule& rule) {
  const auto is = [&](std::string_view key) {
    return word.starts_with(key) && word.size() > key.size() && word[key.size()] == '=';
  };
  if (word == "unconverged")
    rule.unconverged = true;
  else if (is("every"))
    rule.every = number_after(word, "every", most_step);
  else if (is("step"))
    rule.steps.push_back(number_after(word, "step", most_step));
  else if (is("worst"))
    rule.worst = number_after(word, "worst", most_files);
  else if (is("most"))
    rule.most = number_after(word, "most", most_files);
  else if (word == "form=global" || word == "form=local")
    rule.global_form = word == "form=global";
  else
    refuse_when(fmt::format("found '{}', expected every=N, step=N, unconverged, worst=N, most=N or form=global", word));
}

// The starting guess of the step in the frames of its contacts; rows start from rest here.
std::vector<Real> guess_of(const Workspace& work, const LocalProblem& local, const AssembleScratch& scratch) {
  const ContactProblem& problem = work.problem;
  ContactSolution start;
  for (Index c = 0; c < problem.contact_count; ++c) {
    Vec3 impulse = to_frame(contact_frame(problem, c), work.carried_impulse_W[static_cast<std::size_t>(c)]);
    if (problem.dimension == 2) impulse.z() = 0.0;
    start.impulse.push_back(impulse);
  }
  start.row_impulse.assign(static_cast<std::size_t>(problem.row_count), 0.0);
  std::vector<Real> guess;
  gather_impulses(problem, local, scratch, start, guess);
  project_impulses(local, guess);
  return guess;
}

constexpr const char* index_name = "problems/index.json";
std::string name_of(std::int64_t step) { return fmt::format("problems/step-{:08}.hdf5", step); }

Real ranked(Real residual) { return std::isnan(residual) ? std::numeric_limits<Real>::infinity() : residual; }

}  // namespace

SaveProblemsRule parse_save_problems(const std::string& text) {
  std::string_view rest = text;
  if (rest.starts_with("when=")) rest.remove_prefix(5);
  SaveProblemsRule rule;
  while (true) {
    const std::size_t comma = rest.find(',');
    read_when(rest.substr(0, comma), rule);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (rule.every == 0 && rule.steps.empty() && !rule.unconverged && rule.worst == 0)
    refuse_when(fmt::format("found '{}', expected every=N, step=N, unconverged or worst=N among it", text));
  return rule;
}

ProblemSaver::ProblemSaver(RunFolder& folder, std::string scene, SaveProblemsRule rule,
                           std::function<void(const std::string&)> say)
    : folder_(&folder), scene_(std::move(scene)), rule_(std::move(rule)), say_(std::move(say)) {}

void ProblemSaver::start_fresh() {
  for (const std::string& name : folder_->listed("problems/")) folder_->remove(name);
  saved_.clear();
  write_index();
}

void ProblemSaver::resume(std::int64_t step) {
  if (!folder_->holds(index_name)) return start_fresh();
  const std::string path = *folder_ / index_name;
  saved_.clear();
  try {
    const nlohmann::json index = nlohmann::json::parse(read_whole_file(path));
    for (const nlohmann::json& entry : index.at("problems")) {
      Saved saved;
      saved.step = entry.at("step").get<std::int64_t>();
      saved.time = entry.at("time").get<Real>();
      saved.contacts = entry.at("contacts").get<Index>();
      saved.rows = entry.at("rows").get<Index>();
      saved.residual =
          entry.at("residual").is_null() ? std::numeric_limits<Real>::quiet_NaN() : entry.at("residual").get<Real>();
      saved.converged = entry.at("converged").get<bool>();
      saved.asked = entry.at("asked").get<bool>();
      const std::string name = name_of(saved.step);
      if (saved.step <= step && folder_->holds(name))
        saved_.push_back(saved);
      else
        folder_->remove(name);
    }
  } catch (const nlohmann::json::exception& error) {
    throw file_fault(path, fmt::format("is damaged ({}); remove it to begin the list anew", error.what()));
  }
  write_index();
}

void ProblemSaver::after_step(std::int64_t step, Real time, const Workspace& work, const StepReport& report,
                              const Parallel& parallel) {
  const bool asked = is_asked(step, report);
  if (!asked && !is_among_worst(report.residual)) return;
  Saved saved{step, time, 0, 0, report.residual, report.converged, asked};
  if (!write(saved, work, parallel)) return;
  saved_.push_back(saved);
  if (!asked) drop_best_of_worst();
  write_index();
}

bool ProblemSaver::is_asked(std::int64_t step, const StepReport& report) {
  const bool due = (rule_.every > 0 && step % rule_.every == 0) || (rule_.unconverged && !report.converged) ||
                   std::find(rule_.steps.begin(), rule_.steps.end(), step) != rule_.steps.end();
  if (!due) return false;
  const auto count = std::count_if(saved_.begin(), saved_.end(), [](const Saved& s) { return s.asked; });
  if (count < rule_.most) return true;
  if (!said_full_) say_(fmt::format("problems: {} are saved, later ones are not (most={})", count, rule_.most));
  said_full_ = true;
  return false;
}

// Steps without contacts have a residual of zero and are never among the worst.
bool ProblemSaver::is_among_worst(Real residual) const {
  if (rule_.worst == 0 || ranked(residual) == 0.0) return false;
  const auto better = [&](const Saved& s) { return !s.asked && ranked(s.residual) < ranked(residual); };
  const auto count = std::count_if(saved_.begin(), saved_.end(), [](const Saved& s) { return !s.asked; });
  return count < rule_.worst || std::any_of(saved_.begin(), saved_.end(), better);
}

void ProblemSaver::drop_best_of_worst() {
  const auto count = std::count_if(saved_.begin(), saved_.end(), [](const Saved& s) { return !s.asked; });
  if (count <= rule_.worst) return;
  auto best = saved_.end();
  for (auto s = saved_.begin(); s != saved_.end(); ++s) {
    // of equals the later goes
    if (!s->asked && (best == saved_.end() || ranked(s->residual) <= ranked(best->residual))) best = s;
  }
  folder_->remove(name_of(best->step));
  saved_.erase(best);
}

bool ProblemSaver::write(Saved& saved, const Workspace& work, const Parallel& parallel) {
  if (assembled_blocks(work.problem) > most_assembled_blocks) {
    if (!said_large_) say_(fmt::format("problems: step {} is too large to be assembled, not saved", saved.step));
    said_large_ = true;
    return false;
  }
  ProblemFile file;
  assemble_local(work.problem, file.problem, scratch_, parallel);
  if (file.problem.contact_count == 0) return false;
  saved.contacts = file.problem.contact_count;
  saved.rows = file.problem.row_count;
  file.guess = guess_of(work, file.problem, scratch_);
  gather_impulses(work.problem, file.problem, scratch_, work.solution, file.solution);
  file.title = fmt::format("{}, step {}", scene_, saved.step);
  file.description = fmt::format("Contact problem of step {}, t = {:.9g} s, of the scene {}, by Grus {}. Units SI.",
                                 saved.step, saved.time, scene_, version());
  std::optional<GlobalForm> form;
  if (rule_.global_form) form = global_form_of(work.problem, file.problem, scratch_);
  if (rule_.global_form && !form && !said_local_) {
    say_("problems: the global form does not exist beside mechanisms, saved in local form");
    said_local_ = true;
  }
  const std::string name = name_of(saved.step);
  folder_->write(name, fclib_bytes(file, form ? &*form : nullptr, *folder_ / name));
  return true;
}

void ProblemSaver::write_index() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Saved& s : saved_) {
    list.push_back({{"file", std::filesystem::path(name_of(s.step)).filename().string()},
                    {"step", s.step},
                    {"time", s.time},
                    {"contacts", s.contacts},
                    {"rows", s.rows},
                    {"residual", s.residual},
                    {"converged", s.converged},
                    {"asked", s.asked}});
  }
  folder_->write(index_name, json_text(nlohmann::ordered_json{{"problems", list}}, 1));
}

}  // namespace grus
