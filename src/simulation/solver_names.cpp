// The public door to the list of solvers.
#include "grus/solvers.hpp"
#include "solvers/registry.hpp"

namespace grus {

std::vector<SolverName> solver_names() {
  std::vector<SolverName> names;
  for (const SolverEntry& entry : solver_registry())
    names.push_back({std::string(entry.name), std::string(entry.summary)});
  return names;
}

}  // namespace grus
