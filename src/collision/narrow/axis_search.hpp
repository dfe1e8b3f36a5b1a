// The best separating axis of two polyhedra among the normals of their Minkowski difference; see polyhedron_pair.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "collision/convex_core.hpp"

namespace grus {

// Two polyhedra in the frame of the first: turned with it, origin at its centre, lengths in m.
struct PolyhedronPair {
  const Polyhedron &a, &b;
  Real scale_a, scale_b;
  Mat3 R;       // from b to a
  Vec3 centre;  // of b, m

  PolyhedronPair(const ConvexCore& core_a, const ConvexCore& core_b)
      : a(*core_a.polyhedron),
        b(*core_b.polyhedron),
        scale_a(core_a.collider->scale),
        scale_b(core_b.collider->scale),
        R(core_a.R.transpose() * core_b.R),
        centre(core_a.R.transpose() * (core_b.p - core_a.p)) {}

  // s(n) = min_b n.b - max_a n.a
  Real separation(const Vec3& n) const {
    return n.dot(centre) - scale_b * polyhedron::reach(b, -(R.transpose() * n)) - scale_a * polyhedron::reach(a, n);
  }
};

enum class PolyhedronAxisKind { face_a, face_b, edges };

// Vertices of an edge, the lower number first.
struct EdgeName {
  Index from = no_index, to = no_index;
  auto operator<=>(const EdgeName&) const = default;
};

struct PolyhedronAxis {
  PolyhedronAxisKind kind = PolyhedronAxisKind::face_a;
  Index face = no_index;
  EdgeName edge_a, edge_b;
  Vec3 n = Vec3::UnitX();  // unit, from a to b, frame of a
  Real separation = -1e300;
};

// What is known beforehand, for the cost only.
struct AxisBounds {
  Real lower = -1e300;                                  // at most the largest s over all directions
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();        // any points of a and b, frame of a; best amid the contact
  std::span<const std::uint16_t> corners_a, corners_b;  // any vertices; best those of the features in contact
};

// The axis of largest separation; of those equal within a billionth of the size, faces of a go before faces of b before
// edges, and lower numbers before higher ones.
// Does the polyhedron hold x (its own frame), within the tolerance (m)? Bounds are true only for points that it does.
bool holds(const Polyhedron& p, Real scale, const Vec3& x, Real tolerance);

PolyhedronAxis best_axis(const PolyhedronPair& pair, const AxisBounds& bounds, Real size);

// Are there points of the two features of the axis that lie opposite each other (within a billionth of the size)? Then
// the separation is the signed distance. on_a: the point of a, frame of a; when false, the nearest to one.
bool features_meet(const PolyhedronPair& pair, const PolyhedronAxis& axis, Real size, Vec3& on_a);

}  // namespace grus
