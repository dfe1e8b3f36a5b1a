#include "solvers/registry.hpp"

#include <array>

namespace grus {
namespace {

constexpr std::array registry{
    SolverEntry{SolverKind::nlgs_accelerated, "nlgs-accelerated",
                "nlgs with guarded momentum: a third to a fifth of the sweeps; the default"},
    SolverEntry{SolverKind::nlgs, "nlgs", "block Gauss-Seidel over contacts, coloured, threaded"},
};

}  // namespace

std::span<const SolverEntry> solver_registry() { return registry; }

std::string_view solver_name(SolverKind kind) {
  for (const SolverEntry& entry : registry) {
    if (entry.kind == kind) return entry.name;
  }
  return {};
}

std::optional<SolverKind> solver_kind(std::string_view name) {
  for (const SolverEntry& entry : registry) {
    if (entry.name == name) return entry.kind;
  }
  return std::nullopt;
}

}  // namespace grus
