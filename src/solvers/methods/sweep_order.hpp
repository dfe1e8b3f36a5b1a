// In which order a sweep over an assembled problem visits its blocks. The limit does not depend on it where the
// solution is unique; the number of sweeps does, and a problem that stalls in one order may not in another.
//
//   forward     as in the problem
//   symmetric   forward and backward in turn
//   permuted    a random permutation, the same in every sweep, drawn from a seed: same bits on every machine
//   coloured    by greedy colours of the graph of W: blocks of one colour are not coupled, each sweep passes the whole
//               problem once per colour, as a parallel sweep does
#pragma once

#include <vector>

#include "solvers/local_problem.hpp"
#include "solvers/local_solve.hpp"

namespace grus {

// The blocks in their order; empty for the order of the problem.
std::vector<Index> sweep_order(const LocalProblem& problem, SweepOrder order, std::uint64_t seed);

}  // namespace grus
