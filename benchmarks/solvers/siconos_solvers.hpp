// The solvers of Siconos (Debian: libsiconos-numerics-dev) on our problems, to compare with.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "solvers/local_problem.hpp"

namespace grus::bench {

// How W is handed over: by columns, as sparse blocks (as Siconos' own files store it) or dense.
enum class SiconosStorage { columns, blocks, dense };

// What is set besides tolerance and iterations.
enum class SiconosSetting {
  standard,
  true_error,  // Gauss-Seidel: stop on the error itself, tested every tenth sweep, not on increments
  hybrid,      // Newton: after extragradient steps
};

struct SiconosSolver {
  std::string_view name;
  int dimension;
  int kind;     // SICONOS_FRICTION_...
  int contact;  // solver of one contact inside; 0: Siconos' choice
  SiconosStorage storage;
  SiconosSetting setting = SiconosSetting::standard;
};

std::span<const SiconosSolver> siconos_solvers();

// A problem in Siconos' form, made once: its making is not part of a measurement. Without scalar rows only.
class SiconosProblem {
 public:
  explicit SiconosProblem(const LocalProblem& problem);
  ~SiconosProblem();
  SiconosProblem(const SiconosProblem&) = delete;
  SiconosProblem& operator=(const SiconosProblem&) = delete;

  // Of its dimension, and small enough for its storage.
  bool suits(const SiconosSolver& solver) const;

  // From zero to `impulse`; the iterations Siconos reports. `tolerance` is of Siconos' own error, which is divided by
  // ||q||: whoever calls measures again.
  int solve(const SiconosSolver& solver, double tolerance, int max_iterations, std::vector<double>& impulse);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace grus::bench
