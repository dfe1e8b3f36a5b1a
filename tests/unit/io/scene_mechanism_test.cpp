// Mechanisms and joints are read into the Spec as docs/scene-reference.md says, and compile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/scene/scene.hpp"
#include "math/rotation.hpp"
#include "model/compile.hpp"

namespace grus::scene_mechanism_test {
namespace {

// Values pass through at most a handful of roundings.
constexpr Real rounding = 1e-14;

constexpr const char* machine = R"yaml(
planar: true
time: {step: 1e-5, end: 0.2}
parameters: {w: 150, l: 0.306}
materials: [{name: steel, density: 7800}]
pairs: [{between: [steel, steel], friction: 0.1}]
mechanisms:
  - name: machine
    bodies:
      - name: rod
        parent: crank
        joint: {kind: revolute, at: [0.5*l, 0], angle: 0.25}
        shapes: [{capsule: {radius: 0.01, length: l}, position: [0.5*l, 0]}]
      - name: crank
        joint:
          kind: revolute
          axis: [0, 0, 1]
          coordinates:
            angle:
              start: 0.1
              rate: w
              lower: -1
              upper: 2
              restitution: 0.5
              friction: 0.25
              spring: {stiffness: 3, damping: 4, rest: 0.5, table: [[0, 1], [1, 2]], implicit: true}
              motor: {speed: "w*t", gain: 7, limit: 8}
              force: "-crank.angle.rate"
        mass: 0.038
        inertia: 7.5e-5
        center_of_mass: [0.0765, 0]
      - name: slider
        joint:
          kind: planar
          coordinates: {x: {start: 0.459, role: dependent}, y: {role: dependent}, angle: {}}
        mass: 0.038
        inertia: 1e-6
      - name: valve
        joint: {kind: prismatic, axis: [0, 2], coordinates: {slide: {drive: {table: [[0, 0], [1, 2]], smooth: true}}}}
        mass: 1
        inertia: 1
      - name: flap
        joint: {kind: revolute, at: [5, 0], coordinates: {angle: {motor: {position: 1, gain: 2, damping: 3, implicit: true}}}}
        mass: 1
        inertia: 1
        shape: {plane: {normal: [1, 0]}}
    loops:
      - {name: pin, kind: ball, a: {body: rod, at: [l, 0], angle: 0.5}, b: {body: slider}}
      - {kind: rod, length: 0.3, a: {body: flap}, b: {body: ground, at: [5.3, 0]}}
      - {name: guide, kind: components, components: [y, rz], a: {}, b: {body: slider}}
    springs:
      - {name: s1, a: {body: rod}, b: {at: [0, 1]}, stiffness: 5e4, rest: 0.2, damping: 10, limit: 1e4, force: "t"}
    forces:
      - {name: push, body: slider, at: [0.1, 0], force: ["0", "-3*slider.x.rate"], torque: 2*t, frame: body}
    memories:
      - {name: stop, of: crank.angle + 1, at: 0.5*l}
    exclude: [[crank, flap]]
bodies:
  - {name: disk, position: [0, 9], shape: {disk: {radius: 0.1}}}
joints:
  - {name: hinge, kind: pin, a: {at: [0, 9]}, b: {body: disk}}
probes:
  - {column: tip.x, body: rod, at: [l, 0], quantity: position.x}
  - {column: angle, coordinate: crank.angle, quantity: position}
  - {column: load, joint: pin, quantity: force.x}
  - {column: stretch, spring: s1, quantity: length}
)yaml";

TEST(SceneMechanism, BodiesAndJoints) {
  const Spec spec = parse_scene(machine, "scene.yaml");
  ASSERT_EQ(spec.mechanisms.size(), 1u);
  const MechanismSpec& m = spec.mechanisms[0];
  EXPECT_EQ(m.name, "machine");
  ASSERT_EQ(m.bodies.size(), 5u);
  EXPECT_EQ(m.bodies[0].parent, "crank");
  EXPECT_EQ(m.bodies[0].joint.at, Vec3(0.153, 0, 0));
  EXPECT_EQ(m.bodies[0].joint.angle, 0.25);
  EXPECT_EQ(m.bodies[0].body.material, "steel");
  EXPECT_EQ(m.bodies[0].body.mark.line, 10);
  EXPECT_EQ(m.bodies[1].parent, "ground");
  EXPECT_EQ(m.bodies[1].body.mass, 0.038);
  EXPECT_EQ(m.bodies[1].body.center_of_mass, Vec3(0.0765, 0, 0));
  EXPECT_TRUE(m.bodies[1].body.material.empty());
  EXPECT_EQ(m.bodies[2].joint.kind, JointKind::planar);
  EXPECT_EQ(m.bodies[2].joint.coordinates[0].role, CoordinateRole::dependent);
  EXPECT_EQ(m.bodies[3].joint.axis, Vec3(0, 2, 0));
  EXPECT_TRUE(m.bodies[3].joint.coordinates[0].drive->smooth);
  EXPECT_THAT(m.exclude, ::testing::ElementsAre(std::pair<std::string, std::string>("crank", "flap")));
}

TEST(SceneMechanism, CoordinatesAndTheirForces) {
  const Spec spec = parse_scene(machine, "scene.yaml");
  const CoordinateSpec& c = spec.mechanisms[0].bodies[1].joint.coordinates.at(0);
  EXPECT_EQ(c.name, "angle");
  EXPECT_EQ(c.start, 0.1);
  EXPECT_EQ(c.rate, 150.0);
  EXPECT_EQ(c.lower, -1.0);
  EXPECT_EQ(c.upper, 2.0);
  EXPECT_EQ(c.restitution, 0.5);
  EXPECT_EQ(c.friction, 0.25);
  ASSERT_EQ(c.forces.size(), 3u);
  EXPECT_EQ(c.forces[0].stiffness, 3.0);
  EXPECT_EQ(c.forces[0].damping, 4.0);
  EXPECT_EQ(c.forces[0].rest->expression, "0.5");
  EXPECT_EQ(c.forces[0].table.size(), 2u);
  EXPECT_TRUE(c.forces[0].implicit);
  // a motor of speed is a damper whose other end moves, one of position a spring whose rest moves
  EXPECT_EQ(c.forces[1].damping, 7.0);
  EXPECT_EQ(c.forces[1].rate->expression, "w*t");
  EXPECT_EQ(c.forces[1].limit, 8.0);
  EXPECT_EQ(c.forces[2].expression, "-crank.angle.rate");
  const ForceLawSpec& held = spec.mechanisms[0].bodies[4].joint.coordinates.at(0).forces.at(0);
  EXPECT_EQ(held.stiffness, 2.0);
  EXPECT_EQ(held.rest->expression, "1");
  EXPECT_EQ(held.damping, 3.0);
  EXPECT_TRUE(held.implicit);
}

TEST(SceneMechanism, LoopsSpringsForcesAndJoints) {
  const Spec spec = parse_scene(machine, "scene.yaml");
  const MechanismSpec& m = spec.mechanisms[0];
  ASSERT_EQ(m.loops.size(), 3u);
  EXPECT_EQ(m.loops[0].kind, CutKind::ball);
  EXPECT_EQ(m.loops[0].a.body, "rod");
  EXPECT_LT(m.loops[0].a.rotation.angularDistance(rotation_about_z(0.5)), 1e-7);  // acos of a number near 1
  EXPECT_EQ(m.loops[0].b.body, "slider");
  EXPECT_EQ(m.loops[1].name, "machine.loops[1]");
  EXPECT_EQ(m.loops[1].length, 0.3);
  EXPECT_EQ(m.loops[2].a.body, "ground");
  EXPECT_EQ(m.loops[2].components, (std::vector<std::string>{"y", "rz"}));
  EXPECT_EQ(m.springs.at(0).law.stiffness, 5e4);
  EXPECT_EQ(m.springs[0].law.expression, "t");
  EXPECT_EQ(m.springs[0].b.at, Vec3(0, 1, 0));
  EXPECT_EQ(m.forces.at(0).at.body, "slider");
  EXPECT_EQ(m.forces[0].at.at, Vec3(0.1, 0, 0));
  EXPECT_EQ(m.forces[0].force[1], "-3*slider.x.rate");
  EXPECT_EQ(m.forces[0].torque[2], "2*t");
  EXPECT_TRUE(m.forces[0].in_body_axes);
  EXPECT_EQ(m.memories.at(0).name, "stop");
  EXPECT_EQ(m.memories[0].of, "crank.angle + 1");
  EXPECT_EQ(m.memories[0].at, 0.153);
  EXPECT_EQ(spec.joints.at(0).name, "hinge");
  EXPECT_EQ(spec.joints[0].kind, CutKind::pin);
  EXPECT_EQ(spec.joints[0].b.body, "disk");
}

TEST(SceneMechanism, Compiles) {
  const CompiledScene scene = compile(parse_scene(machine, "scene.yaml"));
  const Mechanism& mechanism = scene.model.mechanisms.at(0);
  EXPECT_EQ(mechanism.velocity_count, 7);
  EXPECT_EQ(mechanism.loops.size(), 5u);
  EXPECT_EQ(mechanism.joint_forces.size(), 4u);
  EXPECT_EQ(scene.model.joint_conditions.size(), 2u);
  EXPECT_EQ(scene.probes.size(), 4u);
  // a capsule of steel of depth 1 m: rectangle and two half disks
  const Real area = 0.306 * 0.02 + 3.14159265358979323846 * 1e-4;
  EXPECT_NEAR(mechanism.links[1].mass, 7800 * area, 7800 * rounding);
  EXPECT_NEAR(mechanism.links[1].X_JB.position.x(), 0.153, rounding);
}

TEST(SceneMechanism, InSpace) {
  const Spec spec = parse_scene(R"yaml(
time: {step: 1e-3, end: 1}
mechanisms:
  - bodies:
      - name: arm
        joint:
          kind: universal
          axis_2: [0, 1, 1]
          at: [1, 2, 3]
          rotation: {axis: [0, 0, 1], angle: 0.5}
          coordinates: {angle_1: {start: 0.1}, angle_2: {rate: 2}}
        mass: 1
        inertia: [1, 1, 1]
    forces:
      - {body: arm, force: ["0", 1, "t"], torque: [0, "arm.angle_1", 0]}
)yaml",
                                "scene.yaml");
  EXPECT_EQ(spec.mechanisms[0].name, "mechanisms[0]");
  EXPECT_EQ(spec.mechanisms[0].bodies[0].joint.axis_2, Vec3(0, 1, 1));
  EXPECT_EQ(spec.mechanisms[0].forces[0].name, "mechanisms[0].forces[0]");
  const CompiledScene scene = compile(spec);
  EXPECT_THAT(scene.names.mechanism[0].coordinate, ::testing::ElementsAre("arm.angle_1", "arm.angle_2"));
  EXPECT_EQ(scene.model.mechanisms[0].links[0].X_PJ.position, Vec3(1, 2, 3));
  EXPECT_TRUE(scene.warnings.empty());
}

}  // namespace
}  // namespace grus::scene_mechanism_test
