// The command line: grus run, bed, check, examples, solve, solvers, convert, report, analyze, view, render. Sees the
// public headers only. Exit codes: 0 done; 1 numerical failure or a failed check of the scene; 2 bad input or usage;
// 130 interrupted.

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "gallery_text.hpp"
#include "grus/analyze.hpp"
#include "grus/bed.hpp"
#include "grus/error.hpp"
#include "grus/report.hpp"
#include "grus/run.hpp"
#include "grus/scene.hpp"
#include "grus/solvers.hpp"
#include "grus/version.hpp"
#include "number_range.hpp"
#include "problem_commands.hpp"
#include "progress.hpp"
#include "terminal_text.hpp"
#include "view_commands.hpp"

namespace {

using grus::within;

constexpr int exit_failure = 1, exit_bad_input = 2, exit_interrupted = 130;

volatile std::sig_atomic_t interrupted = 0;

// The first signal asks for a checkpoint and a clean end; a second one ends the program at once.
void on_signal(int number) {
  interrupted = 1;
  std::signal(number, SIG_DFL);
}

// `text` as one word of a shell.
std::string shell_word(const std::string& text) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || std::strchr("_-./=+,:@%", c) != nullptr; };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// The command as it was given, with --resume: another --set would be another scene, and be refused.
std::string resume_command(int argc, char** argv, bool resumes) {
  std::string command;
  for (int i = 0; i < argc; ++i) command += (i == 0 ? "" : " ") + shell_word(argv[i]);
  return command + (resumes ? "" : " --resume");
}

// CLI11 takes an unknown command for a missing one, and lists stray arguments backwards.
int refuse_usage(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> strays = app.remaining(true);
  if (!strays.empty() && app.get_subcommands().empty())
    fmt::print(stderr, "grus: no command '{}'; `grus --help` lists them\n", grus::printable(strays.front()));
  else if (!strays.empty())
    fmt::print(stderr, "grus: found '{}', expected nothing more; `grus {} --help` lists the options\n",
               fmt::join(strays, " "), app.get_subcommands().front()->get_name());
  else
    app.exit(error);
  return exit_bad_input;
}

// Lets the terminal stop what is run, and see it unless quiet.
template <class Options>
void attend(Options& options, bool quiet, grus::ProgressLine& line) {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  options.stop = [] { return interrupted != 0; };
  if (quiet) return;
  options.progress = [&line](const grus::Progress& progress) { line.show(progress); };
  options.message = [&line](const std::string& text) { line.message(text); };
}

int run_command(grus::RunOptions& options, bool quiet, const std::string& resume) {
  grus::ProgressLine line;
  attend(options, quiet, line);
  const grus::RunOutcome outcome = grus::run(options);
  line.end();
  if (!quiet) {
    for (const std::string& word : outcome.words) grus::print_line(stdout, word);
    const char* const report = !options.report      ? ""
                               : grus::has_report() ? ", the report is report.html there"
                                                    : "; no report, since the program was built without Node.js "
                                                      "(tools/setup.sh installs it)";
    fmt::print("Files are in {}{}.\n", grus::printable(outcome.out), report);
  }
  switch (outcome.status) {
    case grus::RunStatus::done:
      return 0;
    case grus::RunStatus::check_failed:
      return exit_failure;
    case grus::RunStatus::interrupted:
      std::fflush(stdout);  // the words come first, also where both go to one file
      fmt::print(stderr, "Interrupted. Go on with: {}\n", grus::printable(resume));
      return exit_interrupted;
  }
  return exit_failure;
}

int bed_command(grus::BedOptions& options, bool quiet) {
  grus::ProgressLine line;
  attend(options, quiet, line);
  const grus::RunOutcome outcome = grus::make_bed(options);
  line.end();
  if (outcome.status == grus::RunStatus::interrupted) {
    fmt::print(stderr, "Interrupted: no bed was written.\n");
    return exit_interrupted;
  }
  if (!quiet) {
    for (const std::string& word : outcome.words) grus::print_line(stdout, word);
    fmt::print("The bed is {}.\n", grus::printable(outcome.out));
  }
  return 0;
}

int check_command(const std::string& scene, const std::vector<std::string>& overrides) {
  const grus::SceneCheck found = grus::check_scene(scene, overrides);
  for (const std::string& fault : found.faults) grus::print_line(stderr, fault);
  for (const std::string& warning : found.warnings) grus::print_line(stderr, "warning: " + warning);
  if (found.faults.empty()) fmt::print("{}: no faults\n", grus::printable(scene));
  return found.faults.empty() ? 0 : exit_bad_input;
}

int solvers_command() {
  const std::vector<grus::SolverName> names = grus::solver_names();
  std::size_t widest = 0;
  for (const grus::SolverName& solver : names) widest = std::max(widest, solver.name.size());
  for (const grus::SolverName& solver : names) fmt::print("{:{}}  {}\n", solver.name, widest, solver.summary);
  return 0;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app{"Grus simulates machines working in granular matter."};
  app.set_version_flag("--version", std::string("grus ") + grus::version());
  app.require_subcommand(1);

  grus::RunOptions options;
  bool quiet = false, no_report = false;
  CLI::App* run = app.add_subcommand("run", "Simulate a scene or a study");
  run->add_option("scene", options.scene, "Scene file (YAML)")->required();
  run->add_option("--out", options.out, "Folder for the results (default: out/<scene name>)");
  run->add_option("--threads", options.threads, "Threads; 0 or absent: all cores")
      ->check(within(0, 1024, "a whole number from 0 to 1024"));
  run->add_option("--set", options.overrides, "NAME=value: a parameter of the scene or a setting such as time.step")
      ->allow_extra_args(false);
  run->add_option("--until", options.until, "End time in s, instead of time.end")
      ->check(within(0.0, 1e9, "a time in s from 0 to 1e9"));
  run->add_option("--only", options.only, "NAME: one run of a study, into its folder");
  run->add_option("--save-problems", options.save_problems,
                  "WHEN: contact problems to DIR/problems; every=N, step=N, unconverged, worst=N, most=N, form=global");
  run->add_flag("--resume", options.resume, "Go on from the checkpoint in the folder");
  run->add_flag("--force", options.force,
                "Write into a folder with files that no run wrote; those with the names of a run's are replaced");
  run->add_flag("--no-report", no_report, "Do not write report.html");
  run->add_flag("--quiet", quiet, "Print errors only");

  grus::BedOptions bed_options;
  bool bed_quiet = false;
  CLI::App* bed = app.add_subcommand("bed", "Make a bed of stones: run a scene with `settle` until they are at rest");
  bed->add_option("scene", bed_options.scene, "Scene file (YAML)")->required();
  bed->add_option("--out", bed_options.out, "File of the bed (default: out/<scene>.h5)");
  bed->add_option("--threads", bed_options.threads, "Threads; 0 or absent: all cores")
      ->check(within(0, 1024, "a whole number from 0 to 1024"));
  bed->add_option("--set", bed_options.overrides, "NAME=value, as for run")->allow_extra_args(false);
  bed->add_flag("--quiet", bed_quiet, "Print errors only");

  std::string scene;
  std::vector<std::string> overrides;
  CLI::App* check = app.add_subcommand("check", "Report faults and warnings of a scene without running it");
  check->add_option("scene", scene, "Scene file (YAML)")->required();
  check->add_option("--set", overrides, "NAME=value, as for run")->allow_extra_args(false);

  std::string name;
  bool json = false;
  CLI::App* examples = app.add_subcommand("examples", "List the gallery, or print the path of one example");
  examples->add_option("name", name, "Example");
  examples->add_flag("--json", json, "As JSON");

  CLI::App* solvers = app.add_subcommand("solvers", "List the contact solvers");
  grus::ProblemCommands problems(app);

  std::string directory;
  CLI::App* report = app.add_subcommand("report", "(Re)make DIR/report.html");
  report->add_option("dir", directory, "Folder of a run")->required();

  grus::AnalyzeOptions analysis;
  CLI::App* analyze = app.add_subcommand("analyze", "Solid fraction, coordination and forces into DIR/analysis.json");
  analyze->add_option("dir", analysis.directory, "Folder of a run or a study")->required();
  analyze->add_option("--time", analysis.times, "Time in s; once per time (default: first and last frame)")
      ->allow_extra_args(false)
      ->check(within(0.0, 1e9, "a time in s from 0 to 1e9"));
  analyze->add_option("--cell", analysis.cell, "Side of a cell of the map in m")
      ->check(within(1e-9, 1e9, "a length in m from 1e-9 to 1e9"));
  analyze->add_option("--strength", analysis.strength, "Contact force in N above which a body counts as overloaded")
      ->check(within(0.0, 1e15, "a force in N from 0 to 1e15"));
  analyze->add_option("--scene", analysis.scene, "Take the analysis section from this scene, not from the run's own");
  analyze->add_option("--threads", analysis.threads, "Threads; 0 or absent: all cores")
      ->check(within(0, 1024, "a whole number from 0 to 1024"));

  grus::ViewCommands views(app);
  CLI::App* reference = app.add_subcommand("reference", "Print the scene reference (Markdown)");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : refuse_usage(app, error);
  }

  if (run->parsed()) {
    options.report = !no_report;
    return run_command(options, quiet, resume_command(argc, argv, options.resume));
  }
  if (bed->parsed()) return bed_command(bed_options, bed_quiet);
  if (check->parsed()) return check_command(scene, overrides);
  if (examples->parsed()) return grus::print_gallery(name, json) ? 0 : exit_bad_input;
  if (solvers->parsed()) return solvers_command();
  if (problems.parsed() || views.parsed()) {
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    if (views.parsed()) return views.run([] { return interrupted != 0; });
    const int code = problems.run([] { return interrupted != 0; });
    return interrupted != 0 ? exit_interrupted : code;
  }
  if (report->parsed()) {
    grus::make_report(directory);
    grus::print_line(stdout, directory + "/report.html");
    return 0;
  }
  if (analyze->parsed()) {
    for (const std::string& line : grus::analyze(analysis)) grus::print_line(stdout, line);
    return 0;
  }
  if (reference->parsed()) fmt::print("{}", grus::scene_reference());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // The program is its own host: what is broken ends it where it broke, and files stay as they are.
  grus::set_assertion_handler(grus::abort_on_assertion);
  try {
    return parse_and_run(argc, argv);
  } catch (const grus::InputError& error) {
    for (const grus::Fault& fault : error.faults()) grus::print_line(stderr, grus::to_string(fault));
    return exit_bad_input;
  } catch (const grus::NumericalError& error) {
    fmt::print(stderr, "grus: the simulation broke down: {}. The last checkpoint is kept.\n",
               grus::printable(error.what()));
    return exit_failure;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "grus: not enough memory\n");
    return exit_failure;
  } catch (const std::exception& error) {
    grus::print_lines(stderr, std::string("grus: ") + error.what());
    return exit_failure;
  }
}
