// A collider placed in the world: what the narrow phase works on. A view; the collider outlives it.
#pragma once

#include "math/vector.hpp"
#include "model/model.hpp"

namespace grus {

struct PlacedShape {
  const Collider* collider = nullptr;
  const Vec2* vertices = nullptr;  // of a polygon, in the collider's frame C
  const Polyhedron* polyhedron = nullptr;
  const MeshTriangle* triangle = nullptr;
  Vec3 p = Vec3::Zero();      // origin of C in the world, m
  Quat R = Quat::Identity();  // R_WC
};

// The geometry of a model's shapes.
struct ShapeGeometry {
  const Vec2* polygon_vertices = nullptr;
  const Polyhedron* polyhedra = nullptr;
  const MeshTriangle* triangles = nullptr;

  ShapeGeometry() = default;
  explicit ShapeGeometry(const Model& model)
      : polygon_vertices(model.polygon_vertices.data()),
        polyhedra(model.polyhedra.data()),
        triangles(model.triangles.data()) {}
};

// Axis-aligned bounds, m.
struct Bounds {
  Vec3 low = Vec3::Zero();
  Vec3 high = Vec3::Zero();
};

// X_WC: pose of the collider.
inline PlacedShape place_collider(const Collider& c, const ShapeGeometry& geometry, const Pose& X_WC) {
  return {&c,
          c.kind == ShapeKind::polygon ? geometry.polygon_vertices + c.vertex_begin : nullptr,
          c.kind == ShapeKind::polyhedron ? geometry.polyhedra + c.geometry : nullptr,
          c.kind == ShapeKind::triangle ? geometry.triangles + c.geometry : nullptr,
          X_WC.position,
          X_WC.rotation};
}

inline PlacedShape place(const Collider& c, const ShapeGeometry& geometry, const Pose& X_WB) {
  return place_collider(c, geometry, {X_WB.position + X_WB.rotation * c.p_BC, X_WB.rotation * c.R_BC});
}

}  // namespace grus
