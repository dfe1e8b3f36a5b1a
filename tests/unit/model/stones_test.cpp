// Stones: what is measured on them, libraries, and the sieve curve of what a generator makes.
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "math/rotation.hpp"
#include "model/compile.hpp"
#include "model/mass_properties.hpp"
#include "model/stone_library.hpp"
#include "model/stone_shape.hpp"
#include "unit/model/scene_builders.hpp"

namespace grus::stones_test {
namespace {

using testing::HasSubstr;

ConvexHull hull_of(const std::vector<Vec3>& points) { return std::get<ConvexHull>(convex_hull(points)); }

// A box turned anyhow.
ConvexHull box_stone(const Vec3& size) {
  const Quat turn = exp_rotation(Vec3(0.3, 0.9, -0.5));
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i)
    points.emplace_back(turn * Vec3(0.5 * size.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1))));
  return hull_of(points);
}

StoneLibrary library_of(const StoneSpec& spec, std::uint64_t seed = 1) {
  return std::get<StoneLibrary>(random_stones(spec, seed));
}

TEST(StoneShape, MeasuresOfARotatedBox) {
  // the length is the space diagonal
  const StoneMeasures m = measure_stone(box_stone(Vec3(1.0, 0.6, 0.3)));
  EXPECT_NEAR(m.length, Vec3(1.0, 0.6, 0.3).norm(), 1e-12);
  EXPECT_LE(m.thickness, m.width);
  EXPECT_LE(m.width, m.length);
  const Real v = 0.18, a = 2.0 * (0.6 + 0.3 + 0.18);
  EXPECT_NEAR(m.sphericity, std::cbrt(M_PI) * std::pow(6.0 * v, 2.0 / 3.0) / a, 1e-12);
}

TEST(StoneShape, SieveSizeIsTheSquareHoleThatIsPassedLengthwise) {
  // a needle pointed at both ends, with a rectangle of 0.6 x 0.2 in the middle: its length is exactly z, and the
  // smallest square about the rectangle is the upright one or, for a flat one, that along the diagonal
  const auto needle = [](Real a, Real b) {
    return measure_stone(hull_of({{-a, -b, 0}, {a, -b, 0}, {a, b, 0}, {-a, b, 0}, {0, 0, 3}, {0, 0, -3}}));
  };
  EXPECT_NEAR(needle(0.3, 0.1).length, 6.0, 1e-12);
  EXPECT_NEAR(needle(0.3, 0.1).sieve_size, 0.8 / std::sqrt(2.0), 1e-6) << "across the diagonal";
  EXPECT_NEAR(needle(0.3, 0.28).sieve_size, 0.6, 1e-6) << "upright";
}

TEST(StoneLibrary, StonesAreWhatWasAskedFor) {
  StoneSpec spec;
  spec.variants = 40;
  Real elongation = 0.0, flatness = 0.0;
  for (const auto& stone : library_of(spec)) {
    const StoneMeasures m = measure_stone(*stone);
    EXPECT_NEAR(m.sieve_size, 1.0, 1e-6);
    EXPECT_NEAR(stone->polyhedron.vertex_count(), spec.vertices, 3);
    EXPECT_GE(m.elongation(), spec.elongation.min - 2e-3);
    EXPECT_LE(m.elongation(), spec.elongation.max + 2e-3);
    EXPECT_GE(m.flatness(), spec.flatness.min - 2e-3);
    EXPECT_LE(m.flatness(), spec.flatness.max + 2e-3);
    EXPECT_GT(m.sphericity, 0.6);
    // three planes meet in a corner
    EXPECT_NEAR(stone->polyhedron.face_count(), 0.5 * spec.vertices + 2.0, 2.0) << "faces are flat";
    elongation += m.elongation() / spec.variants;
    flatness += m.flatness() / spec.variants;
  }
  // three standard errors of 40 draws
  EXPECT_NEAR(elongation, spec.elongation.mean, 3.0 * spec.elongation.deviation / std::sqrt(40.0));
  EXPECT_NEAR(flatness, spec.flatness.mean, 3.0 * spec.flatness.deviation / std::sqrt(40.0));
}

TEST(StoneLibrary, RoundnessRoundsAndFixedRatiosAreMet) {
  StoneSpec spec;
  spec.variants = 8;
  spec.elongation = {0.8, 0.0, 0.8, 0.8};
  spec.flatness = {0.5, 0.0, 0.5, 0.5};
  const auto sphericity = [&](Real roundness) {
    spec.roundness = roundness;
    Real sum = 0.0;
    for (const auto& stone : library_of(spec)) {
      const StoneMeasures m = measure_stone(*stone);
      EXPECT_NEAR(m.elongation(), 0.8, 2e-3);
      EXPECT_NEAR(m.flatness(), 0.5, 2e-3);
      sum += m.sphericity;
    }
    return sum / spec.variants;
  };
  const Real angular = sphericity(0.0), round = sphericity(1.0);
  EXPECT_GT(round, angular);
}

TEST(StoneLibrary, IsAFunctionOfTheSeed) {
  StoneSpec spec;
  spec.variants = 5;
  const StoneLibrary a = library_of(spec, 7), b = library_of(spec, 7), c = library_of(spec, 8);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i]->polyhedron.vertices, b[i]->polyhedron.vertices);
    EXPECT_NE(a[i]->polyhedron.vertices, c[i]->polyhedron.vertices);
  }
  spec.variants = 2;
  EXPECT_EQ(library_of(spec, 7)[1]->polyhedron.vertices, a[1]->polyhedron.vertices) << "a smaller library is a part";
}

TEST(StoneLibrary, SaysWhatIsWrong) {
  StoneSpec spec;
  spec.vertices = 3;
  spec.variants = 0;
  spec.roundness = 2.0;
  spec.elongation = {0.99, 0.0, 0.99, 0.99};
  spec.flatness = {0.2, 0.01, 0.8, 0.9};
  EXPECT_THAT(stone_errors(spec),
              testing::UnorderedElementsAre(HasSubstr("3 vertices"), HasSubstr("0 variants"), HasSubstr("roundness 2"),
                                            HasSubstr("elongation from 0.99"), HasSubstr("almost nothing")));
  EXPECT_TRUE(stone_errors(StoneSpec{}).empty());
}

Spec empty_scene() {
  Spec spec = test::sphere_on_floor();
  spec.bodies.clear();
  return spec;
}

Spec scene_of_stones(Index count) {
  Spec spec = empty_scene();
  GeneratorSpec generator;
  generator.name = "stone";
  generator.kind = GeneratorSpec::Kind::lattice;
  generator.material = spec.materials.front().name;
  generator.density = 2700.0;
  generator.stone.emplace();
  generator.stone->variants = 30;
  generator.size.kind = SizeSpec::Kind::sieve;
  generator.size.points = {{0.0224, 0.0}, {0.0315, 0.1}, {0.04, 0.45}, {0.05, 0.9}, {0.063, 1.0}};
  generator.cells = {count, 1, 1};
  spec.generators.push_back(generator);
  return spec;
}

TEST(Stones, TheSieveCurveByMassIsTheOneAskedFor) {
  const Spec spec = scene_of_stones(20000);
  const CompiledScene scene = compile(spec);
  EXPECT_EQ(scene.model.polyhedra.size(), 30u) << "stones share the library";
  // measured, not taken from the generator
  std::vector<Real> unit_size;
  for (const Polyhedron& p : scene.model.polyhedra)
    unit_size.push_back(measure_stone({p, Vec3::Zero(), polyhedron_integrals(p)}).sieve_size);
  Real total = 0.0;
  for (const Real mass : scene.model.mass) total += mass;
  for (const auto& [opening, asked] : spec.generators[0].size.points) {
    Real passing = 0.0;
    for (std::size_t i = 0; i < scene.model.mass.size(); ++i) {
      const Collider& collider = scene.model.colliders[i];
      const Real size = collider.scale * unit_size[static_cast<std::size_t>(collider.geometry)];
      if (size <= opening * (1.0 + 1e-6)) passing += scene.model.mass[i];
    }
    // scatter of 20 000 stones, of which the largest tenth of the mass is some 500
    EXPECT_NEAR(passing / total, asked, 0.015) << opening;
  }
}

TEST(Stones, BodiesOfOneShapeShareIt) {
  Spec spec = empty_scene();
  for (int i = 0; i < 3; ++i) {
    BodySpec body;
    body.name = "b" + std::to_string(i);
    body.material = "stone";
    ShapeSpec shape;
    shape.kind = ShapeKind::polyhedron;
    shape.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    shape.scale = 1.0 + i;
    body.shapes = {shape};
    body.position = Vec3(5.0 * i, 0, 0);
    spec.bodies.push_back(body);
  }
  const CompiledScene scene = compile(spec);
  EXPECT_EQ(scene.model.polyhedra.size(), 1u);
  for (std::size_t i = 0; i < 3; ++i) {
    const Collider& collider = scene.model.colliders[i];
    const Real s = 1.0 + static_cast<Real>(i);
    EXPECT_EQ(collider.scale, s);
    EXPECT_NEAR(scene.model.mass[i] / scene.model.mass[0], s * s * s, 1e-12);
    EXPECT_NEAR(scene.model.inertia[i].sum() / scene.model.inertia[0].sum(), std::pow(s, 5), 1e-9);
    // the body's frame is at the centroid: a quarter of each edge
    EXPECT_TRUE(scene.initial.position[i].isApprox(spec.bodies[i].position + s * Vec3(0.25, 0.25, 0.25), 1e-12));
    EXPECT_TRUE(collider.p_BC.isZero(1e-15));
  }
}

}  // namespace
}  // namespace grus::stones_test
