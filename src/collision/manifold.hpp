// The points of one touching pair, at most four (two in the plane), and how a larger set is reduced.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "math/vector.hpp"

namespace grus {

struct ManifoldPoint {
  Vec3 position;  // m, world, midway between the surfaces
  Vec3 normal;    // unit, from the first shape to the second
  Real gap;       // m
  std::uint32_t feature;
};

struct Manifold {
  static constexpr int capacity = 4;
  std::array<ManifoldPoint, capacity> points;
  int count = 0;

  void clear() { count = 0; }
  void add(const ManifoldPoint& point) { points[static_cast<std::size_t>(count++)] = point; }
  ManifoldPoint* begin() { return points.data(); }
  ManifoldPoint* end() { return points.data() + count; }
  const ManifoldPoint* begin() const { return points.data(); }
  const ManifoldPoint* end() const { return points.data() + count; }
};

// A fixed list of candidates before reduction.
struct ManifoldCandidates {
  static constexpr int capacity = 64;
  std::array<ManifoldPoint, capacity> points;
  int count = 0;

  void add(const ManifoldPoint& point) {
    if (count < capacity) points[static_cast<std::size_t>(count++)] = point;
  }
  std::span<ManifoldPoint> points_added() { return {points.data(), static_cast<std::size_t>(count)}; }
  std::span<const ManifoldPoint> span() const { return {points.data(), static_cast<std::size_t>(count)}; }
};

// Point with surface point p_a on the first shape: the other surface is at p_a + gap * normal.
inline ManifoldPoint manifold_point(const Vec3& p_a, const Vec3& normal, Real gap, std::uint32_t feature) {
  return {p_a + (0.5 * gap) * normal, normal, gap, feature};
}

// Keeps the deepest point and, of the others, those that span the largest area about `normal`, so that the
// reduced set can carry the same torque. `tie` is a length: differences below it do not decide, the earlier
// candidate wins, so that rounding does not swap points from step to step.
void reduce(std::span<const ManifoldPoint> candidates, const Vec3& normal, Real tie, Manifold& out);

// The same in the plane: the deepest point and the one farthest from it.
void reduce_planar(std::span<const ManifoldPoint> candidates, Real tie, Manifold& out);

}  // namespace grus
