#include "collision/shape_bounds.hpp"

#include <limits>

#include "collision/shapes/box.hpp"
#include "collision/shapes/capsule.hpp"
#include "collision/shapes/cylinder.hpp"
#include "collision/shapes/disk.hpp"
#include "collision/shapes/polygon.hpp"
#include "collision/shapes/polyhedron.hpp"
#include "collision/shapes/sphere.hpp"
#include "collision/shapes/triangle.hpp"

namespace grus {

Bounds bounds(const PlacedShape& shape, bool planar) {
  const Collider& c = *shape.collider;
  if (planar && c.kind != ShapeKind::disk) return polygon::bounds(shape);
  Vec3 half = Vec3::Constant(c.bound_radius);
  switch (c.kind) {
    case ShapeKind::sphere:
      half = sphere::half_extent(c, Mat3::Identity());
      break;
    case ShapeKind::disk:
      half = disk::half_extent(c);
      break;
    case ShapeKind::capsule:
      half = capsule::half_extent(c, shape.R.toRotationMatrix());
      break;
    case ShapeKind::cylinder:
      half = cylinder::half_extent(c, shape.R.toRotationMatrix());
      break;
    case ShapeKind::box:
      half = box::half_extent(c, shape.R.toRotationMatrix());
      break;
    case ShapeKind::polyhedron:
      return polyhedron::bounds(shape);
    case ShapeKind::triangle:
      return triangle::bounds(shape);
    default:
      break;
  }
  return {shape.p - half, shape.p + half};
}

Real bound_radius(const Collider& c, const ShapeGeometry& geometry, bool planar) {
  switch (c.kind) {
    case ShapeKind::sphere:
      return sphere::bound_radius(c);
    case ShapeKind::disk:
      return disk::bound_radius(c);
    case ShapeKind::capsule:
      return capsule::bound_radius(c);
    case ShapeKind::cylinder:
      return cylinder::bound_radius(c);
    case ShapeKind::box:
      return planar ? c.half.head<2>().norm() + c.radius : box::bound_radius(c);
    case ShapeKind::polygon:
      return polygon::bound_radius(c, geometry.polygon_vertices + c.vertex_begin);
    case ShapeKind::plane:
    case ShapeKind::tube:
    case ShapeKind::ring:
      break;
    case ShapeKind::polyhedron:
      return c.scale * geometry.polyhedra[c.geometry].bound_radius;
    case ShapeKind::triangle:
      return triangle::bound_radius(geometry.triangles[c.geometry]);
  }
  return std::numeric_limits<Real>::infinity();
}

}  // namespace grus
