// Two spheres or two disks: gap = distance of the centres - both radii.
#include "collision/narrow/pair_functions.hpp"

namespace grus {

void sphere_sphere(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  ball_ball(a.p, a.collider->radius, b.p, b.collider->radius, max_gap, 0, out);
}

void disk_disk(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  sphere_sphere(a, b, max_gap, out);
}

}  // namespace grus
