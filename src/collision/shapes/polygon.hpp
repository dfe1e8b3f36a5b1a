// Planar convex shapes: every one is a rounded convex polygon, that is a core of counter-clockwise vertices
// grown by a radius. Disk: 1 vertex; capsule: 2, along x; box: 4; polygon: n.
#pragma once

#include <array>
#include <cmath>

#include "collision/placed_shape.hpp"

namespace grus {

class RoundedPolygon {
 public:
  // Positions are kept relative to `origin`, so that a pair far from the world's origin loses no digits.
  RoundedPolygon(const PlacedShape& s, const Vec3& origin) : radius_(s.collider->radius) {
    const Collider& c = *s.collider;
    const Vec3 x = s.R * Vec3::UnitX();
    axis_ = Vec2(x.x(), x.y());
    p_ = (s.p - origin).head<2>();
    switch (c.kind) {
      case ShapeKind::capsule:
        local_ = {Vec2(-c.half.z(), 0.0), Vec2(c.half.z(), 0.0)};
        count_ = 2;
        break;
      case ShapeKind::box:
        local_ = {Vec2(-c.half.x(), -c.half.y()), Vec2(c.half.x(), -c.half.y()), Vec2(c.half.x(), c.half.y()),
                  Vec2(-c.half.x(), c.half.y())};
        count_ = 4;
        break;
      case ShapeKind::polygon:
        vertices_ = s.vertices;
        count_ = c.vertex_count;
        break;
      default:
        local_[0] = Vec2::Zero();
        count_ = 1;
        break;
    }
  }

  int count() const { return count_; }
  Real radius() const { return radius_; }
  // A single point has no edge; a segment has two, of opposite normals.
  int edge_count() const { return count_ < 2 ? 0 : count_; }
  int next(int i) const { return i + 1 < count_ ? i + 1 : 0; }

  Vec2 vertex(int i) const { return p_ + turned(local(i)); }

  // Outward unit normal of edge i, from vertex i to the next; false for an edge without length.
  bool edge_normal(int i, Vec2& normal) const {
    const Vec2 e = local(next(i)) - local(i);
    const Real length = e.norm();
    if (!(length > 0.0)) return false;
    normal = turned(Vec2(e.y() / length, -e.x() / length));
    return true;
  }

  // Vertex farthest along -d and its coordinate along d.
  int lowest(const Vec2& d, Real& coordinate) const {
    const Vec2 d_C(axis_.dot(d), axis_.x() * d.y() - axis_.y() * d.x());
    int best = 0;
    Real best_dot = local(0).dot(d_C);
    for (int i = 1; i < count_; ++i) {
      const Real dot = local(i).dot(d_C);
      if (dot < best_dot) {
        best = i;
        best_dot = dot;
      }
    }
    coordinate = best_dot + p_.dot(d);
    return best;
  }

 private:
  const Vec2& local(int i) const { return vertices_ ? vertices_[i] : local_[static_cast<std::size_t>(i)]; }
  Vec2 turned(const Vec2& v) const {
    return {axis_.x() * v.x() - axis_.y() * v.y(), axis_.y() * v.x() + axis_.x() * v.y()};
  }

  const Vec2* vertices_ = nullptr;
  std::array<Vec2, 4> local_;
  int count_ = 0;
  Real radius_;
  Vec2 axis_, p_;
};

namespace polygon {

// Bounds of any rounded polygon.
inline Bounds bounds(const PlacedShape& s) {
  const RoundedPolygon core(s, s.p);
  Vec2 low = core.vertex(0), high = low;
  for (int i = 1; i < core.count(); ++i) {
    low = low.cwiseMin(core.vertex(i));
    high = high.cwiseMax(core.vertex(i));
  }
  const Real r = core.radius();
  return {s.p + Vec3(low.x() - r, low.y() - r, 0.0), s.p + Vec3(high.x() + r, high.y() + r, 0.0)};
}

inline Real bound_radius(const Collider& c, const Vec2* vertices) {
  Real r2 = 0.0;
  for (Index i = 0; i < c.vertex_count; ++i) r2 = std::max(r2, vertices[i].squaredNorm());
  return std::sqrt(r2) + c.radius;
}

}  // namespace polygon

}  // namespace grus
