// Convex polyhedron: shared geometry times the collider's scale; no margin.
//
// Searches are functions of the direction alone, never of an earlier answer: the same bits from a fresh workspace.
#pragma once

#include "collision/placed_shape.hpp"
#include "collision/shapes/feature.hpp"

namespace grus::polyhedron {

// Up to this many vertices all are looked at, side by side; beyond, the search climbs along edges. Measured
// (benchmarks/narrow_phase.cpp): both cost the same at about 60.
inline constexpr Index climb_from = 64;

// At scale 1. The vertex farthest along d (any length): of equals the first, where all are looked at.
Index support_vertex(const Polyhedron& p, const Vec3& d);

// At scale 1. The largest d.x over the polyhedron.
Real reach(const Polyhedron& p, const Vec3& d);

// The vertex, edge or face that faces the unit direction d, points times `scale`.
void feature(const Polyhedron& p, Real scale, const Vec3& d, Feature& out);

inline Vec3 support(const Polyhedron& p, Real scale, const Vec3& d) {
  return scale * p.vertices[static_cast<std::size_t>(support_vertex(p, d))];
}

// Half sizes of bounds that hold the shape, about its origin.
Bounds bounds(const PlacedShape& s);

}  // namespace grus::polyhedron
