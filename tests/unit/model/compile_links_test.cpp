// Bodies and joints of mechanisms from Spec to Model: frames, coordinates, starts.
#include <map>
#include <numbers>

#include <gmock/gmock.h>

#include "model/compile.hpp"
#include "unit/model/mechanism_specs.hpp"

namespace grus::compile_links_test {
namespace {

using namespace test;

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
    EXPECT_LT(((frames[i] * X_UB.inverse()).matrix() - expected.matrix()).norm(), 100 * pose_rounding);
    const auto written = std::find_if(bodies.begin(), bodies.end(),
                                      [&](const LinkSpec& b) { return b.body.name == scene.names.body[i]; });
    // B is the centre of mass and its axes are principal
    EXPECT_LT((scene.model.p_UB[i] - *written->body.center_of_mass).norm(), pose_rounding);
    const Mat3 R = scene.model.R_UB[i].toRotationMatrix();
    EXPECT_LT((R * mechanism.links[i].inertia.asDiagonal() * R.transpose() - *written->body.inertia).norm(),
              pose_rounding);
  }
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
  EXPECT_LT((frames[0].translation() - Vec3(0, 0.1, 0)).norm(), pose_rounding);
  EXPECT_LT((frames[1].translation() - Vec3(-0.25, 0.2, 0)).norm(), pose_rounding);
  EXPECT_LT((frames[2].translation() - Vec3(0.7, 0, 0)).norm(), pose_rounding);
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

}  // namespace
}  // namespace grus::compile_links_test
