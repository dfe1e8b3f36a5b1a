// Contact solvers by name.
#pragma once

#include <string>
#include <vector>

namespace grus {

struct SolverEntry {
  std::string name;
  std::string line;
};

std::vector<SolverEntry> solver_entries();

}  // namespace grus
