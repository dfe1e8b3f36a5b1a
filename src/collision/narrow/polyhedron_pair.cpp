// Polyhedron against polyhedron: separating axes, pruned by bounds.
//
// D = B - A, the Minkowski difference, is a polyhedron whose faces have the normals
//   of faces of A, of faces of B, and e_a x e_b of edges whose arcs cross on the Gauss sphere (Gregorius 2013).
// With s(n) = min_b n.b - max_a n.a, the largest s over these normals is minus the depth when A and B overlap, and
// positive when they do not; it is then the distance if the two features face each other, else (corner against corner
// or edge) the distance is found by GJK.
//
// Few normals need their s: for any point y of B, a face of A has s <= n.y - offset, its height over the face, and an
// edge of A whose two faces have negative heights has s <= the larger of the two (a unit normal on the arc between them
// is a sum of both with weights that add up to 1 or more). With y amid the contact all but the touching faces drop
// out against any lower bound of the result.
//
// Bounds come from the last step or from GJK, and decide about cost only: what they rule out cannot win, and the winner
// is a function of the poses. So a fresh memory gives the same bits.
#include <cmath>

#include "collision/narrow/axis_search.hpp"
#include "collision/narrow/clip.hpp"
#include "collision/narrow/convex_convex.hpp"
#include "collision/narrow/gjk.hpp"
#include "collision/narrow/pair_functions.hpp"

namespace grus {

namespace {

// Of the size of the pair, well above the error of the distance: what is rejected early is beyond the limit.
constexpr Real reject_slack = 1e-8;

// Of the size of the pair: how far a remembered point may lie outside its shape, a tenth of what the bounds give way
// by.
constexpr Real inside_tolerance = 1e-6;

// Of the size of the pair: points amid the contact this near to the remembered ones are as good.
constexpr Real same_place = 1e-2;

// A guess of the axis, frame of a, and bounds.
struct Guess {
  Vec3 n;
  AxisBounds bounds;
};

PairMemory::Coordinates stored(const Vec3& x) { return x.cast<float>(); }

// The search for the axis, from what is known of the pair; false when it is beyond the limit.
struct PolyhedronSearch {
  const ConvexCore &a, &b;
  const PolyhedronPair& pair;
  Real limit, size;

  // Bounds by GJK, when the last step has none.
  bool guess_by_gjk(const Vec3& start, Guess& guess) const {
    ConvexSeparation s;
    const GjkStatus status = gjk(a, b, std::max(limit, 0.0) + reject_slack * size, size, a.R * start, s);
    if (status == GjkStatus::overlapping) {
      guess.n = start;
      guess.bounds.on_a = guess.bounds.on_b = a.R.transpose() * s.on_a;
      return true;
    }
    guess.n = a.R.transpose() * s.normal;
    if (status == GjkStatus::beyond_limit) return false;
    guess.bounds.on_a = a.R.transpose() * s.on_a;
    guess.bounds.on_b = guess.bounds.on_a + s.distance * guess.n;
    return true;
  }

  // `guess.n` is set in either case; false: guess.bounds.lower is a bound of the distance.
  bool make_guess(const PairMemory& memory, Guess& guess) const {
    const bool known = memory.state != PairMemory::State::unknown;
    guess.n = known ? Vec3(memory.direction.cast<Real>().normalized())
                    : direction_or(pair.centre, pair.centre.norm(), Vec3::UnitX());
    Real& lower = guess.bounds.lower;
    lower = pair.separation(guess.n);
    if (lower > limit + reject_slack * size) return false;
    if (memory.state == PairMemory::State::near) {
      guess.bounds.on_a = memory.on_a.cast<Real>();
      guess.bounds.on_b = pair.R * memory.on_b.cast<Real>() + pair.centre;
      guess.bounds.corners_a = {memory.corners_a.data(), memory.corner_count_a};
      guess.bounds.corners_b = {memory.corners_b.data(), memory.corner_count_b};
      return true;
    }
    const bool near = guess_by_gjk(guess.n, guess);
    lower = std::max(lower, pair.separation(guess.n));
    return near;
  }
};

void remember_corners(const Feature& feature, std::array<std::uint16_t, PairMemory::corner_capacity>& corners,
                      std::uint8_t& count) {
  count = static_cast<std::uint8_t>(std::min(feature.count, PairMemory::corner_capacity));
  for (int i = 0; i < count; ++i)
    corners[static_cast<std::size_t>(i)] = feature.ids[static_cast<std::size_t>(i * feature.count / count)];
}

void remember(const PolyhedronPair& pair, const ConvexCore& a, const Vec3& origin, Real size, const Manifold& m,
              bool was_near, PairMemory& memory) {
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
  for (const ManifoldPoint& p : m) {
    on_a += p.position - 0.5 * p.gap * p.normal - origin;
    on_b += p.position + 0.5 * p.gap * p.normal - origin;
  }
  const Real share = 1.0 / m.count;
  on_a = a.R.transpose() * (share * on_a);
  on_b = pair.R.transpose() * (a.R.transpose() * (share * on_b) - pair.centre);
  // points of the last contact lie in their shapes still
  const auto same = [&](const Vec3& now, const PairMemory::Coordinates& before) {
    return (now - before.cast<Real>()).squaredNorm() < same_place * same_place * size * size;
  };
  if (was_near && same(on_a, memory.on_a) && same(on_b, memory.on_b)) {
    memory.state = PairMemory::State::near;
    return;
  }
  memory.on_a = stored(on_a);
  memory.on_b = stored(on_b);
  // Where features do not meet the midpoint may lie outside a shape, and would rule out what must win.
  const bool inside = holds(pair.a, pair.scale_a, memory.on_a.cast<Real>(), inside_tolerance * size) &&
                      holds(pair.b, pair.scale_b, memory.on_b.cast<Real>(), inside_tolerance * size);
  if (inside) memory.state = PairMemory::State::near;
}

}  // namespace

void polyhedron_pair(const PlacedShape& shape_a, const PlacedShape& shape_b, Real max_gap, PairMemory& memory,
                     Manifold& out) {
  const ConvexCore a(shape_a, shape_a.p), b(shape_b, shape_a.p);
  const PolyhedronPair pair(a, b);
  const Real size = shape_a.collider->bound_radius + shape_b.collider->bound_radius;
  const PolyhedronSearch search{a, b, pair, max_gap, size};
  Guess guess;
  const bool near = search.make_guess(memory, guess);
  const bool was_near = memory.state == PairMemory::State::near;
  memory.direction = stored(guess.n);
  memory.state = PairMemory::State::apart;
  memory.apart_by = guess.bounds.lower;
  if (!near) return;

  const PolyhedronAxis axis = best_axis(pair, guess.bounds, size);
  memory.direction = stored(axis.n);
  memory.apart_by = axis.separation;
  if (axis.separation > max_gap) return;
  ConvexSeparation s{axis.separation, a.R * axis.n, Vec3::Zero()};
  // Of overlapping shapes the point is asked for only where clipping does not find it.
  const bool asked = axis.separation > 0.0;
  const bool meet = asked && features_meet(pair, axis, size, s.on_a);
  if (asked) s.on_a = a.R * s.on_a;
  if (asked && !meet) {
    ConvexSeparation nearest;
    const GjkStatus status = gjk(a, b, std::max(max_gap, 0.0), size, s.normal, nearest);
    if (status == GjkStatus::beyond_limit) {
      memory.apart_by = separation_along(a, b, nearest.normal);
      return;
    }
    if (status == GjkStatus::separated) sharpen_normal(a, b, size, nearest);
    if (status == GjkStatus::separated && nearest.distance > s.distance) {
      s = nearest;
      memory.direction = stored(a.R.transpose() * s.normal);
    }
  }
  memory.apart_by = s.distance;
  if (s.distance > max_gap) return;
  Feature feature_a, feature_b;
  a.feature(s.normal, feature_a);
  b.feature(-s.normal, feature_b);
  const Real merged = merging_distance(*shape_a.collider, *shape_b.collider);
  const ClipFrame frame{shape_a.p, s.normal, 0.0, 0.0, max_gap, size, merged};
  ManifoldCandidates candidates;
  const bool complete = clip_to_separation(feature_a, feature_b, s.distance, frame, candidates);
  if (!complete && !asked) {
    features_meet(pair, axis, size, s.on_a);
    s.on_a = a.R * s.on_a;
  }
  finish_manifold(candidates, complete, s, frame, out);
  remember_corners(feature_a, memory.corners_a, memory.corner_count_a);
  remember_corners(feature_b, memory.corners_b, memory.corner_count_b);
  remember(pair, a, shape_a.p, size, out, was_near, memory);
}

void polyhedron_polyhedron(const PlacedShape& a, const PlacedShape& b, Real max_gap, Manifold& out) {
  PairMemory nothing;
  polyhedron_pair(a, b, max_gap, nothing, out);
}

}  // namespace grus
