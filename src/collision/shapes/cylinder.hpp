// Cylinder: radius about z, half-length half.z.
//
// For clipping a cap is an octagon of fixed directions in which the vertex nearest to the lowest rim point
// is moved onto it: a standing cylinder keeps its points from step to step, and a tilted one still touches
// at the exact point.
#pragma once

#include <cmath>
#include <numbers>

#include "collision/placed_shape.hpp"
#include "collision/shapes/feature.hpp"

namespace grus::cylinder {

inline constexpr int cap_points = 8;

// Unit direction in the xy plane, x where d has no such part.
inline Vec2 radial(const Vec3& d) {
  const Real length = std::hypot(d.x(), d.y());
  return length > 0.0 ? Vec2(d.x() / length, d.y() / length) : Vec2(1.0, 0.0);
}

inline Vec3 support(const Collider& c, const Vec3& d) {
  const Vec2 r = radial(d) * c.radius;
  return {r.x(), r.y(), d.z() >= 0.0 ? c.half.z() : -c.half.z()};
}
inline Real margin(const Collider&) { return 0.0; }

// `count` points of the cap at height z, the nearest to direction d moved onto it. emit(point, number).
template <class Emit>
void cap(const Collider& c, Real z, const Vec3& d, int count, const Emit& emit) {
  const Real spacing = 2.0 * std::numbers::pi / count;
  const bool upright = d.x() == 0.0 && d.y() == 0.0;
  const Real lowest = std::atan2(d.y(), d.x());
  const int nearest = (static_cast<int>(std::lround(lowest / spacing)) + count) % count;
  for (int k = 0; k < count; ++k) {
    const Vec2 r = !upright && k == nearest ? radial(d) : Vec2(std::cos(k * spacing), std::sin(k * spacing));
    emit(Vec3(c.radius * r.x(), c.radius * r.y(), z), k);
  }
}

inline void feature(const Collider& c, const Vec3& d, Feature& out) {
  const bool top = d.z() >= 0.0;
  const Real z = top ? c.half.z() : -c.half.z();
  if (std::abs(d.z()) > feature_cos) {
    out.normal = Vec3(0.0, 0.0, top ? 1.0 : -1.0);
    cap(c, z, d, cap_points, [&](const Vec3& p, int k) { out.add(p, (top ? 0 : cap_points) + k); });
  } else if (std::abs(d.z()) < feature_sin) {
    const Vec2 r = radial(d) * c.radius;
    out.add({r.x(), r.y(), -c.half.z()}, 2 * cap_points);
    out.add({r.x(), r.y(), c.half.z()}, 2 * cap_points + 1);
  } else {
    out.add(support(c, d), 2 * cap_points + 2);
  }
}

inline Vec3 half_extent(const Collider& c, const Mat3& R) {
  const Vec3 axis = R.col(2);
  Vec3 extent;
  for (int i = 0; i < 3; ++i)
    extent[i] = std::abs(axis[i]) * c.half.z() + c.radius * std::sqrt(std::max(0.0, 1.0 - axis[i] * axis[i]));
  return extent;
}
inline Real bound_radius(const Collider& c) { return std::hypot(c.half.z(), c.radius); }

}  // namespace grus::cylinder
