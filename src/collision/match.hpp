// Matching with the last step: every contact point gets the impulse that its key carried.
//
// When a manifold changes, points of a touching pair appear and vanish; the impulse of the vanished ones is
// shared equally by the new ones (by all points when none is new), so the pair's total is kept. Impulses of
// pairs that no longer touch are dropped.
#pragma once

#include <span>
#include <vector>

#include "collision/contact_point.hpp"

namespace grus {

// contacts and state.impulse_key are sorted by key. impulse_W: N s, world frame, on the body of collider b,
// [contacts]. Returns the number of points found by their key.
Index match(std::span<const ContactPoint> contacts, const State& state, std::vector<Vec3>& impulse_W);

}  // namespace grus
