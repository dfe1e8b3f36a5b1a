// Bounds of any bounded shape, by its kind.
#pragma once

#include "collision/placed_shape.hpp"

namespace grus {

// Axis-aligned bounds in the world; the shape must be bounded.
Bounds bounds(const PlacedShape& shape, bool planar);

// Radius of the smallest sphere about the collider's origin that holds the shape; infinite for plane, tube, ring.
Real bound_radius(const Collider& collider, const ShapeGeometry& geometry, bool planar);

// Radius about the collider's origin within which a turn about that origin moves the surface: 0 for round shapes.
inline Real turning_radius(const Collider& c) {
  return c.kind == ShapeKind::sphere || c.kind == ShapeKind::disk ? 0.0 : c.bound_radius;
}

}  // namespace grus
