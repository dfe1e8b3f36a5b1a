// Triangle meshes as walls: a flat of many triangles is a plane, a box of triangles is a box.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "collision/narrow_phase.hpp"
#include "oracle.hpp"
#include "shape_cases.hpp"

namespace grus::mesh_test {
namespace {

using namespace test;

// Clipping and the transformation of every triangle by itself, in a scene of some metres.
constexpr Real rounding = 1e-12;
// Points of one shape closer than this are one point twice.
constexpr Real same_point = 1e-7;

struct Wall {
  std::vector<MeshTriangle> triangles;  // about their centroids
  std::vector<Collider> colliders;
  std::vector<Vec3> centres;

  Wall(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& corners) {
    std::map<std::pair<int, int>, std::size_t> left;
    for (std::size_t t = 0; t < corners.size(); ++t) {
      for (std::size_t k = 0; k < 3; ++k) left[{corners[t][k], corners[t][(k + 1) % 3]}] = t;
      MeshTriangle triangle;
      centres.emplace_back(Vec3::Zero());
      for (std::size_t k = 0; k < 3; ++k) centres.back() += vertices[static_cast<std::size_t>(corners[t][k])] / 3.0;
      for (std::size_t k = 0; k < 3; ++k)
        triangle.vertices[k] = vertices[static_cast<std::size_t>(corners[t][k])] - centres.back();
      triangle.normal =
          (triangle.vertices[1] - triangle.vertices[0]).cross(triangle.vertices[2] - triangle.vertices[0]).normalized();
      triangles.push_back(triangle);
      Collider c;
      c.kind = ShapeKind::triangle;
      for (const Vec3& v : triangle.vertices) c.bound_radius = std::max(c.bound_radius, v.norm());
      colliders.push_back(c);
    }
    for (std::size_t t = 0; t < corners.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k) {
        const auto across = left.find({corners[t][(k + 1) % 3], corners[t][k]});
        triangles[t].edge_normal[k] =
            across == left.end() ? Vec3(-triangles[t].normal) : triangles[across->second].normal;
      }
  }

  // Points of all triangles, normals from the shape to the wall.
  std::vector<ManifoldPoint> collide_with(const PlacedShape& shape, const Pose& X_wall, Real max_gap) const {
    std::vector<ManifoldPoint> points;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      const PlacedShape wall{
          &colliders[t],  nullptr, nullptr, &triangles[t], X_wall.position + X_wall.rotation * centres[t],
          X_wall.rotation};
      Manifold m;
      collide(shape, wall, false, max_gap, m);
      points.insert(points.end(), m.begin(), m.end());
    }
    return points;
  }
};

// A square of side 2 `half` in the plane z = 0: a grid whose inner vertices are shifted, diagonals at random.
Wall random_floor(Random& random, int cells, Real half) {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> corners;
  const Real cell = 2.0 * half / cells;
  for (int j = 0; j <= cells; ++j)
    for (int i = 0; i <= cells; ++i) {
      const bool inner = i > 0 && j > 0 && i < cells && j < cells;
      const Real shift = inner ? 0.3 * cell : 0.0;
      vertices.emplace_back(i * cell - half + random.uniform(-shift, shift),
                            j * cell - half + random.uniform(-shift, shift), 0.0);
    }
  for (int j = 0; j < cells; ++j)
    for (int i = 0; i < cells; ++i) {
      const int v00 = j * (cells + 1) + i, v10 = v00 + 1, v01 = v00 + cells + 1, v11 = v01 + 1;
      if (random.below(2)) {
        corners.push_back({v00, v10, v11});
        corners.push_back({v00, v11, v01});
      } else {
        corners.push_back({v00, v10, v01});
        corners.push_back({v10, v11, v01});
      }
    }
  return {vertices, corners};
}

Wall box_wall(const Vec3& half) {
  std::vector<Vec3> vertices;
  for (int i = 0; i < 8; ++i)
    vertices.push_back(half.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  const std::vector<std::array<int, 4>> faces{
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
  std::vector<std::array<int, 3>> corners;
  for (const auto& f : faces) {
    corners.push_back({f[0], f[1], f[2]});
    corners.push_back({f[0], f[2], f[3]});
  }
  return {vertices, corners};
}

const ManifoldPoint& deepest(const std::vector<ManifoldPoint>& points) {
  return *std::min_element(points.begin(), points.end(), [](const auto& x, const auto& y) { return x.gap < y.gap; });
}

const std::vector<ShapeKind> kinds{ShapeKind::sphere, ShapeKind::capsule, ShapeKind::cylinder, ShapeKind::box,
                                   ShapeKind::polyhedron};

TEST(Mesh, FlatOfManyTrianglesIsAPlane) {
  Random random(51);
  OwnedShape plane;
  plane.collider.kind = ShapeKind::plane;
  int touching = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Wall floor = random_floor(random, 4 + static_cast<int>(random.below(5)), 3.0);
    const OwnedShape shape = random_shape(random, kinds[random.below(kinds.size())], false, 0.8);
    const Pose X_wall{random_vector(random, 2.0), random_rotation(random, false)};
    // above the floor, often with a face, an edge or a vertex straight down
    Pose X{Vec3(random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5), 0.0), random_or_aligned_rotation(random, false)};
    if (shape.polyhedron && random.below(2))
      X.rotation = Quat::FromTwoVectors(shape.polyhedron->face_normal[0], -Vec3::UnitZ());
    const Real below = support_value(shape.placed(X), -Vec3::UnitZ(), X.position, false);
    const Real above = support_value(shape.placed(X), Vec3::UnitZ(), X.position, false);
    X.position.z() = below + random.uniform(-0.04 * (above + below), 0.01);
    X = {X_wall.position + X_wall.rotation * X.position, X_wall.rotation * X.rotation};
    const Real max_gap = 0.005;
    Manifold expected;
    collide(shape.placed(X), plane.placed(X_wall), false, max_gap, expected);
    const std::vector<ManifoldPoint> points = floor.collide_with(shape.placed(X), X_wall, max_gap);
    ASSERT_EQ(points.empty(), expected.count == 0) << "trial " << trial;
    if (points.empty()) continue;
    ++touching;
    const Vec3 up = X_wall.rotation * Vec3::UnitZ();
    Real least = 0.0;
    for (const ManifoldPoint& p : expected) least = std::min(least, p.gap);
    for (std::size_t i = 0; i < points.size(); ++i) {
      ASSERT_LT((points[i].normal + up).norm(), 1e-9) << "trial " << trial << ", " << name(shape.collider.kind);
      const Vec3 low = points[i].position - 0.5 * points[i].gap * points[i].normal;
      ASSERT_NEAR(points[i].gap, up.dot(low - X_wall.position), rounding);
      for (std::size_t j = 0; j < i; ++j) ASSERT_GT((points[i].position - points[j].position).norm(), same_point);
    }
    if (least < 0.0) {
      ASSERT_NEAR(deepest(points).gap, least, rounding) << "trial " << trial << ", " << name(shape.collider.kind);
    }
  }
  EXPECT_GT(touching, 1000);
}

// The promise for sliding: at no place along the way does a seam show.
TEST(Mesh, SlidingOverSeamsFeelsOnePlane) {
  Random random(52);
  for (int path = 0; path < 60; ++path) {
    const Wall floor = random_floor(random, 8, 3.0);
    const OwnedShape shape = random_shape(random, kinds[random.below(kinds.size())], false, 0.5);
    Pose X{Vec3(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), 0.0), random_rotation(random, false)};
    if (shape.polyhedron) X.rotation = Quat::FromTwoVectors(shape.polyhedron->face_normal[0], -Vec3::UnitZ());
    const Real depth = random.uniform(1e-6, 1e-2);
    X.position.z() = support_value(shape.placed(X), -Vec3::UnitZ(), X.position, false) - depth;
    const Vec3 way = 1e-3 * Vec3(std::cos(path), std::sin(path), 0.0);
    for (int k = 0; k < 500; ++k) {
      X.position += way;
      const std::vector<ManifoldPoint> points = floor.collide_with(shape.placed(X), {}, 0.0);
      ASSERT_FALSE(points.empty()) << "path " << path << " step " << k << ", " << name(shape.collider.kind);
      for (const ManifoldPoint& p : points) ASSERT_LT((p.normal + Vec3::UnitZ()).norm(), 1e-9);
      ASSERT_NEAR(deepest(points).gap, -depth, rounding) << "path " << path << " step " << k;
    }
  }
}

TEST(Mesh, BoxOfTrianglesIsABox) {
  Random random(53);
  int touching = 0, strays = 0, curved_strays = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Vec3 half(random.uniform(0.5, 1.5), random.uniform(0.5, 1.5), random.uniform(0.5, 1.5));
    const Wall mesh = box_wall(half);
    OwnedShape box;
    box.collider.kind = ShapeKind::box;
    box.collider.half = half;
    box.collider.bound_radius = half.norm();
    const OwnedShape shape = random_shape(random, kinds[random.below(kinds.size())], false, 0.5);
    const Pose X_wall{random_vector(random, 2.0), random_rotation(random, false)};
    Pose X{X_wall.position, random_rotation(random, false)};
    // moved to within a little of the surface, along a random direction
    const Vec3 d = random_direction(random);
    Manifold m;
    Real from = 0.0, to = 4.0;
    const auto moved = [&](Real way) { return Pose{X.position + way * d, X.rotation}; };
    for (int k = 0; k < 12; ++k) {
      const Real way = 0.5 * (from + to);
      collide(shape.placed(moved(way)), box.placed(X_wall), false, 0.0, m);
      (m.count > 0 ? from : to) = way;
    }
    // needles and plates are not to get in as a whole
    const Real deep =
        shape.polyhedron ? std::min(0.005, 0.5 * shape.collider.scale * shape.polyhedron->inner_radius) : 0.005;
    X = moved(from + random.uniform(-deep, 0.01));
    const Real max_gap = 0.01;
    collide(shape.placed(X), box.placed(X_wall), false, max_gap, m);
    const std::vector<ManifoldPoint> points = mesh.collide_with(shape.placed(X), X_wall, max_gap);
    const std::vector<ManifoldPoint> expected(m.begin(), m.end());
    const bool curved = shape.collider.kind == ShapeKind::cylinder;
    bool agree = points.empty() == expected.empty();
    if (agree && !points.empty()) {
      ++touching;
      const ManifoldPoint &p = deepest(points), &q = deepest(expected);
      // a rim in the solid is found by iteration
      agree = std::abs(p.gap - q.gap) < (curved ? 1e-4 : 1e-8) && (curved || (p.normal - q.normal).norm() < 1e-5);
    }
    (curved ? curved_strays : strays) += !agree;
  }
  EXPECT_GT(touching, 10000);
  // A triangle knows the neighbours across its edges and not all those about its corners: now and then one of them
  // adds a contact of its own to that of a corner.
  EXPECT_LT(strays, touching / 2000);
  EXPECT_LT(curved_strays, touching / 500);
}

// From behind, a face without neighbours is not felt, and from the side its edges are.
TEST(Mesh, OpenTriangleHasOneSide) {
  const Wall wall({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, {{0, 1, 2}});
  OwnedShape ball;
  ball.collider.radius = ball.collider.bound_radius = 0.1;
  const auto at = [&](Real x, Real y, Real z) {
    return wall.collide_with(ball.placed({Vec3(x, y, z), Quat::Identity()}), {}, 0.0);
  };
  ASSERT_EQ(at(0.3, 0.3, 0.09).size(), 1u);
  EXPECT_NEAR(at(0.3, 0.3, 0.09)[0].gap, -0.01, rounding);
  // the centre is under the face: out through it all the same
  ASSERT_EQ(at(0.3, 0.3, -0.02).size(), 1u);
  EXPECT_NEAR(at(0.3, 0.3, -0.02)[0].gap, -0.12, rounding);
  EXPECT_TRUE(at(0.3, 0.3, -0.11).empty());
  ASSERT_EQ(at(0.3, -0.09, 0.0).size(), 1u);
  EXPECT_NEAR(at(0.3, -0.09, 0.0)[0].normal.y(), 1.0, rounding);
  ASSERT_EQ(at(-0.05, -0.05, 0.05).size(), 1u);
  EXPECT_LT((at(-0.05, -0.05, 0.05)[0].normal - Vec3(1, 1, -1).normalized()).norm(), rounding);
}

}  // namespace
}  // namespace grus::mesh_test
