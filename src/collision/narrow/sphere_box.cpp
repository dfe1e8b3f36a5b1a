// Sphere against box: the centre clamped to the box; inside, the nearest face.
#include "collision/narrow/pair_functions.hpp"

namespace grus {

void sphere_box(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  const Vec3& half = b.collider->half;
  const Vec3 c = b.R.conjugate() * (a.p - b.p);
  const Vec3 clamped = c.cwiseMax(-half).cwiseMin(half);
  const Vec3 d = clamped - c;
  Real distance = d.norm();
  Vec3 n_C;  // from sphere to box
  if (distance > 0.0) {
    n_C = d / distance;
  } else {
    int k = 0;
    const Real depth = (half - c.cwiseAbs()).minCoeff(&k);
    n_C = Vec3::Zero();
    n_C[k] = c[k] >= 0.0 ? -1.0 : 1.0;
    distance = -depth;
  }
  const Real gap = distance - a.collider->radius - b.collider->radius;
  if (gap > max_gap) return;
  const Vec3 n = b.R * n_C;
  out.add(manifold_point(a.p + a.collider->radius * n, n, gap, 0));
}

}  // namespace grus
