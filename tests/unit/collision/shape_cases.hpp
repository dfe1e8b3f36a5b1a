// Random shapes and poses for the collision tests, and Models built by hand.
#pragma once

#include <array>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "collision/placed_shape.hpp"
#include "collision/shape_bounds.hpp"
#include "core/random.hpp"
#include "math/rotation.hpp"
#include "model/convex_hull.hpp"
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

// A shape with its own geometry.
struct OwnedShape {
  Collider collider;
  std::vector<Vec2> vertices;
  std::shared_ptr<const Polyhedron> polyhedron;

  PlacedShape placed(const Pose& X) const {
    return {&collider, vertices.data(), polyhedron.get(), nullptr, X.position, X.rotation};
  }
};

// Stones of every sort: clouds of 4 to 16 points, boxes, prisms; a third of them needles or plates.
inline Polyhedron random_polyhedron(Random& random) {
  Vec3 stretch = Vec3::Ones();
  if (random.below(6) == 0) stretch = Vec3(1.0, 0.03, 0.03);
  if (random.below(6) == 0) stretch = Vec3(1.0, 1.0, 0.02);
  std::vector<Vec3> points;
  const std::uint64_t sort = random.below(4);
  if (sort == 0) {
    const Vec3 half = 0.6 * Vec3(random.uniform(0.2, 1.0), random.uniform(0.2, 1.0), random.uniform(0.2, 1.0));
    for (int i = 0; i < 8; ++i)
      points.push_back(half.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  } else if (sort == 1) {
    const int corners = 3 + static_cast<int>(random.below(6));
    const Real half = random.uniform(0.2, 0.7);
    for (int i = 0; i < 2 * corners; ++i) {
      const Real angle = 2.0 * std::numbers::pi * (i / 2) / corners;
      points.emplace_back(0.7 * std::cos(angle), 0.7 * std::sin(angle), i % 2 ? half : -half);
    }
  } else {
    // a tetrahedron first, so that the cloud has a volume
    for (const Vec3& p : {Vec3(1, 1, 1), Vec3(-1, -1, 1), Vec3(-1, 1, -1), Vec3(1, -1, -1)})
      points.push_back(random.uniform(0.3, 0.55) * p);
    const int more = static_cast<int>(random.below(13));
    for (int i = 0; i < more; ++i) points.push_back(random.uniform(0.6, 1.0) * random_direction(random));
  }
  for (Vec3& p : points) p = p.cwiseProduct(stretch);
  return std::get<ConvexHull>(convex_hull(points)).polyhedron;
}

// Hulls take longer than contacts, so stones are drawn from a shelf of a few hundred.
inline std::shared_ptr<const Polyhedron> shelf_polyhedron(Random& random) {
  static const std::vector<std::shared_ptr<const Polyhedron>> shelf = [] {
    Random own(77);
    std::vector<std::shared_ptr<const Polyhedron>> stones;
    for (int i = 0; i < 300; ++i) stones.push_back(std::make_shared<const Polyhedron>(random_polyhedron(own)));
    return stones;
  }();
  return shelf[random.below(shelf.size())];
}

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
    case ShapeKind::polyhedron:
      shape.polyhedron = shelf_polyhedron(random);
      c.scale = length();
      c.geometry = 0;
      break;
    default:
      c.radius = length();
      break;
  }
  if (kind == ShapeKind::tube || kind == ShapeKind::ring) c.radius = size * random.uniform(2.0, 4.0);
  ShapeGeometry geometry;
  geometry.polygon_vertices = shape.vertices.data();
  geometry.polyhedra = shape.polyhedron.get();
  c.bound_radius = bound_radius(c, geometry, planar);
  return shape;
}

inline std::string name(ShapeKind kind) {
  static const std::array<std::string, shape_kind_count> names{
      "sphere", "capsule", "cylinder", "box", "plane", "disk", "polygon", "tube", "ring", "polyhedron", "triangle"};
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
      if (s.polyhedron) {
        s.collider.geometry = static_cast<Index>(model.polyhedra.size());
        model.polyhedra.push_back(*s.polyhedron);
      }
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
