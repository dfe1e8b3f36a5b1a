#include "collision/narrow/clip.hpp"

#include <cmath>

namespace grus {

namespace {

constexpr Real passing = 1e-12;       // of an edge: a crossing farther beyond its end is none, whatever the rounding
constexpr Real off_plane = 1e-6;      // of the size: more than corners of a face lie off its plane
constexpr Real parallel_sine = 1e-3;  // two edges within this angle touch along a line

// Features of manifold points: which kind of corner of the common region, and the vertices it comes from. The nearest
// point of a pair has none of them and is 0.
constexpr std::uint32_t vertex_of_b = 1u << 29, vertex_of_a = 2u << 29, crossing_edges = 3u << 29;
constexpr int id_bits = 14;  // of the ids of a Feature: vertices of a polyhedron are fewer (most_hull_vertices)

Real cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

// A feature seen along the normal.
struct Projection {
  std::array<Vec2, Feature::capacity> xy;
  std::array<Real, Feature::capacity> height;
  const Feature* feature;
  Vec2 slope{0, 0};  // of a face: height = height[0] + slope.(x - xy[0])
  Real turn = 1.0;   // sign of the area of a face

  Projection(const Feature& f, const Vec3& n, const Vec3& t1, const Vec3& t2) : feature(&f) {
    for (int i = 0; i < f.count; ++i) {
      const Vec3& p = f.points[static_cast<std::size_t>(i)];
      xy[static_cast<std::size_t>(i)] = Vec2(t1.dot(p), t2.dot(p));
      height[static_cast<std::size_t>(i)] = n.dot(p);
    }
    if (f.count < 3) return;
    slope = Vec2(t1.dot(f.normal), t2.dot(f.normal)) / -n.dot(f.normal);
    turn = cross(at(1) - at(0), at(2) - at(1)) >= 0.0 ? 1.0 : -1.0;
  }

  int count() const { return feature->count; }
  int edge_count() const { return count() < 3 ? count() - 1 : count(); }
  const Vec2& at(int i) const { return xy[static_cast<std::size_t>(i)]; }
  int next(int i) const { return i + 1 < count() ? i + 1 : 0; }
  std::uint32_t id(int i) const { return feature->ids[static_cast<std::size_t>(i)]; }

  Real height_at(const Vec2& x) const {
    if (count() >= 3) return height[0] + slope.dot(x - at(0));
    if (count() == 1) return height[0];
    const Vec2 e = at(1) - at(0);
    const Real e2 = e.squaredNorm();
    return height[0] + (e2 > 0.0 ? e.dot(x - at(0)) / e2 : 0.0) * (height[1] - height[0]);
  }

  bool holds(const Vec2& x, Real tolerance) const {
    for (int i = 0; i < count(); ++i) {
      const Vec2 e = at(next(i)) - at(i);
      if (turn * cross(e, x - at(i)) < -tolerance * e.norm()) return false;
    }
    return true;
  }
};

class Clipper {
 public:
  Clipper(const Projection& a, const Projection& b, const ClipFrame& frame, const Vec3& t1, const Vec3& t2,
          ManifoldCandidates& out)
      : a_(a), b_(b), frame_(frame), t1_(t1), t2_(t2), out_(out) {}

  void run() {
    if (a_.count() < 2 || b_.count() < 2) return;
    if (a_.count() == 2 && b_.count() == 2) return lines();
    const Real tolerance = frame_.inside * frame_.size;
    const std::uint32_t far_a = far_corners(a_, b_), far_b = far_corners(b_, a_);
    if (a_.count() >= 3)
      for (int j = 0; j < b_.count(); ++j)
        if (!skipped(j) && !is_set(far_b, j) && a_.holds(b_.at(j), tolerance)) add(b_.at(j), vertex_of_b + b_.id(j));
    if (b_.count() >= 3)
      for (int i = 0; i < a_.count(); ++i)
        if (!is_set(far_a, i) && b_.holds(a_.at(i), tolerance)) add(a_.at(i), vertex_of_a + a_.id(i));
    for (int i = 0; i < a_.edge_count(); ++i) {
      if (is_set(far_a, i) && is_set(far_a, a_.next(i))) continue;
      for (int j = 0; j < b_.edge_count(); ++j)
        if (!skipped(j) && !(is_set(far_b, j) && is_set(far_b, b_.next(j)))) crossing(i, j);
    }
  }

 private:
  bool skipped(int edge_b) const { return frame_.skipped >> edge_b & 1u; }

  static bool is_set(std::uint32_t bits, int i) { return bits >> i & 1u; }

  // Corners that are too far from the plane of the other feature, when that is a face, a bit each. What lies between
  // two of them is so too; it makes most points of tilted faces short work.
  std::uint32_t far_corners(const Projection& p, const Projection& other) const {
    static_assert(Feature::capacity <= 32);
    if (other.count() < 3) return 0;
    const Real limit = frame_.max_gap + frame_.margin_a + frame_.margin_b + off_plane * frame_.size;
    const Real up = &p == &b_ ? 1.0 : -1.0;
    std::uint32_t far = 0;
    for (int i = 0; i < p.count(); ++i) {
      const Real gap = up * (p.height[static_cast<std::size_t>(i)] - other.height_at(p.at(i)));
      far |= static_cast<std::uint32_t>(gap > limit) << i;
    }
    return far;
  }

  void add(const Vec2& x, std::uint32_t feature) {
    const Real h_a = a_.height_at(x);
    const Real gap = b_.height_at(x) - h_a - frame_.margin_a - frame_.margin_b;
    if (gap > frame_.max_gap) return;
    const Vec3 core_a = frame_.origin + x.x() * t1_ + x.y() * t2_ + h_a * frame_.normal;
    const ManifoldPoint point = manifold_point(core_a + frame_.margin_a * frame_.normal, frame_.normal, gap, feature);
    for (const ManifoldPoint& other : out_.span())
      if ((other.position - point.position).squaredNorm() < frame_.merged * frame_.merged) return;
    out_.add(point);
  }

  void crossing(int i, int j) {
    const Vec2 ea = a_.at(a_.next(i)) - a_.at(i), eb = b_.at(b_.next(j)) - b_.at(j);
    const Real d = cross(ea, eb);
    const Real size = std::abs(d);
    const Vec2 r = b_.at(j) - a_.at(i);
    const Real along_a = cross(r, eb), along_b = cross(r, ea);
    // most edges pass each other: they need no division
    const Real sign = d > 0.0 ? 1.0 : -1.0, least = -passing * size, most = (1.0 + passing) * size;
    const auto passes = [&](Real x) { return x < least || x > most; };
    if (passes(sign * along_a) || passes(sign * along_b)) return;
    if (size <= 1e-9 * ea.norm() * eb.norm()) return;
    const Real s = along_a / d, t = along_b / d;
    if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0)
      add(a_.at(i) + s * ea, crossing_edges + (a_.id(i) << id_bits) + b_.id(j));
  }

  // two edges that face each other touch along a line only when they are parallel
  void lines() {
    const Vec2 ea = a_.at(1) - a_.at(0), eb = b_.at(1) - b_.at(0);
    if (std::abs(cross(ea, eb)) > parallel_sine * ea.norm() * eb.norm()) return;
    const auto ends = [this](const Projection& p, const Projection& other, std::uint32_t base) {
      const Vec2 e = other.at(1) - other.at(0);
      for (int i = 0; i < 2; ++i) {
        const Real t = e.dot(p.at(i) - other.at(0)), tolerance = frame_.inside * frame_.size * e.norm();
        if (t >= -tolerance && t <= e.squaredNorm() + tolerance) add(p.at(i), base + p.id(i));
      }
    };
    ends(b_, a_, vertex_of_b);
    ends(a_, b_, vertex_of_a);
  }

  const Projection &a_, &b_;
  const ClipFrame& frame_;
  const Vec3 &t1_, &t2_;
  ManifoldCandidates& out_;
};

}  // namespace

bool is_corner_of_a(std::uint32_t feature) { return (feature & crossing_edges) == vertex_of_a; }

void clip(const Feature& a, const Feature& b, const ClipFrame& frame, ManifoldCandidates& out) {
  Vec3 t1, t2;
  tangents(frame.normal, t1, t2);
  const Projection pa(a, frame.normal, t1, t2), pb(b, frame.normal, t1, t2);
  Clipper(pa, pb, frame, t1, t2, out).run();
}

void convex_manifold(const ConvexCore& a, const ConvexCore& b, const ConvexSeparation& s, const ClipFrame& frame,
                     Manifold& out) {
  Feature feature_a, feature_b;
  a.feature(s.normal, feature_a);
  b.feature(-s.normal, feature_b);
  feature_manifold(feature_a, feature_b, s, frame, out);
}

bool clip_to_separation(const Feature& a, const Feature& b, Real separation, const ClipFrame& frame,
                        ManifoldCandidates& out) {
  const Real gap = separation - frame.margin_a - frame.margin_b;
  clip(a, b, frame, out);
  Real least = 1e300;
  for (ManifoldPoint& c : out.points_added()) {
    // edges that are parallel within the tolerance only may seem nearer than the shapes are
    c.gap = std::max(c.gap, gap);
    least = std::min(least, c.gap);
  }
  return !(least > gap + 1e-9 * frame.size);
}

void finish_manifold(const ManifoldCandidates& candidates, bool complete, const ConvexSeparation& s,
                     const ClipFrame& frame, Manifold& out) {
  const Real tie = 1e-7 * frame.size;
  if (complete) return reduce(candidates.span(), s.normal, tie, out);
  // the nearest point stands for clipped points at its place
  const Real gap = s.distance - frame.margin_a - frame.margin_b;
  const ManifoldPoint nearest = manifold_point(frame.origin + s.on_a + frame.margin_a * s.normal, s.normal, gap, 0);
  ManifoldCandidates merged;
  merged.add(nearest);
  for (const ManifoldPoint& c : candidates.span())
    if ((c.position - nearest.position).norm() > frame.merged) merged.add(c);
  reduce(merged.span(), s.normal, tie, out);
}

void feature_manifold(const Feature& feature_a, const Feature& feature_b, const ConvexSeparation& s,
                      const ClipFrame& frame, Manifold& out) {
  if (s.distance - frame.margin_a - frame.margin_b > frame.max_gap) return;
  ManifoldCandidates candidates;
  const bool complete = clip_to_separation(feature_a, feature_b, s.distance, frame, candidates);
  finish_manifold(candidates, complete, s, frame, out);
}

}  // namespace grus
