// Every fault that compile() can find: one change to a sound scene gives one fault, at the place of the change.
#include <cmath>
#include <functional>
#include <limits>

#include <gmock/gmock.h>

#include "math/rotation.hpp"
#include "model/compile.hpp"
#include "unit/model/scene_builders.hpp"

namespace grus::compile_faults_test {
namespace {

using test::disk;
using test::shape;
using test::sphere;
using test::sphere_on_floor;

constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();

std::vector<Fault> faults_of(const Spec& spec) {
  try {
    compile(spec);
  } catch (const InputError& error) {
    return error.faults();
  }
  return {};
}

struct Case {
  const char* name;
  int line;  // where the fault must point; see sphere_on_floor()
  const char* message;
  std::function<void(Spec&)> change;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
std::string case_name(const testing::TestParamInfo<Case>& info) { return info.param.name; }

class SpatialFault : public testing::TestWithParam<Case> {};
class PlanarFault : public testing::TestWithParam<Case> {};

void expect_fault(const Spec& base, const Case& c) {
  ASSERT_TRUE(faults_of(base).empty()) << to_string(faults_of(base).front());
  Spec spec = base;
  c.change(spec);
  const std::vector<Fault> faults = faults_of(spec);
  ASSERT_FALSE(faults.empty());
  for (std::size_t i = 1; i < faults.size(); ++i) ADD_FAILURE() << "also: " << faults[i].message;
  EXPECT_THAT(faults[0].message, testing::HasSubstr(c.message));
  EXPECT_EQ(faults[0].where.line, c.line);
  EXPECT_EQ(faults[0].where.file, "scene.yaml");
}

// sphere_on_floor() with marks for the scalar settings.
Spec spatial() {
  Spec spec = sphere_on_floor();
  int line = 100;
  for (const char* path :
       {"time.step", "time.end", "integrator.theta", "solver.tolerance", "gravity", "domain", "pairs"})
    spec.marks[path] = {"scene.yaml", line++, 1};
  return spec;
}

Spec planar() {
  Spec spec = spatial();
  spec.planar = true;
  spec.gravity = Vec3(0, -9.81, 0);
  spec.bodies[0].position = Vec3(0, 1, 0);
  spec.bodies[0].shapes = {disk(0.1)};
  return spec;
}

BodySpec& ball(Spec& spec) { return spec.bodies[0]; }
BodySpec& floor_of(Spec& spec) { return spec.bodies[1]; }

ProbeSpec probe(const char* column, const char* body, const char* group, const char* quantity) {
  ProbeSpec result;
  result.mark = {"scene.yaml", 50, 1};
  result.column = column;
  result.body = body;
  result.group = group;
  result.quantity = quantity;
  return result;
}

ProbeSpec formula(const char* column, const char* expression) {
  ProbeSpec result = probe(column, "", "", "");
  result.expression = expression;
  return result;
}

CheckSpec check(const char* of) {
  CheckSpec result;
  result.mark = {"scene.yaml", 60, 1};
  result.name = "check";
  result.of = of;
  result.below = 1.0;
  return result;
}

GeneratorSpec grains() {
  GeneratorSpec result;
  result.mark = {"scene.yaml", 70, 1};
  result.kind = GeneratorSpec::Kind::lattice;
  result.name = "grains";
  result.material = "stone";
  result.shape = sphere(1.0);
  result.shape.mark = {"scene.yaml", 71, 1};
  result.size.diameter = 0.1;
  result.box_min = Vec3(2, 2, 2);
  result.cells = {2, 2, 2};
  return result;
}

MotionSpec shaking() {
  MotionSpec motion;
  motion.mark = {"scene.yaml", 25, 1};
  motion.displacement[0] = TimeFunctionSpec{{"scene.yaml", 26, 1}, "0.1*sin(t)", {}, false};
  return motion;
}

TEST_P(SpatialFault, IsFoundAlone) { expect_fault(spatial(), GetParam()); }
TEST_P(PlanarFault, IsFoundAlone) { expect_fault(planar(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Settings, SpatialFault,
    testing::Values(
        Case{"step_zero", 100, "time.step is 0, expected a number greater than 0",
             [](Spec& s) { s.integrator.step = 0; }},
        Case{"step_nan", 100, "time.step is nan", [](Spec& s) { s.integrator.step = nan; }},
        Case{"end_negative", 101, "time.end is -1, expected 0 or more", [](Spec& s) { s.end = -1; }},
        Case{"theta_low", 102, "integrator.theta is 0.4, expected a number from 0.5 to 1",
             [](Spec& s) { s.integrator.theta = 0.4; }},
        Case{"theta_high", 102, "integrator.theta is 1.1", [](Spec& s) { s.integrator.theta = 1.1; }},
        Case{"theta_nan", 102, "integrator.theta is nan", [](Spec& s) { s.integrator.theta = nan; }},
        Case{"gap_law_theta", 102, "the gap law needs integrator.theta = 1, found 0.5",
             [](Spec& s) { s.law = ContactLawKind::gap; }},
        Case{"gap_pair_theta", 30, "the gap law needs integrator.theta = 1",
             [](Spec& s) { s.pairs[0].law = ContactLawKind::gap; }},
        Case{"integrator_kind", 0, "unknown integrator.kind 'moreau-jea' (did you mean 'moreau-jean'?)",
             [](Spec& s) { s.integrator_kind = "moreau-jea"; }},
        Case{"tolerance", 103, "solver.tolerance is 0", [](Spec& s) { s.solver.tolerance = 0; }},
        Case{"iterations", 0, "solver.max_iterations is 0, expected 1 or more",
             [](Spec& s) { s.solver.max_iterations = 0; }},
        Case{"order", 0, "solver.order is of nlgs-anderson", [](Spec& s) { s.solver.order = SweepOrder::symmetric; }},
        Case{"facets", 0, "solver.facets is of nlgs-lemke and nlgs-qp", [](Spec& s) { s.solver.facets = 8; }},
        Case{"few_facets", 0, "solver.facets is 2, expected 3 or more",
             [](Spec& s) {
               s.solver.kind = SolverKind::nlgs_lemke;
               s.solver.facets = 2;
             }},
        Case{"recovery", 0, "contact.recovery_speed is -1", [](Spec& s) { s.contact.recovery_speed = -1; }},
        Case{"slop", 0, "contact.recovery_slop is nan", [](Spec& s) { s.contact.recovery_slop = nan; }},
        Case{"skin", 0, "contact.activation_skin is -1", [](Spec& s) { s.contact.activation_skin = -1; }},
        Case{"gravity", 104, "gravity is (0, nan, 0), expected finite numbers",
             [](Spec& s) { s.gravity = Vec3(0, nan, 0); }},
        Case{"domain_empty", 105, "the domain is empty along y: 1 to 1",
             [](Spec& s) {
               s.domain = {Vec3(-1, 1, -1), Vec3(1, 1, 1)};
             }},
        Case{"domain_nan", 105, "upper corner of the domain",
             [](Spec& s) {
               s.domain = {Vec3(-1, -1, -1), Vec3(1, nan, 1)};
             }},
        Case{"series_interval", 0, "outputs.series is -1", [](Spec& s) { s.outputs.series_interval = -1; }},
        Case{"checkpoint_interval", 0, "outputs.checkpoint is 0", [](Spec& s) { s.outputs.checkpoint_interval = 0; }},
        Case{"part_size", 0, "outputs.frame_part_megabytes is 0", [](Spec& s) { s.outputs.frame_part_megabytes = 0; }}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    MaterialsAndPairs, SpatialFault,
    testing::Values(Case{"duplicate", 41, "material 'stone' is defined twice",
                         [](Spec& s) {
                           s.materials.push_back({{"scene.yaml", 41, 1}, "stone", 1.0});
                         }},
                    Case{"any", 41, "'any' stands for every material",
                         [](Spec& s) {
                           s.materials.push_back({{"scene.yaml", 41, 1}, "any", 1.0});
                         }},
                    Case{"unnamed", 41, "a material needs a name",
                         [](Spec& s) {
                           s.materials.push_back({{"scene.yaml", 41, 1}, "", 1.0});
                         }},
                    Case{"density", 41, "density of material 'x' is -1",
                         [](Spec& s) {
                           s.materials.push_back({{"scene.yaml", 41, 1}, "x", -1.0});
                         }},
                    Case{"pair_material", 31, "pair: unknown material 'stome' (did you mean 'stone'?)",
                         [](Spec& s) {
                           s.pairs.push_back({{"scene.yaml", 31, 1}, "stone", "stome", 0.1, 0.1, {}});
                         }},
                    Case{"pair_empty", 31, "a pair needs two materials",
                         [](Spec& s) {
                           s.pairs.push_back({{"scene.yaml", 31, 1}, "stone", "", 0.1, 0.1, {}});
                         }},
                    Case{"friction", 30, "pair stone-stone: friction is -0.1, expected 0 or more",
                         [](Spec& s) { s.pairs[0].friction = -0.1; }},
                    Case{"friction_nan", 30, "friction is nan", [](Spec& s) { s.pairs[0].friction = nan; }},
                    Case{"restitution", 30, "pair stone-stone: restitution is 1.5, expected a number from 0 to 1",
                         [](Spec& s) { s.pairs[0].restitution = 1.5; }},
                    Case{"restitution_nan", 30, "restitution is nan", [](Spec& s) { s.pairs[0].restitution = nan; }},
                    Case{"no_pair", 106, "materials 'stone' and 'stone' can touch but no pair gives their friction",
                         [](Spec& s) { s.pairs.clear(); }},
                    Case{"no_friction", 106, "no pair gives their friction",
                         [](Spec& s) { s.pairs[0].friction.reset(); }}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Bodies, SpatialFault,
    testing::Values(
        Case{"duplicate", 20, "body 'ball' is defined twice (first at line 10)",
             [](Spec& s) { floor_of(s).name = "ball"; }},
        Case{"unnamed", 10, "a body needs a name", [](Spec& s) { ball(s).name = ""; }},
        Case{"material", 10, "body 'ball': unknown material 'stoone' (did you mean 'stone'?)",
             [](Spec& s) {
               ball(s).material = "stoone";
               ball(s).density = 1.0;
             }},
        Case{"no_material", 10, "body 'ball' needs a material",
             [](Spec& s) {
               ball(s).material = "";
               ball(s).density = 1.0;
             }},
        Case{"no_density", 10, "body 'ball' needs a density (of the body or of its material) or a mass",
             [](Spec& s) { s.materials[0].density.reset(); }},
        Case{"density", 10, "body 'ball': density is 0", [](Spec& s) { ball(s).density = 0.0; }},
        Case{"position", 10, "body 'ball': position is (0, 0, nan)",
             [](Spec& s) { ball(s).position = Vec3(0, 0, nan); }},
        Case{"rotation", 10, "body 'ball': rotation is not a unit quaternion",
             [](Spec& s) { ball(s).rotation = Quat(2, 0, 0, 0); }},
        Case{"angle", 10, "angle is for planar scenes", [](Spec& s) { ball(s).angle = 1.0; }},
        Case{"velocity", 10, "body 'ball': velocity is (nan", [](Spec& s) { ball(s).velocity = Vec3(nan, 0, 0); }},
        Case{"spin", 10, "body 'ball': angular_velocity is (inf",
             [](Spec& s) { ball(s).angular_velocity = Vec3(INFINITY, 0, 0); }},
        Case{"release", 10, "body 'ball': release_time is -1", [](Spec& s) { ball(s).release_time = -1; }},
        Case{"dynamic_motion", 10, "has a motion, so its role must be kinematic",
             [](Spec& s) { ball(s).motion = shaking(); }},
        Case{"fixed_velocity", 20, "body 'floor' is fixed and has a velocity",
             [](Spec& s) { floor_of(s).velocity = Vec3(1, 0, 0); }},
        Case{"fixed_motion", 20, "is fixed and has a motion, expected role kinematic",
             [](Spec& s) { floor_of(s).motion = shaking(); }},
        Case{"fixed_release", 20, "only dynamic bodies have a release_time",
             [](Spec& s) { floor_of(s).release_time = 1; }},
        Case{"fixed_group", 20, "groups hold dynamic bodies only", [](Spec& s) { floor_of(s).group = "walls"; }},
        Case{"group_all", 10, "the group 'all' is every dynamic body", [](Spec& s) { ball(s).group = "all"; }},
        Case{"kinematic_still", 20, "is kinematic and has no motion",
             [](Spec& s) { floor_of(s).role = BodyRole::kinematic; }},
        Case{"kinematic_velocity", 20, "its motion gives the velocity",
             [](Spec& s) {
               floor_of(s).role = BodyRole::kinematic;
               floor_of(s).motion = shaking();
               floor_of(s).velocity = Vec3(1, 0, 0);
             }},
        Case{"motion_formula", 26, "unknown name 'q'",
             [](Spec& s) {
               floor_of(s).role = BodyRole::kinematic;
               floor_of(s).motion = shaking();
               floor_of(s).motion->displacement[0]->expression = "q*t";
             }},
        Case{"motion_axis", 25, "axis of the motion has no direction",
             [](Spec& s) {
               floor_of(s).role = BodyRole::kinematic;
               floor_of(s).motion = shaking();
               floor_of(s).motion->axis = Vec3::Zero();
             }},
        Case{"motion_pivot", 25, "pivot is (nan",
             [](Spec& s) {
               floor_of(s).role = BodyRole::kinematic;
               floor_of(s).motion = shaking();
               floor_of(s).motion->pivot = Vec3(nan, 0, 0);
             }},
        Case{"motion_empty", 25, "the motion moves nothing",
             [](Spec& s) {
               floor_of(s).role = BodyRole::kinematic;
               floor_of(s).motion = MotionSpec{};
               floor_of(s).motion->mark = {"scene.yaml", 25, 1};
             }}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Masses, SpatialFault,
    testing::Values(
        Case{"mass", 10, "body 'ball': mass is 0", [](Spec& s) { ball(s).mass = 0.0; }},
        Case{"mass_nan", 10, "body 'ball': mass is nan", [](Spec& s) { ball(s).mass = nan; }},
        Case{"inertia_alone", 10, "so it must give mass too", [](Spec& s) { ball(s).inertia = Mat3::Identity(); }},
        Case{"center_alone", 10, "so it must give mass too", [](Spec& s) { ball(s).center_of_mass = Vec3::Zero(); }},
        Case{"inertia_triangle", 10, "belong to no mass distribution",
             [](Spec& s) {
               ball(s).mass = 1.0;
               ball(s).inertia = Mat3(Vec3(1, 1, 3).asDiagonal());
             }},
        Case{"inertia_zero", 10, "belong to no mass distribution",
             [](Spec& s) {
               ball(s).mass = 1.0;
               ball(s).inertia = Mat3(Mat3::Zero());
             }},
        Case{"inertia_nan", 10, "inertia has a number that is not finite",
             [](Spec& s) {
               ball(s).mass = 1.0;
               ball(s).inertia = Mat3(Mat3::Constant(nan));
             }},
        Case{"inertia_symmetry", 10, "inertia is not symmetric",
             [](Spec& s) {
               ball(s).mass = 1.0;
               ball(s).inertia = Mat3(Mat3::Identity());
               (*ball(s).inertia)(0, 1) = 0.1;
             }},
        Case{"center_nan", 10, "center_of_mass is (nan",
             [](Spec& s) {
               ball(s).mass = 1.0;
               ball(s).inertia = Mat3(Mat3::Identity());
               ball(s).center_of_mass = Vec3(nan, 0, 0);
             }},
        Case{"too_large", 10, "belong to no mass distribution", [](Spec& s) { ball(s).shapes[0].radius = 1e200; }},
        Case{"nothing", 10, "body 'ball' needs a shape, or mass and inertia", [](Spec& s) { ball(s).shapes.clear(); }}),
    case_name);

ShapeSpec marked(ShapeKind kind) {
  ShapeSpec result = shape(kind);
  result.mark = {"scene.yaml", 12, 1};
  result.radius = result.length = 0.1;
  result.size = Vec3(0.1, 0.1, 0.1);
  result.vertices = {Vec2(0, 0), Vec2(1, 0), Vec2(0, 1)};
  return result;
}

void set_shape(
    Spec& spec, ShapeKind kind, const std::function<void(ShapeSpec&)>& change = [](ShapeSpec&) {}) {
  ShapeSpec result = marked(kind);
  change(result);
  ball(spec).shapes = {result};
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, SpatialFault,
    testing::Values(
        Case{"disk", 12, "a disk has no place in a spatial scene", [](Spec& s) { set_shape(s, ShapeKind::disk); }},
        Case{"polygon", 12, "a polygon has no place in a spatial scene",
             [](Spec& s) { set_shape(s, ShapeKind::polygon); }},
        Case{"ring", 12, "a ring has no place in a spatial scene", [](Spec& s) { set_shape(s, ShapeKind::ring); }},
        Case{"sphere_radius", 12, "radius of the sphere is 0, expected a number greater than 0",
             [](Spec& s) { set_shape(s, ShapeKind::sphere, [](ShapeSpec& x) { x.radius = 0; }); }},
        Case{"capsule_length", 12, "length of the capsule is -1",
             [](Spec& s) { set_shape(s, ShapeKind::capsule, [](ShapeSpec& x) { x.length = -1; }); }},
        Case{"cylinder_radius", 12, "radius of the cylinder is nan",
             [](Spec& s) { set_shape(s, ShapeKind::cylinder, [](ShapeSpec& x) { x.radius = nan; }); }},
        Case{"box_size", 12, "size of the box is 0",
             [](Spec& s) { set_shape(s, ShapeKind::box, [](ShapeSpec& x) { x.size.y() = 0; }); }},
        Case{"place", 12, "position of a shape is (nan",
             [](Spec& s) { set_shape(s, ShapeKind::box, [](ShapeSpec& x) { x.position.x() = nan; }); }},
        Case{"turn", 12, "rotation of a shape is not a unit quaternion",
             [](Spec& s) { set_shape(s, ShapeKind::box, [](ShapeSpec& x) { x.rotation = Quat(0, 0, 0, 0); }); }},
        Case{"density", 12, "density of a shape is -2",
             [](Spec& s) { set_shape(s, ShapeKind::box, [](ShapeSpec& x) { x.density = -2.0; }); }},
        Case{"material", 12, "unknown material 'ston' (did you mean 'stone'?)",
             [](Spec& s) {
               set_shape(s, ShapeKind::box, [](ShapeSpec& x) {
                 x.material = "ston";
                 x.density = 1.0;
               });
             }},
        Case{"dynamic_plane", 12, "body 'ball' is dynamic and has a plane, which has no end",
             [](Spec& s) { set_shape(s, ShapeKind::plane); }},
        Case{"dynamic_tube", 12, "is dynamic and has a tube, which has no end",
             [](Spec& s) {
               set_shape(s, ShapeKind::tube);
               ball(s).mass = 1.0;
               ball(s).inertia = Mat3(Mat3::Identity());
             }},
        Case{"fixed_nothing", 20, "body 'floor' needs a shape", [](Spec& s) { floor_of(s).shapes.clear(); }}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Planar, PlanarFault,
    testing::Values(
        Case{"gravity", 104, "gravity leaves the xy plane (z = -1) in a planar scene",
             [](Spec& s) { s.gravity.z() = -1; }},
        Case{"thickness", 0, "thickness is 0",
             [](Spec& s) {
               s.thickness = 0;
               ball(s).mass = 1.0;
               ball(s).inertia = Mat3(Mat3::Identity());
             }},
        Case{"sphere", 12, "a sphere has no place in a planar scene (expected disk, capsule",
             [](Spec& s) { set_shape(s, ShapeKind::sphere); }},
        Case{"cylinder", 12, "a cylinder has no place in a planar scene",
             [](Spec& s) { set_shape(s, ShapeKind::cylinder); }},
        Case{"tube", 12, "a tube has no place in a planar scene", [](Spec& s) { set_shape(s, ShapeKind::tube); }},
        Case{"disk_radius", 12, "radius of the disk is -1",
             [](Spec& s) { set_shape(s, ShapeKind::disk, [](ShapeSpec& x) { x.radius = -1; }); }},
        Case{"concave", 12, "the polygon is not convex at vertex (0.1, 0.1)",
             [](Spec& s) {
               set_shape(s, ShapeKind::polygon, [](ShapeSpec& x) {
                 x.vertices = {Vec2(0, 0), Vec2(1, 0), Vec2(0.1, 0.1), Vec2(0, 1)};
               });
             }},
        Case{"few_vertices", 12, "a polygon needs at least 3 vertices, found 2",
             [](Spec& s) { set_shape(s, ShapeKind::polygon, [](ShapeSpec& x) { x.vertices.pop_back(); }); }},
        Case{"position", 10, "body 'ball': position leaves the xy plane", [](Spec& s) { ball(s).position.z() = 1; }},
        Case{"velocity", 10, "body 'ball': velocity leaves the xy plane", [](Spec& s) { ball(s).velocity.z() = 1; }},
        Case{"spin", 10, "angular_velocity must be about z", [](Spec& s) { ball(s).angular_velocity.x() = 1; }},
        Case{"rotation", 10, "rotation turns out of the xy plane",
             [](Spec& s) { ball(s).rotation = exp_rotation(Vec3(0.1, 0, 0)); }},
        Case{"contradiction", 10, "angle 1 and rotation contradict each other",
             [](Spec& s) {
               ball(s).angle = 1;
               ball(s).rotation = rotation_about_z(0.5);
             }},
        Case{"shape_place", 12, "position of a shape leaves the xy plane",
             [](Spec& s) { set_shape(s, ShapeKind::disk, [](ShapeSpec& x) { x.position.z() = 1; }); }},
        Case{"shape_turn", 12, "rotation of a shape turns out of the xy plane",
             [](Spec& s) {
               set_shape(s, ShapeKind::disk, [](ShapeSpec& x) { x.rotation = exp_rotation(Vec3(0.1, 0, 0)); });
             }},
        Case{"center", 10, "center_of_mass leaves the xy plane",
             [](Spec& s) {
               ball(s).mass = 1.0;
               ball(s).inertia = Mat3(Mat3::Identity());
               ball(s).center_of_mass = Vec3(0, 0, 1);
             }},
        Case{"inertia", 10, "moment of inertia is 0",
             [](Spec& s) {
               ball(s).mass = 1.0;
               ball(s).inertia = Mat3(Mat3::Zero());
             }},
        Case{"motion", 26, "motion along z leaves the xy plane",
             [](Spec& s) {
               floor_of(s).role = BodyRole::kinematic;
               floor_of(s).motion = shaking();
               std::swap(floor_of(s).motion->displacement[0], floor_of(s).motion->displacement[2]);
             }},
        Case{"axis", 25, "axis of the motion must be z",
             [](Spec& s) {
               floor_of(s).role = BodyRole::kinematic;
               floor_of(s).motion = shaking();
               floor_of(s).motion->axis = Vec3(1, 0, 0);
             }},
        Case{"probe_z", 50, "unknown quantity 'position.z' of a body in a planar scene",
             [](Spec& s) { s.probes = {probe("c", "ball", "", "position.z")}; }},
        Case{"probe_spin", 50, "unknown quantity 'angular_velocity.x'",
             [](Spec& s) { s.probes = {probe("c", "ball", "", "angular_velocity.x")}; }},
        Case{"probe_up", 50, "up is 'q', expected x or y",
             [](Spec& s) {
               s.probes = {probe("c", "", "all", "surface_angle")};
               s.probes[0].up = "q";
             }}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    ProbesAndChecks, SpatialFault,
    testing::Values(
        Case{"no_column", 50, "a probe needs a column name",
             [](Spec& s) { s.probes = {probe("", "ball", "", "speed")}; }},
        Case{"comma", 50, "holds a comma, a quote or a space",
             [](Spec& s) { s.probes = {probe("a,b", "ball", "", "speed")}; }},
        Case{"twice", 50, "column 'c' is defined twice",
             [](Spec& s) {
               s.probes = {probe("c", "ball", "", "speed"), probe("c", "ball", "", "speed")};
             }},
        Case{"standard", 50, "column 'energy.kinetic' is written by itself",
             [](Spec& s) { s.probes = {probe("energy.kinetic", "ball", "", "speed")}; }},
        Case{"body", 50, "probe 'c': unknown body 'bal' (did you mean 'ball'?)",
             [](Spec& s) { s.probes = {probe("c", "bal", "", "speed")}; }},
        Case{"group", 50, "probe 'c': unknown group 'stones' (known: all)",
             [](Spec& s) { s.probes = {probe("c", "", "stones", "mean.z")}; }},
        Case{"quantity", 50,
             "unknown quantity 'sped' of a body in a spatial scene (did you mean 'speed'?); expected one "
             "of position.x|y|z, velocity.x|y|z",
             [](Spec& s) { s.probes = {probe("c", "ball", "", "sped")}; }},
        Case{"group_quantity", 50, "expected one of mean|min|max|rms.position.x|y|z",
             [](Spec& s) { s.probes = {probe("c", "", "all", "weight")}; }},
        Case{"group_force", 50, "unknown quantity 'mean.force.x' of a group",
             [](Spec& s) { s.probes = {probe("c", "", "all", "mean.force.x")}; }},
        Case{"spatial_angle", 50, "unknown quantity 'angle' of a body in a spatial scene",
             [](Spec& s) { s.probes = {probe("c", "ball", "", "angle")}; }},
        Case{"two_sources", 50,
             "gives 2 of body, group, coordinate, joint, spring and expression, expected exactly one",
             [](Spec& s) { s.probes = {probe("c", "ball", "all", "speed")}; }},
        Case{"no_source", 50, "gives 0 of body, group, coordinate, joint, spring and expression",
             [](Spec& s) { s.probes = {probe("c", "", "", "speed")}; }},
        Case{"later_column", 50, "probe 'c': unknown name 'd' in 'd + 1'",
             [](Spec& s) {
               s.probes = {formula("c", "d + 1"), formula("d", "t")};
             }},
        Case{"syntax", 50, "probe 'c': 't +' is not a formula", [](Spec& s) { s.probes = {formula("c", "t +")}; }},
        Case{"axes", 50, "along and up are the same axis",
             [](Spec& s) {
               s.probes = {probe("c", "", "all", "surface_angle")};
               s.probes[0].along = "z";
             }},
        Case{"check_column", 60,
             "check 'check': 'energy.kinetics' is neither a column nor a key of the summary (did you mean "
             "'energy.kinetic'?)",
             [](Spec& s) { s.checks = {check("energy.kinetics")}; }},
        Case{"figure_column", 70,
             "figure 'wrong': 'energy.kinetics' is no column of series.csv (did you mean 'energy.kinetic'?)",
             [](Spec& s) {
               s.figures = {{{"scene.yaml", 70, 1}, "wrong", "t", {"energy.kinetics"}, false}};
             }},
        Case{"figure_without_columns", 70, "figure 'empty' has no columns in y",
             [](Spec& s) {
               s.figures = {{{"scene.yaml", 70, 1}, "empty", "t", {}, false}};
             }},
        Case{"check_bound", 60, "needs a bound: below, above or near",
             [](Spec& s) {
               s.checks = {check("t")};
               s.checks[0].below.reset();
             }},
        Case{"check_nan", 60, "below is nan",
             [](Spec& s) {
               s.checks = {check("t")};
               s.checks[0].below = nan;
             }},
        Case{"check_tolerance", 60, "tolerance is -1",
             [](Spec& s) {
               s.checks = {check("t")};
               s.checks[0].tolerance = -1;
             }},
        Case{"check_window", 60, "the window from 2 to 1 is empty",
             [](Spec& s) {
               s.checks = {check("t")};
               s.checks[0].from = 2;
               s.checks[0].to = 1;
             }},
        Case{"check_no_against", 60, "needs 'against'",
             [](Spec& s) {
               s.checks = {check("t")};
               s.checks[0].reduce = CheckSpec::Reduce::max_error;
             }},
        Case{"check_no_swing", 60, "needs 'against'",
             [](Spec& s) {
               s.checks = {check("t")};
               s.checks[0].reduce = CheckSpec::Reduce::change_per_period;
             }},
        Case{"check_key_period", 60, "periods, max_error and rms_error are of columns",
             [](Spec& s) {
               s.checks = {check("penetration_max")};
               s.checks[0].reduce = CheckSpec::Reduce::period;
             }},
        Case{"check_against", 60, "goes with max_error, rms_error or change_per_period",
             [](Spec& s) {
               s.checks = {check("t")};
               s.checks[0].against = "t";
             }},
        Case{"check_formula", 60, "unknown name 'tt'",
             [](Spec& s) {
               s.checks = {check("t")};
               s.checks[0].reduce = CheckSpec::Reduce::rms_error;
               s.checks[0].against = "tt";
             }},
        Case{"check_key_error", 60, "periods, max_error and rms_error are of columns",
             [](Spec& s) {
               s.checks = {check("penetration_max")};
               s.checks[0].reduce = CheckSpec::Reduce::rms_error;
               s.checks[0].against = "t";
             }}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Generators, SpatialFault,
    testing::Values(Case{"unnamed", 70, "a generator needs a name",
                         [](Spec& s) {
                           s.generators = {grains()};
                           s.generators[0].name = "";
                         }},
                    Case{"all", 70, "the group 'all' is every dynamic body",
                         [](Spec& s) {
                           s.generators = {grains()};
                           s.generators[0].name = "all";
                         }},
                    Case{"twice", 70, "generator 'grains' is defined twice (first at line 70)",
                         [](Spec& s) {
                           s.generators = {grains(), grains()};
                         }},
                    Case{"body_name", 70, "its grain 'grains[3]' has the name of a body",
                         [](Spec& s) {
                           s.generators = {grains()};
                           ball(s).name = "grains[3]";
                         }},
                    Case{"material", 70, "generator 'grains': unknown material 'stoen' (did you mean 'stone'?)",
                         [](Spec& s) {
                           s.generators = {grains()};
                           s.generators[0].material = "stoen";
                           s.generators[0].density = 1.0;
                         }},
                    Case{"template", 71, "generator 'grains': radius of the sphere is 0",
                         [](Spec& s) {
                           s.generators = {grains()};
                           s.generators[0].shape.radius = 0;
                         }},
                    Case{"endless", 71, "is dynamic and has a plane",
                         [](Spec& s) {
                           s.generators = {grains()};
                           s.generators[0].shape.kind = ShapeKind::plane;
                         }},
                    Case{"size", 70, "generator 'grains': size: diameter is 0",
                         [](Spec& s) {
                           s.generators = {grains()};
                           s.generators[0].size.diameter = 0;
                         }},
                    Case{"too_many", 70, "8000000 cells, at most 5000000",
                         [](Spec& s) {
                           s.generators = {grains()};
                           s.generators[0].cells = {200, 200, 200};
                         }},
                    Case{"size_and_probe_of_a_grain", 70, "diameter is 0",
                         [](Spec& s) {
                           s.generators = {grains()};
                           s.generators[0].size.diameter = 0;
                           s.probes = {probe("c", "grains[0]", "", "speed"), probe("d", "", "grains", "mean.z")};
                         }}),
    case_name);

TEST(CompileFaults, AllAreReportedAtOnceInTheOrderOfTheFile) {
  Spec spec = spatial();
  spec.integrator.theta = 0.1;
  ball(spec).shapes[0].radius = -1;
  ball(spec).shapes[0].mark = {"scene.yaml", 12, 1};
  floor_of(spec).material = "nothing";
  spec.pairs[0].restitution = 2.0;
  spec.probes = {probe("c", "nobody", "", "speed")};
  spec.checks = {check("nothing at all")};
  spec.generators = {grains()};
  spec.generators[0].cells = {0, 1, 1};
  std::vector<int> lines;
  for (const Fault& fault : faults_of(spec)) lines.push_back(fault.where.line);
  EXPECT_THAT(lines, testing::ElementsAre(12, 20, 30, 50, 60, 70, 102));
}

TEST(CompileFaults, SceneOfTooManyGrainsInAll) {
  Spec spec = spatial();
  spec.generators = {grains(), grains()};
  spec.generators[0].cells = {170, 170, 170};
  spec.generators[1].cells = {50, 50, 50};
  spec.generators[1].name = "more";
  const auto faults = faults_of(spec);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_THAT(faults[0].message, testing::HasSubstr("more than 5000000 bodies"));
}

}  // namespace
}  // namespace grus::compile_faults_test
