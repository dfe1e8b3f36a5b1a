// Every kind of element is read into the Spec as docs/scene-reference.md says.
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/scene/scene.hpp"

namespace grus::scene_read_test {
namespace {

constexpr const char* settings = "time: {step: 1e-3, end: 2}\nmaterials: [{name: glass, density: 2500}]\n";
constexpr const char* planar = "planar: true\ntime: {step: 1e-3, end: 2}\nmaterials: [{name: glass, density: 2500}]\n";
// Values pass through at most a handful of roundings.
constexpr Real rounding = 1e-14;

Spec parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_scene(text, "scene.yaml", overrides);
}

TEST(SceneRead, SettingsReachTheirMembers) {
  const Spec spec = parse(R"yaml(
scene: demo
about: {title: A title, paper: "000", seconds: 3}
thickness: 0.5
gravity: [0, 1, -2]
seed: 77
time: {step: 2e-3, end: 4}
integrator: {kind: moreau-jean, theta: 0.75, bias: midpoint}
solver: {kind: nlgs, tolerance: 1e-6, max_iterations: 50}
contact: {law: newton, recovery_speed: 0.1, recovery_slop: 0.2, activation_skin: 0.3, penetration_warning: 0.4}
domain: {min: [-1, -2, -3], max: [1, 2, 3]}
outputs: {series: 0.01, frames: 0.02, contacts: false, vtk: true, checkpoint: 0.5, checkpoint_seconds: 7, frame_part_megabytes: 9}
)yaml");
  EXPECT_EQ(spec.name, "demo");
  EXPECT_EQ(spec.about.title, "A title");
  EXPECT_EQ(spec.about.paper, "000");
  EXPECT_EQ(spec.about.seconds, 3.0);
  EXPECT_EQ(spec.thickness, 0.5);
  EXPECT_EQ(spec.gravity, Vec3(0, 1, -2));
  EXPECT_EQ(spec.seed, 77u);
  EXPECT_EQ(spec.integrator.step, 2e-3);
  EXPECT_EQ(spec.end, 4.0);
  EXPECT_EQ(spec.integrator.theta, 0.75);
  EXPECT_EQ(spec.integrator.bias, BiasKind::midpoint);
  EXPECT_EQ(spec.solver.tolerance, 1e-6);
  EXPECT_EQ(spec.solver.max_iterations, 50);
  EXPECT_EQ(spec.contact.recovery_speed, 0.1);
  EXPECT_EQ(spec.contact.recovery_slop, 0.2);
  EXPECT_EQ(spec.contact.activation_skin, 0.3);
  EXPECT_EQ(spec.contact.penetration_warning, 0.4);
  EXPECT_EQ(spec.domain->first, Vec3(-1, -2, -3));
  EXPECT_EQ(spec.domain->second, Vec3(1, 2, 3));
  EXPECT_EQ(spec.outputs.series_interval, 0.01);
  EXPECT_EQ(spec.outputs.frame_interval, 0.02);
  EXPECT_FALSE(spec.outputs.contacts_in_frames);
  EXPECT_TRUE(spec.outputs.vtk);
  EXPECT_EQ(spec.outputs.checkpoint_interval, 0.5);
  EXPECT_EQ(spec.outputs.checkpoint_seconds, 7.0);
  EXPECT_EQ(spec.outputs.frame_part_megabytes, 9.0);
  EXPECT_EQ(spec.marks.at("integrator.theta").line, 8);
  EXPECT_EQ(spec.marks.at("integrator.theta").column, 40);
}

TEST(SceneRead, DefaultsFollowTheScene) {
  EXPECT_EQ(parse(settings).gravity, Vec3(0, 0, -9.81));
  EXPECT_EQ(parse(planar).gravity, Vec3(0, -9.81, 0));
  EXPECT_EQ(parse(settings).integrator.theta, 0.5);
  EXPECT_EQ(parse(std::string(settings) + "contact: {law: gap}").integrator.theta, 1.0);
  EXPECT_EQ(parse(std::string(settings) + "pairs: [{between: [glass, any], law: gap}]").integrator.theta, 1.0);
  EXPECT_EQ(parse(std::string(settings) + "contact: {law: gap}\nintegrator: {theta: 0.6}").integrator.theta, 0.6);
  EXPECT_EQ(parse(settings).name, "scene");
  EXPECT_FALSE(parse(std::string(settings) + "outputs: {frames: false}").outputs.frames);
}

TEST(SceneRead, FormulasOfParameters) {
  const Spec spec = parse(std::string(settings) + R"yaml(
parameters: {r: 0.5*d + 1e-30*e1, d: 0.2, e1: 1, on: true}
bodies:
  - {shape: {sphere: {radius: r}}, position: [d^2, sin(pi/2)*r, "(1 + r)*2"], fixed: on}
)yaml");
  EXPECT_EQ(spec.parameters.at("r"), 0.1);
  EXPECT_EQ(spec.parameters.at("on"), 1.0);
  const BodySpec& body = spec.bodies.at(0);
  EXPECT_EQ(body.shapes.at(0).radius, 0.1);
  EXPECT_NEAR(body.position.x(), 0.04, rounding);
  EXPECT_NEAR(body.position.y(), 0.1, rounding);
  EXPECT_NEAR(body.position.z(), 2.2, rounding);
  EXPECT_EQ(body.role, BodyRole::fixed);
}

TEST(SceneRead, BodiesAndShapes) {
  const Spec spec = parse(std::string(settings) + R"yaml(
bodies:
  - name: cluster
    group: odd
    shapes:
      - {sphere: {radius: 0.1}}
      - {capsule: {radius: 0.2, length: 0.3}, position: [1, 2, 3], density: 100}
      - {cylinder: {radius: 0.4, length: 0.5}, rotation: {axis: [0, 0, 2], angle: pi/2}}
      - {box: {size: [1, 2, 3]}, rotation: [0, 1, 0, 0], material: glass}
    position: [4, 5, 6]
    velocity: [1, 0, 0]
    angular_velocity: [0, 1, 0]
    release_time: 0.25
  - {name: given, shape: {sphere: {radius: 1}}, mass: 2, center_of_mass: [0, 0, 0.1], inertia: [1, 2, 2.5]}
  - {shape: {sphere: {radius: 1}}, mass: 2, inertia: [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 2]]}
)yaml");
  ASSERT_EQ(spec.bodies.size(), 3u);
  const BodySpec& cluster = spec.bodies[0];
  EXPECT_EQ(cluster.mark.line, 5);
  EXPECT_EQ(cluster.material, "glass");
  EXPECT_EQ(cluster.group, "odd");
  ASSERT_EQ(cluster.shapes.size(), 4u);
  EXPECT_EQ(cluster.shapes[1].kind, ShapeKind::capsule);
  EXPECT_EQ(cluster.shapes[1].length, 0.3);
  EXPECT_EQ(cluster.shapes[1].position, Vec3(1, 2, 3));
  EXPECT_EQ(cluster.shapes[1].density, 100.0);
  EXPECT_EQ(cluster.shapes[2].kind, ShapeKind::cylinder);
  EXPECT_NEAR((cluster.shapes[2].rotation * Vec3(1, 0, 0) - Vec3(0, 1, 0)).norm(), 0.0, rounding);
  EXPECT_EQ(cluster.shapes[3].kind, ShapeKind::box);
  EXPECT_EQ(cluster.shapes[3].size, Vec3(1, 2, 3));
  EXPECT_EQ(cluster.shapes[3].rotation.x(), 1.0);
  EXPECT_EQ(cluster.angular_velocity, Vec3(0, 1, 0));
  EXPECT_EQ(cluster.release_time, 0.25);
  EXPECT_EQ(spec.bodies[1].mass, 2.0);
  EXPECT_EQ(spec.bodies[1].inertia->diagonal(), Vec3(1, 2, 2.5));
  EXPECT_EQ((*spec.bodies[2].inertia)(0, 1), 0.1);
  EXPECT_EQ(spec.bodies[2].name, "bodies[2]");
}

TEST(SceneRead, PlanarBodies) {
  const Spec spec = parse(std::string(planar) + R"yaml(
bodies:
  - {shape: {disk: {radius: 0.1}}, position: [1, 2], angle: 0.3, velocity: [1, 2, 0], angular_velocity: 5}
  - {shape: {polygon: {vertices: [[0, 0], [1, 0], [0, 1]]}}, mass: 1, inertia: 0.2}
  - {shape: {box: {size: [2, 3]}, position: [1, 0], angle: pi}}
)yaml");
  EXPECT_EQ(spec.bodies[0].position, Vec3(1, 2, 0));
  EXPECT_EQ(spec.bodies[0].angle, 0.3);
  EXPECT_NEAR(spec.bodies[0].rotation.z(), std::sin(0.15), rounding);
  EXPECT_EQ(spec.bodies[0].angular_velocity, Vec3(0, 0, 5));
  EXPECT_EQ(spec.bodies[1].shapes[0].vertices.size(), 3u);
  EXPECT_EQ((*spec.bodies[1].inertia)(2, 2), 0.2);
  EXPECT_NEAR(spec.bodies[2].shapes[0].rotation.z(), 1.0, rounding);
}

TEST(SceneRead, WallsFaceTheirNormal) {
  const Spec spec = parse(std::string(settings) + R"yaml(
walls:
  - {name: floor, plane: {point: [0, 0, 1], normal: [0, 3, 4]}}
  - {name: shaker, shape: {box: {size: [1, 1, 1]}}, position: [1, 0, 0], motion: {x: "0.01*sin(2*pi*5*t)"}}
)yaml");
  const BodySpec& floor = spec.bodies.at(0);
  EXPECT_EQ(floor.role, BodyRole::fixed);
  EXPECT_EQ(floor.position, Vec3(0, 0, 1));
  EXPECT_NEAR((floor.shapes.at(0).rotation * Vec3(0, 0, 1) - Vec3(0, 0.6, 0.8)).norm(), 0.0, rounding);
  const BodySpec& shaker = spec.bodies.at(1);
  EXPECT_EQ(shaker.role, BodyRole::kinematic);
  EXPECT_EQ(shaker.motion->displacement[0]->expression, "0.01*sin(2*pi*5*t)");
  const Spec flat = parse(std::string(planar) + "walls: [{plane: {normal: [1, 1]}}]");
  const Vec3 up = flat.bodies.at(0).shapes.at(0).rotation * Vec3(0, 1, 0);
  EXPECT_NEAR((up - Vec3(1, 1, 0).normalized()).norm(), 0.0, rounding);
}

// Every plane of a container looks at its inside.
void expect_inside(const BodySpec& body, const Vec3& inside, const Vec3& local_up) {
  for (const ShapeSpec& shape : body.shapes) {
    if (shape.kind != ShapeKind::plane) continue;
    const Vec3 normal = body.rotation * (shape.rotation * local_up);
    const Vec3 point = body.position + body.rotation * shape.position;
    EXPECT_GT(normal.dot(inside - point), 0.0);
  }
}

TEST(SceneRead, ContainersFaceInwards) {
  const Spec spec = parse(std::string(settings) + R"yaml(
containers:
  - {name: cup, box: {min: [0, 0, 0], max: [1, 2, 3], open: [+z]}}
  - {name: closed, box: {min: [-1, 0, 0], max: [1, 2, 3]}}
  - {name: floor, box: {min: [-1, 0, 0], max: [1, 2, 3], closed: [-z]}}
  - {name: drum, cylinder: {center: [1, 0, 0], axis: [0, 2, 0], radius: 0.5, length: 2, open: [top]}, motion: {angle: 2*t, axis: [0, 1, 0]}}
)yaml");
  ASSERT_EQ(spec.bodies.size(), 4u);
  EXPECT_EQ(spec.bodies[0].shapes.size(), 5u);
  ASSERT_EQ(spec.bodies[2].shapes.size(), 1u);
  expect_inside(spec.bodies[2], Vec3(0, 0, 0.1), Vec3(0, 0, 1));
  EXPECT_EQ(spec.bodies[0].position, Vec3(0.5, 1, 1.5));
  EXPECT_EQ(spec.bodies[1].shapes.size(), 6u);
  expect_inside(spec.bodies[0], Vec3(0.9, 0.1, 2.9), Vec3(0, 0, 1));
  expect_inside(spec.bodies[1], Vec3(-0.9, 0.1, 0.1), Vec3(0, 0, 1));
  const BodySpec& drum = spec.bodies[3];
  ASSERT_EQ(drum.shapes.size(), 2u);
  EXPECT_EQ(drum.role, BodyRole::kinematic);
  EXPECT_EQ(drum.shapes[0].kind, ShapeKind::tube);
  EXPECT_NEAR((drum.shapes[0].rotation * Vec3(0, 0, 1) - Vec3(0, 1, 0)).norm(), 0.0, rounding);
  expect_inside(drum, Vec3(1, 0.1, 0), Vec3(0, 0, 1));
  const Spec flat =
      parse(std::string(planar) +
            "containers: [{box: {min: [0, 0], max: [1, 2], open: [+y]}}, {ring: {radius: 2, center: [1, 1]}}]");
  EXPECT_EQ(flat.bodies[0].shapes.size(), 3u);
  expect_inside(flat.bodies[0], Vec3(0.9, 0.1, 0), Vec3(0, 1, 0));
  EXPECT_EQ(flat.bodies[1].shapes[0].kind, ShapeKind::ring);
}

TEST(SceneRead, Motions) {
  const Spec spec = parse(std::string(settings) + R"yaml(
parameters: {f: 5}
walls:
  - plane: {}
    motion:
      x: {table: [[0, 0], [1, 0.5]], smooth: true}
      angle: sin(f*t)
      axis: [0, 0, 2]
      pivot: [1, 2, 3]
)yaml");
  const MotionSpec& motion = *spec.bodies.at(0).motion;
  EXPECT_TRUE(motion.displacement[0]->smooth);
  EXPECT_THAT(motion.displacement[0]->table, testing::ElementsAre(testing::Pair(0.0, 0.0), testing::Pair(1.0, 0.5)));
  EXPECT_FALSE(motion.displacement[1]);
  EXPECT_EQ(motion.angle->expression, "sin(f*t)");
  EXPECT_EQ(motion.axis, Vec3(0, 0, 1));
  EXPECT_EQ(*motion.pivot, Vec3(1, 2, 3));
}

TEST(SceneRead, MaterialsAndPairs) {
  const Spec spec = parse(R"yaml(
time: {step: 1e-3, end: 1}
materials:
  - {name: steel, density: 7800}
  - {name: dust}
pairs:
  - {between: [any, any], friction: 0.5}
  - {between: [steel, dust], restitution: 0.25, law: newton}
)yaml");
  EXPECT_EQ(spec.materials[0].density, 7800.0);
  EXPECT_FALSE(spec.materials[1].density);
  EXPECT_EQ(spec.pairs[0].friction, 0.5);
  EXPECT_FALSE(spec.pairs[0].restitution);
  EXPECT_EQ(spec.pairs[1].a, "steel");
  EXPECT_EQ(spec.pairs[1].restitution, 0.25);
  EXPECT_EQ(spec.pairs[1].law, ContactLawKind::newton);
}

TEST(SceneRead, Generators) {
  const Spec spec = parse(std::string(settings) + R"yaml(
generators:
  - {name: a, kind: fill, size: 0.1, count: 20, box: {min: [0, 0, 0], max: [1, 1, 1]}, solid_fraction: 0.4}
  - {name: b, kind: lattice, lattice: hexagonal, cells: [2, 3, 4], spacing: 0.2, jitter: 0.1, shape: {box: {size: [1, 2, 3]}},
     size: {uniform: {min: 0.1, max: 0.2}}, box: {min: [0, 0, 0], max: [1, 1, 1]}, random_rotation: true}
  - {name: c, kind: rain, rate: 100, count: 50, start: 0.5, velocity: [0, 0, -1], velocity_spread: 0.1, shape: sphere,
     size: {sieve: [[0.03, 0], [0.04, 0.5], [0.05, 1]]}, box: {min: [0, 0, 0], max: [1, 1, 1]}}
  - {name: d, kind: fill, count: 1, size: {lognormal: {median: 0.1, deviation: 0.2, min: 0.05, max: 0.3}}, box: {min: [0, 0, 0], max: [1, 1, 1]}}
  - {name: e, kind: fill, count: 1, size: {discrete: [[0.1, 1], [0.2, 3]]}, box: {min: [0, 0, 0], max: [1, 1, 1]}}
)yaml");
  ASSERT_EQ(spec.generators.size(), 5u);
  EXPECT_EQ(spec.generators[0].size.diameter, 0.1);
  EXPECT_EQ(spec.generators[0].count, 20);
  EXPECT_EQ(spec.generators[0].solid_fraction, 0.4);
  EXPECT_EQ(spec.generators[0].shape.kind, ShapeKind::sphere);
  EXPECT_EQ(spec.generators[0].box_max, Vec3(1, 1, 1));
  EXPECT_EQ(spec.generators[1].lattice, GeneratorSpec::Lattice::hexagonal);
  EXPECT_EQ(spec.generators[1].cells, (std::array<Index, 3>{2, 3, 4}));
  EXPECT_EQ(spec.generators[1].shape.kind, ShapeKind::box);
  EXPECT_EQ(spec.generators[1].size.kind, SizeSpec::Kind::uniform);
  EXPECT_EQ(spec.generators[1].size.max, 0.2);
  EXPECT_TRUE(spec.generators[1].random_rotation);
  EXPECT_EQ(spec.generators[2].size.kind, SizeSpec::Kind::sieve);
  EXPECT_EQ(spec.generators[2].size.points.size(), 3u);
  EXPECT_EQ(spec.generators[2].rate, 100.0);
  EXPECT_EQ(spec.generators[3].size.diameter, 0.1);
  EXPECT_EQ(spec.generators[3].size.deviation, 0.2);
  EXPECT_EQ(spec.generators[4].size.points[1].second, 3.0);
}

TEST(SceneRead, ProbesChecksAndRuns) {
  const Spec spec = parse(std::string(planar) + R"yaml(
parameters: {mu: 0.3}
probes:
  - {column: ball.y, body: ball, quantity: position.y}
  - {column: slope, group: all, quantity: surface_angle}
  - {column: sum, expression: ball.y + mu}
checks:
  - {name: high, of: ball.y, reduce: max, above: 1, from: 0.5, to: 1}
  - {name: path, of: ball.y, reduce: max_error, against: 1 - t, below: 1e-3}
  - {name: end, of: sum, near: 2, tolerance: 0.1}
runs:
  - {name: rough, set: {mu: 0.9, time.end: 3, gravity: [0, -1]}}
  - {name: smooth}
)yaml");
  EXPECT_EQ(spec.probes[0].quantity, "position.y");
  EXPECT_EQ(spec.probes[1].up, "y");
  EXPECT_EQ(spec.probes[2].expression, "ball.y + mu");
  EXPECT_EQ(spec.checks[0].reduce, CheckSpec::Reduce::max);
  EXPECT_EQ(spec.checks[0].from, 0.5);
  EXPECT_EQ(spec.checks[1].against, "1 - t");
  EXPECT_EQ(spec.checks[2].near, 2.0);
  EXPECT_THAT(run_overrides(spec.runs[0]), testing::ElementsAre("mu=0.9", "time.end=3", "gravity=[0, -1]"));
  const Spec rough = parse(std::string(planar) + "parameters: {mu: 0.3}", run_overrides(spec.runs[0]));
  EXPECT_EQ(rough.parameters.at("mu"), 0.9);
  EXPECT_EQ(rough.end, 3.0);
  EXPECT_EQ(rough.gravity, Vec3(0, -1, 0));
}

TEST(SceneRead, AnchorsAndAliasesAreValues) {
  const Spec spec = parse(std::string(settings) + R"yaml(
bodies:
  - {shape: &ball {sphere: {radius: 0.1}}, position: [0, 0, 1]}
  - {shape: *ball, position: [0, 0, 2]}
)yaml");
  EXPECT_EQ(spec.bodies.at(1).shapes.at(0).radius, 0.1);
}

}  // namespace
}  // namespace grus::scene_read_test
