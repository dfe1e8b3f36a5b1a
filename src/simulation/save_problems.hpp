// grus run --save-problems WHEN: contact problems of a run as FCLIB files in DIR/problems, with the impulses the run
// began with (guess) and ended with (solution). Only reads what the step leaves: the run's bits do not change.
//
//   WHEN is a list, separated by commas:
//     every=N       steps N, 2 N, 3 N ...
//     step=N        this step; as often as wanted
//     unconverged   steps whose solve did not reach its tolerance
//     worst=N       the N steps with the largest residuals so far; a file is removed when its step is no longer one
//     most=N        at most N files beside those of worst (default 20): a disk is soon full
//     form=global   M, H, f, w instead of W, q; without mechanisms only
//   when= before it is allowed.
//
// DIR/problems/index.json lists the files: step, time, contacts, rows, residual, converged. A resumed run goes on with
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/parallel.hpp"
#include "integrators/step_report.hpp"
#include "integrators/workspace.hpp"
#include "io/run_folder.hpp"
#include "solvers/assemble.hpp"

namespace grus {

struct SaveProblemsRule {
  std::int64_t every = 0;  // 0: off
  std::vector<std::int64_t> steps;
  bool unconverged = false;
  std::int64_t worst = 0;
  std::int64_t most = 20;
  bool global_form = false;
};

// Throws InputError.
SaveProblemsRule parse_save_problems(const std::string& text);

class ProblemSaver {
 public:
  // `scene` names the problems; `say` gets notices, one line each. `folder` must outlive the saver.
  ProblemSaver(RunFolder& folder, std::string scene, SaveProblemsRule rule,
               std::function<void(const std::string&)> say);

  // Begins with none, or goes on behind `step`: what a killed run saved later will be saved again.
  void start_fresh();
  void resume(std::int64_t step);

  // After a step: saves its problem when the rule asks for it.
  void after_step(std::int64_t step, Real time, const Workspace& work, const StepReport& report,
                  const Parallel& parallel);

 private:
  struct Saved {
    std::int64_t step = 0;
    Real time = 0.0;
    Index contacts = 0, rows = 0;
    Real residual = 0.0;
    bool converged = true;
    bool asked = false;  // by another rule than worst
  };

  bool is_asked(std::int64_t step, const StepReport& report);
  bool is_among_worst(Real residual) const;
  // False when the problem has no contact or cannot be assembled.
  bool write(Saved& saved, const Workspace& work, const Parallel& parallel);
  void drop_best_of_worst();
  void write_index() const;

  RunFolder* folder_;
  std::string scene_;
  SaveProblemsRule rule_;
  std::function<void(const std::string&)> say_;
  std::vector<Saved> saved_;  // by step
  bool said_full_ = false, said_large_ = false, said_local_ = false;
  AssembleScratch scratch_;
};

}  // namespace grus
