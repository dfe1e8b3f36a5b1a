// Planar convex shapes against unbounded ones. The distance to a half space or to the inside of a circle is
// extreme at a vertex of the core, so vertices are all there is to test.
#include <cmath>

#include "collision/narrow/pair_functions.hpp"
#include "collision/shapes/plane.hpp"
#include "collision/shapes/polygon.hpp"
#include "collision/shapes/ring.hpp"

namespace grus {

namespace {

// Keeps the deepest vertex and the one farthest from it. point(vertex_W) -> {normal, gap}.
template <class Contact>
void vertex_contacts(const PlacedShape& a, Real max_gap, Manifold& out, const Contact& contact) {
  const RoundedPolygon core(a, a.p);
  const Real tie = 1e-9 * a.collider->bound_radius;
  ManifoldPoint deepest{}, farthest{};
  const auto point = [&](int i) {
    const Vec2 v = core.vertex(i);
    const Vec3 x = a.p + Vec3(v.x(), v.y(), 0.0);
    const auto [normal, gap] = contact(x, core.radius());
    return manifold_point(x + core.radius() * normal, normal, gap, static_cast<std::uint32_t>(i));
  };
  bool touching = false;
  for (int i = 0; i < core.count(); ++i) {
    const ManifoldPoint p = point(i);
    if (p.gap > max_gap || (touching && p.gap >= deepest.gap - tie)) continue;
    deepest = p;
    touching = true;
  }
  if (!touching) return;
  out.add(deepest);
  Real reach = tie;
  for (int i = 0; i < core.count(); ++i) {
    const ManifoldPoint p = point(i);
    const Real distance = (p.position - deepest.position).norm();
    if (p.gap > max_gap || distance <= reach + tie) continue;
    farthest = p;
    reach = distance;
  }
  if (reach > tie) out.add(farthest);
}

struct WallContact {
  Vec3 normal;  // from the shape into the wall
  Real gap;
};

}  // namespace

void rounded_polygon_plane(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  const Vec3 up = plane::normal(b, true);
  vertex_contacts(a, max_gap, out, [&](const Vec3& x, Real radius) {
    return WallContact{-up, plane::height(b, up, x) - radius};
  });
}

void rounded_polygon_ring(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  vertex_contacts(a, max_gap, out, [&](const Vec3& x, Real radius) {
    const Vec3 d = ring::offset(b, x);
    const Real rho = d.norm();
    return WallContact{direction_or(d, rho, Vec3::UnitX()), b.collider->radius - rho - radius};
  });
}

void disk_ring(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  rounded_polygon_ring(a, b, max_gap, out);
}

}  // namespace grus
