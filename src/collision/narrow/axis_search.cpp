#include "collision/narrow/axis_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "collision/narrow/clip.hpp"
#include "collision/pair_memory.hpp"
#include "collision/shapes/lane_reals.hpp"

namespace grus {

namespace {

// Of the size of the pair. Points of the last contact lie in their shapes within the tolerance of clipping and the
// rounding of their storage (1e-6); bounds give way by more than that and by more than the advantage of faces.
constexpr Real bound_slack = 1e-5;
constexpr Real face_advantage = 1e-9;
constexpr Real rounding = 1e-12;  // far below the advantage of faces, far above that of heights
constexpr Real met_tolerance = 1e-9;
// Edges within this angle give no normal; what they would add to a face's separation is less than it times their
// length.
constexpr Real edge_sine = 1e-8;

std::size_t slot(Index i) { return static_cast<std::size_t>(i); }

// A polyhedron and points of the other one, in its own frame. The height of each over a face is a bound of that face's
// separation.
struct SeenShape {
  const Polyhedron& p;
  Real scale;
  Vec3 point;    // the one amid the contact
  Lanes points;  // that and others, repeated
  std::size_t count = 0;

  SeenShape(const Polyhedron& polyhedron, Real scale_, const Vec3& amid) : p(polyhedron), scale(scale_), point(amid) {
    add(amid);
  }

  static constexpr std::size_t most_points = 1 + PairMemory::corner_capacity;
  static_assert(most_points <= Lanes::width);

  // All columns from this one on.
  void add(const Vec3& x) {
    for (std::size_t k = count; k < Lanes::width; ++k) {
      points.x[k] = x.x();
      points.y[k] = x.y();
      points.z[k] = x.z();
    }
    ++count;
  }

  // Of x over the faces of a lane.
  GRUS_LANE_INLINE static void lane_heights(const Lanes& l, const Vec3& x, Real scale, LaneReals& h) {
    LaneReals offset;
    load(l.offset, offset);
    dots(l, x.x(), x.y(), x.z(), h);
    h -= scale * offset;
  }

  // Of all points over a face.
  GRUS_LANE_INLINE void point_heights(Index face, LaneReals& h) const {
    const Lanes& l = p.face_lanes[slot(face) / Lanes::width];
    const std::size_t k = slot(face) % Lanes::width;
    dots(points, l.x[k], l.y[k], l.z[k], h);
    h -= scale * l.offset[k];
  }

  // Faces of lane i that `point` is so high above, a bit each.
  GRUS_LANE_INLINE unsigned faces_above(std::size_t i, Real threshold) const {
    LaneReals h;
    lane_heights(p.face_lanes[i], point, scale, h);
    const std::size_t faces = slot(p.face_count()) - i * Lanes::width;
    return at_least(h, threshold) & (faces < Lanes::width ? (1u << faces) - 1u : ~0u);
  }

  Real height(Index face, const Vec3& x) const {
    const Lanes& l = p.face_lanes[slot(face) / Lanes::width];
    const std::size_t k = slot(face) % Lanes::width;
    return l.x[k] * x.x() + l.y[k] * x.y() + l.z[k] * x.z() - scale * l.offset[k];
  }

  Index highest_face() const {
    Index best = 0;
    for (Index face = 1; face < p.face_count(); ++face)
      if (height(face, point) > height(best, point)) best = face;
    return best;
  }

  // Over all faces.
  Real highest(const Vec3& x) const {
    LaneReals h, most = LaneReals{} - 1e300;
    for (const Lanes& l : p.face_lanes) {
      lane_heights(l, x, scale, h);
      most = h > most ? h : most;
    }
    return largest(most);
  }

  // visit(face) for faces whose bound is at least threshold(), which may rise on the way.
  template <class Threshold, class Visit>
  void each_face_above(const Threshold& threshold, const Visit& visit) const {
    LaneReals h;
    for (std::size_t i = 0; i < p.face_lanes.size(); ++i) {
      for (unsigned above = faces_above(i, threshold()); above != 0; above &= above - 1) {
        const auto face = static_cast<Index>(i * Lanes::width) + std::countr_zero(above);
        point_heights(face, h);
        if (at_least(h, threshold()) == all_lanes) visit(face);
      }
    }
  }

  static constexpr unsigned all_lanes = (1u << Lanes::width) - 1u;
};

struct SearchEdge {
  Vec3 from, along;        // m, frame of a
  Vec3 left, right;        // normals of its faces
  Index vertex0, vertex1;  // its name; not an EdgeName, whose default values a batch would be filled with
  EdgeName name() const { return {vertex0, vertex1}; }
};

struct EdgeBatch {
  static constexpr int capacity = 48;
  std::array<SearchEdge, capacity> edges;
  int count = 0;
  const SearchEdge* begin() const { return edges.data(); }
  const SearchEdge* end() const { return edges.data() + count; }
};

// Corner of a face where collecting went on hold because the batch was full.
struct EdgePlace {
  Index face = 0, corner = 0;
};

// Is x over the face, seen along its normal? Frame of the polyhedron.
bool over_face(const Polyhedron& p, Real scale, Index face, const Vec3& x, Real tolerance) {
  const Vec3& n = p.face_normal[slot(face)];
  const Index begin = p.face_begin[slot(face)], end = p.face_begin[slot(face) + 1];
  for (Index k = begin; k < end; ++k) {
    const Vec3 &p0 = p.vertices[slot(p.face_vertices[slot(k)])],
               &p1 = p.vertices[slot(p.face_vertices[slot(k + 1 < end ? k + 1 : begin)])];
    const Vec3 e = p1 - p0;
    if (n.dot(e.cross(x - scale * p0)) < -tolerance * e.norm()) return false;
  }
  return true;
}

class PolyhedronAxisSearch {
 public:
  PolyhedronAxisSearch(const PolyhedronPair& pair, const AxisBounds& bounds, Real size)
      : pair_(pair),
        a_(pair.a, pair.scale_a, bounds.on_b),
        b_(pair.b, pair.scale_b, seen_from_b(bounds.on_a)),
        size_(size),
        best_(std::min(bounds.lower, 0.0)) {
    for (const std::uint16_t v : bounds.corners_b) a_.add(vertex_of_b(v));
    for (const std::uint16_t v : bounds.corners_a) b_.add(seen_from_b(vertex_of_a(v)));
  }

  PolyhedronAxis run() {
    const auto bound = [this] { return best_ - bound_slack * size_; };
    if (a_.count == 1) test_face_a(a_.highest_face());  // nothing is known: the likeliest first
    if (b_.count == 1) test_face_b(b_.highest_face());
    a_.each_face_above(bound, [this](Index face) { test_face_a(face); });
    b_.each_face_above(bound, [this](Index face) { test_face_b(face); });
    // an edge can part what its faces do not
    if (!is_best(face_a_.separation >= face_b_.separation ? face_a_ : face_b_)) {
      edge_bound_ = std::min(best_, 0.0) - bound_slack * size_;
      test_edges();
    }
    const Real least = std::max({face_a_.separation, face_b_.separation, edges_.separation}) - face_advantage * size_;
    if (face_a_.separation >= least) return face_a_;
    return face_b_.separation >= least ? face_b_ : edges_;
  }

 private:
  Vec3 seen_from_b(const Vec3& x) const { return pair_.R.transpose() * (x - pair_.centre); }

  // Is no pair of edges better than this face, no worse than any other? v: the vertex of the other shape lowest over
  // it. Apart: when v lies over the face, its height is the distance, and no direction parts the shapes by more.
  // Overlapping: every edge axis is bounded by the height of v over a face of the same shape, as far as that is
  // negative.
  bool is_best(const PolyhedronAxis& axis) const {
    if (axis.face == no_index) return false;
    const bool of_a = axis.kind == PolyhedronAxisKind::face_a;
    const SeenShape& s = of_a ? a_ : b_;
    const Vec3 v = of_a ? vertex_of_b(polyhedron::support_vertex(pair_.b, -(pair_.R.transpose() * axis.n)))
                        : seen_from_b(vertex_of_a(polyhedron::support_vertex(pair_.a, axis.n)));
    if (axis.separation > 0.0) return over_face(s.p, s.scale, axis.face, v, 0.0);
    return s.highest(v) <= std::min(axis.separation + rounding * size_, 0.0);
  }

  Vec3 vertex_of_a(Index v) const { return pair_.scale_a * pair_.a.vertices[slot(v)]; }
  Vec3 vertex_of_b(Index v) const { return pair_.R * (pair_.scale_b * pair_.b.vertices[slot(v)]) + pair_.centre; }

  void test_face(const PolyhedronAxis& axis, PolyhedronAxis& best) {
    if (axis.separation < best.separation || (axis.separation == best.separation && axis.face > best.face)) return;
    best = axis;
    best_ = std::max(best_, axis.separation);
  }

  void test_face_a(Index face) {
    const Vec3& n = pair_.a.face_normal[slot(face)];
    const Real offset = pair_.a.face_lanes[slot(face) / Lanes::width].offset[slot(face) % Lanes::width];
    const Real low_b = n.dot(pair_.centre) - pair_.scale_b * polyhedron::reach(pair_.b, -(pair_.R.transpose() * n));
    test_face({PolyhedronAxisKind::face_a, face, {}, {}, n, low_b - pair_.scale_a * offset}, face_a_);
  }

  void test_face_b(Index face) {
    const Vec3 n = -(pair_.R * pair_.b.face_normal[slot(face)]);
    const Real offset = pair_.b.face_lanes[slot(face) / Lanes::width].offset[slot(face) % Lanes::width];
    const Real low_b = n.dot(pair_.centre) - pair_.scale_b * offset;
    test_face({PolyhedronAxisKind::face_b, face, {}, {}, n, low_b - pair_.scale_a * polyhedron::reach(pair_.a, n)},
              face_b_);
  }

  // Edges of faces at or after `place` whose bound is high enough, each once; where to go on. The separation along any
  // normal between those of an edge's two faces is at most the larger of the heights over them, as far as that is
  // negative.
  EdgePlace collect(const SeenShape& s, bool second, EdgePlace place, EdgeBatch& batch) const {
    batch.count = 0;
    LaneReals here, there;
    for (std::size_t lane = slot(place.face) / Lanes::width; lane < s.p.face_lanes.size(); ++lane) {
      const auto first = static_cast<Index>(lane * Lanes::width);
      unsigned above = s.faces_above(lane, edge_bound_);
      if (place.face > first) above &= ~0u << (place.face - first);
      for (; above != 0; above &= above - 1) {
        const Index face = first + std::countr_zero(above);
        const Index begin = s.p.face_begin[slot(face)], end = s.p.face_begin[slot(face) + 1];
        s.point_heights(face, here);
        for (Index k = begin + (face == place.face ? place.corner : 0); k < end; ++k) {
          const Index across = s.p.face_across[slot(k)];
          s.point_heights(across, there);
          if (across < face && there[0] >= edge_bound_) continue;  // it came with that face
          there = there > here ? there : here;
          if (at_least(there, edge_bound_) != SeenShape::all_lanes) continue;
          if (batch.count == EdgeBatch::capacity) return {face, k - begin};
          add_edge(s, second, face, across, s.p.face_vertices[slot(k)],
                   s.p.face_vertices[slot(k + 1 < end ? k + 1 : begin)], batch);
        }
      }
    }
    return {s.p.face_count(), 0};
  }

  void add_edge(const SeenShape& s, bool second, Index left, Index right, Index from, Index to,
                EdgeBatch& batch) const {
    SearchEdge& e = batch.edges[static_cast<std::size_t>(batch.count++)];
    // one direction whichever face it is seen from: the sign of a zero in the normal hangs on it
    if (from > to) {
      std::swap(from, to);
      std::swap(left, right);
    }
    e.vertex0 = from;
    e.vertex1 = to;
    const Vec3 &p0 = s.p.vertices[slot(from)], &p1 = s.p.vertices[slot(to)];
    e.from = s.scale * p0;
    e.along = s.scale * (p1 - p0);
    e.left = s.p.face_normal[slot(left)];
    e.right = s.p.face_normal[slot(right)];
    if (!second) return;
    e.from = pair_.R * e.from + pair_.centre;
    e.along = pair_.R * e.along;
    e.left = pair_.R * e.left;
    e.right = pair_.R * e.right;
  }

  void test_edges() {
    EdgeBatch of_a, of_b;
    for (EdgePlace place_a; place_a.face < pair_.a.face_count();) {
      place_a = collect(a_, false, place_a, of_a);
      if (of_a.count == 0) continue;
      for (EdgePlace place_b; place_b.face < pair_.b.face_count();) {
        place_b = collect(b_, true, place_b, of_b);
        for (const SearchEdge& ea : of_a)
          for (const SearchEdge& eb : of_b) test_edge_pair(ea, eb);
      }
    }
  }

  void test_edge_pair(const SearchEdge& ea, const SearchEdge& eb) {
    // do the arcs (left_a, right_a) and (-left_b, -right_b) cross? The edges are normal to the planes of the arcs.
    const Real c = -eb.left.dot(ea.along), d = -eb.right.dot(ea.along);
    if (!(c * d < 0.0)) return;
    const Real l = ea.left.dot(eb.along), r = ea.right.dot(eb.along);
    if (!(l * r < 0.0) || !(c * r > 0.0)) return;
    const Vec3 product = ea.along.cross(eb.along);
    const Real length2 = product.squaredNorm();
    if (!(length2 > edge_sine * edge_sine * ea.along.squaredNorm() * eb.along.squaredNorm())) return;
    const Vec3 out = ea.left + ea.right;
    const Real length = std::sqrt(length2);
    const Vec3 n = product.dot(out) >= 0.0 ? Vec3(product / length) : Vec3(-product / length);
    // no more than the edges themselves part; rounding of the arcs may have let in a normal that other points spoil
    if (n.dot(eb.from - ea.from) < best_ - bound_slack * size_) return;
    const Real separation = pair_.separation(n);
    const bool earlier = std::pair(ea.name(), eb.name()) < std::pair(edges_.edge_a, edges_.edge_b);
    if (separation < edges_.separation || (separation == edges_.separation && !earlier)) return;
    edges_ = {PolyhedronAxisKind::edges, no_index, ea.name(), eb.name(), n, separation};
    best_ = std::max(best_, separation);
  }

  const PolyhedronPair& pair_;
  SeenShape a_, b_;
  Real size_;
  Real best_;  // a lower bound of the result
  Real edge_bound_ = 0.0;
  PolyhedronAxis face_a_, face_b_, edges_;
};

// Flattened: left to itself the compiler inlines it in one version of the program and not in another, and rounds the
// point differently.
[[gnu::flatten]] bool edges_meet(const PolyhedronPair& pair, const PolyhedronAxis& axis, Real tolerance, Vec3& on_a) {
  const auto vertex_a = [&](Index v) { return Vec3(pair.scale_a * pair.a.vertices[slot(v)]); };
  const auto vertex_b = [&](Index v) { return Vec3(pair.R * (pair.scale_b * pair.b.vertices[slot(v)]) + pair.centre); };
  const Vec3 pa = vertex_a(axis.edge_a.from), ea = vertex_a(axis.edge_a.to) - pa;
  const Vec3 pb = vertex_b(axis.edge_b.from), eb = vertex_b(axis.edge_b.to) - pb;
  const Vec3 r = pb - pa, ma = eb.cross(axis.n), mb = ea.cross(axis.n);
  const Real s = r.dot(ma) / ea.dot(ma), t = -r.dot(mb) / eb.dot(mb);
  on_a = pa + std::clamp(s, 0.0, 1.0) * ea;
  const auto within = [&](Real parameter, const Vec3& e) {
    const Real slack = tolerance / e.norm();
    return parameter >= -slack && parameter <= 1.0 + slack;
  };
  return within(s, ea) && within(t, eb);
}

// Two faces, or a face and an edge, lie across the same direction: their common region, seen along it.
bool flats_meet(const PolyhedronPair& pair, const PolyhedronAxis& axis, Real size, Vec3& on_a) {
  Feature fa, fb;
  polyhedron::feature(pair.a, pair.scale_a, axis.n, fa);
  polyhedron::feature(pair.b, pair.scale_b, -(pair.R.transpose() * axis.n), fb);
  for (int i = 0; i < fb.count; ++i) {
    Vec3& x = fb.points[static_cast<std::size_t>(i)];
    x = pair.R * x + pair.centre;
  }
  fb.normal = pair.R * fb.normal;
  ManifoldCandidates candidates;
  ClipFrame frame{Vec3::Zero(), axis.n, 0.0, 0.0, axis.separation + met_tolerance * size, size};
  frame.inside = met_tolerance;
  clip(fa, fb, frame, candidates);
  if (candidates.count == 0) return false;
  const ManifoldPoint& p = candidates.points[0];
  on_a = p.position - 0.5 * p.gap * axis.n;
  return true;
}

}  // namespace

bool holds(const Polyhedron& p, Real scale, const Vec3& x, Real tolerance) {
  return !(SeenShape(p, scale, x).highest(x) > tolerance);
}

PolyhedronAxis best_axis(const PolyhedronPair& pair, const AxisBounds& bounds, Real size) {
  return PolyhedronAxisSearch(pair, bounds, size).run();
}

bool features_meet(const PolyhedronPair& pair, const PolyhedronAxis& axis, Real size, Vec3& on_a) {
  const Real tolerance = met_tolerance * size;
  if (axis.kind == PolyhedronAxisKind::edges) return edges_meet(pair, axis, tolerance, on_a);
  if (axis.kind == PolyhedronAxisKind::face_a) {
    const Vec3 x = pair.R * polyhedron::support(pair.b, pair.scale_b, -(pair.R.transpose() * axis.n)) + pair.centre;
    on_a = x - axis.separation * axis.n;
    return over_face(pair.a, pair.scale_a, axis.face, x, tolerance) || flats_meet(pair, axis, size, on_a);
  }
  on_a = polyhedron::support(pair.a, pair.scale_a, axis.n);
  const Vec3 seen = pair.R.transpose() * (on_a - pair.centre);
  return over_face(pair.b, pair.scale_b, axis.face, seen, tolerance) || flats_meet(pair, axis, size, on_a);
}

}  // namespace grus
