// Box against box: separating axes (Gottschalk 1996). The 15 axes (3 + 3 face normals, 9 products of edges)
// hold the normal of least penetration, and that of the distance whenever a face or two crossing edges are
// nearest; only two corners, or a corner and an edge, need the generic distance.
#include <cmath>

#include "collision/narrow/clip.hpp"
#include "collision/narrow/convex_convex.hpp"
#include "collision/narrow/pair_functions.hpp"

namespace grus {

namespace {

enum class AxisKind { face_a, face_b, edges };

struct AxisSearch {
  const ConvexCore &a, &b;
  Vec3 centre;  // from a to b
  Real separation = -1e300;
  Vec3 normal = Vec3::UnitX();
  AxisKind kind = AxisKind::face_a;
  int edge_a = 0, edge_b = 0;  // directions of the edges, when they define the axis

  // Tests an axis; it must part the boxes by more than `advantage` beyond the best so far.
  bool test(const Vec3& axis, AxisKind axis_kind, Real advantage) {
    const Vec3 n = axis.dot(centre) >= 0.0 ? axis : Vec3(-axis);
    const Real s = n.dot(centre) - (a.R.transpose() * n).cwiseAbs().dot(a.collider->half) -
                   (b.R.transpose() * n).cwiseAbs().dot(b.collider->half);
    if (s <= separation + advantage) return false;
    separation = s;
    normal = n;
    kind = axis_kind;
    return true;
  }

  void run(Real limit, Real advantage) {
    for (int k = 0; k < 3; ++k) test(a.R.col(k), AxisKind::face_a, 0.0);
    // ties go to faces of a, then faces of b, then edges: faces give the stable manifolds
    for (int k = 0; k < 3; ++k) test(b.R.col(k), AxisKind::face_b, advantage);
    if (separation > limit) return;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const Vec3 axis = a.R.col(i).cross(b.R.col(j));
        const Real length = axis.norm();
        if (length > 1e-6 && test(axis / length, AxisKind::edges, advantage)) {
          edge_a = i;
          edge_b = j;
        }
      }
  }
};

// The edge of direction k that lies farthest along n: its lower end and its vector.
void supporting_edge(const ConvexCore& core, const Vec3& n, int k, Vec3& from, Vec3& along) {
  const int corner = box::support_corner(core.R.transpose() * n) & ~(1 << k);
  from = core.p + core.R * box::corner(*core.collider, corner);
  along = 2.0 * core.collider->half[k] * core.R.col(k);
}

// Nearest point on a along the found axis; `met` tells whether its partner on b is really opposite, so that the
// separation along the axis is the distance.
Vec3 nearest_on_a(const AxisSearch& found, Real size, bool& met) {
  const ConvexCore &a = found.a, &b = found.b;
  const Vec3& n = found.normal;
  if (found.kind == AxisKind::edges) {
    Vec3 pa, ea, pb, eb;
    supporting_edge(a, n, found.edge_a, pa, ea);
    supporting_edge(b, -n, found.edge_b, pb, eb);
    const Vec3 r = pb - pa, ma = eb.cross(n), mb = ea.cross(n);
    const Real s = r.dot(ma) / ea.dot(ma), t = -r.dot(mb) / eb.dot(mb);
    met = s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0;
    return pa + std::clamp(s, 0.0, 1.0) * ea;
  }
  const Vec3 on_a = found.kind == AxisKind::face_a ? Vec3(b.support(-n) - found.separation * n) : a.support(n);
  Feature fa, fb;
  a.feature(n, fa);
  b.feature(-n, fb);
  ManifoldCandidates candidates;
  const Real height = found.separation + 1e-9 * size;
  clip(fa, fb, {Vec3::Zero(), n, 0.0, 0.0, height, size}, candidates);
  met = candidates.count > 0;
  if (met) return candidates.points[0].position - 0.5 * candidates.points[0].gap * n;
  // a corner over the face, where the other box offers no face or edge to clip: compare along the face only
  const ConvexCore& reference = found.kind == AxisKind::face_a ? a : b;
  const Vec3 x = reference.R.transpose() * (on_a - reference.p), n_C = reference.R.transpose() * n;
  met = true;
  for (int k = 0; k < 3; ++k)
    met = met && (std::abs(n_C[k]) > 0.5 || std::abs(x[k]) <= reference.collider->half[k] + 1e-9 * size);
  return on_a;
}

}  // namespace

void box_box(const PlacedShape& shape_a, const PlacedShape& shape_b, Real max_gap, Manifold& out) {
  const ConvexCore a(shape_a, shape_a.p), b(shape_b, shape_a.p);
  const Real size = shape_a.collider->bound_radius + shape_b.collider->bound_radius;
  const Real limit = max_gap + a.margin + b.margin;
  AxisSearch search{a, b, b.p - a.p};
  search.run(limit, 1e-9 * size);
  if (search.separation > limit) return;
  bool met = false;
  ConvexSeparation s{search.separation, search.normal, nearest_on_a(search, size, met)};
  if (search.separation > 0.0 && !met && !convex_separation(a, b, limit, size, s)) return;
  convex_manifold(
      a, b, s,
      {shape_a.p, s.normal, a.margin, b.margin, max_gap, size, merging_distance(*shape_a.collider, *shape_b.collider)},
      out);
}

}  // namespace grus
