// A collider placed in the world: what the narrow phase works on. A view; the collider outlives it.
#pragma once

#include "math/vector.hpp"
#include "model/model.hpp"

namespace grus {

struct PlacedShape {
  const Collider* collider = nullptr;
  const Vec2* vertices = nullptr;  // of a polygon, in the collider's frame C
  Vec3 p = Vec3::Zero();           // origin of C in the world, m
  Quat R = Quat::Identity();       // R_WC
};

// Axis-aligned bounds, m.
struct Bounds {
  Vec3 low = Vec3::Zero();
  Vec3 high = Vec3::Zero();
};

inline PlacedShape place(const Collider& collider, const Vec2* polygon_vertices, const Pose& X_WB) {
  return {&collider, polygon_vertices + collider.vertex_begin, X_WB.position + X_WB.rotation * collider.p_BC,
          X_WB.rotation * collider.R_BC};
}

}  // namespace grus
