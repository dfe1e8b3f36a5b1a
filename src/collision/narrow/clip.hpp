// Contact points of two features that face each other, by clipping their projections along the normal.
//
// Both features are seen along n in the frame (t1, t2, n). The corners of the common region of the two
// projections (vertices of one inside the other, crossings of edges) are the candidates; at each, the two
// features have heights h_a, h_b along n, and gap = h_b - h_a - margins. All candidates are points of both
// surfaces, so none of their gaps is smaller than the separation of the shapes along n.
#pragma once

#include "collision/convex_core.hpp"
#include "collision/manifold.hpp"

namespace grus {

struct ClipFrame {
  Vec3 origin = Vec3::Zero();  // of the features' coordinates, in the world, m
  Vec3 normal = Vec3::UnitX();
  Real margin_a = 0.0, margin_b = 0.0;
  Real max_gap = 0.0;
  Real size = 1.0;     // scale of the pair, for tolerances
  Real inside = 1e-6;  // of the size: vertices this far outside still count as inside
};

void clip(const Feature& a, const Feature& b, const ClipFrame& frame, ManifoldCandidates& out);

// The whole manifold of a pair with known separation: clipped features, and the nearest point where it is
// nearer than all of them.
void convex_manifold(const ConvexCore& a, const ConvexCore& b, const ConvexSeparation& s, const ClipFrame& frame,
                     Manifold& out);

}  // namespace grus
