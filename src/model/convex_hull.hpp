// Convex hulls: a cloud of points to a Polyhedron, with its exact volume, centroid and inertia.
//
// Qhull finds the triangles of the hull; those that lie in one plane are joined to faces here. The integrals are sums
// over tetrahedra (0, a, b, c), the triangles of the faces seen from an inner point, V = a.(b x c)/6:
//   int x dV     = V/4 (a + b + c)
//   int x x^T dV = V/20 (a a^T + b b^T + c c^T + s s^T),  s = a + b + c
// All terms of the volume have one sign, so nothing cancels and the sums are exact to rounding.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "model/polyhedron.hpp"

namespace grus {

struct PolyhedronIntegrals {
  Real volume = 0.0;            // m3
  Vec3 center = Vec3::Zero();   // m, centroid
  Mat3 inertia = Mat3::Zero();  // m5, at density 1 about the centroid, axes of the frame
};

PolyhedronIntegrals polyhedron_integrals(const Polyhedron& polyhedron);

struct ConvexHull {
  Polyhedron polyhedron;          // its origin is its centroid
  Vec3 center = Vec3::Zero();     // m, the centroid in the frame of the points
  PolyhedronIntegrals integrals;  // in the frame of `polyhedron`: their center is 0 to rounding
};

// Vertices that many are a scan, not a stone: feature numbers of contacts and hill climbing are made for fewer.
inline constexpr Index most_hull_vertices = 4096;

// Relative tolerance for numbers typed or computed in double precision, and for those that went through the single
// precision of a mesh file.
inline constexpr Real flat_in_double = 1e-9;
inline constexpr Real flat_in_single = 2e-6;

// The hull, or what is wrong with the points (too few, not finite, all in one plane, ...). Triangles whose corners lie
// within `flatness` times the extent of one plane are one face, and points closer together than that are one vertex.
// Deterministic: a function of the points in their order.
std::variant<ConvexHull, std::string> convex_hull(std::span<const Vec3> points, Real flatness = flat_in_double);

}  // namespace grus
