#include "model/convex_hull.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "math/rotation.hpp"

namespace grus::convex_hull_test {
namespace {

using testing::HasSubstr;

// What "exact" means for the integrals: some hundred operations of rounding.
constexpr Real exact = 1e-13;

ConvexHull hull_of(const std::vector<Vec3>& points, Real flatness = flat_in_double) {
  auto result = convex_hull(points, flatness);
  if (const auto* message = std::get_if<std::string>(&result)) {
    ADD_FAILURE() << *message;
    return {};
  }
  return std::get<ConvexHull>(std::move(result));
}

std::string error_of(const std::vector<Vec3>& points) {
  auto result = convex_hull(points);
  const auto* message = std::get_if<std::string>(&result);
  return message ? *message : "";
}

std::vector<Vec3> box_points(const Vec3& half) {
  std::vector<Vec3> points;
  for (const Real x : {-1.0, 1.0})
    for (const Real y : {-1.0, 1.0})
      for (const Real z : {-1.0, 1.0}) points.emplace_back(half.cwiseProduct(Vec3(x, y, z)));
  return points;
}

std::vector<Vec3> moved(std::vector<Vec3> points, const Vec3& axis_angle, const Vec3& shift) {
  const Quat turn = exp_rotation(axis_angle);
  for (Vec3& p : points) p = shift + turn * p;
  return points;
}

std::vector<Vec3> random_points(std::uint64_t seed, int count, const Vec3& size) {
  Random random(seed);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i)
    points.emplace_back(size.cwiseProduct(Vec3(random.normal(), random.normal(), random.normal())));
  return points;
}

// Everything the header promises about a polyhedron, checked one by one.
void expect_sound(const Polyhedron& p, Real tolerance) {
  const auto n = static_cast<std::size_t>(p.face_count());
  ASSERT_EQ(p.face_begin.size(), n + 1);
  ASSERT_EQ(p.face_offset.size(), n);
  EXPECT_EQ(p.vertex_count() - static_cast<Index>(p.edges.size()) + p.face_count(), 2) << "Euler";
  Real inner = std::numeric_limits<Real>::infinity(), bound = 0.0;
  for (const Vec3& v : p.vertices) bound = std::max(bound, v.norm());
  for (std::size_t f = 0; f < n; ++f) {
    EXPECT_NEAR(p.face_normal[f].norm(), 1.0, 1e-14);
    EXPECT_GT(p.face_offset[f], 0.0);
    inner = std::min(inner, p.face_offset[f]);
    for (const Vec3& v : p.vertices) EXPECT_LE(p.face_normal[f].dot(v), p.face_offset[f] + tolerance * bound);
    const Index begin = p.face_begin[f], end = p.face_begin[f + 1];
    ASSERT_GE(end - begin, 3);
    for (Index k = begin; k < end; ++k) {
      const auto vertex = [&](Index i) {
        return p.vertices[static_cast<std::size_t>(p.face_vertices[static_cast<std::size_t>(i)])];
      };
      const Vec3 a = vertex(k), b = vertex(k + 1 < end ? k + 1 : begin);
      EXPECT_NEAR(p.face_normal[f].dot(a), p.face_offset[f], tolerance * bound);
      const Vec3 c = vertex(k + 2 < end ? k + 2 : k + 2 - end + begin);
      EXPECT_GT((b - a).cross(c - b).dot(p.face_normal[f]), 0.0) << "left turn at every corner";
    }
  }
  EXPECT_DOUBLE_EQ(p.inner_radius, inner);
  EXPECT_DOUBLE_EQ(p.bound_radius, bound);
  std::set<std::pair<Index, Index>> seen;
  for (const PolyhedronEdge& edge : p.edges) {
    EXPECT_LT(edge.from, edge.to);
    EXPECT_TRUE(seen.emplace(edge.from, edge.to).second);
    const auto runs = [&](Index face, Index from, Index to) {
      const auto f = static_cast<std::size_t>(face);
      for (Index k = p.face_begin[f]; k < p.face_begin[f + 1]; ++k) {
        const Index next = k + 1 < p.face_begin[f + 1] ? k + 1 : p.face_begin[f];
        if (p.face_vertices[static_cast<std::size_t>(k)] == from &&
            p.face_vertices[static_cast<std::size_t>(next)] == to)
          return true;
      }
      return false;
    };
    EXPECT_TRUE(runs(edge.left, edge.from, edge.to));
    EXPECT_TRUE(runs(edge.right, edge.to, edge.from));
  }
  EXPECT_TRUE(std::is_sorted(p.edges.begin(), p.edges.end(), [](const PolyhedronEdge& a, const PolyhedronEdge& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  }));
  EXPECT_EQ(p.neighbours.size(), 2 * p.edges.size());
  for (Index v = 0; v < p.vertex_count(); ++v) {
    EXPECT_GE(p.neighbour_begin[static_cast<std::size_t>(v) + 1] - p.neighbour_begin[static_cast<std::size_t>(v)], 3);
    for (Index k = p.neighbour_begin[static_cast<std::size_t>(v)];
         k < p.neighbour_begin[static_cast<std::size_t>(v) + 1]; ++k) {
      const Index w = p.neighbours[static_cast<std::size_t>(k)];
      EXPECT_TRUE(seen.contains({std::min(v, w), std::max(v, w)}));
    }
  }
}

// Independent of qhull and of the formula under test: every triple of points with all others on one side is a face of
// the hull (points in general position); surface integrals (divergence theorem) by the four-point rule of degree 3.
PolyhedronIntegrals brute_force(const std::vector<Vec3>& points) {
  constexpr std::array<std::array<Real, 4>, 4> rule = {{{-27.0 / 48.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0},
                                                        {25.0 / 48.0, 0.6, 0.2, 0.2},
                                                        {25.0 / 48.0, 0.2, 0.6, 0.2},
                                                        {25.0 / 48.0, 0.2, 0.2, 0.6}}};
  Real volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  const std::size_t n = points.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      for (std::size_t k = j + 1; k < n; ++k) {
        Vec3 area = 0.5 * (points[j] - points[i]).cross(points[k] - points[i]);
        int above = 0;
        for (std::size_t l = 0; l < n; ++l) {
          if (l != i && l != j && l != k) above += area.dot(points[l] - points[i]) > 0.0 ? 1 : 0;
        }
        if (above != 0 && above != static_cast<int>(n) - 3) continue;
        if (above != 0) area = -area;
        for (const auto& [weight, a, b, c] : rule) {
          const Vec3 x = a * points[i] + b * points[j] + c * points[k];
          volume += weight * x.dot(area) / 3.0;
          for (int r = 0; r < 3; ++r) {
            first[r] += weight * x[r] * x[r] * area[r] / 2.0;
            for (int s = 0; s < 3; ++s) second(r, s) += weight * x[r] * x[r] * x[s] * area[r] / (r == s ? 3.0 : 2.0);
          }
        }
      }
    }
  }
  PolyhedronIntegrals result{volume, first / volume, Mat3::Zero()};
  second -= volume * result.center * result.center.transpose();
  result.inertia = second.trace() * Mat3::Identity() - second;
  return result;
}

TEST(ConvexHull, BoxIsExactInAnyPose) {
  const Vec3 half(0.5, 0.3, 0.11);
  const Real v = 8.0 * half.prod();
  const Vec3 square = half.cwiseProduct(half);
  const Mat3 inertia =
      (v / 3.0 * Vec3(square.y() + square.z(), square.z() + square.x(), square.x() + square.y())).asDiagonal();
  for (const Vec3& turn : {Vec3(0, 0, 0), Vec3(0.3, -1.1, 0.7), Vec3(2.0, 0.1, 0.1)}) {
    const Vec3 shift(1.0, -2.0, 0.5);
    const ConvexHull hull = hull_of(moved(box_points(half), turn, shift));
    expect_sound(hull.polyhedron, 1e-14);
    EXPECT_EQ(hull.polyhedron.vertex_count(), 8);
    EXPECT_EQ(hull.polyhedron.face_count(), 6) << "two triangles of a side are one face";
    EXPECT_NEAR(hull.integrals.volume, v, exact * v);
    EXPECT_LT((hull.center - shift).norm(), exact);
    EXPECT_LT(hull.integrals.center.norm(), exact * half.norm());
    const Mat3 r = exp_rotation(turn).toRotationMatrix();
    EXPECT_LT((hull.integrals.inertia - r * inertia * r.transpose()).norm(), exact * inertia.norm());
    EXPECT_NEAR(hull.polyhedron.bound_radius, half.norm(), 1e-14);
    EXPECT_NEAR(hull.polyhedron.inner_radius, 0.11, 1e-14);
  }
}

TEST(ConvexHull, TetrahedronAndOctahedronHaveTheirClosedForms) {
  // regular tetrahedron of edge a: V = a^3/(6 sqrt 2), I = V a^2/20 about any axis
  const ConvexHull tetrahedron = hull_of({{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}});
  const Real a = 2.0 * std::sqrt(2.0);
  const Real v = a * a * a / (6.0 * std::sqrt(2.0));
  expect_sound(tetrahedron.polyhedron, 1e-14);
  EXPECT_NEAR(tetrahedron.integrals.volume, v, exact * v);
  EXPECT_LT((tetrahedron.integrals.inertia - v * a * a / 20.0 * Mat3::Identity()).norm(), exact * v * a * a);
  // octahedron of edge b: V = sqrt(2)/3 b^3, I = V b^2/10
  const ConvexHull octahedron = hull_of({{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}});
  const Real b = std::sqrt(2.0);
  const Real w = std::sqrt(2.0) / 3.0 * b * b * b;
  expect_sound(octahedron.polyhedron, 1e-14);
  EXPECT_EQ(octahedron.polyhedron.face_count(), 8);
  EXPECT_NEAR(octahedron.integrals.volume, w, exact * w);
  EXPECT_LT((octahedron.integrals.inertia - w * b * b / 10.0 * Mat3::Identity()).norm(), exact * w * b * b);
}

TEST(ConvexHull, RandomHullsMatchSurfaceIntegralsOverABruteForceHull) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    // needles and plates among them
    const Vec3 size = seed % 3 == 0 ? Vec3(1, 0.01, 0.01) : seed % 3 == 1 ? Vec3(1, 0.8, 0.02) : Vec3(1, 0.9, 0.8);
    const std::vector<Vec3> points = random_points(seed, 14, size);
    const ConvexHull hull = hull_of(points);
    expect_sound(hull.polyhedron, 1e-12);
    const PolyhedronIntegrals other = brute_force(points);
    EXPECT_NEAR(hull.integrals.volume, other.volume, exact * other.volume);
    EXPECT_LT((hull.center - other.center).norm(), exact * hull.polyhedron.bound_radius);
    EXPECT_LT((hull.integrals.inertia - other.inertia).norm(), exact * other.inertia.norm());
    // every point lies inside
    for (const Vec3& p : points) {
      for (std::size_t f = 0; f < hull.polyhedron.face_normal.size(); ++f)
        EXPECT_LE(hull.polyhedron.face_normal[f].dot(p - hull.center), hull.polyhedron.face_offset[f] + 1e-13);
    }
  }
}

TEST(ConvexHull, PointsOnFacesAndEdgesAndRepeatedOnesChangeNothing) {
  std::vector<Vec3> points = box_points(Vec3(0.5, 0.5, 0.5));
  Random random(3);
  for (int i = 0; i < 200; ++i) points.emplace_back(0.5, random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5));
  for (int i = 0; i < 50; ++i) points.emplace_back(random.uniform(-0.5, 0.5), 0.5, 0.5);
  for (int i = 0; i < 8; ++i) points.push_back(points[static_cast<std::size_t>(i)] + Vec3::Constant(1e-12));
  for (const Vec3& turn : {Vec3(0, 0, 0), Vec3(0.4, 0.8, -0.3)}) {
    const ConvexHull hull = hull_of(moved(points, turn, Vec3::Zero()));
    expect_sound(hull.polyhedron, 1e-9);
    EXPECT_EQ(hull.polyhedron.vertex_count(), 8);
    EXPECT_EQ(hull.polyhedron.face_count(), 6);
    EXPECT_NEAR(hull.integrals.volume, 1.0, 1e-10);
  }
}

TEST(ConvexHull, SinglePrecisionFacesJoinWithTheToleranceOfFiles) {
  std::vector<Vec3> points;  // a prism of 12 sides, turned and rounded as a mesh file does
  for (int i = 0; i < 12; ++i) {
    for (const Real z : {-0.3, 0.3}) points.emplace_back(std::cos(i * M_PI / 6.0), std::sin(i * M_PI / 6.0), z);
  }
  points = moved(points, Vec3(0.5, -0.4, 1.3), Vec3(0.2, 0.1, 0.7));
  for (Vec3& p : points) p = p.cast<float>().cast<Real>();
  const ConvexHull hull = hull_of(points, flat_in_single);
  expect_sound(hull.polyhedron, flat_in_single);
  EXPECT_EQ(hull.polyhedron.vertex_count(), 24);
  EXPECT_EQ(hull.polyhedron.face_count(), 14);
  EXPECT_NEAR(hull.integrals.volume, 3.0 * 0.6, 1e-6);
}

TEST(ConvexHull, ManyPointsOnASphereAreSound) {
  std::vector<Vec3> points = random_points(8, 1500, Vec3::Ones());
  for (Vec3& p : points) p.normalize();
  const ConvexHull hull = hull_of(points);
  expect_sound(hull.polyhedron, 1e-8);
  EXPECT_EQ(hull.polyhedron.vertex_count(), 1500);
  EXPECT_NEAR(hull.integrals.volume, 4.0 / 3.0 * M_PI, 0.05);
}

TEST(ConvexHull, GridsAreMergedToCubes) {
  std::vector<Vec3> points;
  for (int i = 0; i <= 10; ++i)
    for (int j = 0; j <= 10; ++j)
      for (int k = 0; k <= 10; ++k) points.emplace_back(0.1 * i, 0.1 * j, 0.1 * k);
  const ConvexHull hull = hull_of(moved(points, Vec3(0.1, 0.2, 0.3), Vec3(5, 5, 5)));
  EXPECT_EQ(hull.polyhedron.vertex_count(), 8);
  EXPECT_EQ(hull.polyhedron.face_count(), 6);
}

TEST(ConvexHull, ScaleDoesNotMatter) {
  const std::vector<Vec3> points = random_points(5, 40, Vec3(1, 0.7, 0.5));
  const ConvexHull one = hull_of(points);
  for (const Real scale : {std::exp2(-20), std::exp2(20)}) {
    std::vector<Vec3> scaled = points;
    for (Vec3& p : scaled) p *= scale;
    const ConvexHull other = hull_of(scaled);
    ASSERT_EQ(other.polyhedron.face_vertices, one.polyhedron.face_vertices);
    for (std::size_t i = 0; i < one.polyhedron.vertices.size(); ++i)
      EXPECT_EQ(other.polyhedron.vertices[i], Vec3(scale * one.polyhedron.vertices[i]));
  }
}

TEST(ConvexHull, SaysWhatIsWrongWithThePoints) {
  EXPECT_THAT(error_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), HasSubstr("at least 4 points, found 3"));
  EXPECT_THAT(error_of(std::vector<Vec3>(9, Vec3(1, 1, 1))), HasSubstr("long, expected at least"));
  EXPECT_THAT(error_of({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {5, 5, 5}}), HasSubstr("on a line"));
  EXPECT_THAT(error_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.2, 1e-9}}), HasSubstr("in a plane"));
  const Real infinite = std::numeric_limits<Real>::infinity();
  EXPECT_THAT(error_of({{0, 0, 0}, {1, 0, 0}, {0, infinite, 0}, {1, 1, 0}}), HasSubstr("point 3"));
  EXPECT_THAT(error_of({{0, 0, 0}, {1, 0, 0}, {0, std::nan(""), 0}, {1, 1, 0}}), HasSubstr("not finite"));
  EXPECT_THAT(error_of({{0, 0, 0}, {1e300, 0, 0}, {0, 1, 0}, {1, 1, 1}}), HasSubstr("point 2"));
  std::vector<Vec3> scan = random_points(1, 20000, Vec3::Ones());
  for (Vec3& p : scan) p.normalize();
  EXPECT_THAT(error_of(scan), HasSubstr("use a coarser mesh"));
}

TEST(ConvexHull, NearlyDegeneratePointsGiveASoundHull) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    // heaps of points on few planes, lines and spots, off by anything from nothing to a thousandth
    const Real off = std::pow(10.0, random.uniform(-17.0, -3.0));
    std::vector<Vec3> points;
    for (int i = 0; i < 30; ++i) {
      Vec3 p(std::round(random.uniform(-2, 2)), std::round(random.uniform(-2, 2)), std::round(random.uniform(-2, 2)));
      points.emplace_back(p + off * Vec3(random.normal(), random.normal(), random.normal()));
    }
    const auto result = convex_hull(points);
    if (const auto* hull = std::get_if<ConvexHull>(&result))
      expect_sound(hull->polyhedron, 1e-8);
    else
      ADD_FAILURE() << "seed " << seed << ": " << std::get<std::string>(result);
  }
}

TEST(ConvexHull, IsAFunctionOfThePoints) {
  const std::vector<Vec3> points = random_points(77, 60, Vec3(1, 1, 0.5));
  const ConvexHull a = hull_of(points), b = hull_of(points);
  EXPECT_EQ(a.polyhedron.face_vertices, b.polyhedron.face_vertices);
  EXPECT_EQ(std::memcmp(a.polyhedron.vertices.data(), b.polyhedron.vertices.data(),
                        a.polyhedron.vertices.size() * sizeof(Vec3)),
            0);
}

}  // namespace
}  // namespace grus::convex_hull_test
