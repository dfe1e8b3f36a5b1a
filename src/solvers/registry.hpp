// The list of contact solvers by name: for `grus solvers`, and for the check of `solver.kind` in scenes.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/solver_kind.hpp"

namespace grus {

struct SolverEntry {
  SolverKind kind;
  std::string_view name;     // as in `solver.kind`
  std::string_view summary;  // one line
};

std::span<const SolverEntry> solver_registry();

std::string_view solver_name(SolverKind kind);

// Empty for an unknown name.
std::optional<SolverKind> solver_kind(std::string_view name);

struct SweepOrderEntry {
  SweepOrder order;
  std::string_view name;  // as in `solver.order` and `grus solve --order`
};

std::span<const SweepOrderEntry> sweep_orders();

}  // namespace grus
