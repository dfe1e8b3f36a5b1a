// grus solve and grus convert: one contact problem file.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "grus/problem.hpp"

namespace grus {

class ProblemCommands {
 public:
  explicit ProblemCommands(CLI::App& app);
  ProblemCommands(const ProblemCommands&) = delete;
  ProblemCommands& operator=(const ProblemCommands&) = delete;

  bool parsed() const { return solve_->parsed() || convert_->parsed(); }
  // Runs the one that was given and returns the program's exit code. `stop` is asked while a problem is solved.
  int run(const std::function<bool()>& stop);

 private:
  CLI::App* solve_;
  CLI::App* convert_;
  SolveOptions options_;
  bool json_ = false;
  std::string from_, to_, storage_;
};

}  // namespace grus
