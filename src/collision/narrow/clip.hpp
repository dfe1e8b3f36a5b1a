// Contact points of two features that face each other, by clipping their projections along the normal.
//
// Both features are seen along n in the frame (t1, t2, n). The corners of the common region of the two
// projections (vertices of one inside the other, crossings of edges) are the candidates; at each, the two
// features have heights h_a, h_b along n, and gap = h_b - h_a - margins. All candidates are points of both
// surfaces, so none of their gaps is smaller than the separation of the shapes along n.
#pragma once

#include <algorithm>

#include "collision/convex_core.hpp"
#include "collision/manifold.hpp"

namespace grus {

struct ClipFrame {
  Vec3 origin = Vec3::Zero();  // of the features' coordinates, in the world, m
  Vec3 normal = Vec3::UnitX();
  Real margin_a = 0.0, margin_b = 0.0;
  Real max_gap = 0.0;
  Real size = 1.0;       // scale of the pair, for tolerances
  Real merged = 0.0;     // m, nearer candidates are one point
  Real inside = 1e-6;    // of the size: vertices this far outside still count as inside
  unsigned skipped = 0;  // edges of b, a bit each, that give no points of their own: seams inside a larger face
};

// Points of a pair nearer than this are one: a thousandth of the smaller shape, however large the other is.
inline Real merging_distance(const Collider& a, const Collider& b) {
  return 2e-3 * std::min(a.bound_radius, b.bound_radius);
}

// Does a point with this feature lie at a corner of the first feature?
bool is_corner_of_a(std::uint32_t feature);

void clip(const Feature& a, const Feature& b, const ClipFrame& frame, ManifoldCandidates& out);

// Clips the features of a pair with known separation; false when all points are farther apart than the shapes, so that
// the nearest point is missing.
bool clip_to_separation(const Feature& a, const Feature& b, Real separation, const ClipFrame& frame,
                        ManifoldCandidates& out);
// The manifold of what was clipped; `complete` is what clip_to_separation said, and s.on_a is read where it is false.
void finish_manifold(const ManifoldCandidates& candidates, bool complete, const ConvexSeparation& s,
                     const ClipFrame& frame, Manifold& out);
// Both: clipped features, and the nearest point where it is nearer than all of them.
void feature_manifold(const Feature& a, const Feature& b, const ConvexSeparation& s, const ClipFrame& frame,
                      Manifold& out);
// With the features that face along the normal.
void convex_manifold(const ConvexCore& a, const ConvexCore& b, const ConvexSeparation& s, const ClipFrame& frame,
                     Manifold& out);

}  // namespace grus
