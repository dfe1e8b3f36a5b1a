// The generic convex route: separation by support mappings, then the clipped manifold.
#pragma once

#include "collision/convex_core.hpp"

namespace grus {

// Signed distance, normal and nearest point of two cores. False when the distance is larger than `limit`.
bool convex_separation(const ConvexCore& a, const ConvexCore& b, Real limit, Real size, ConvexSeparation& out);

// The distance along s.normal, which is replaced by an exact normal of a face or of two edges that parts as much.
void sharpen_normal(const ConvexCore& a, const ConvexCore& b, Real size, ConvexSeparation& s);

}  // namespace grus
