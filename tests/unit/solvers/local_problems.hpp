// Problems in local form made up for tests of solvers.
#pragma once

#include "solvers/assemble.hpp"
#include "unit/solvers/dense_problems.hpp"

namespace grus::testing {

inline LocalProblem assembled(const ContactProblem& problem) {
  LocalProblem local;
  AssembleScratch scratch;
  assemble_local(problem, local, scratch, Parallel(1));
  return local;
}

// W positive definite for nearly every seed, and little friction: one solution.
inline LocalProblem unique_problem(int dimension, std::uint64_t seed, Index rows = 0) {
  const RandomProblem contacts{.dimension = dimension, .blocks = 40, .contacts = 25, .friction_max = 0.3, .seed = seed};
  if (rows == 0) return assembled(random_problem(contacts));
  return assembled(random_dense_problem({.contacts = contacts, .dense = 4, .rows = rows}));
}

}  // namespace grus::testing
