// Penetration of two overlapping convex cores: expanding polytope (van den Bergen 2001) inside D = B - A.
//   every face of the polytope has an outward normal n and an offset; the support h(n) of D is an upper bound
//   of the depth, the smallest offset a lower one. The face with the smallest offset is pushed out until the
//   two meet.
// Offsets are signed, so the starting tetrahedron need not hold the origin: a touching pair, where the origin
// lies on the boundary of D, is no special case.
#pragma once

#include "collision/convex_core.hpp"

namespace grus {

// False when D has no volume (two flat cores in one plane); `out` is then untouched.
bool epa(const ConvexCore& a, const ConvexCore& b, Real size, ConvexSeparation& out);

}  // namespace grus
