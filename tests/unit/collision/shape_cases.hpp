// Random shapes and poses for the collision tests, and Models built by hand.
#pragma once

#include <array>
#include <numbers>
#include <string>
#include <vector>

#include "collision/placed_shape.hpp"
#include "collision/shape_bounds.hpp"
#include "core/random.hpp"
#include "math/rotation.hpp"
#include "model/model.hpp"

namespace grus::test {

inline Vec3 random_vector(Random& random, Real size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

inline Vec3 random_direction(Random& random) {
  return Vec3(random.normal(), random.normal(), random.normal()).normalized();
}

inline Quat random_rotation(Random& random, bool planar) {
  if (planar) return rotation_about_z(random.uniform(-std::numbers::pi, std::numbers::pi));
  return Quat(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
}

// Every third rotation is one of the quarter turns, so that parallel faces and edges occur.
inline Quat random_or_aligned_rotation(Random& random, bool planar) {
  if (random.below(3) != 0) return random_rotation(random, planar);
  const auto quarter = [&] { return 0.5 * std::numbers::pi * static_cast<Real>(random.below(4)); };
  const Quat q = rotation_about_z(quarter());
  if (planar) return q;
  return q * exp_rotation(Vec3(quarter(), 0, 0)) * exp_rotation(Vec3(0, quarter(), 0));
}

// A shape with its own vertices.
struct OwnedShape {
  Collider collider;
  std::vector<Vec2> vertices;

  PlacedShape placed(const Pose& X) const {
    return {&collider, vertices.data(), nullptr, nullptr, X.position, X.rotation};
  }
};

inline std::vector<Vec2> random_polygon(Random& random, int count, Real size) {
  // on an ellipse: convex and counter-clockwise for any rising angles
  std::vector<Vec2> vertices;
  const Real a = size * random.uniform(0.5, 1.0), b = size * random.uniform(0.3, 1.0);
  for (int i = 0; i < count; ++i) {
    const Real angle = 2.0 * std::numbers::pi * (i + random.uniform(0.0, 0.6)) / count;
    vertices.emplace_back(a * std::cos(angle), b * std::sin(angle));
  }
  return vertices;
}

inline OwnedShape random_shape(Random& random, ShapeKind kind, bool planar, Real size) {
  OwnedShape shape;
  Collider& c = shape.collider;
  c.kind = kind;
  const auto length = [&] { return size * random.uniform(0.2, 1.0); };
  switch (kind) {
    case ShapeKind::box:
      c.half = Vec3(length(), length(), planar ? 0.0 : length());
      break;
    case ShapeKind::capsule:
    case ShapeKind::cylinder:
      c.half = Vec3(0, 0, length());
      c.radius = 0.6 * length();
      break;
    case ShapeKind::polygon:
      shape.vertices = random_polygon(random, 3 + static_cast<int>(random.below(6)), size);
      c.vertex_count = static_cast<Index>(shape.vertices.size());
      break;
    default:
      c.radius = length();
      break;
  }
  if (kind == ShapeKind::tube || kind == ShapeKind::ring) c.radius = size * random.uniform(2.0, 4.0);
  c.bound_radius = bound_radius(c, shape.vertices.data(), planar);
  return shape;
}

inline std::string name(ShapeKind kind) {
  static const std::array<std::string, shape_kind_count> names{"sphere", "capsule", "cylinder", "box", "plane",
                                                               "disk",   "polygon", "tube",     "ring"};
  return names[static_cast<std::size_t>(kind)];
}

// A Model of single-shape bodies; call finish() after the last.
struct ModelBuilder {
  Model model;
  std::vector<Pose> poses;

  explicit ModelBuilder(bool planar = false) {
    model.planar = planar;
    model.pair_laws.resize(1);
    model.pair_laws[0].kind = ContactLawKind::gap;
  }

  Index body(std::vector<OwnedShape> shapes, const Pose& X_WB, bool dynamic) {
    const Index index = model.body_count++;
    if (dynamic) model.dynamic_count = model.body_count;  // dynamic bodies come first
    model.collider_begin.push_back(static_cast<Index>(model.colliders.size()));
    for (OwnedShape& s : shapes) {
      s.collider.body = index;
      s.collider.vertex_begin = static_cast<Index>(model.polygon_vertices.size());
      model.polygon_vertices.insert(model.polygon_vertices.end(), s.vertices.begin(), s.vertices.end());
      model.colliders.push_back(s.collider);
    }
    poses.push_back(X_WB);
    return index;
  }

  void finish() {
    model.collider_begin.push_back(static_cast<Index>(model.colliders.size()));
    model.smallest_bound_radius = 1e300;
    model.largest_bound_radius = 0.0;
    for (Index i = 0; i < model.collider_begin[static_cast<std::size_t>(model.dynamic_count)]; ++i) {
      const Real r = model.colliders[static_cast<std::size_t>(i)].bound_radius;
      model.smallest_bound_radius = std::min(model.smallest_bound_radius, r);
      model.largest_bound_radius = std::max(model.largest_bound_radius, r);
    }
  }
};

}  // namespace grus::test
