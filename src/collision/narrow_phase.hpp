// The narrow phase: contact points of one pair, by the pair matrix of narrow_phase.cpp.
#pragma once

#include "collision/manifold.hpp"
#include "collision/pair_memory.hpp"
#include "collision/placed_shape.hpp"

namespace grus {

// Can shapes of these kinds touch? Two unbounded ones cannot, nor can a shape of the other kind of scene.
bool has_pair(ShapeKind a, ShapeKind b, bool planar);

// Points of the pair with gap <= max_gap, sorted by feature; normals from a to b. `memory`, where there is one, saves
// work and is brought up to date; it does not change the points.
void collide(const PlacedShape& a, const PlacedShape& b, bool planar, Real max_gap, Manifold& out,
             PairMemory* memory = nullptr);

}  // namespace grus
