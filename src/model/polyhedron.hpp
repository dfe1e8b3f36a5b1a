// Geometry shared by colliders: convex polyhedra and the triangles of meshes.
//
// A polyhedron is kept once and drawn, weighed and collided at the scale of each collider that uses it: a bed of
// thousands of stones from a library of a hundred stays in the cache.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "math/vector.hpp"

namespace grus {

// Planes normal.x = offset, or points (offset unused), some side by side: a search that looks at all of them runs at
// the width of the processor.
struct alignas(64) Lanes {
  static constexpr std::size_t width = 8;
  std::array<Real, width> x, y, z, offset;
};

struct PolyhedronEdge {
  Index from = 0, to = 0;     // vertices
  Index left = 0, right = 0;  // faces; left is the one in which the edge runs from `from` to `to`
};

// Convex, closed, at scale 1; the origin of its frame is the centroid. Facets of one plane are one face.
struct Polyhedron {
  std::vector<Vec3> vertices;          // m
  std::vector<Index> face_begin;       // into face_vertices                           [faces + 1]
  std::vector<Index> face_vertices;    // counter-clockwise seen from outside
  std::vector<Vec3> face_normal;       // unit, outward                                [faces]
  std::vector<Real> face_offset;       // m, normal.x on the face, positive            [faces]
  std::vector<PolyhedronEdge> edges;   // from < to, sorted
  std::vector<Index> neighbour_begin;  // into neighbours, for climbing along edges    [vertices + 1]
  std::vector<Index> neighbours;       // vertices one edge away
  Real bound_radius = 0.0;             // m, of the ball about the origin that holds it
  Real inner_radius = 0.0;             // m, of the ball about the origin that it holds

  // What complete() finds from the above.
  std::vector<Index> face_across;      // face on the other side of the edge to the next corner  [face_vertices]
  std::vector<Index> neighbour_faces;  // face on the left of the edge to that neighbour         [neighbours]
  std::vector<Lanes> vertex_lanes;     // the last vertex repeated
  std::vector<Lanes> face_lanes;       // planes that hold all vertices below them; the last one repeated

  Index vertex_count() const { return static_cast<Index>(vertices.size()); }
  Index face_count() const { return static_cast<Index>(face_normal.size()); }
};

// Fills the second part. The first part must be that of a closed convex surface.
void complete(Polyhedron& polyhedron);

// One triangle of a mesh wall, solid behind its face. Neighbours tell which directions belong to it and which to the
// triangle across an edge, so that a stone that slides over a flat of many triangles feels one plane. Its frame is that
// of its collider, which sits at its centroid.
struct MeshTriangle {
  Vec3 vertices[3];                                // m, counter-clockwise seen from outside
  Vec3 normal = Vec3::UnitZ();                     // unit, outward
  Vec3 edge_normal[3] = {normal, normal, normal};  // unit normal of the triangle across edge i (vertex i to i + 1);
                                                   // minus `normal` where there is none: a free edge
};

}  // namespace grus
