// Two planar convex shapes, each a rounded polygon (shapes/polygon.hpp).
//
//   s(n) = min_{b in B} n.b - max_{a in A} n.a              separation of the cores along the unit vector n
// Overlapping cores: the least penetration is along an edge normal of A or B (their Minkowski difference is
// a polygon with these normals). Separated cores: the largest s over edge normals is the distance when the
// nearest vertex lies over the edge; otherwise two vertices face each other. Radii shift every gap alike.
#include <cmath>

#include "collision/narrow/pair_functions.hpp"
#include "collision/shapes/polygon.hpp"

namespace grus {

namespace {

struct Separation {
  Real distance = -1e300;  // of the cores, negative when they overlap
  Vec2 normal{1.0, 0.0};   // from a to b
  Vec2 on_a{0.0, 0.0};     // nearest (deepest) point of the core of a
};

struct EdgeSeparation {
  Real distance = -1e300;
  Vec2 normal{1.0, 0.0};  // outward of the edge's polygon
  int edge = -1;
  int vertex = 0;  // of the other polygon
};

EdgeSeparation best_edge(const RoundedPolygon& p, const RoundedPolygon& other) {
  EdgeSeparation best;
  for (int i = 0; i < p.edge_count(); ++i) {
    Vec2 n;
    if (!p.edge_normal(i, n)) continue;
    Real low = 0.0;
    const int vertex = other.lowest(n, low);
    const Real s = low - n.dot(p.vertex(i));
    if (s > best.distance) best = {s, n, i, vertex};
  }
  return best;
}

// Nearest point of the boundary of p (its vertices and edges) to x.
Vec2 nearest_on_boundary(const RoundedPolygon& p, const Vec2& x) {
  Vec2 best = p.vertex(0);
  for (int i = 0; i < p.edge_count(); ++i) {
    const Vec2 v = p.vertex(i), e = p.vertex(p.next(i)) - v;
    const Real e2 = e.squaredNorm();
    const Vec2 candidate = v + (e2 > 0.0 ? std::clamp(e.dot(x - v) / e2, 0.0, 1.0) : 0.0) * e;
    if ((candidate - x).squaredNorm() < (best - x).squaredNorm()) best = candidate;
  }
  return best;
}

// Distance of separated cores by all vertices against the other boundary.
Separation vertex_distance(const RoundedPolygon& a, const RoundedPolygon& b) {
  Real best2 = 1e300;
  Vec2 on_a{0, 0}, on_b{0, 0};
  const auto consider = [&](const Vec2& x_a, const Vec2& x_b) {
    const Real d2 = (x_b - x_a).squaredNorm();
    if (d2 < best2) {
      best2 = d2;
      on_a = x_a;
      on_b = x_b;
    }
  };
  for (int i = 0; i < a.count(); ++i) consider(a.vertex(i), nearest_on_boundary(b, a.vertex(i)));
  for (int j = 0; j < b.count(); ++j) consider(nearest_on_boundary(a, b.vertex(j)), b.vertex(j));
  const Real distance = std::sqrt(best2);
  const Vec2 n = distance > 1e-300 ? Vec2((on_b - on_a) / distance) : Vec2(1.0, 0.0);
  return {distance, n, on_a};
}

bool over_edge(const RoundedPolygon& p, int edge, const Vec2& x) {
  const Vec2 v = p.vertex(edge), e = p.vertex(p.next(edge)) - v;
  const Real t = e.dot(x - v);
  return t >= 0.0 && t <= e.squaredNorm();
}

Separation separation(const RoundedPolygon& a, const RoundedPolygon& b, Real tiny) {
  const EdgeSeparation from_a = best_edge(a, b), from_b = best_edge(b, a);
  const bool a_leads = from_a.distance >= from_b.distance;
  const EdgeSeparation& best = a_leads ? from_a : from_b;
  if (best.edge < 0) return vertex_distance(a, b);
  const RoundedPolygon& reference = a_leads ? a : b;
  const RoundedPolygon& other = a_leads ? b : a;
  const Vec2 x = other.vertex(best.vertex);
  if (best.distance > -tiny && !over_edge(reference, best.edge, x)) {
    const Separation apart = vertex_distance(a, b);
    if (apart.distance > tiny) return apart;
  }
  if (a_leads) return {best.distance, best.normal, x - best.distance * best.normal};
  return {best.distance, -best.normal, x};
}

// Edge of p that faces direction d, or -1.
int facing_edge(const RoundedPolygon& p, const Vec2& d) {
  constexpr Real facing_cos = 0.95;
  int best = -1;
  Real best_cos = facing_cos;
  for (int i = 0; i < p.edge_count(); ++i) {
    Vec2 n;
    if (p.edge_normal(i, n) && n.dot(d) > best_cos) {
      best = i;
      best_cos = n.dot(d);
    }
  }
  return best;
}

struct ClipPoint {
  Real along;             // coordinate along the tangent
  std::uint32_t feature;  // vertex it comes from
};

// Ends of an edge in rising order of their coordinate along t.
std::array<ClipPoint, 2> edge_span(const RoundedPolygon& p, int edge, const Vec2& t, std::uint32_t base) {
  const int last = p.next(edge);
  const ClipPoint c0{t.dot(p.vertex(edge)), base + static_cast<std::uint32_t>(edge)};
  const ClipPoint c1{t.dot(p.vertex(last)), base + static_cast<std::uint32_t>(last)};
  return c0.along <= c1.along ? std::array{c0, c1} : std::array{c1, c0};
}

// Height over the origin along n of the line of an edge, at coordinate `along` of the tangent t.
Real edge_height(const RoundedPolygon& p, int edge, const Vec2& n, const Vec2& t, Real along) {
  const Vec2 v = p.vertex(edge), e = p.vertex(p.next(edge)) - v;
  return n.dot(v) + n.dot(e) * (along - t.dot(v)) / t.dot(e);
}

Vec3 lifted(const Vec2& v) { return {v.x(), v.y(), 0.0}; }

}  // namespace

void rounded_polygon_pair(const PlacedShape& shape_a, const PlacedShape& shape_b, Real max_gap, Manifold& out) {
  const RoundedPolygon a(shape_a, shape_a.p), b(shape_b, shape_a.p);
  const Real size = shape_a.collider->bound_radius + shape_b.collider->bound_radius;
  const Separation s = separation(a, b, 1e-12 * size);
  const Real radii = a.radius() + b.radius();
  if (s.distance - radii > max_gap) return;
  const Vec2 n = s.normal, t(-n.y(), n.x());
  const auto point = [&](const Vec2& core_a, Real gap, std::uint32_t feature) {
    return manifold_point(shape_a.p + lifted(core_a + a.radius() * n), lifted(n), gap, feature);
  };

  // where two edges face each other, the ends of their common part; features: 1 + vertex of a, 65536 + vertex of b
  ManifoldCandidates candidates;
  Real least = 1e300;
  const int edge_a = facing_edge(a, n), edge_b = facing_edge(b, -n);
  if (edge_a >= 0 && edge_b >= 0) {
    const auto span_a = edge_span(a, edge_a, t, 1), span_b = edge_span(b, edge_b, t, 1u << 16);
    const ClipPoint low = span_a[0].along >= span_b[0].along ? span_a[0] : span_b[0];
    const ClipPoint high = span_a[1].along <= span_b[1].along ? span_a[1] : span_b[1];
    if (high.along - low.along > 1e-6 * size) {
      for (const ClipPoint& c : {low, high}) {
        const Real on_a = edge_height(a, edge_a, n, t, c.along);
        const Real gap = edge_height(b, edge_b, n, t, c.along) - on_a - radii;
        least = std::min(least, gap);
        if (gap <= max_gap) candidates.add(point(on_a * n + c.along * t, gap, c.feature));
      }
    }
  }
  if (least > s.distance - radii + 1e-9 * size) candidates.add(point(s.on_a, s.distance - radii, 0));
  reduce_planar(candidates.span(), 1e-9 * size, out);
}

}  // namespace grus
