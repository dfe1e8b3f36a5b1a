// Whether all numbers of a State are finite, and which is not.
#pragma once

#include <cstddef>
#include <optional>

#include "model/state.hpp"

namespace grus {

struct NotFinite {
  const char* field;  // as visit_fields names it
  std::size_t index;  // of the element; 0 for a single number
};

// The first by the order of visit_fields.
std::optional<NotFinite> find_not_finite(const State& state);

// All but positions, velocities and contact impulses of free bodies, which the sums of a step already cover. A sum that
// is finite shows that all its terms are; only another one is worth a search.
std::optional<NotFinite> find_not_finite_beside_bodies(const State& state);

}  // namespace grus
