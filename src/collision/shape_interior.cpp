#include "collision/shape_interior.hpp"

#include <algorithm>
#include <cmath>

namespace grus {

namespace {

Real square(Real x) { return x * x; }

// Convex core grown by its radius: inside every edge, or near enough to one.
bool rounded_polygon_holds(const RoundedPolygon& core, const Vec2& x) {
  const Real reach2 = square(core.radius());
  if (core.count() == 1) return (x - core.vertex(0)).squaredNorm() <= reach2;
  bool inside = core.count() > 2;
  for (int i = 0; i < core.edge_count(); ++i) {
    const Vec2 a = core.vertex(i), e = core.vertex(core.next(i)) - a, d = x - a;
    if (e.x() * d.y() - e.y() * d.x() < 0.0) inside = false;
    const Real along = std::clamp(d.dot(e) / e.squaredNorm(), 0.0, 1.0);
    if ((d - along * e).squaredNorm() <= reach2) return true;
  }
  return inside;
}

bool polyhedron_holds(const Polyhedron& p, Real scale, const Vec3& x) {
  const Real r2 = x.squaredNorm();
  if (r2 <= square(scale * p.inner_radius)) return true;
  if (r2 > square(scale * p.bound_radius)) return false;
  for (std::size_t f = 0; f < p.face_normal.size(); ++f) {
    if (p.face_normal[f].dot(x) > scale * p.face_offset[f]) return false;
  }
  return true;
}

}  // namespace

ShapeInterior::ShapeInterior(const PlacedShape& shape, bool planar)
    : shape_(shape), planar_(planar), R_CW_(shape.R.toRotationMatrix().transpose()) {
  if (!planar || is_unbounded(shape.collider->kind)) return;
  PlacedShape local = shape;
  local.p = Vec3::Zero();
  local.R = Quat::Identity();
  polygon_.emplace(local, Vec3::Zero());
}

bool ShapeInterior::holds(const Vec3& x_W) const {
  const Vec3 x = R_CW_ * (x_W - shape_.p);
  return planar_ ? holds_in_plane(x) : holds_in_space(x);
}

bool ShapeInterior::holds_in_plane(const Vec3& x) const {
  const Collider& c = *shape_.collider;
  if (c.kind == ShapeKind::plane) return x.y() <= 0.0;
  if (c.kind == ShapeKind::ring) return x.head<2>().squaredNorm() >= square(c.radius);
  return polygon_ && rounded_polygon_holds(*polygon_, x.head<2>());
}

bool ShapeInterior::holds_in_space(const Vec3& x) const {
  const Collider& c = *shape_.collider;
  switch (c.kind) {
    case ShapeKind::sphere:
      return x.squaredNorm() <= square(c.radius);
    case ShapeKind::capsule: {
      const Real beyond = std::max(0.0, std::abs(x.z()) - c.half.z());
      return x.head<2>().squaredNorm() + square(beyond) <= square(c.radius);
    }
    case ShapeKind::cylinder:
      return std::abs(x.z()) <= c.half.z() && x.head<2>().squaredNorm() <= square(c.radius);
    case ShapeKind::box:
      return (x.cwiseAbs() - c.half).cwiseMax(0.0).squaredNorm() <= square(c.radius);
    case ShapeKind::plane:
      return x.z() <= 0.0;
    case ShapeKind::tube:
      return x.head<2>().squaredNorm() >= square(c.radius);
    case ShapeKind::polyhedron:
      return polyhedron_holds(*shape_.polyhedron, c.scale, x);
    case ShapeKind::disk:
    case ShapeKind::polygon:
    case ShapeKind::ring:
    case ShapeKind::triangle:
      break;
  }
  return false;
}

}  // namespace grus
