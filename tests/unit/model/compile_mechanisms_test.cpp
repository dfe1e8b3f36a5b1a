// Mechanisms from Spec to Model: order, frames, coordinates, conditions, and where everything lands.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <random>

#include <gmock/gmock.h>

#include "math/rotation.hpp"
#include "model/compile.hpp"
#include "unit/model/scene_builders.hpp"

namespace grus::compile_mechanisms_test {
namespace {

using Isometry = Eigen::Isometry3d;
// A handful of products of rotations and sums of lengths of order 1.
constexpr Real rounding = 1e-14;

Isometry isometry(const Vec3& p, const Quat& q) {
  Isometry X = Isometry::Identity();
  X.linear() = Eigen::Quaterniond(q).toRotationMatrix();
  X.translation() = p;
  return X;
}

LinkSpec link(const std::string& name, const std::string& parent, JointKind kind, const Vec3& at = Vec3::Zero()) {
  LinkSpec result;
  result.body.mark = {"scene.yaml", 1, 1};
  result.body.name = name;
  result.body.mass = 2.0;
  result.body.inertia = Mat3(Vec3(0.1, 0.2, 0.25).asDiagonal());
  result.parent = parent;
  result.joint.mark = {"scene.yaml", 2, 1};
  result.joint.kind = kind;
  result.joint.at = at;
  return result;
}

CoordinateSpec coordinate(const std::string& name, std::optional<Real> start, std::optional<Real> rate = {}) {
  CoordinateSpec result;
  result.mark = {"scene.yaml", 3, 1};
  result.name = name;
  result.start = start;
  result.rate = rate;
  return result;
}

AnchorSpec anchor(const std::string& body, const Vec3& at = Vec3::Zero()) {
  AnchorSpec result;
  result.body = body;
  result.at = at;
  return result;
}

CutSpec cut(const std::string& name, CutKind kind, const AnchorSpec& a, const AnchorSpec& b) {
  CutSpec result;
  result.mark = {"scene.yaml", 4, 1};
  result.name = name;
  result.kind = kind;
  result.a = a;
  result.b = b;
  return result;
}

Spec machine(std::vector<LinkSpec> bodies, bool planar = false) {
  Spec spec;
  spec.file = "scene.yaml";
  spec.planar = planar;
  MechanismSpec mechanism;
  mechanism.mark = {"scene.yaml", 5, 1};
  mechanism.name = "machine";
  mechanism.bodies = std::move(bodies);
  spec.mechanisms = {std::move(mechanism)};
  return spec;
}

// Rows of frames from the ground outwards, straight from the definition of Link.
std::vector<Isometry> body_frames(const Mechanism& mechanism, const std::vector<Real>& q) {
  std::vector<Isometry> frames;
  for (const Link& body : mechanism.links) {
    Isometry X = body.parent == no_index ? Isometry::Identity() : frames[static_cast<std::size_t>(body.parent)];
    X = X * isometry(body.X_PJ.position, body.X_PJ.rotation);
    for (Index k = body.axis_begin; k < body.axis_end; ++k) {
      const JointAxis& axis = mechanism.axes[static_cast<std::size_t>(k)];
      const Real* x = &q[static_cast<std::size_t>(axis.position)];
      if (axis.kind == AxisKind::slide) X = X * isometry(*x * axis.axis, Quat::Identity());
      if (axis.kind == AxisKind::turn) X = X * isometry(Vec3::Zero(), exp_rotation(*x * axis.axis));
      if (axis.kind == AxisKind::ball) X = X * isometry(Vec3::Zero(), Quat(x[0], x[1], x[2], x[3]));
    }
    frames.push_back(X * isometry(body.X_JB.position, body.X_JB.rotation));
  }
  return frames;
}

struct Random {
  std::mt19937 engine{7};
  Real number(Real low = -1.0, Real high = 1.0) { return std::uniform_real_distribution<Real>(low, high)(engine); }
  Vec3 vector() { return Vec3(number(), number(), number()); }
  Quat rotation() { return exp_rotation(3.0 * vector()); }
};

// The motion of a joint as its kind says, from the starts in the Spec.
Isometry joint_motion(const JointSpec& joint) {
  std::map<std::string, Real> start;
  for (const CoordinateSpec& c : joint.coordinates) start[c.name] = *c.start;
  const Vec3 axis = joint.axis ? Vec3(joint.axis->normalized()) : Vec3(Vec3::UnitZ());
  const auto slide = [](const Vec3& d) { return isometry(d, Quat::Identity()); };
  const auto turn = [](const Vec3& r) { return isometry(Vec3::Zero(), exp_rotation(r)); };
  const Vec3 ball(start["rx"], start["ry"], start["rz"]);
  switch (joint.kind) {
    case JointKind::fixed:
      return Isometry::Identity();
    case JointKind::revolute:
      return turn(start["angle"] * axis);
    case JointKind::prismatic:
      return slide(start["slide"] * axis);
    case JointKind::cylindrical:
      return slide(start["slide"] * axis) * turn(start["angle"] * axis);
    case JointKind::universal:
      return turn(start["angle_1"] * axis) * turn(start["angle_2"] * joint.axis_2->normalized());
    case JointKind::spherical:
      return turn(ball);
    case JointKind::planar:
      return slide(Vec3(start["x"], start["y"], 0)) * turn(Vec3(0, 0, start["angle"]));
    case JointKind::free:
      return slide(Vec3(start["x"], start["y"], start["z"])) * turn(ball);
  }
  return Isometry::Identity();
}

const std::map<JointKind, std::vector<const char*>> coordinate_names{
    {JointKind::fixed, {}},
    {JointKind::revolute, {"angle"}},
    {JointKind::prismatic, {"slide"}},
    {JointKind::cylindrical, {"slide", "angle"}},
    {JointKind::universal, {"angle_1", "angle_2"}},
    {JointKind::spherical, {"rx", "ry", "rz"}},
    {JointKind::planar, {"x", "y", "angle"}},
    {JointKind::free, {"x", "y", "z", "rx", "ry", "rz"}},
};

LinkSpec random_link(Random& random, const std::string& name, const std::string& parent, JointKind kind) {
  LinkSpec result = link(name, parent, kind, random.vector());
  result.joint.rotation = random.rotation();
  if (kind == JointKind::revolute || kind == JointKind::prismatic || kind == JointKind::cylindrical ||
      kind == JointKind::universal)
    result.joint.axis = random.vector();
  if (kind == JointKind::universal) result.joint.axis_2 = random.vector();
  for (const char* motion : coordinate_names.at(kind))
    result.joint.coordinates.push_back(coordinate(motion, random.number()));
  result.body.center_of_mass = random.vector();
  const Mat3 R = random.rotation().toRotationMatrix();
  result.body.inertia = R * Vec3(0.1, 0.2, 0.25).asDiagonal() * R.transpose();
  result.body.inertia = Mat3(0.5 * (*result.body.inertia + result.body.inertia->transpose()));
  return result;
}

TEST(CompileLinks, BodyFramesFollowTheUsersFrames) {
  Random random;
  std::vector<LinkSpec> bodies;
  std::map<std::string, Isometry> user_frame{{"ground", Isometry::Identity()}};
  for (int round = 0; round < 3; ++round) {
    for (const auto& [kind, names] : coordinate_names) {
      const std::string name = "b" + std::to_string(bodies.size());
      const auto place = static_cast<std::size_t>(random.number(0.0, static_cast<Real>(bodies.size()) + 0.999));
      const std::string parent = place == bodies.size() ? "ground" : bodies[place].body.name;
      bodies.push_back(random_link(random, name, parent, kind));
      const JointSpec& joint = bodies.back().joint;
      user_frame[name] = user_frame[parent] * isometry(joint.at, joint.rotation) * joint_motion(joint);
    }
  }
  // children may be written before their parents
  std::shuffle(bodies.begin(), bodies.end(), random.engine);
  const CompiledScene scene = compile(machine(bodies));
  const Mechanism& mechanism = scene.model.mechanisms.at(0);
  ASSERT_EQ(mechanism.links.size(), bodies.size());
  const std::vector<Isometry> frames = body_frames(mechanism, scene.initial.joint_position);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_LT(mechanism.links[i].parent, static_cast<Index>(i));
    const Isometry X_UB = isometry(scene.model.p_UB[i], scene.model.R_UB[i]);
    const Isometry& expected = user_frame.at(scene.names.body[i]);
    EXPECT_LT(((frames[i] * X_UB.inverse()).matrix() - expected.matrix()).norm(), 100 * rounding);
    const auto written = std::find_if(bodies.begin(), bodies.end(),
                                      [&](const LinkSpec& b) { return b.body.name == scene.names.body[i]; });
    // B is the centre of mass and its axes are principal
    EXPECT_LT((scene.model.p_UB[i] - *written->body.center_of_mass).norm(), rounding);
    const Mat3 R = scene.model.R_UB[i].toRotationMatrix();
    EXPECT_LT((R * mechanism.links[i].inertia.asDiagonal() * R.transpose() - *written->body.inertia).norm(), rounding);
  }
}

// Crank 0.2 m from the origin, rod 0.5 m; masses in the middle.
std::vector<LinkSpec> slider_crank() {
  std::vector<LinkSpec> bodies{link("rod", "crank", JointKind::revolute, Vec3(0.2, 0, 0)),
                               link("crank", "ground", JointKind::revolute),
                               link("slider", "ground", JointKind::prismatic, Vec3(0.7, 0, 0))};
  bodies[0].body.center_of_mass = Vec3(0.25, 0, 0);
  bodies[1].body.center_of_mass = Vec3(0.1, 0, 0);
  bodies[0].joint.angle = 0.5 * std::numbers::pi;
  bodies[1].joint.coordinates = {coordinate("angle", 0.5 * std::numbers::pi, 3.0)};
  return bodies;
}

TEST(CompileLinks, PlanarPosesByHand) {
  const CompiledScene scene = compile(machine(slider_crank(), true));
  const Mechanism& mechanism = scene.model.mechanisms.at(0);
  EXPECT_THAT(scene.names.body, ::testing::ElementsAre("crank", "rod", "slider"));
  EXPECT_THAT(scene.names.mechanism.at(0).coordinate,
              ::testing::ElementsAre("crank.angle", "rod.angle", "slider.slide"));
  EXPECT_EQ(mechanism.links[1].angle, 0.5 * std::numbers::pi);
  EXPECT_EQ(mechanism.links[1].inertia, Vec3::Constant(0.25));
  const std::vector<Isometry> frames = body_frames(mechanism, scene.initial.joint_position);
  // the crank points up, the rod back along -x from its tip
  EXPECT_LT((frames[0].translation() - Vec3(0, 0.1, 0)).norm(), rounding);
  EXPECT_LT((frames[1].translation() - Vec3(-0.25, 0.2, 0)).norm(), rounding);
  EXPECT_LT((frames[2].translation() - Vec3(0.7, 0, 0)).norm(), rounding);
  EXPECT_EQ(mechanism.axes[2].axis, Vec3::UnitX());
  EXPECT_THAT(scene.initial.joint_velocity, ::testing::ElementsAre(3.0, 0.0, 0.0));
  EXPECT_TRUE(mechanism.coordinates[0].position_given && mechanism.coordinates[0].velocity_given);
  EXPECT_FALSE(mechanism.coordinates[1].position_given || mechanism.coordinates[1].velocity_given);
}

TEST(CompileLinks, CoordinatesHaveTheirPlaces) {
  std::vector<LinkSpec> bodies{link("a", "ground", JointKind::free), link("b", "a", JointKind::revolute)};
  bodies[0].joint.coordinates = {coordinate("rx", 0.3, 1.0), coordinate("rz", -0.4), coordinate("y", 2.0)};
  CoordinateSpec angle = coordinate("angle", std::nullopt);
  angle.lower = 0.5;
  angle.upper = 1.5;
  angle.restitution = 0.25;
  angle.friction = 3.0;
  bodies[1].joint.coordinates = {angle};
  const CompiledScene scene = compile(machine(bodies));
  const Mechanism& mechanism = scene.model.mechanisms.at(0);
  EXPECT_EQ(mechanism.position_count, 8);
  EXPECT_EQ(mechanism.velocity_count, 7);
  const Quat q = exp_rotation(Vec3(0.3, 0.0, -0.4));
  // without a start it begins at the limit nearest to zero
  EXPECT_THAT(scene.initial.joint_position, ::testing::ElementsAre(0.0, 2.0, 0.0, q.w(), q.x(), q.y(), q.z(), 0.5));
  EXPECT_THAT(scene.initial.joint_velocity, ::testing::ElementsAre(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0));
  EXPECT_EQ(mechanism.coordinates[3].position, no_index);
  EXPECT_TRUE(mechanism.coordinates[3].position_given);
  EXPECT_FALSE(mechanism.coordinates[4].position_given);
  EXPECT_EQ(mechanism.coordinates[6].position, 7);
  EXPECT_EQ(mechanism.coordinates[6].upper, 1.5);
  EXPECT_EQ(mechanism.coordinates[6].restitution, 0.25);
  EXPECT_EQ(mechanism.coordinates[6].friction, 3.0);
  EXPECT_EQ(scene.initial.limit_impulse.size(), 7u);
  EXPECT_EQ(scene.initial.friction_impulse.size(), 7u);
  EXPECT_TRUE(scene.warnings.empty());
}

TEST(CompileLinks, ADriveGivesThePosition) {
  std::vector<LinkSpec> bodies{link("a", "ground", JointKind::revolute)};
  CoordinateSpec angle = coordinate("angle", std::nullopt);
  angle.drive = TimeFunctionSpec{{}, "0.5 + w*t", {}, false};
  bodies[0].joint.coordinates = {angle};
  Spec spec = machine(bodies);
  spec.parameters["w"] = 2.0;
  const CompiledScene scene = compile(spec);
  const Coordinate& driven = scene.model.mechanisms.at(0).coordinates.at(0);
  EXPECT_EQ(driven.role, CoordinateRole::driven);
  EXPECT_EQ((*driven.drive)(1.0), 2.5);
  EXPECT_EQ(scene.initial.joint_position.at(0), 0.5);
}

// Value of a condition when frame B of the cut is turned and moved against frame A; both bodies are the frames.
Real condition_value(const JointCondition& c, const Isometry& X_A, const Isometry& X_B) {
  const Eigen::Vector3d d = X_B * Eigen::Vector3d(c.p_B) - X_A * Eigen::Vector3d(c.p_A);
  const Eigen::Vector3d a = X_A.linear() * c.axis_A, b = X_B.linear() * c.axis_B;
  if (c.kind == ConditionKind::along) return a.dot(d);
  return c.kind == ConditionKind::perpendicular ? a.dot(b) : d.norm() - c.length;
}

struct CutCase {
  const char* name;
  CutKind kind;
  std::vector<std::string> components;
  std::size_t in_space, in_plane;
  std::array<bool, 6> locked;  // x, y, z, rx, ry, rz in the axes of a
};

TEST(CompileCuts, LockWhatTheyNameAndNothingElse) {
  const std::vector<CutCase> cases{
      {"ball", CutKind::ball, {}, 3, 2, {true, true, true, false, false, false}},
      {"pin", CutKind::pin, {}, 5, 2, {true, true, true, true, true, false}},
      {"rigid", CutKind::rigid, {}, 6, 3, {true, true, true, true, true, true}},
      {"x", CutKind::components, {"x"}, 1, 1, {true, false, false, false, false, false}},
      {"rz", CutKind::components, {"rz"}, 1, 1, {false, false, false, false, false, true}},
      {"rx", CutKind::components, {"rx"}, 1, 0, {false, false, false, true, false, false}},
      {"rx rz", CutKind::components, {"rz", "rx"}, 2, 0, {false, false, false, true, false, true}},
      {"y rx ry rz", CutKind::components, {"y", "rx", "ry", "rz"}, 4, 0, {false, true, false, true, true, true}},
  };
  Random random;
  for (const CutCase& c : cases) {
    SCOPED_TRACE(c.name);
    LinkSpec a = random_link(random, "a", "ground", JointKind::free);
    LinkSpec b = random_link(random, "b", "ground", JointKind::free);
    AnchorSpec side_a = anchor("a", random.vector()), side_b = anchor("b", random.vector());
    side_a.rotation = random.rotation();
    side_b.rotation = random.rotation();
    CutSpec loop = cut("loop", c.kind, side_a, side_b);
    loop.components = c.components;
    Spec spec = machine({a, b});
    spec.mechanisms[0].loops = {loop};
    const CompiledScene scene = compile(spec);
    const std::vector<JointCondition>& conditions = scene.model.mechanisms[0].loops;
    ASSERT_EQ(conditions.size(), c.in_space);
    // place both bodies so that the anchors coincide in a random frame F, then move b in the axes of F
    const Isometry X_WF = isometry(random.vector(), random.rotation());
    const auto body_pose = [&](std::size_t body, const AnchorSpec& side, const Isometry& moved) {
      const Isometry X_UB = isometry(scene.model.p_UB[body], scene.model.R_UB[body]);
      return Isometry(X_WF * moved * isometry(side.at, side.rotation).inverse() * X_UB);
    };
    const Isometry X_A = body_pose(0, side_a, Isometry::Identity());
    for (int k = -1; k < 6; ++k) {
      Isometry moved = Isometry::Identity();
      if (k >= 0 && k < 3) moved.translation()[k] = 0.1;
      if (k >= 3) moved.linear() = Eigen::AngleAxisd(0.1, Eigen::Vector3d::Unit(k - 3)).toRotationMatrix();
      Real opening = 0.0;
      for (const JointCondition& condition : conditions)
        opening = std::max(opening, std::abs(condition_value(condition, X_A, body_pose(1, side_b, moved))));
      if (k >= 0 && c.locked[static_cast<std::size_t>(k)]) {
        EXPECT_NEAR(opening, k < 3 ? 0.1 : std::sin(0.1), 100 * rounding) << "component " << k;
      } else {
        EXPECT_LT(opening, 100 * rounding) << "component " << k;
      }
    }
    if (c.in_plane == 0) continue;
    Spec planar = machine({link("a", "ground", JointKind::free), link("b", "ground", JointKind::free)}, true);
    planar.mechanisms[0].loops = {cut("loop", c.kind, anchor("a"), anchor("b"))};
    planar.mechanisms[0].loops[0].components = c.components;
    EXPECT_EQ(compile(planar).model.mechanisms[0].loops.size(), c.in_plane);
  }
}

TEST(CompileCuts, APinTurnsAboutItsAxis) {
  const Vec3 axis(1, 2, -2);
  Spec spec = machine({link("a", "ground", JointKind::free)});
  CutSpec pin = cut("pin", CutKind::pin, anchor("ground"), anchor("a"));
  pin.axis = axis;
  spec.mechanisms[0].loops = {pin};
  const CompiledScene scene = compile(spec);
  const Isometry X_UB = isometry(scene.model.p_UB[0], scene.model.R_UB[0]);
  const Isometry turned = isometry(Vec3::Zero(), exp_rotation(0.7 * axis.normalized())) * X_UB;
  const Isometry tilted = isometry(Vec3::Zero(), exp_rotation(Vec3(0.1, 0, 0))) * X_UB;
  Real kept = 0.0, broken = 0.0;
  for (const JointCondition& condition : scene.model.mechanisms[0].loops) {
    kept = std::max(kept, std::abs(condition_value(condition, Isometry::Identity(), turned)));
    broken = std::max(broken, std::abs(condition_value(condition, Isometry::Identity(), tilted)));
  }
  EXPECT_EQ(scene.model.mechanisms[0].loops.size(), 5u);
  EXPECT_LT(kept, 10 * rounding);
  EXPECT_GT(broken, 0.05);
}

TEST(CompileCuts, ARodKeepsItsLength) {
  Spec spec = machine({link("a", "ground", JointKind::free)});
  CutSpec rod = cut("rod", CutKind::rod, anchor("ground", Vec3(0, 0, 3)), anchor("a", Vec3(1, 0, 0)));
  rod.length = 0.5;
  spec.mechanisms[0].loops = {rod};
  const CompiledScene scene = compile(spec);
  ASSERT_EQ(scene.model.mechanisms[0].loops.size(), 1u);
  EXPECT_EQ(scene.model.mechanisms[0].loops[0].kind, ConditionKind::distance);
  EXPECT_EQ(scene.model.mechanisms[0].loops[0].length, 0.5);
  EXPECT_EQ(scene.model.mechanisms[0].loops[0].a, no_index);
  EXPECT_EQ(scene.model.mechanisms[0].loops[0].p_A, Vec3(0, 0, 3));
  EXPECT_EQ(scene.names.mechanism[0].loop, std::vector<std::string>{"rod"});
}

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
  EXPECT_NEAR(machine_only.model.mechanisms[0].size, 7.0, rounding);
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
  EXPECT_LT((at_U - Vec3(1, 0, 0)).norm(), rounding);
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
