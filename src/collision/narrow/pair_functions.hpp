// The pair routines of the narrow phase, one file each. All have the same contract:
//   - `out` is empty on entry; points with gap > max_gap are not added;
//   - normals are unit, from a to b, finite also for coincident centres and deep overlap;
//   - the smallest gap is the exact signed distance of the two shapes (for overlap: minus the least
//     translation that parts them); the other points are true distances between the two surfaces along
//     their normal;
//   - features are unique within the pair and stay with the point while it moves slowly.
#pragma once

#include <algorithm>

#include "collision/manifold.hpp"
#include "collision/pair_memory.hpp"
#include "collision/placed_shape.hpp"

namespace grus {

using PairFunction = void(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out);

// spatial
PairFunction sphere_sphere, sphere_capsule, sphere_cylinder, sphere_box, sphere_plane, sphere_tube;
PairFunction capsule_capsule, capsule_plane, capsule_tube;
PairFunction cylinder_plane, cylinder_tube;
PairFunction box_box, box_plane, box_tube;
PairFunction convex_convex;
PairFunction convex_triangle;
PairFunction polyhedron_plane, polyhedron_tube, polyhedron_polyhedron;

// polyhedron_polyhedron with what the last step knew of the pair; the same result for any memory.
void polyhedron_pair(const PlacedShape& a, const PlacedShape& b, Real max_gap, PairMemory& memory, Manifold& out);

// planar
PairFunction disk_disk, disk_plane, disk_ring;
PairFunction rounded_polygon_pair, rounded_polygon_plane, rounded_polygon_ring;

// Unit vector along d, or `fallback` where d is too short to have a direction.
inline Vec3 direction_or(const Vec3& d, Real length, const Vec3& fallback) {
  return length > 1e-300 ? Vec3(d / length) : fallback;
}

// Two spheres, the building block of round shapes. With coincident centres the normal is x, which lies in the
// plane of a planar scene too.
inline void ball_ball(const Vec3& p_a, Real r_a, const Vec3& p_b, Real r_b, Real max_gap, std::uint32_t feature,
                      Manifold& out) {
  const Vec3 d = p_b - p_a;
  const Real distance = d.norm();
  const Real gap = distance - r_a - r_b;
  if (gap > max_gap) return;
  const Vec3 n = direction_or(d, distance, Vec3::UnitX());
  out.add(manifold_point(p_a + r_a * n, n, gap, feature));
}

// Parameter in [0, 1] of the point of the segment from p0 to p1 nearest to x.
inline Real nearest_on_segment(const Vec3& p0, const Vec3& p1, const Vec3& x) {
  const Vec3 e = p1 - p0;
  const Real e2 = e.squaredNorm();
  return e2 > 0.0 ? std::clamp(e.dot(x - p0) / e2, 0.0, 1.0) : 0.5;
}

}  // namespace grus
