// Contact solvers by name.
#pragma once

#include <string>
#include <vector>

namespace grus {

struct SolverName {
  std::string name;
  std::string summary;  // one line
};

std::vector<SolverName> solver_names();

}  // namespace grus
