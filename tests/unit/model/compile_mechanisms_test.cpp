// Mechanisms from Spec to Model: where everything lands, forces, probes, faults.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <gmock/gmock.h>

#include "model/compile.hpp"
#include "unit/model/mechanism_specs.hpp"
#include "unit/model/scene_builders.hpp"

namespace grus::compile_mechanisms_test {
namespace {

using namespace test;

// A ball released late, a ball there from the start, a mechanism of three bodies, a floor.
Spec mixed_scene() {
  Spec spec = test::sphere_on_floor();
  spec.bodies.insert(spec.bodies.begin(), spec.bodies[0]);
  spec.bodies[0].name = "late";
  spec.bodies[0].release_time = 0.5;
  spec.bodies[0].shapes = {test::sphere(0.02)};
  MechanismSpec mechanism;
  mechanism.name = "machine";
  mechanism.bodies = {link("arm", "ground", JointKind::revolute, Vec3(5, 0, 0)),
                      link("hand", "arm", JointKind::revolute, Vec3(1, 0, 0)),
                      link("tool", "hand", JointKind::prismatic, Vec3(1, 0, 0))};
  for (LinkSpec& body : mechanism.bodies) {
    body.body.material = "stone";
    body.body.shapes = {test::sphere(0.3)};
  }
  mechanism.bodies[2].body.shapes = {test::shape(ShapeKind::plane), test::sphere(0.001)};
  mechanism.loops = {cut("loop", CutKind::ball, anchor("tool"), anchor("ground"))};
  mechanism.exclude = {{"late", "tool"}};
  spec.mechanisms = {mechanism};
  spec.joints = {cut("pin", CutKind::ball, anchor("ball"), anchor("floor", Vec3(0, 0, 2))),
                 cut("chain", CutKind::rod, anchor("ball", Vec3(1, 0, 0)), anchor("ground"))};
  spec.joints[1].length = 1.0;
  return spec;
}

TEST(CompileMechanisms, BodiesLieBetweenTheFreeAndTheKinematicOnes) {
  const CompiledScene scene = compile(mixed_scene());
  const Model& model = scene.model;
  EXPECT_THAT(scene.names.body, ::testing::ElementsAre("ball", "late", "arm", "hand", "tool", "floor"));
  EXPECT_EQ(model.dynamic_count, 2);
  EXPECT_EQ(model.linked_count, 3);
  EXPECT_EQ(model.kinematic_begin(), 5);
  EXPECT_EQ(model.body_count, 6);
  EXPECT_EQ(model.mechanisms[0].first_body, 2);
  EXPECT_EQ(model.mechanism_of, (std::vector<Index>{0, 0, 0}));
  EXPECT_EQ(model.motion.size(), 1u);
  EXPECT_EQ(model.R_UB.size(), 6u);
  EXPECT_THAT(model.collider_begin, ::testing::ElementsAre(0, 1, 2, 3, 4, 6, 7));
  for (std::size_t i = 1; i < model.colliders.size(); ++i)
    EXPECT_LE(model.colliders[i - 1].body, model.colliders[i].body);
  // neighbours, and the pair that the user named; late is body 1 after sorting by release
  EXPECT_THAT(model.excluded_pairs, ::testing::ElementsAre(std::pair<Index, Index>(1, 4), std::pair<Index, Index>(2, 3),
                                                           std::pair<Index, Index>(3, 4)));
}

TEST(CompileMechanisms, JointsOfFreeBodiesFollowTheirNumbers) {
  const CompiledScene scene = compile(mixed_scene());
  const std::vector<JointCondition>& conditions = scene.model.joint_conditions;
  ASSERT_EQ(conditions.size(), 4u);
  EXPECT_EQ(scene.initial.condition_impulse.size(), 4u);
  EXPECT_THAT(scene.names.joint, ::testing::ElementsAre("pin", "chain"));
  EXPECT_EQ(conditions[0].a, 0);
  EXPECT_EQ(conditions[0].b, no_index);  // a fixed body is the ground
  EXPECT_EQ(conditions[0].p_B, Vec3(0, 0, 2));
  EXPECT_EQ(conditions[3].group, 1);
  EXPECT_EQ(conditions[3].kind, ConditionKind::distance);
}

TEST(CompileMechanisms, GrainsSetTheScaleOfContacts) {
  Spec spec = mixed_scene();
  const Model with_grains = compile(spec).model;
  EXPECT_EQ(with_grains.smallest_bound_radius, 0.02);
  EXPECT_EQ(with_grains.largest_bound_radius, 0.1);
  spec.bodies.erase(spec.bodies.begin(), spec.bodies.begin() + 2);
  spec.joints.clear();
  spec.mechanisms[0].exclude.clear();
  const CompiledScene machine_only = compile(spec);
  EXPECT_EQ(machine_only.model.smallest_bound_radius, 0.001);
  EXPECT_EQ(machine_only.model.largest_bound_radius, 0.3);
  EXPECT_TRUE(machine_only.warnings.empty());
  // the reach of the machine: 5 m to its joint and two lengths of 1 m
  EXPECT_GT(machine_only.model.domain_max.x(), 7.0);
  EXPECT_LT(machine_only.model.domain_max.x(), 50.0);
  EXPECT_NEAR(machine_only.model.mechanisms[0].size, 7.0, pose_rounding);
}

TEST(CompileMechanisms, NeighboursNeedNoPairLaw) {
  Spec spec = machine({link("a", "ground", JointKind::revolute), link("b", "a", JointKind::revolute, Vec3(1, 0, 0))});
  spec.materials = {{{"scene.yaml", 40, 1}, "steel", 7800.0}};
  for (LinkSpec& body : spec.mechanisms[0].bodies) {
    body.body.material = "steel";
    body.body.shapes = {test::sphere(0.1)};
  }
  EXPECT_NO_THROW(compile(spec));
  spec.mechanisms[0].bodies.push_back(spec.mechanisms[0].bodies[1]);
  spec.mechanisms[0].bodies[2].body.name = "c";
  EXPECT_THROW(compile(spec), InputError);  // b and c can touch
  spec.mechanisms[0].bodies[2].body.shapes[0].collides = false;
  EXPECT_NO_THROW(compile(spec));  // c is only drawn
  spec.mechanisms[0].bodies[2].body.shapes[0].collides = true;
  spec.mechanisms[0].exclude = {{"c", "b"}};
  EXPECT_NO_THROW(compile(spec));
  // a wall meets all three, each until it is excluded; a second material beside steel on one body changes nothing
  BodySpec wall;
  wall.name = "wall";
  wall.role = BodyRole::fixed;
  wall.material = "wood";
  wall.shapes = {test::shape(ShapeKind::plane)};
  spec.materials.push_back({{"scene.yaml", 41, 1}, "wood", 700.0});
  spec.bodies = {wall};
  spec.mechanisms[0].bodies[0].body.shapes.push_back(test::sphere(0.05));
  spec.mechanisms[0].bodies[0].body.shapes.back().material = "wood";
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_THROW(compile(spec), InputError);
    spec.mechanisms[0].exclude.emplace_back("wall", name);
  }
  EXPECT_NO_THROW(compile(spec));
}

TEST(CompileForces, LawsReachTheModel) {
  Spec spec = machine(slider_crank(), true);
  spec.parameters["k"] = 5.0;
  MechanismSpec& mechanism = spec.mechanisms[0];
  ForceLawSpec law;
  law.expression = "-k*crank.angle + 2*crank.angle.rate + t";
  mechanism.bodies[1].joint.coordinates[0].forces = {law};
  PointForceSpec spring;
  spring.name = "spring";
  spring.a = anchor("ground", Vec3(0, 3, 0));
  spring.b = anchor("rod", Vec3(0.5, 0, 0));
  spring.law.stiffness = 7.0;
  spring.law.rest = TimeFunctionSpec{{}, "0.1*k", {}, false};
  spring.law.limit = 9.0;
  PointForceSpec pulled = spring;
  pulled.name = "pulled";
  pulled.law.rest->expression = "0.1*t";
  mechanism.springs = {spring, pulled};
  AppliedForceSpec push;
  push.name = "push";
  push.at = anchor("crank", Vec3(0.2, 0, 0));
  push.force[1] = "slider.slide.rate";
  push.torque[2] = "rod.angle";
  mechanism.forces = {push};
  const CompiledScene scene = compile(spec);
  const Mechanism& compiled = scene.model.mechanisms[0];
  ASSERT_EQ(compiled.joint_forces.size(), 1u);
  EXPECT_EQ(compiled.joint_forces[0].coordinate, 0);
  // t, crank.angle, its rate, rod.angle, its rate, slider.slide, its rate
  const std::array<Real, 7> values{0.5, 0.25, 3.0, 11.0, 12.0, 13.0, 14.0};
  EXPECT_EQ((*compiled.joint_forces[0].law.expression)(values), -1.25 + 6.0 + 0.5);
  ASSERT_EQ(compiled.point_forces.size(), 2u);
  EXPECT_EQ(compiled.point_forces[0].a, no_index);
  EXPECT_EQ(compiled.point_forces[0].b, 1);
  EXPECT_EQ(compiled.point_forces[0].p_B, Vec3(0.25, 0, 0));
  EXPECT_EQ((*compiled.point_forces[0].law.rest)(3.0), 0.5);
  EXPECT_TRUE(compiled.point_forces[0].law.rest_is_constant);
  EXPECT_FALSE(compiled.point_forces[1].law.rest_is_constant);
  EXPECT_EQ(compiled.point_forces[0].law.limit, 9.0);
  EXPECT_EQ(scene.names.mechanism[0].point_force, (std::vector<std::string>{"spring", "pulled"}));
  ASSERT_EQ(compiled.applied_forces.size(), 1u);
  EXPECT_EQ(compiled.applied_forces[0].link, 0);
  EXPECT_EQ(compiled.applied_forces[0].p_B, Vec3(0.1, 0, 0));
  EXPECT_EQ((*compiled.applied_forces[0].force[1])(values), 14.0);
  EXPECT_EQ((*compiled.applied_forces[0].torque[2])(values), 11.0);
  EXPECT_EQ(compiled.applied_forces[0].force[0], nullptr);
}

ProbeSpec probe(const char* column, std::string ProbeSpec::*source, const char* name, const char* quantity) {
  ProbeSpec result;
  result.column = column;
  result.*source = name;
  result.quantity = quantity;
  return result;
}

TEST(CompileProbes, SourcesOfMechanisms) {
  Spec spec = mixed_scene();
  PointForceSpec spring;
  spring.name = "spring";
  spring.a = anchor("ground", Vec3(0, 3, 0));
  spring.b = anchor("hand");
  spring.law.damping = 7.0;
  spec.mechanisms[0].springs = {spring};
  spec.mechanisms[0].bodies[1].body.center_of_mass = Vec3(0.5, 0, 0);
  spec.probes = {probe("a", &ProbeSpec::coordinate, "hand.angle", "force"),
                 probe("b", &ProbeSpec::coordinate, "tool.slide", "force"),
                 probe("c", &ProbeSpec::joint, "tool", "torque.y"),
                 probe("d", &ProbeSpec::joint, "loop", "force.x"),
                 probe("e", &ProbeSpec::joint, "chain", "force.z"),
                 probe("f", &ProbeSpec::spring, "spring", "length"),
                 probe("g", &ProbeSpec::body, "hand", "velocity.x"),
                 probe("h", &ProbeSpec::coordinate, "arm.angle", "power")};
  spec.probes[6].at = Vec3(1, 0, 0);
  const CompiledScene scene = compile(spec);
  const std::vector<Probe>& p = scene.probes;
  EXPECT_EQ(p[0].source, Probe::Source::coordinate);
  EXPECT_EQ(p[0].mechanism, 0);
  EXPECT_EQ(p[0].coordinate, 1);
  EXPECT_EQ(p[0].unit, "N m");
  EXPECT_EQ(p[1].coordinate, 2);
  EXPECT_EQ(p[1].unit, "N");
  EXPECT_EQ(p[2].source, Probe::Source::joint);
  EXPECT_EQ(p[2].link, 2);
  EXPECT_EQ(p[2].component, 1);
  EXPECT_EQ(p[2].quantity, Probe::Quantity::torque);
  EXPECT_EQ(p[3].mechanism, 0);
  EXPECT_EQ(p[3].cut, 0);
  EXPECT_EQ(p[3].link, no_index);
  EXPECT_EQ(p[4].mechanism, no_index);
  EXPECT_EQ(p[4].cut, 1);
  EXPECT_EQ(p[5].source, Probe::Source::spring);
  EXPECT_EQ(p[5].spring, 0);
  EXPECT_EQ(p[5].quantity, Probe::Quantity::length);
  EXPECT_EQ(p[6].body, 3);
  ASSERT_TRUE(p[6].has_point);
  const Vec3 at_U = scene.model.p_UB[3] + scene.model.R_UB[3] * p[6].at;
  EXPECT_LT((at_U - Vec3(1, 0, 0)).norm(), pose_rounding);
  EXPECT_EQ(p[7].unit, "W");
}

struct Case {
  const char* name;
  const char* message;
  std::function<void(MechanismSpec&)> change;
};

// What the reader of scenes refuses before compile() sees it; a program can still ask for it. The rest is in
// tests/robustness/corpus.
TEST(CompileMechanisms, FaultsOfPrograms) {
  constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  const auto angle = [](MechanismSpec& m) -> CoordinateSpec& { return m.bodies[1].joint.coordinates[0]; };
  const std::vector<Case> cases{
      {"at", "joint of 'crank': at is", [&](MechanismSpec& m) { m.bodies[1].joint.at.x() = nan; }},
      {"z", "joint of 'crank': at leaves the xy plane", [](MechanismSpec& m) { m.bodies[1].joint.at.z() = 1; }},
      {"rotation", "joint of 'crank': rotation is not a unit quaternion",
       [](MechanismSpec& m) { m.bodies[1].joint.rotation = Quat(2, 0, 0, 0); }},
      {"start", "coordinate 'crank.angle': start is", [&](MechanismSpec& m) { angle(m).start = nan; }},
      {"rate", "coordinate 'crank.angle': rate is", [&](MechanismSpec& m) { angle(m).rate = nan; }},
      {"friction", "coordinate 'crank.angle': friction is -1", [&](MechanismSpec& m) { angle(m).friction = -1; }},
      {"restitution", "coordinate 'crank.angle': restitution is 2",
       [&](MechanismSpec& m) { angle(m).upper = 9, angle(m).restitution = 2; }},
      {"twice", "coordinate 'angle' is given twice",
       [&](MechanismSpec& m) { m.bodies[1].joint.coordinates.push_back(angle(m)); }},
      {"driven", "coordinate 'crank.angle' is driven and has no drive",
       [&](MechanismSpec& m) { angle(m).role = CoordinateRole::driven; }},
      {"stiffness", "coordinate 'crank.angle': stiffness is -1",
       [&](MechanismSpec& m) { angle(m).forces.emplace_back().stiffness = -1; }},
      {"limit", "coordinate 'crank.angle': limit is 0",
       [&](MechanismSpec& m) {
         angle(m).forces.emplace_back().stiffness = 1;
         angle(m).forces.back().limit = 0;
       }},
      {"table", "coordinate 'crank.angle': positions of the table must rise",
       [&](MechanismSpec& m) {
         angle(m).forces.emplace_back().table = {{1, 0}, {1, 2}};
       }},
      {"rod", "loop 'pin': a rod needs its length",
       [](MechanismSpec& m) { m.loops = {cut("pin", CutKind::rod, anchor("rod"), anchor("ground"))}; }},
      {"length", "loop 'pin': only a rod has a length",
       [](MechanismSpec& m) {
         m.loops = {cut("pin", CutKind::ball, anchor("rod"), anchor("ground"))};
         m.loops[0].length = 1;
       }},
      {"components", "loop 'pin': components is empty",
       [](MechanismSpec& m) { m.loops = {cut("pin", CutKind::components, anchor("rod"), anchor("ground"))}; }},
      {"name", "a body needs a name", [](MechanismSpec& m) { m.bodies[0].body.name.clear(); }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Spec spec = machine(slider_crank(), true);
    ASSERT_NO_THROW(compile(spec));
    c.change(spec.mechanisms[0]);
    try {
      compile(spec);
      ADD_FAILURE() << "no fault";
    } catch (const InputError& error) {
      EXPECT_EQ(error.faults().size(), 1u) << error.what();
      EXPECT_THAT(error.faults()[0].message, ::testing::HasSubstr(c.message));
    }
  }
}

}  // namespace
}  // namespace grus::compile_mechanisms_test
