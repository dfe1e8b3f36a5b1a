// The closed list of shapes, as data. What a shape can do (support, bounds, mass, distance) is in
// collision/shapes, one file each.
//
// Every convex shape is a core (point, segment, polygon, box, cylinder) grown by `radius`.
//   spatial scene: sphere, capsule, cylinder, box, plane, tube, polyhedron, triangle
//   planar scene (the xy plane): disk, capsule, box, polygon, plane, ring
#pragma once

#include <cstdint>

#include "math/vector.hpp"

namespace grus {

enum class ShapeKind : std::uint8_t {
  sphere,    // point grown by radius
  capsule,   // segment of half-length half.z along its z axis (x axis in a planar scene) grown by radius
  cylinder,  // half-length half.z along z, radius
  box,       // half sizes half.xyz (half.xy in a planar scene)
  plane,     // half space below its z axis (y axis in a planar scene): solid where the coordinate is negative
  disk,      // planar: point grown by radius
  polygon,   // planar: convex, counter-clockwise vertices [vertex_begin, vertex_begin + vertex_count)
  tube,      // the inside of a hollow cylinder about z: solid where the distance from the axis exceeds radius; endless
  ring,      // planar: the inside of a hollow circle: solid where the distance from the centre exceeds radius
  polyhedron,  // convex: Model::polyhedra[geometry] times scale
  triangle,    // of a mesh wall: Model::triangles[geometry], solid behind its face
};
inline constexpr int shape_kind_count = 11;

// A shape fixed to a body; C is the collider's frame, B the body's (centre of mass, principal axes).
struct Collider {
  ShapeKind kind = ShapeKind::sphere;
  Index body = no_index;  // dynamic bodies first, then linked, then kinematic ones (Model)
  Index material = 0;
  bool collides = true;      // false: drawn and weighed, touches nothing
  Real radius = 0.0;         // m
  Vec3 half = Vec3::Zero();  // m
  Index vertex_begin = 0;    // into Model::polygon_vertices
  Index vertex_count = 0;
  Index geometry = no_index;  // into Model::polyhedra or Model::triangles, by kind
  Real scale = 1.0;           // of the polyhedron
  Vec3 p_BC = Vec3::Zero();   // m
  Quat R_BC = Quat::Identity();
  // Radius of a sphere about the collider's origin that holds the shape; infinite for plane, tube, ring.
  Real bound_radius = 0.0;
};

inline bool is_unbounded(ShapeKind kind) {
  return kind == ShapeKind::plane || kind == ShapeKind::tube || kind == ShapeKind::ring;
}

// A surface, or a space without an end: no mass comes from it, and nothing that moves freely can have it.
inline bool is_massless(ShapeKind kind) { return is_unbounded(kind) || kind == ShapeKind::triangle; }

}  // namespace grus
