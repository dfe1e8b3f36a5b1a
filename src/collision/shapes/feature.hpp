// The flat piece of a convex core that faces a direction: a vertex, an edge or a face. The generic manifold
// is made by clipping two of them against each other.
//
// Points are in the frame of the call (collider or world); ids are stable names of the core's vertices.
#pragma once

#include <array>
#include <cstdint>

#include "math/vector.hpp"

namespace grus {

struct Feature {
  // A face with more corners gives an inscribed one: its points are still points of the face, and the nearest point of
  // the pair, which may be a corner left out, is found apart from them (convex_manifold).
  static constexpr int capacity = 32;
  std::array<Vec3, capacity> points;
  std::array<std::uint16_t, capacity> ids;
  int count = 0;
  Vec3 normal = Vec3::Zero();  // outward unit normal of a face; unused for vertices and edges

  void add(const Vec3& point, int id) {
    points[static_cast<std::size_t>(count)] = point;
    ids[static_cast<std::size_t>(count++)] = static_cast<std::uint16_t>(id);
  }
};

// A face or an edge faces a direction when it is perpendicular to it within this angle. Clipped points are
// points of both surfaces and carry their own gaps, so a generous angle adds no false contact; it only
// decides how early the outer points of a tilting face are seen.
inline constexpr Real feature_cos = 0.97;
inline constexpr Real feature_sin = 0.24;

}  // namespace grus
