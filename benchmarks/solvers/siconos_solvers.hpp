// The solvers of Siconos (Debian: libsiconos-numerics-dev) on our problems, to compare with.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "solvers/local_problem.hpp"

namespace grus::bench {

struct SiconosSolver {
  std::string_view name;
  int dimension;
  int kind;     // SICONOS_FRICTION_...
  int contact;  // solver of one contact inside; 0: Siconos' choice
  bool blocks;  // takes W as sparse blocks, as its own files store it; else by columns
};

std::span<const SiconosSolver> siconos_solvers();

// A problem in Siconos' form, made once: its making is not part of a measurement. Without scalar rows only.
class SiconosProblem {
 public:
  explicit SiconosProblem(const LocalProblem& problem);
  ~SiconosProblem();
  SiconosProblem(const SiconosProblem&) = delete;
  SiconosProblem& operator=(const SiconosProblem&) = delete;

  // From zero to `impulse`; the iterations Siconos reports. `tolerance` is of Siconos' own error, which is divided by
  // ||q||: whoever calls measures again.
  int solve(const SiconosSolver& solver, double tolerance, int max_iterations, std::vector<double>& impulse);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace grus::bench
