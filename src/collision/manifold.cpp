#include "collision/manifold.hpp"

#include <cmath>

namespace grus {

namespace {

// Index of the largest score; an entry must beat the earlier best by more than `tie`.
template <class Score>
int best_index(std::span<const ManifoldPoint> points, Real tie, const Score& score) {
  int best = -1;
  Real best_score = 0.0;
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    const Real s = score(points[static_cast<std::size_t>(i)]);
    if (best < 0 || s > best_score + tie) {
      best = i;
      best_score = s;
    }
  }
  return best;
}

}  // namespace

void reduce(std::span<const ManifoldPoint> candidates, const Vec3& normal, Real tie, Manifold& out) {
  out.clear();
  if (candidates.size() <= Manifold::capacity) {
    for (const ManifoldPoint& point : candidates) out.add(point);
    return;
  }
  const auto at = [&](int i) -> const ManifoldPoint& { return candidates[static_cast<std::size_t>(i)]; };
  const int deepest = best_index(candidates, tie, [](const ManifoldPoint& c) { return -c.gap; });
  const Vec3 p0 = at(deepest).position;
  const int farthest =
      best_index(candidates, tie, [&](const ManifoldPoint& c) { return normal.cross(c.position - p0).norm(); });
  out.add(at(deepest));
  if (farthest == deepest) return;
  out.add(at(farthest));

  // largest triangle on either side of the line through the two
  const Vec3 line = at(farthest).position - p0;
  const Real length = line.norm();
  if (!(length > tie)) return;
  const Vec3 side = normal.cross(line) / length;
  const auto offset = [&](const ManifoldPoint& c) { return side.dot(c.position - p0); };
  const int left = best_index(candidates, tie, offset);
  const int right = best_index(candidates, tie, [&](const ManifoldPoint& c) { return -offset(c); });
  if (offset(at(left)) > tie) out.add(at(left));
  if (offset(at(right)) < -tie) out.add(at(right));
}

void reduce_planar(std::span<const ManifoldPoint> candidates, Real tie, Manifold& out) {
  out.clear();
  if (candidates.empty()) return;
  const int deepest = best_index(candidates, tie, [](const ManifoldPoint& c) { return -c.gap; });
  const ManifoldPoint& first = candidates[static_cast<std::size_t>(deepest)];
  out.add(first);
  const int farthest =
      best_index(candidates, tie, [&](const ManifoldPoint& c) { return (c.position - first.position).norm(); });
  if (farthest != deepest && (candidates[static_cast<std::size_t>(farthest)].position - first.position).norm() > tie)
    out.add(candidates[static_cast<std::size_t>(farthest)]);
}

}  // namespace grus
