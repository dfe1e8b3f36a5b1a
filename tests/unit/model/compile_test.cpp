#include "model/compile.hpp"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>

#include "math/rotation.hpp"
#include "model/expression.hpp"
#include "model/series_columns.hpp"
#include "unit/model/scene_builders.hpp"

namespace grus::compile_test {
namespace {

using test::disk;
using test::shape;
using test::sphere;
using test::sphere_on_floor;
using testing::ElementsAre;

constexpr Real pi = std::numbers::pi;
constexpr Real rounding = 1e-14;  // relative, some ten operations in double precision

TEST(Compile, SphereOnFloor) {
  const CompiledScene scene = compile(sphere_on_floor());
  const Model& model = scene.model;
  EXPECT_EQ(model.dynamic_count, 1);
  EXPECT_EQ(model.body_count, 2);
  const Real mass = 4.0 / 3.0 * pi * 1e-3 * 2500.0;
  EXPECT_NEAR(model.mass[0], mass, rounding * mass);
  EXPECT_NEAR(model.inertia[0].x(), 0.4 * mass * 0.01, rounding * mass);
  EXPECT_THAT(model.collider_begin, ElementsAre(0, 1, 2));
  EXPECT_EQ(model.colliders[0].body, 0);
  EXPECT_EQ(model.colliders[1].body, 1);
  EXPECT_EQ(model.colliders[1].kind, ShapeKind::plane);
  EXPECT_TRUE(std::isinf(model.colliders[1].bound_radius));
  EXPECT_EQ(model.smallest_bound_radius, 0.1);
  EXPECT_EQ(model.largest_bound_radius, 0.1);
  EXPECT_EQ(model.motion.size(), 1u);
  EXPECT_TRUE(model.motion[0].is_fixed());
  EXPECT_EQ(scene.initial.position[0], Vec3(0, 0, 1));
  EXPECT_TRUE(scene.initial.angle.empty());
  EXPECT_EQ(scene.initial.time, 0.0);
  EXPECT_THAT(scene.names.body, ElementsAre("ball", "floor"));
  EXPECT_THAT(scene.names.material, ElementsAre("stone"));
  EXPECT_EQ(model.pair_law(0, 0).friction, 0.3);
  EXPECT_EQ(model.pair_law(0, 0).restitution, 0.5);
  EXPECT_TRUE(scene.warnings.empty()) << scene.warnings.front();
}

TEST(Compile, SettingsAreCarriedOver) {
  Spec spec = sphere_on_floor();
  spec.gravity = Vec3(1, 2, 3);
  spec.integrator = {0.002, 0.75, BiasKind::midpoint};
  spec.solver.tolerance = 1e-7;
  spec.solver.max_iterations = 17;
  spec.contact.recovery_speed = 0.25;
  spec.seed = 99;
  spec.hash = 1234;
  const Model model = compile(spec).model;
  EXPECT_EQ(model.gravity, Vec3(1, 2, 3));
  EXPECT_EQ(model.integrator.step, 0.002);
  EXPECT_EQ(model.integrator.theta, 0.75);
  EXPECT_EQ(model.integrator.bias, BiasKind::midpoint);
  EXPECT_EQ(model.solver.tolerance, 1e-7);
  EXPECT_EQ(model.solver.max_iterations, 17);
  EXPECT_EQ(model.contact.recovery_speed, 0.25);
  EXPECT_EQ(model.seed, 99u);
  EXPECT_EQ(model.scene_hash, 1234u);
}

TEST(Compile, DynamicBodiesAreSortedByReleaseTimeStably) {
  Spec spec = sphere_on_floor();
  const BodySpec ball = spec.bodies[0];
  spec.bodies.clear();
  int number = 0;
  for (const Real time : {2.0, 0.0, 1.0, 0.0, 2.0}) {
    BodySpec body = ball;
    body.name = "b" + std::to_string(number++);
    body.release_time = time;
    spec.bodies.push_back(body);
  }
  const CompiledScene scene = compile(spec);
  EXPECT_THAT(scene.names.body, ElementsAre("b1", "b3", "b2", "b0", "b4"));
  EXPECT_THAT(scene.model.release_time, ElementsAre(0.0, 0.0, 1.0, 2.0, 2.0));
}

TEST(Compile, BodyFrameSitsAtTheCentreOfMass) {
  Spec spec = sphere_on_floor();
  BodySpec& body = spec.bodies[0];
  body.shapes = {sphere(0.1), sphere(0.1)};
  body.shapes[0].position = Vec3(1, 0, 0);
  body.shapes[1].position = Vec3(1, 1, 0);
  body.position = Vec3(5, 6, 7);
  body.rotation = exp_rotation(Vec3(0.3, -0.4, 0.9));
  const CompiledScene scene = compile(spec);
  const Vec3 com_U(1, 0.5, 0);
  EXPECT_LT((scene.model.p_UB[0] - com_U).norm(), rounding);
  EXPECT_LT((scene.initial.position[0] - (body.position + body.rotation * com_U)).norm(), 1e-14);
  // shape centres in the world are where the user put them
  for (std::size_t c = 0; c < 2; ++c) {
    const Vec3 p_W = scene.initial.position[0] + scene.initial.rotation[0] * scene.model.colliders[c].p_BC;
    EXPECT_LT((p_W - (body.position + body.rotation * body.shapes[c].position)).norm(), 1e-14);
  }
}

TEST(Compile, PrincipalFrameOfATiltedDumbbell) {
  Spec spec = sphere_on_floor();
  BodySpec& body = spec.bodies[0];
  body.shapes = {sphere(0.1), sphere(0.1)};
  const Vec3 axis = Vec3(1, 2, 2) / 3.0;
  body.shapes[0].position = 0.5 * axis;
  body.shapes[1].position = -0.5 * axis;
  const CompiledScene scene = compile(spec);
  const Model& model = scene.model;
  const Real m = model.mass[0];
  const Real spin = 0.4 * m * 0.01;
  const Real across = spin + m * 0.25;
  int small = 0;
  model.inertia[0].minCoeff(&small);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(model.inertia[0][k], k == small ? spin : across, 1e-12 * m);
  }
  // the axis of the dumbbell is the principal axis of the smallest moment
  EXPECT_NEAR(std::abs((model.R_UB[0] * Vec3::Unit(small)).dot(axis)), 1.0, 1e-12);
  for (std::size_t c = 0; c < 2; ++c) {
    const Vec3 p_U = model.p_UB[0] + model.R_UB[0] * model.colliders[c].p_BC;
    EXPECT_LT((p_U - body.shapes[c].position).norm(), 1e-14);
  }
}

TEST(Compile, PlanarBodies) {
  Spec spec = sphere_on_floor();
  spec.planar = true;
  spec.thickness = 0.5;
  spec.gravity = Vec3(0, -9.81, 0);
  BodySpec& body = spec.bodies[0];
  body.position = Vec3(0, 1, 0);
  body.shapes = {disk(0.1)};
  body.angle = 7.0;  // more than a turn: continuous
  body.angular_velocity = Vec3(0, 0, 2);
  const CompiledScene scene = compile(spec);
  const Real mass = pi * 0.01 * 2500 * 0.5;
  EXPECT_NEAR(scene.model.mass[0], mass, rounding * mass);
  EXPECT_NEAR(scene.model.inertia[0].z(), 0.5 * mass * 0.01, rounding * mass);
  EXPECT_THAT(scene.initial.angle, ElementsAre(7.0));
  EXPECT_LT((scene.initial.rotation[0].coeffs() - rotation_about_z(7.0).coeffs()).norm(), rounding);
}

TEST(Compile, PolygonSitsAtItsCentroidCounterClockwise) {
  Spec spec = sphere_on_floor();
  spec.planar = true;
  spec.gravity = Vec3(0, -9.81, 0);
  spec.bodies[0].position = Vec3(0, 1, 0);
  ShapeSpec triangle = shape(ShapeKind::polygon);
  triangle.vertices = {Vec2(0, 0), Vec2(0, 3), Vec2(1.5, 1.5), Vec2(3, 0)};  // clockwise, one vertex on an edge
  spec.bodies[0].shapes = {triangle};
  const CompiledScene scene = compile(spec);
  const Model& model = scene.model;
  ASSERT_EQ(model.colliders[0].vertex_count, 3);
  EXPECT_LT((model.p_UB[0] - Vec3(1, 1, 0)).norm(), rounding);
  EXPECT_LT(model.colliders[0].p_BC.norm(), rounding);
  Vec2 sum = Vec2::Zero();
  Real twice = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec2 &a = model.polygon_vertices[k], &b = model.polygon_vertices[(k + 1) % 3];
    sum += a;
    twice += a.x() * b.y() - a.y() * b.x();
  }
  EXPECT_LT(sum.norm(), 1e-14);
  EXPECT_NEAR(twice, 9.0, 1e-13);
  EXPECT_NEAR(model.colliders[0].bound_radius, std::sqrt(5.0), 1e-14);
}

TEST(Compile, GivenMassPropertiesWin) {
  Spec spec = sphere_on_floor();
  BodySpec& body = spec.bodies[0];
  body.mass = 3.0;
  const Real from_shape = compile(spec).model.inertia[0].x();
  EXPECT_NEAR(from_shape, 0.4 * 3.0 * 0.01, rounding);
  body.center_of_mass = Vec3(0, 0, -0.02);
  body.inertia = Vec3(1.0, 2.0, 2.5).asDiagonal();
  const CompiledScene scene = compile(spec);
  EXPECT_EQ(scene.model.mass[0], 3.0);
  EXPECT_EQ(scene.model.inertia[0], Vec3(1.0, 2.0, 2.5));
  EXPECT_EQ(scene.initial.position[0], Vec3(0, 0, 0.98));
  EXPECT_EQ(scene.model.colliders[0].p_BC, Vec3(0, 0, 0.02));
}

TEST(Compile, MassPropertiesThatAreNotGivenAreThoseOfTheShapes) {
  Spec spec = sphere_on_floor();
  BodySpec& body = spec.bodies[0];
  body.shapes[0].position = Vec3(0, 0, 0.5);
  body.mass = 3.0;
  body.inertia = Mat3(Vec3(1.0, 2.0, 2.5).asDiagonal());
  EXPECT_EQ(compile(spec).model.p_UB[0], Vec3(0, 0, 0.5));
  body.inertia.reset();
  body.center_of_mass = Vec3(0, 0, 0.4);
  const Model model = compile(spec).model;
  EXPECT_EQ(model.p_UB[0], Vec3(0, 0, 0.4));
  EXPECT_NEAR(model.inertia[0].x(), 0.4 * 3.0 * 0.01, rounding);
}

TEST(Compile, ShapelessBodyWithMassIsAllowed) {
  Spec spec = sphere_on_floor();
  BodySpec& body = spec.bodies[0];
  body.shapes.clear();
  body.mass = 2.0;
  body.inertia = Mat3(Vec3(1, 2, 2.5).asDiagonal());
  const CompiledScene scene = compile(spec);
  EXPECT_EQ(scene.model.colliders.size(), 1u);
}

TEST(Compile, MotionOfAKinematicBody) {
  Spec spec = sphere_on_floor();
  BodySpec& floor = spec.bodies[1];
  floor.role = BodyRole::kinematic;
  floor.motion = MotionSpec{};
  spec.parameters = {{"amplitude", 0.01}, {"frequency", 2.0}};
  floor.motion->displacement[2] = TimeFunctionSpec{{}, "amplitude*sin(2*pi*frequency*t)", {}, false};
  const CompiledScene scene = compile(spec);
  EXPECT_NEAR(scene.model.motion[0].at(0.125).position.z(), 0.01, 1e-16);
}

TEST(Compile, PairTable) {
  Spec spec = sphere_on_floor();
  spec.materials = {{{}, "a", 1.0}, {{}, "b", 1.0}, {{}, "c", 1.0}};
  spec.bodies[0].material = "a";
  spec.bodies[1].material = "b";
  spec.pairs = {
      {{}, "b", "a", 0.7, std::nullopt, std::nullopt},    // named, though first
      {{}, "any", "any", 0.1, 0.2, std::nullopt},         // under all
      {{}, "any", "b", 0.5, std::nullopt, std::nullopt},  //
      {{}, "b", "any", 0.6, std::nullopt, std::nullopt},  // later over earlier
      {{}, "c", "c", std::nullopt, 0.9, ContactLawKind::newton},
  };
  const Model model = compile(spec).model;
  EXPECT_EQ(model.material_count, 3);
  EXPECT_EQ(model.pair_law(0, 0).friction, 0.1);
  EXPECT_EQ(model.pair_law(0, 1).friction, 0.7);
  EXPECT_EQ(model.pair_law(1, 0).friction, 0.7);
  EXPECT_EQ(model.pair_law(0, 1).restitution, 0.2);
  EXPECT_EQ(model.pair_law(1, 1).friction, 0.6);
  EXPECT_EQ(model.pair_law(2, 1).friction, 0.6);
  EXPECT_EQ(model.pair_law(2, 2).friction, 0.1);
  EXPECT_EQ(model.pair_law(2, 2).restitution, 0.9);
}

TEST(Compile, PairsThatCannotTouchNeedNoLaw) {
  Spec spec = sphere_on_floor();
  spec.materials.push_back({{}, "steel", 7800.0});
  spec.bodies[1].material = "steel";  // one ball of stone, a fixed floor of steel
  spec.pairs = {{{}, "stone", "steel", 0.4, std::nullopt, std::nullopt}};
  EXPECT_EQ(compile(spec).model.pair_law(0, 1).friction, 0.4);
}

TEST(Compile, DefaultDomainIsTheSceneGrownByItsDiagonal) {
  Spec spec = sphere_on_floor();
  const Model model = compile(spec).model;
  // ball of radius 0.1 at z = 1 and the plane's point at the origin
  const Vec3 low(-0.1, -0.1, 0.0), high(0.1, 0.1, 1.1);
  const Vec3 margin = Vec3::Constant((high - low).norm());
  EXPECT_LT((model.domain_min - (low - margin)).norm(), 1e-14);
  EXPECT_LT((model.domain_max - (high + margin)).norm(), 1e-14);
  spec.domain = {Vec3(-1, -2, -3), Vec3(1, 2, 3)};
  EXPECT_EQ(compile(spec).model.domain_max, Vec3(1, 2, 3));
}

TEST(Compile, GrainsOfAGeneratorScaleTheirTemplate) {
  Spec spec = sphere_on_floor();
  GeneratorSpec grains;
  grains.kind = GeneratorSpec::Kind::lattice;
  grains.name = "grains";
  grains.material = "stone";
  grains.cells = {3, 2, 2};
  grains.size.diameter = 0.2;
  grains.shape = shape(ShapeKind::box);
  grains.shape.size = Vec3(1, 2, 2);
  spec.generators = {grains};
  const CompiledScene scene = compile(spec);
  ASSERT_EQ(scene.model.dynamic_count, 13);
  EXPECT_EQ(scene.names.body[1], "grains[0]");
  EXPECT_EQ(scene.names.group_of[0], no_index);
  EXPECT_EQ(scene.names.group[static_cast<std::size_t>(scene.names.group_of[5])], "grains");
  // the diagonal 3 of the template becomes 0.2
  const Real s = 0.2 / 3.0;
  const Real mass = 2500 * 4 * s * s * s;
  EXPECT_NEAR(scene.model.mass[3], mass, 1e-14 * mass);
  EXPECT_NEAR(scene.model.inertia[3].x(), mass * 8 * s * s / 12, 1e-14 * mass);
  EXPECT_LT((scene.model.colliders[3].half - 0.5 * s * Vec3(1, 2, 2)).norm(), 1e-16);
  EXPECT_NEAR(scene.model.colliders[3].bound_radius, 0.1, 1e-15);
}

TEST(Compile, Probes) {
  Spec spec = sphere_on_floor();
  spec.bodies[0].group = "balls";
  const auto body = [](const char* column, const char* name, const char* quantity) {
    ProbeSpec probe;
    probe.column = column;
    probe.body = name;
    probe.quantity = quantity;
    return probe;
  };
  const auto group = [](const char* column, const char* name, const char* quantity) {
    ProbeSpec probe;
    probe.column = column;
    probe.group = name;
    probe.quantity = quantity;
    return probe;
  };
  ProbeSpec sum;
  sum.column = "sum";
  sum.expression = "ball.z + t + energy.kinetic";
  spec.probes = {body("ball.z", "ball", "position.z"),
                 body("force", "floor", "force.x"),
                 group("mean", "balls", "mean.z"),
                 group("top", "all", "max.velocity.y"),
                 group("n", "all", "count"),
                 group("slope", "balls", "surface_angle"),
                 sum};
  const std::vector<Probe> probes = compile(spec).probes;
  ASSERT_EQ(probes.size(), 7u);
  EXPECT_EQ(probes[0].quantity, Probe::Quantity::position);
  EXPECT_EQ(probes[0].component, 2);
  EXPECT_EQ(probes[0].body, 0);
  EXPECT_EQ(probes[0].unit, "m");
  EXPECT_EQ(probes[1].body, 1);
  EXPECT_EQ(probes[1].unit, "N");
  EXPECT_THAT(probes[2].members, ElementsAre(0));
  EXPECT_EQ(probes[2].reduce, Probe::Reduce::mean);
  EXPECT_EQ(probes[2].component, 2);
  EXPECT_EQ(probes[3].quantity, Probe::Quantity::velocity);
  EXPECT_EQ(probes[3].reduce, Probe::Reduce::max);
  EXPECT_EQ(probes[4].quantity, Probe::Quantity::count);
  EXPECT_EQ(probes[5].up, 2);
  std::vector<Real> row(standard_columns.size() + 6, 0.0);
  row[0] = 2.0;
  row[1] = 0.5;
  row[standard_columns.size()] = 10.0;
  EXPECT_EQ(probes[6].expression->evaluate(row), 12.5);
}

TEST(Compile, WarnsOfATimeStepTooLargeForTheGrains) {
  Spec spec = sphere_on_floor();
  spec.integrator.step = 0.1;
  EXPECT_THAT(compile(spec).warnings, ElementsAre(testing::HasSubstr("time.step 0.1 s is large")));
  spec = sphere_on_floor();
  spec.bodies[0].velocity = Vec3(100, 0, 0);
  EXPECT_THAT(compile(spec).warnings, ElementsAre(testing::HasSubstr("fastest body moves 1 radii")));
}

TEST(Compile, WarnsOfAToleranceThatFacetsCannotReach) {
  Spec spec = sphere_on_floor();
  spec.solver.kind = SolverKind::nlgs_lemke;
  spec.solver.tolerance = 1e-4;
  spec.marks["solver.tolerance"] = {"scene.yaml", 7, 14};
  EXPECT_THAT(compile(spec).warnings,
              ElementsAre(testing::AllOf(testing::HasSubstr("a cone of 16 facets obeys the round one to about"),
                                         testing::StartsWith("scene.yaml:7:14: "))));
  spec.solver.tolerance = 1e-2;
  EXPECT_TRUE(compile(spec).warnings.empty());
}

TEST(Compile, SameSpecSameState) {
  Spec spec = sphere_on_floor();
  GeneratorSpec grains;
  grains.name = "grains";
  grains.material = "stone";
  grains.shape = sphere(1.0);
  grains.size.diameter = 0.1;
  grains.box_min = Vec3(2, 2, 2);
  grains.box_max = Vec3(3, 3, 3);
  grains.count = 100;
  grains.velocity_spread = 0.1;
  grains.random_rotation = true;
  spec.generators = {grains};
  const auto first = state_hash(compile(spec).initial);
  EXPECT_EQ(first, state_hash(compile(spec).initial));
  spec.seed = 2;
  EXPECT_NE(first, state_hash(compile(spec).initial));
}

}  // namespace
}  // namespace grus::compile_test
