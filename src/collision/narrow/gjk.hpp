// Distance of two convex cores: Gilbert, Johnson & Keerthi 1988, on the Minkowski difference D = B - A.
//   the point v of D nearest to the origin is b* - a*; its length is the distance, its direction the normal;
//   every support w = s_D(-v) gives the lower bound v.w/|v|, so the iteration stops on a proven relative error.
#pragma once

#include "collision/convex_core.hpp"

namespace grus {

enum class GjkStatus { separated, overlapping, beyond_limit };

// `limit`: stop early when the distance is proven larger; out.normal is then the proof. `size`: scale of the pair, for
// tolerances. `start`: any direction from a to b; a good one saves iterations. Overlapping: out.on_a is in both cores.
GjkStatus gjk(const ConvexCore& a, const ConvexCore& b, Real limit, Real size, const Vec3& start,
              ConvexSeparation& out);

// From the line of centres.
GjkStatus gjk(const ConvexCore& a, const ConvexCore& b, Real limit, Real size, ConvexSeparation& out);

}  // namespace grus
