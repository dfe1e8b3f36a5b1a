// A convex shape against one triangle of a mesh wall.
//
// The triangle is a piece of the surface of a solid, so only some of its normals are normals of the solid:
//   face     N
//   edge i   the arc from N to E_i, the normal across the edge, where the edge is convex: those m with m.t_i <= 0, t_i
//   =
//            d_i x E_i being the direction that leads from the edge d_i into the neighbour; none where it is flat or
//            concave
//   corner   those m with m.t_i <= 0 for both of its edges
// Contacts with other normals are the neighbours' (a stone that slides over a flat of many triangles meets N only), and
// a contact at a common edge belongs to one of the two triangles. When shape and triangle overlap, the shape leaves
// through the face, or over an edge where that is a normal of the solid and shorter; where it is shortest through a
// neighbour across a sharp edge, the contact is the neighbour's.
#include <array>
#include <cmath>

#include "collision/narrow/clip.hpp"
#include "collision/narrow/convex_convex.hpp"
#include "collision/narrow/epa.hpp"
#include "collision/narrow/gjk.hpp"
#include "collision/narrow/pair_functions.hpp"

namespace grus {

namespace {

constexpr Real place_tolerance = 1e-9;         // of the size: a point this near to an edge is on it
constexpr Real curved_place = 1e-4;            // the same for a cylinder, whose deepest point is found by iteration
constexpr Real slope_tolerance = 1e-9;         // sine by which a normal may lean over that of a neighbour
constexpr Real face_normal_cos = 1.0 - 1e-12;  // normals closer than this are the face's
constexpr Real seam_sine = 1e-4;               // triangles within this angle are one face
// Of the size: the owner of a seam has a strip beyond it, wide enough that over a ridge too faint to have normals of
// its own no point is over neither face.
constexpr Real seam_strip = 4e-6;
// A shape this deep (of its bound radius), and ten times less far from leaving another way, came in that way: another
// triangle has it.
constexpr Real lost_depth = 0.1, sideways_part = 0.1;

// The triangle in the frame of the pair.
struct WallTriangle {
  std::array<Vec3, 3> v, along, into, across;  // corners; unit edges; t_i; E_i
  std::array<bool, 3> seam, owned, open;       // flat edge; the edge's contacts are ours; without a neighbour
  Vec3 N;

  explicit WallTriangle(const ConvexCore& core) {
    const MeshTriangle& t = *core.triangle;
    N = core.R * t.normal;
    for (std::size_t i = 0; i < 3; ++i) {
      v[i] = core.p + core.R * t.vertices[i];
      const Vec3 d = triangle::edge(t, static_cast<int>(i)).normalized();
      along[i] = core.R * d;
      across[i] = core.R * t.edge_normal[i];
      into[i] = along[i].cross(across[i]);
      open[i] = t.edge_normal[i].dot(t.normal) < -face_normal_cos;
      seam[i] = std::abs(into[i].dot(N)) < seam_sine && across[i].dot(N) > 0.0;
      // the neighbour has the same edge the other way round
      constexpr Real zero = 1e-6;
      const Real first = std::abs(d.x()) > zero ? d.x() : std::abs(d.y()) > zero ? d.y() : d.z();
      owned[i] = open[i] || first > 0.0;
    }
  }

  // Distance of x from edge i, seen along N, positive inside.
  Real inside(std::size_t i, const Vec3& x) const { return N.cross(along[i]).dot(x - v[i]); }

  // Is x over the triangle? On a seam it is over one of the two.
  bool holds(const Vec3& x, Real size) const {
    constexpr Real no_gap = 0.99;  // rounding must not let a point be in neither
    for (std::size_t i = 0; i < 3; ++i) {
      const Real least = !seam[i] ? -place_tolerance : owned[i] ? -seam_strip : no_gap * seam_strip;
      if (inside(i, x) < least * size) return false;
    }
    return true;
  }
};

struct TrianglePair {
  const ConvexCore &a, &b;
  const WallTriangle& wall;
  Vec3 origin;
  Real max_gap, size, size_a;

  ClipFrame frame(const Vec3& normal) const {
    return {origin, normal, a.margin, 0.0, max_gap, size, merging_distance(*a.collider, *b.collider)};
  }

  // Points of the shape's lower side over the face, each belonging to one triangle.
  void face_contact(Manifold& out) const {
    const Vec3 n = -wall.N;
    Feature of_a, of_b;
    a.feature(n, of_a);
    ManifoldCandidates candidates;
    if (of_a.count == 1) {
      const Vec3& x = of_a.points[0];
      const Real gap = wall.N.dot(x - wall.v[0]) - a.margin;
      if (gap <= max_gap && wall.holds(x, size))
        out.add(manifold_point(origin + x + a.margin * n, n, gap, of_a.ids[0]));
      return;
    }
    for (std::size_t i = 0; i < 3; ++i) of_b.add(wall.v[i], static_cast<int>(i));
    of_b.normal = wall.N;
    ClipFrame clip_frame = frame(n);
    clip_frame.inside = seam_strip;
    for (std::size_t i = 0; i < 3; ++i) clip_frame.skipped |= wall.seam[i] ? 1u << i : 0u;
    clip(of_a, of_b, clip_frame, candidates);
    ManifoldCandidates kept;
    for (const ManifoldPoint& p : candidates.span())
      if (!is_corner_of_a(p.feature) || wall.holds(p.position - origin, size)) kept.add(p);
    reduce(kept.span(), n, 1e-7 * size, out);
  }

  // Whose is a contact with the normal -s.normal at an edge or a corner?
  enum class Holder { none, neighbour, ours };
  Holder holder(const ConvexSeparation& s) const {
    const Vec3 m = -s.normal, on_b = s.on_a + s.distance * s.normal;
    const Real beside = (a.collider->kind == ShapeKind::cylinder ? curved_place : place_tolerance) * size;
    int near = 0, sharp = 0;
    bool owned = true, foremost = true, over_seam = false;
    for (std::size_t i = 0; i < 3; ++i) {
      if (wall.inside(i, on_b) > beside) continue;
      ++near;
      sharp += !wall.seam[i];
      const bool leans_over = m.dot(wall.into[i]) > slope_tolerance;
      if (leans_over && !wall.seam[i]) return Holder::none;
      over_seam = over_seam || leans_over || (wall.seam[i] && m.dot(wall.N) > face_normal_cos);
      owned = owned && wall.owned[i];
      foremost = foremost && (wall.open[i] || wall.N.dot(m) >= wall.across[i].dot(m) - slope_tolerance);
    }
    // beyond a seam the face goes on; at a corner of that face another of its triangles has the contact
    if (over_seam) return sharp > 0 ? Holder::neighbour : Holder::none;
    if (near == 0) return Holder::none;
    // a corner is common to any number of triangles: it goes to the one that faces the shape most
    return (near == 1 ? owned : foremost) ? Holder::ours : Holder::neighbour;
  }

  void separated(const ConvexSeparation& s, Manifold& out) const {
    const Real facing = -s.normal.dot(wall.N);
    if (facing > face_normal_cos || (facing < -face_normal_cos && s.distance <= a.margin)) face_contact(out);
    if (out.count > 0) return;
    if (facing > -face_normal_cos && holder(s) == Holder::ours) return convex_manifold(a, b, s, frame(s.normal), out);
    // a tip that came in over a neighbour and reaches under this face
    const Real depth = -separation_along(a, b, -wall.N);
    if (depth > 0.0 && depth < lost_depth * size_a && wall.N.dot(a.p - wall.v[0]) > 0.0 && !leaves_by_neighbour(depth))
      face_contact(out);
  }

  // Is the way out shorter than `depth` through a neighbour across a sharp edge?
  bool leaves_by_neighbour(Real depth) const {
    for (std::size_t i = 0; i < 3; ++i) {
      if (wall.open[i] || wall.into[i].dot(wall.N) > 0.0 || wall.across[i].dot(wall.N) > feature_cos) continue;
      if (-separation_along(a, b, -wall.across[i]) < depth - place_tolerance * size) return true;
    }
    return false;
  }

  void overlapping(Manifold& out) const {
    const Real step = place_tolerance * size;  // by how much another way out must be shorter
    const Real through_face = separation_along(a, b, -wall.N);
    ConvexSeparation best{through_face, -wall.N, Vec3::Zero()}, s;
    Holder holder_of_best = Holder::none;  // the face
    Real sideways = -through_face;
    const bool solved = epa(a, b, size, s);
    if (solved) {
      sharpen_normal(a, b, size, s);
      sideways = -s.distance;
    }
    if (solved && s.distance > through_face + step && holder(s) != Holder::none) {
      best = s;
      holder_of_best = holder(s);
    } else {
      for (std::size_t i = 0; i < 3; ++i) {
        if (wall.seam[i] || wall.open[i] || wall.into[i].dot(wall.N) > 0.0) continue;
        if (!EdgeArc{*this, i}.improve(best, step)) continue;
        holder_of_best = wall.owned[i] ? Holder::ours : Holder::neighbour;
      }
    }
    if (holder_of_best == Holder::neighbour || leaves_by_neighbour(-best.distance)) return;
    if (-best.distance > lost_depth * size_a && sideways < sideways_part * -best.distance) return;
    if (holder_of_best == Holder::ours) return convex_manifold(a, b, best, frame(best.normal), out);
    face_contact(out);
  }

  // The best normal on the arc of a convex edge, for an overlapping shape. As long as one point of the shape is the
  // lowest, its depth is a cosine below zero, which is least at the ends of the stretch. So between m0 with the lowest
  // point x0 and m1 with x1 nothing beats m0, m1 and the m where x0 and x1 are equally low: there the lowest point is
  // either one of them (a product of the edge with an edge of the shape) or a third, which divides the stretch.
  struct EdgeArc {
    const TrianglePair& pair;
    std::size_t edge;

    bool improve(ConvexSeparation& best, Real step) const {
      const Vec3 &m0 = pair.wall.N, &m1 = pair.wall.across[edge];
      return search(m0, pair.a.support(-m0), m1, pair.a.support(-m1), best, step, 0);
    }

   private:
    bool search(const Vec3& m0, const Vec3& x0, const Vec3& m1, const Vec3& x1, ConvexSeparation& best, Real step,
                int depth) const {
      constexpr int depth_limit = 40;  // curved shapes have points without end
      const Vec3 &d = pair.wall.along[edge], &v = pair.wall.v[edge];
      const Vec3 across = d.cross(x1 - x0);
      const Real length = across.norm();
      if (!(length > 0.0) || depth == depth_limit) return false;
      const Vec3 m = across.dot(m0 + m1) >= 0.0 ? Vec3(across / length) : Vec3(-across / length);
      const Real bound = m.dot(x0 - v);
      if (bound <= best.distance + step || d.dot(m0.cross(m)) * d.dot(m.cross(m1)) < 0.0) return false;
      const Vec3 low = pair.a.support(-m);
      const Real separation = m.dot(low - v);
      bool better = false;
      if (separation > best.distance + step) {
        // where the edges cross, seen along m; a third point is on its own
        const Vec3 aside = d.cross(m);
        const Real t = std::clamp(-aside.dot(x0 - v) / aside.dot(x1 - x0), 0.0, 1.0);
        const Vec3 on_a = separation > bound - step ? Vec3(x0 + t * (x1 - x0)) : low;
        const Real place = d.dot(on_a - v), end = d.dot(pair.wall.v[(edge + 1) % 3] - v);
        better = place >= -step && place <= end + step;
        if (better) best = {separation, -m, on_a};
      }
      if (separation > bound - step) return better;
      better = search(m0, x0, m, low, best, step, depth + 1) || better;
      return search(m, low, m1, x1, best, step, depth + 1) || better;
    }
  };
};

}  // namespace

void convex_triangle(const PlacedShape& shape_a, const PlacedShape& shape_b, Real max_gap, Manifold& out) {
  const ConvexCore a(shape_a, shape_a.p), b(shape_b, shape_a.p);
  const Real limit = max_gap + a.margin;
  // most candidates are above the plane of the face, which is soon seen
  const Vec3 up = b.R * b.triangle->normal;
  if (up.dot(a.support(-up) - b.p - b.R * b.triangle->vertices[0]) > limit) return;
  const WallTriangle wall(b);
  const Real size_a = shape_a.collider->bound_radius, size = size_a + shape_b.collider->bound_radius;
  const TrianglePair pair{a, b, wall, shape_a.p, max_gap, size, size_a};
  ConvexSeparation s;
  const GjkStatus status = gjk(a, b, std::max(limit, 0.0), size, s);
  if (status == GjkStatus::beyond_limit) return;
  if (status == GjkStatus::separated) sharpen_normal(a, b, size, s);
  // out of digits, GJK may end just inside: a separation is one that its normal proves
  if (status == GjkStatus::separated && s.distance > 0.0) return pair.separated(s, out);
  pair.overlapping(out);
}

}  // namespace grus
