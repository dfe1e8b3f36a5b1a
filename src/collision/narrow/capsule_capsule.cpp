// Capsule against capsule: the nearest points of the two axes, and each end ball against the other capsule.
// An end ball is a part of its capsule, so its distance is a true one; parallel capsules get the two points
// that carry a torque.
#include <cmath>

#include "collision/narrow/pair_functions.hpp"

namespace grus {

namespace {

// Nearest points p_a + s e_a and p_b + t e_b of two segments, s, t in [0, 1]. Ericson 2005, section 5.1.9.
void nearest_of_segments(const Vec3& p_a, const Vec3& e_a, const Vec3& p_b, const Vec3& e_b, Real& s, Real& t) {
  const Vec3 r = p_a - p_b;
  const Real a = e_a.squaredNorm(), e = e_b.squaredNorm(), f = e_b.dot(r);
  if (!(a > 0.0) || !(e > 0.0)) {
    s = a > 0.0 ? std::clamp(-e_a.dot(r) / a, 0.0, 1.0) : 0.0;
    t = e > 0.0 ? std::clamp(f / e, 0.0, 1.0) : 0.0;
    return;
  }
  const Real c = e_a.dot(r), b = e_a.dot(e_b);
  const Real determinant = a * e - b * b;
  s = determinant > 1e-14 * a * e ? std::clamp((b * f - c * e) / determinant, 0.0, 1.0) : 0.0;
  t = (b * s + f) / e;
  if (t < 0.0) {
    t = 0.0;
    s = std::clamp(-c / a, 0.0, 1.0);
  } else if (t > 1.0) {
    t = 1.0;
    s = std::clamp((b - c) / a, 0.0, 1.0);
  }
}

}  // namespace

void capsule_capsule(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  const Real r_a = a.collider->radius, r_b = b.collider->radius;
  const Vec3 half_a = a.R * Vec3(0, 0, a.collider->half.z()), half_b = b.R * Vec3(0, 0, b.collider->half.z());
  const Vec3 a0 = a.p - half_a, a1 = a.p + half_a, b0 = b.p - half_b, b1 = b.p + half_b;
  Real s = 0.0, t = 0.0;
  nearest_of_segments(a0, a1 - a0, b0, b1 - b0, s, t);
  const Vec3 q_a = a0 + s * (a1 - a0), q_b = b0 + t * (b1 - b0);
  const Real distance = (q_b - q_a).norm();
  const Real gap = distance - r_a - r_b;
  if (gap > max_gap) return;

  // crossing axes are parted along their common perpendicular, parallel ones sideways
  const Real size = half_a.norm() + half_b.norm() + r_a + r_b;
  Vec3 n = (a.R * Vec3::UnitZ()).cross(b.R * Vec3::UnitZ());
  n = direction_or(n, n.norm() > 1e-12 ? n.norm() : 0.0, a.R * Vec3::UnitX());
  if (distance > 1e-14 * size) n = (q_b - q_a) / distance;

  ManifoldCandidates candidates;
  Real least = 1e300;
  const auto end_ball = [&](const Vec3& x_a, const Vec3& x_b, std::uint32_t feature) {
    const Vec3 d = x_b - x_a;
    const Real length = d.norm();
    // beyond the first contact only points that push the same way: the far side of a crossing is no contact
    if (length - r_a - r_b > max_gap || d.dot(n) < 0.9 * length) return;
    const Vec3 m = direction_or(d, length, n);
    const ManifoldPoint point = manifold_point(x_a + r_a * m, m, length - r_a - r_b, feature);
    least = std::min(least, point.gap);
    // two ends at one place are one point
    for (ManifoldPoint& other : candidates.points_added())
      if ((other.position - point.position).norm() < 1e-3 * size) {
        if (point.gap < other.gap) other = point;
        return;
      }
    candidates.add(point);
  };
  end_ball(a0, b0 + nearest_on_segment(b0, b1, a0) * (b1 - b0), 1);
  end_ball(a1, b0 + nearest_on_segment(b0, b1, a1) * (b1 - b0), 2);
  end_ball(a0 + nearest_on_segment(a0, a1, b0) * (a1 - a0), b0, 3);
  end_ball(a0 + nearest_on_segment(a0, a1, b1) * (a1 - a0), b1, 4);
  // the nearest points join only where they are nearer than every end
  const Real tie = 1e-9 * size;
  if (least > gap + tie) candidates.add(manifold_point(q_a + r_a * n, n, gap, 0));
  reduce(candidates.span(), n, tie, out);
}

}  // namespace grus
