// The list of contact solvers by name: for `grus solvers`, and for the check of `solver.kind` in scenes.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace grus {

enum class SolverKind { nlgs };

struct SolverEntry {
  SolverKind kind;
  std::string_view name;     // as in `solver.kind`
  std::string_view summary;  // one line
};

std::span<const SolverEntry> solver_registry();

// Empty for an unknown name.
std::optional<SolverKind> solver_kind(std::string_view name);

}  // namespace grus
