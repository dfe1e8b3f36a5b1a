// Polyhedron on a half space and inside a tube: one point per vertex near the surface (the distance from either is
// extreme at vertices), reduced to those that carry the torque.
#include "collision/narrow/pair_functions.hpp"
#include "collision/shapes/plane.hpp"
#include "collision/shapes/polyhedron.hpp"
#include "collision/shapes/tube.hpp"

namespace grus {

namespace {

constexpr Real wall_tie = 1e-7;  // of the size: differences that do not decide between points

// Candidates without end: when the list is full, those that carry the torque so far stand for it.
struct WallPoints {
  Vec3 normal;
  Real tie;
  ManifoldCandidates candidates;

  void add(const ManifoldPoint& point) {
    if (candidates.count == ManifoldCandidates::capacity) {
      Manifold kept;
      reduce(candidates.span(), normal, tie, kept);
      candidates.count = 0;
      for (const ManifoldPoint& p : kept) candidates.add(p);
    }
    candidates.add(point);
  }
};

}  // namespace

void polyhedron_plane(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  const Polyhedron& shape = *a.polyhedron;
  const Real scale = a.collider->scale;
  const Vec3 up = plane::normal(b, false);
  const Vec3 up_C = a.R.conjugate() * up;
  const Real height = plane::height(b, up, a.p);
  const Real size = a.collider->bound_radius;
  if (height - scale * polyhedron::reach(shape, -up_C) > max_gap + wall_tie * size) return;
  WallPoints points{up, wall_tie * size, {}};
  for (Index i = 0; i < shape.vertex_count(); ++i) {
    const Vec3 x_C = scale * shape.vertices[static_cast<std::size_t>(i)];
    const Real gap = height + up_C.dot(x_C);
    if (gap <= max_gap) points.add(manifold_point(a.p + a.R * x_C, -up, gap, static_cast<std::uint32_t>(i)));
  }
  reduce(points.candidates.span(), up, points.tie, out);
}

void polyhedron_tube(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  const Polyhedron& shape = *a.polyhedron;
  const Vec3 axis = tube::axis(b), across = tube::offset(b, axis, a.p);
  const Mat3 R = a.R.toRotationMatrix();
  const Vec3 outward = direction_or(across, across.norm(), b.R * Vec3::UnitX());
  WallPoints points{outward, wall_tie * a.collider->bound_radius, {}};
  for (Index i = 0; i < shape.vertex_count(); ++i) {
    const Vec3 x = a.p + R * (a.collider->scale * shape.vertices[static_cast<std::size_t>(i)]);
    const Vec3 d = tube::offset(b, axis, x);
    const Real rho = d.norm();
    const Real gap = b.collider->radius - rho;
    if (gap <= max_gap)
      points.add(manifold_point(x, direction_or(d, rho, outward), gap, static_cast<std::uint32_t>(i)));
  }
  reduce(points.candidates.span(), outward, points.tie, out);
}

}  // namespace grus
