// Which points of the world lie inside a placed shape: what volumes are sampled with.
//
// The surface belongs to the inside. Walls without an end (plane, tube, ring) are solid behind their surface; a
// triangle of a mesh is a surface and holds nothing.
#pragma once

#include <optional>

#include "collision/placed_shape.hpp"
#include "collision/shapes/polygon.hpp"

namespace grus {

class ShapeInterior {
 public:
  ShapeInterior(const PlacedShape& shape, bool planar);

  bool holds(const Vec3& x_W) const;

 private:
  bool holds_in_plane(const Vec3& x) const;
  bool holds_in_space(const Vec3& x) const;

  PlacedShape shape_;
  bool planar_;
  Mat3 R_CW_;
  std::optional<RoundedPolygon> polygon_;  // in C; planar scenes, bounded shapes
};

}  // namespace grus
