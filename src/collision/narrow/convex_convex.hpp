// The generic convex route: separation by support mappings, then the clipped manifold.
#pragma once

#include "collision/convex_core.hpp"

namespace grus {

// Signed distance, normal and nearest point of two cores. False when the distance is larger than `limit`.
bool convex_separation(const ConvexCore& a, const ConvexCore& b, Real limit, Real size, ConvexSeparation& out);

}  // namespace grus
