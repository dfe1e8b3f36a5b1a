#include "solvers/registry.hpp"

#include <array>

namespace grus {
namespace {

constexpr std::array registry{
    SolverEntry{SolverKind::nlgs, "nlgs",
                "block Gauss-Seidel over contacts with exact local solvers, coloured, threaded"},
};

}  // namespace

std::span<const SolverEntry> solver_registry() { return registry; }

std::optional<SolverKind> solver_kind(std::string_view name) {
  for (const SolverEntry& entry : registry) {
    if (entry.name == name) return entry.kind;
  }
  return std::nullopt;
}

}  // namespace grus
