// Polyhedra against an exact judge, and what their memory of the last step may not change.
//
// The judge knows vertices, edges and faces only and tries everything: separated pairs by the least distance of any
// vertex to any face and of any two edges; overlapping ones by the largest separation over all face normals and all
// products of edges (which hold those of the Minkowski difference; the others prove less).
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "collision/narrow_phase.hpp"
#include "collision/shapes/polyhedron.hpp"
#include "shape_cases.hpp"

namespace grus::polyhedron_test {
namespace {

using namespace test;

// Of the size of the pair: the promise of the narrow phase.
constexpr Real exact = 1e-9;
#ifdef NDEBUG
constexpr int pair_count = 100000;
#else
constexpr int pair_count = 1000;  // unoptimised, the judge is slow
#endif

struct Body {
  std::vector<Vec3> vertices, normals;
  std::vector<std::pair<Vec3, Vec3>> edges;       // from, along
  std::vector<std::vector<std::size_t>> corners;  // of faces
  Vec3 centre;

  Body(const OwnedShape& s, const Pose& X) : centre(X.position) {
    const Polyhedron& p = *s.polyhedron;
    for (const Vec3& v : p.vertices) vertices.emplace_back(X.position + X.rotation * (s.collider.scale * v));
    for (const Vec3& n : p.face_normal) normals.emplace_back(X.rotation * n);
    for (const PolyhedronEdge& e : p.edges)
      edges.emplace_back(vertices[static_cast<std::size_t>(e.from)],
                         vertices[static_cast<std::size_t>(e.to)] - vertices[static_cast<std::size_t>(e.from)]);
    for (std::size_t f = 0; f < normals.size(); ++f) {
      corners.emplace_back();
      for (Index k = p.face_begin[f]; k < p.face_begin[f + 1]; ++k)
        corners.back().push_back(static_cast<std::size_t>(p.face_vertices[static_cast<std::size_t>(k)]));
    }
  }

  Real top(const Vec3& n) const {
    Real most = -1e300;
    for (const Vec3& v : vertices) most = std::max(most, n.dot(v));
    return most;
  }
};

Real separation_along(const Body& a, const Body& b, const Vec3& n) { return -b.top(-n) - a.top(n); }

struct Judgement {
  Real distance = -1e300;
  Vec3 normal = Vec3::UnitX();
  Real second = -1e300;  // the best that another direction reaches, when they overlap
};

// The largest separation over all faces and edge pairs.
Judgement judge_axes(const Body& a, const Body& b) {
  Judgement best;
  const auto consider = [&](const Vec3& n) {
    const Real s = separation_along(a, b, n);
    const bool same = n.dot(best.normal) > 1.0 - 1e-12;
    if (s > best.distance) {
      if (!same) best.second = best.distance;
      best.distance = s;
      best.normal = n;
    } else if (!same) {
      best.second = std::max(best.second, s);
    }
  };
  for (const Vec3& n : a.normals) consider(n);
  for (const Vec3& n : b.normals) consider(-n);
  for (const auto& [pa, ea] : a.edges)
    for (const auto& [pb, eb] : b.edges) {
      const Vec3 product = ea.cross(eb);
      if (product.norm() < 1e-7 * ea.norm() * eb.norm()) continue;
      Vec3 n = product.normalized();
      // both edges must be outermost, else the axis proves little; that alone leaves few to measure
      for (int side = 0; side < 2; ++side, n = -n)
        if (n.dot(pb - pa) > best.second && a.top(n) < n.dot(pa) + 1e-6 && b.top(-n) < -n.dot(pb) + 1e-6) consider(n);
    }
  return best;
}

// Nearest points of two segments: inside both, or an end of one of them.
void nearest_on_edges(const std::pair<Vec3, Vec3>& x, const std::pair<Vec3, Vec3>& y, Vec3& best) {
  const auto keep = [&](const Vec3& d) {
    if (d.squaredNorm() < best.squaredNorm()) best = d;
  };
  const auto& [p, u] = x;
  const auto& [q, v] = y;
  const Vec3 r = q - p;
  const Real uu = u.dot(u), vv = v.dot(v), uv = u.dot(v), det = uu * vv - uv * uv;
  if (det > 1e-12 * uu * vv) {
    const Real s = (r.dot(u) * vv - r.dot(v) * uv) / det, t = (r.dot(u) * uv - r.dot(v) * uu) / det;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) keep(r + t * v - s * u);
  }
  for (const Real t : {0.0, 1.0}) {
    keep(r + t * v - std::clamp(u.dot(r + t * v) / uu, 0.0, 1.0) * u);
    keep(r + std::clamp(v.dot(t * u - r) / vv, 0.0, 1.0) * v - t * u);
  }
}

// Vertices of `points` over the faces of `body`; d from body to point.
template <class Keep>
void nearest_on_faces(const Body& body, const Body& points, const Keep& keep) {
  for (std::size_t f = 0; f < body.normals.size(); ++f) {
    const Vec3& n = body.normals[f];
    const std::vector<std::size_t>& loop = body.corners[f];
    for (const Vec3& x : points.vertices) {
      const Real height = n.dot(x - body.vertices[loop[0]]);
      if (height <= 0.0) continue;
      bool over = true;
      for (std::size_t k = 0; k < loop.size() && over; ++k) {
        const Vec3 &p0 = body.vertices[loop[k]], &p1 = body.vertices[loop[(k + 1) % loop.size()]];
        over = n.dot((p1 - p0).cross(x - p0)) >= 0.0;
      }
      if (over) keep(Vec3(height * n));
    }
  }
}

Judgement judge(const Body& a, const Body& b) {
  Judgement result = judge_axes(a, b);
  if (result.distance <= 0.0) return result;
  Vec3 best = b.vertices[0] - a.vertices[0];
  const auto keep = [&](const Vec3& d) {
    if (d.squaredNorm() < best.squaredNorm()) best = d;
  };
  nearest_on_faces(a, b, keep);
  nearest_on_faces(b, a, [&](const Vec3& d) { keep(-d); });
  for (const auto& ea : a.edges)
    for (const auto& eb : b.edges) nearest_on_edges(ea, eb, best);
  // the least distance is the largest separation, unless the two are apart by rounding only
  result.normal = best.norm() > 1e-6 ? Vec3(best.normalized()) : result.normal;
  result.distance = std::max(result.distance, best.norm());
  result.second = -1e300;
  return result;
}

struct RandomPair {
  OwnedShape a, b;
  Pose X_a, X_b;
  Real size;

  explicit RandomPair(Random& random) {
    a = random_shape(random, ShapeKind::polyhedron, false, 1.0);
    b = random_shape(random, ShapeKind::polyhedron, false, 1.0);
    if (random.below(4) == 0) b = a;
    X_a = {random_vector(random, 3.0), random_or_aligned_rotation(random, false)};
    X_b = {X_a.position, random.below(4) == 0 ? X_a.rotation : random_or_aligned_rotation(random, false)};
    size = a.collider.bound_radius + b.collider.bound_radius;
    // along one of the faces now and then, so that faces are parallel and edges meet
    Vec3 d = random_direction(random);
    if (random.below(3) == 0) d = X_a.rotation * a.polyhedron->face_normal[0];
    X_b.position += random.uniform(0.0, 1.0) * size * d;
  }
  Manifold collided(Real max_gap, PairMemory* memory = nullptr) const {
    Manifold m;
    collide(a.placed(X_a), b.placed(X_b), false, max_gap, m, memory);
    return m;
  }
};

const ManifoldPoint& deepest(const Manifold& m) {
  return *std::min_element(m.begin(), m.end(), [](const auto& x, const auto& y) { return x.gap < y.gap; });
}

TEST(Polyhedra, DistanceNormalAndDepthAreThoseOfTheExactJudge) {
  Random random(41);
  int overlapping = 0, apart = 0, unique = 0;
  for (int i = 0; i < pair_count; ++i) {
    const RandomPair pair(random);
    const Real max_gap = 0.05 * pair.size;
    const Manifold m = pair.collided(max_gap);
    const Body a(pair.a, pair.X_a), b(pair.b, pair.X_b);
    // pairs whose balls are apart say nothing
    const Judgement truth = judge(a, b);
    if (std::abs(truth.distance - max_gap) < exact * pair.size) continue;
    ASSERT_EQ(m.count > 0, truth.distance < max_gap) << "pair " << i << ", distance " << truth.distance;
    if (m.count == 0) continue;
    (truth.distance < 0.0 ? overlapping : apart)++;
    const ManifoldPoint& p = deepest(m);
    ASSERT_NEAR(p.gap, truth.distance, exact * pair.size) << "pair " << i;
    // where the normal is unique: of the overlapping ones those whose second best direction is clearly worse
    const bool clear = truth.distance > 1e-3 * pair.size || truth.second < truth.distance - 1e-6 * pair.size;
    if (truth.distance <= 0.0 && !clear) continue;
    if (truth.distance > 0.0 && truth.distance < 1e-3 * pair.size) continue;
    ++unique;
    ASSERT_LT((p.normal - truth.normal).norm(), 1e-7) << "pair " << i << ", distance " << truth.distance;
  }
  EXPECT_GT(overlapping, pair_count / 4);
  EXPECT_GT(apart, pair_count / 100);
  EXPECT_GT(unique, pair_count / 4);
}

bool same_bits(const Manifold& x, const Manifold& y) {
  if (x.count != y.count) return false;
  for (std::size_t k = 0; k < static_cast<std::size_t>(x.count); ++k) {
    const ManifoldPoint &p = x.points[k], &q = y.points[k];
    if (p.feature != q.feature || std::memcmp(&p.position, &q.position, sizeof(Vec3)) ||
        std::memcmp(&p.normal, &q.normal, sizeof(Vec3)) || std::memcmp(&p.gap, &q.gap, sizeof(Real)))
      return false;
  }
  return true;
}

// Memories of the last step, of a much older one, and of another pair: the points are those of no memory.
TEST(Polyhedra, MemoryDoesNotChangeABit) {
  Random random(42);
  int touching = 0;
  for (int path = 0; path < 1000; ++path) {
    RandomPair pair(random);
    // wide gaps let corners face each other, where the midpoint of the features lies outside both
    constexpr std::array gaps{0.0, 0.02, 0.3};
    const Real max_gap = gaps[random.below(3)] * pair.size;
    const Vec3 velocity = random_direction(random), spin = random_direction(random);
    PairMemory followed, old;
    const Real step = std::pow(10.0, random.uniform(-6.0, -1.5));
    for (int k = 0; k < 40; ++k) {
      pair.X_b.position += step * velocity;
      pair.X_b.rotation = rotated(pair.X_b.rotation, step * spin);
      const Manifold expected = pair.collided(max_gap);
      touching += expected.count > 0;
      ASSERT_TRUE(same_bits(pair.collided(max_gap, &followed), expected)) << "path " << path << " step " << k;
      PairMemory stale = old;
      ASSERT_TRUE(same_bits(pair.collided(max_gap, &stale), expected)) << "path " << path << " step " << k;
      if (k == 0) old = followed;
    }
  }
  EXPECT_GT(touching, 10000);
}

TEST(Polyhedra, SearchesFindTheFarthestVertex) {
  Random random(43);
  // a ball of many vertices: the search climbs
  Polyhedron ball;
  const auto on_ball = [](int ring, int k) {
    const Real polar = std::numbers::pi * (ring + 1) / 21, angle = 2.0 * std::numbers::pi * (k + 0.5 * (ring % 2)) / 30;
    return Vec3(std::sin(polar) * std::cos(angle), std::sin(polar) * std::sin(angle), std::cos(polar));
  };
  std::vector<std::vector<Index>> around;
  for (int ring = 0; ring < 20; ++ring)
    for (int k = 0; k < 30; ++k) ball.vertices.push_back(on_ball(ring, k));
  ball.neighbour_begin.push_back(0);
  for (int ring = 0; ring < 20; ++ring)
    for (int k = 0; k < 30; ++k) {
      const auto add = [&](int r, int j) {
        if (r >= 0 && r < 20) ball.neighbours.push_back(static_cast<Index>(r * 30 + (j + 30) % 30));
      };
      add(ring, k - 1);
      add(ring, k + 1);
      for (const int r : {ring - 1, ring + 1}) {
        add(r, k);
        add(r, k + (ring % 2 ? 1 : -1));
      }
      // the caps are faces of 30 corners: every corner sees the next only, which is enough to climb
      ball.neighbour_begin.push_back(static_cast<Index>(ball.neighbours.size()));
    }
  ASSERT_GT(ball.vertex_count(), polyhedron::climb_from);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 d = random_vector(random, 1.0);
    for (const Polyhedron* p : {static_cast<const Polyhedron*>(&ball), shelf_polyhedron(random).get()}) {
      Real most = -1e300;
      for (const Vec3& v : p->vertices) most = std::max(most, d.dot(v));
      ASSERT_NEAR(polyhedron::reach(*p, d), most, 1e-14);
      ASSERT_NEAR(d.dot(p->vertices[static_cast<std::size_t>(polyhedron::support_vertex(*p, d))]), most, 1e-14);
    }
  }
}

}  // namespace
}  // namespace grus::polyhedron_test
