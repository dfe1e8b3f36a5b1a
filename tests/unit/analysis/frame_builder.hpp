// Frames made by hand: bodies in place, contacts as told.
#pragma once

#include <initializer_list>

#include "io/frames.hpp"

namespace grus::test {

struct FrameBuilder {
  FrameScene scene;
  Frame frame;

  // Dynamic bodies first, as in a run.
  Index add(bool dynamic, Collider collider, const Vec3& position, const Quat& rotation = Quat::Identity()) {
    const Index body = scene.body_count++;
    if (dynamic) scene.dynamic_count = frame.active_count = scene.body_count;
    collider.body = body;
    scene.colliders.push_back(collider);
    for (int i = 0; i < 3; ++i) frame.position.push_back(static_cast<float>(position[i]));
    for (int i = 0; i < 4; ++i) frame.rotation.push_back(static_cast<float>(rotation.coeffs()[i]));
    return body;
  }

  void touch(Index a, Index b, const Vec3& normal, const Vec3& impulse, const Vec3& position = Vec3::Zero()) {
    for (int i = 0; i < 3; ++i) {
      frame.contact_position.push_back(static_cast<float>(position[i]));
      frame.contact_normal.push_back(static_cast<float>(normal[i]));
      frame.contact_impulse.push_back(static_cast<float>(impulse[i]));
    }
    frame.contact_gap.push_back(0.f);
    frame.contact_body_a.push_back(a);
    frame.contact_body_b.push_back(b);
  }
};

inline Collider ball(Real radius) {
  Collider c;
  c.radius = radius;
  return c;
}

inline Collider cuboid(const Vec3& half) {
  Collider c;
  c.kind = ShapeKind::box;
  c.half = half;
  return c;
}

inline Collider plane_wall() {
  Collider c;
  c.kind = ShapeKind::plane;
  return c;
}

inline Collider planar_disk(Real radius) {
  Collider c = ball(radius);
  c.kind = ShapeKind::disk;
  return c;
}

}  // namespace grus::test
