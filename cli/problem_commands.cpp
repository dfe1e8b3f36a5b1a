#include "problem_commands.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "number_range.hpp"
#include "terminal_text.hpp"

namespace grus {
namespace {

constexpr int exit_done = 0, exit_not_converged = 1;

std::string friction_range(const ProblemStatistics& s) {
  if (s.friction_min == s.friction_max) return fmt::format("friction {:g}", s.friction_min);
  return fmt::format("friction {:g} to {:g}", s.friction_min, s.friction_max);
}

void print_statistics(const ProblemStatistics& s) {
  print_line(stdout, fmt::format("{}: {}{}", s.file, s.form, s.title.empty() ? "" : ", \"" + s.title + "\""));
  fmt::print("  {} contacts in {}, {}{}\n", s.contacts, s.dimension == 2 ? "the plane" : "space", friction_range(s),
             s.rows > 0 ? fmt::format(", {} scalar rows", s.rows) : "");
  fmt::print("  W: {} blocks, {:.3g} per row, at most {}; {}\n", s.blocks,
             static_cast<double>(s.blocks) / static_cast<double>(s.contacts + s.rows), s.most_blocks_in_row,
             s.symmetry_defect == 0.0 ? std::string("symmetric")
                                      : fmt::format("unsymmetric by {:.1e} of its largest entry", s.symmetry_defect));
  if (s.has_guess || s.has_solution)
    fmt::print("  with {}\n", s.has_guess && s.has_solution ? "a guess and a solution"
                              : s.has_guess                 ? "a guess"
                                                            : "a solution");
  for (const std::string& note : s.notes) print_line(stdout, "  note: " + note);
}

void print_outcome(const SolveOutcome& outcome, const SolveOptions& options) {
  print_statistics(outcome.statistics);
  fmt::print("{}: {} after {} iterations and {:.3g} s\n", outcome.solver,
             outcome.converged ? "converged" : "NOT CONVERGED", outcome.iterations, outcome.seconds);
  fmt::print("  error {:.2e} (Siconos' natural map), asked {:g}\n", outcome.error, options.tolerance);
  fmt::print("  worst contact: approach {:.2e} m/s, complementarity {:.2e} J, {:.2e} N s outside the cone\n",
             outcome.velocity, outcome.complementarity, outcome.cone);
  if (!options.out.empty()) print_line(stdout, "The problem with its solution is " + options.out + ".");
}

void print_outcome_json(const SolveOutcome& outcome, const SolveOptions& options) {
  nlohmann::ordered_json json;
  json["problem"] = outcome.statistics.file;
  json["contacts"] = outcome.statistics.contacts;
  json["solver"] = outcome.solver;
  json["converged"] = outcome.converged;
  json["iterations"] = outcome.iterations;
  json["error"] = outcome.error;  // null when it is not a number
  json["error_definition"] = "siconos";
  json["seconds"] = outcome.seconds;
  json["threads"] = outcome.threads;
  json["tolerance"] = options.tolerance;
  json["dimension"] = outcome.statistics.dimension;
  json["rows"] = outcome.statistics.rows;
  json["blocks"] = outcome.statistics.blocks;
  json["symmetry_defect"] = outcome.statistics.symmetry_defect;
  json["velocity"] = outcome.velocity;
  json["complementarity"] = outcome.complementarity;
  json["cone"] = outcome.cone;
  fmt::print("{}\n", json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

ProblemCommands::ProblemCommands(CLI::App& app)
    : solve_(app.add_subcommand("solve", "Solve one contact problem file (FCLIB .hdf5 or Siconos .dat)")),
      convert_(app.add_subcommand("convert", "Convert a contact problem file to another format")) {
  solve_->add_option("problem", options_.problem, "Problem file")->required();
  solve_->add_option("--solver", options_.solver, "NAME: one of `grus solvers` (default: auto)");
  solve_->add_option("--tol", options_.tolerance, "Siconos' natural-map error to reach (default: 1e-4)")
      ->check(within(0.0, 1.0, "a number from 0 to 1"));
  solve_->add_option("--max-iter", options_.max_iterations, "Most iterations (default: 100000)")
      ->check(within(std::int64_t{0}, std::int64_t{2'000'000'000}, "a whole number from 0 to 2e9"));
  solve_->add_option("--time-limit", options_.time_limit, "Most wall time of the solve in s (default: none)")
      ->check(within(0.0, 1e9, "a time in s from 0 to 1e9"));
  solve_->add_option("--order", options_.order,
                     "Of sweeps: forward, symmetric, permuted or coloured (default: forward)");
  solve_->add_option("--facets", options_.facets, "Of the cone in nlgs-lemke and nlgs-qp (default: 16)")
      ->check(within(3, 256, "a whole number from 3 to 256"));
  solve_->add_flag("--from-guess", options_.from_guess, "Start from the guess in the file, not from zero");
  solve_->add_option("--out", options_.out, "FCLIB file for the problem with its solution");
  solve_->add_flag("--json", json_, "Print one JSON object");

  convert_->add_option("from", from_, "Problem file")->required();
  convert_->add_option("to", to_, "File to write: .hdf5 or .h5 (FCLIB), .dat (Siconos' text)")->required();
  convert_->add_option("--storage", storage_, "Of the matrix in a .dat: dense, blocks or sparse (default: blocks)");
}

int ProblemCommands::run(const std::function<bool()>& stop) {
  if (convert_->parsed()) {
    print_statistics(convert_problem(from_, to_, storage_));
    print_line(stdout, "Written to " + to_ + ".");
    return exit_done;
  }
  options_.stop = stop;
  const SolveOutcome outcome = solve_problem(options_);
  json_ ? print_outcome_json(outcome, options_) : print_outcome(outcome, options_);
  return outcome.converged ? exit_done : exit_not_converged;
}

}  // namespace grus
