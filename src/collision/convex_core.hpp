// A convex core placed in space, known by its support mapping and its facing features only. The generic pair
// route (narrow/convex_convex.cpp) asks for nothing else, so a new convex shape is one more case here.
#pragma once

#include "collision/placed_shape.hpp"
#include "collision/shapes/box.hpp"
#include "collision/shapes/capsule.hpp"
#include "collision/shapes/cylinder.hpp"
#include "collision/shapes/feature.hpp"
#include "collision/shapes/polyhedron.hpp"
#include "collision/shapes/sphere.hpp"
#include "collision/shapes/triangle.hpp"

namespace grus {

struct ConvexCore {
  const Collider* collider;
  const Polyhedron* polyhedron;
  const MeshTriangle* triangle;
  Vec3 p;  // origin of C, m, relative to an origin chosen near the pair
  Mat3 R;  // R_WC
  Real margin;

  ConvexCore(const PlacedShape& s, const Vec3& origin)
      : collider(s.collider),
        polyhedron(s.polyhedron),
        triangle(s.triangle),
        p(s.p - origin),
        R(s.R.toRotationMatrix()),
        margin(margin_of(*s.collider)) {}

  // Point of the core farthest along d (any length).
  Vec3 support(const Vec3& d) const { return p + R * local_support(R.transpose() * d); }

  // The vertex, edge or face that faces the unit direction d.
  void feature(const Vec3& d, Feature& out) const {
    local_feature(R.transpose() * d, out);
    for (int i = 0; i < out.count; ++i)
      out.points[static_cast<std::size_t>(i)] = p + R * out.points[static_cast<std::size_t>(i)];
    out.normal = R * out.normal;
  }

 private:
  static Real margin_of(const Collider& c) {
    switch (c.kind) {
      case ShapeKind::capsule:
        return capsule::margin(c);
      case ShapeKind::cylinder:
        return cylinder::margin(c);
      case ShapeKind::box:
        return box::margin(c);
      case ShapeKind::polyhedron:
      case ShapeKind::triangle:
        return 0.0;
      default:
        return sphere::margin(c);
    }
  }
  Vec3 local_support(const Vec3& d) const {
    switch (collider->kind) {
      case ShapeKind::capsule:
        return capsule::support(*collider, d);
      case ShapeKind::cylinder:
        return cylinder::support(*collider, d);
      case ShapeKind::box:
        return box::support(*collider, d);
      case ShapeKind::polyhedron:
        return grus::polyhedron::support(*polyhedron, collider->scale, d);
      case ShapeKind::triangle:
        return grus::triangle::support(*triangle, d);
      default:
        return sphere::support(*collider, d);
    }
  }
  void local_feature(const Vec3& d, Feature& out) const {
    switch (collider->kind) {
      case ShapeKind::capsule:
        return capsule::feature(*collider, d, out);
      case ShapeKind::cylinder:
        return cylinder::feature(*collider, d, out);
      case ShapeKind::box:
        return box::feature(*collider, d, out);
      case ShapeKind::polyhedron:
        return grus::polyhedron::feature(*polyhedron, collider->scale, d, out);
      case ShapeKind::triangle:
        return grus::triangle::feature(*triangle, d, out);
      default:
        return sphere::feature(*collider, d, out);
    }
  }
};

// Separation of two convex cores.
struct ConvexSeparation {
  Real distance = 0.0;          // m, signed: minus the least translation that parts overlapping cores
  Vec3 normal = Vec3::UnitX();  // unit, from a to b
  Vec3 on_a = Vec3::Zero();     // nearest (deepest) point of the core of a, m
};

// s(n) = min_b n.b - max_a n.a: a lower bound of the signed distance for every unit n, equal to it for the best n.
inline Real separation_along(const ConvexCore& a, const ConvexCore& b, const Vec3& n) {
  return n.dot(b.support(-n) - a.support(n));
}

}  // namespace grus
