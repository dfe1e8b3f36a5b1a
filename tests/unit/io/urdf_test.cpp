// URDF files: links, joints and shapes arrive in the Spec; faulty files are refused in words.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/scene/scene.hpp"
#include "math/rotation.hpp"
#include "model/compile.hpp"
#include "temporary_directory.hpp"

namespace grus::urdf_test {
namespace {

using ::testing::HasSubstr;

constexpr Real rounding = 1e-14;

constexpr const char* arm = R"xml(<robot name="arm">
  <link name="footprint"/>
  <joint name="stand" type="fixed"><parent link="footprint"/><child link="base"/><origin xyz="0 0 0.5"/></joint>
  <link name="base">
    <inertial><origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial>
    <collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision>
    <visual><geometry><sphere radius="9"/></geometry></visual>
  </link>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="hand"/>
    <origin xyz="1 0 0" rpy="0 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="30" velocity="1"/><dynamics damping="0.5" friction="0.25"/></joint>
  <link name="hand">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><geometry><cylinder radius="0.1" length="0.4"/></geometry></visual>
  </link>
  <joint name="tool" type="fixed"><parent link="hand"/><child link="tip"/><origin xyz="0 0 0.7"/></joint>
  <link name="tip"><collision><origin xyz="0 0 0.1"/><geometry><mesh filename="package://arm/meshes/tip.obj"
    scale="2 1 1"/></geometry></collision></link>
  <joint name="lens" type="fixed"><parent link="tip"/><child link="camera"/><origin xyz="0 0 1"/></joint>
  <link name="camera"/>
</robot>)xml";

class Urdf : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder / "meshes");
    std::filesystem::create_directory(folder / "urdf");
    write("meshes/tip.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    write("urdf/arm.urdf", arm);
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }

  Spec load(const std::string& more = "base: fixed", const std::string& header = "") const {
    write("scene.yaml", header + R"(
time: {step: 1e-3, end: 1}
materials: [{name: steel, density: 7800}]
pairs: [{between: [steel, steel], friction: 0.1}]
mechanisms:
  - name: arm
    urdf: {file: urdf/arm.urdf, )" +
                            more + "}\n");
    return load_scene(folder / "scene.yaml");
  }
  std::string faults(const std::string& urdf, const std::string& more = "base: fixed") const {
    write("urdf/arm.urdf", urdf);
    try {
      compile(load(more));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  std::string replaced(const std::string& from, const std::string& to) const {
    std::string text = arm;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }

  test::TemporaryDirectory folder;
};

TEST_F(Urdf, LinksJointsAndShapesArrive) {
  const Spec spec =
      load("base: fixed, position: [0, 0, 2], hold: {gain: 100, damping: 3}, joints: {elbow: {start: 0.5}}");
  const std::vector<LinkSpec>& bodies = spec.mechanisms.at(0).bodies;
  ASSERT_EQ(bodies.size(), 2u);
  const LinkSpec &base = bodies[0], &hand = bodies[1];
  EXPECT_EQ(base.body.name, "base");
  EXPECT_EQ(base.parent, "ground");
  EXPECT_EQ(base.joint.kind, JointKind::fixed);
  EXPECT_LT((base.joint.at - Vec3(0, 0, 2.5)).norm(), rounding);
  EXPECT_EQ(base.body.mass, 2.0);
  EXPECT_LT((*base.body.inertia - Mat3(Vec3(2, 1, 2.5).asDiagonal())).norm(), rounding) << "turned by a right angle";
  ASSERT_EQ(base.body.shapes.size(), 1u) << "what touches is what is drawn";
  EXPECT_EQ(base.body.shapes[0].size, Vec3(0.1, 0.2, 0.3));

  EXPECT_EQ(hand.parent, "base");
  EXPECT_EQ(hand.joint.kind, JointKind::revolute);
  EXPECT_EQ(hand.joint.axis, Vec3(0, 1, 0));
  const CoordinateSpec& angle = hand.joint.coordinates.at(0);
  EXPECT_EQ(angle.name, "angle");
  EXPECT_EQ(angle.start, 0.5);
  EXPECT_EQ(angle.lower, -1.0);
  EXPECT_EQ(angle.upper, 2.0);
  EXPECT_EQ(angle.friction, 0.25);
  ASSERT_EQ(angle.forces.size(), 2u);
  EXPECT_EQ(angle.forces[0].damping, 0.5);
  EXPECT_EQ(angle.forces[1].stiffness, 100.0);
  EXPECT_EQ(angle.forces[1].limit, 30.0) << "the effort of the file";
  EXPECT_EQ(angle.forces[1].rest->expression, "0.5");
  ASSERT_EQ(hand.body.shapes.size(), 2u) << "the drawn cylinder, and the mesh of the massless tip";
  EXPECT_FALSE(hand.body.shapes[0].collides);
  const ShapeSpec& tip = hand.body.shapes[1];
  EXPECT_EQ(tip.kind, ShapeKind::polyhedron);
  EXPECT_LT((tip.position - Vec3(0, 0, 0.8)).norm(), rounding);
  EXPECT_THAT(tip.points, ::testing::Contains(Vec3(2, 0, 0))) << "scaled";
  EXPECT_EQ(compile(spec).model.mechanisms[0].velocity_count, 1);
}

TEST_F(Urdf, FloatsUnlessFixed) {
  const Spec spec = load("base: free");
  EXPECT_EQ(spec.mechanisms[0].bodies[0].joint.kind, JointKind::free);
  EXPECT_EQ(compile(spec).model.mechanisms[0].velocity_count, 7);
}

TEST_F(Urdf, ADriveOfTheSceneReplacesTheHold) {
  const Spec spec = load("base: fixed, hold: {gain: 100}, joints: {elbow: {drive: sin(t)}}");
  EXPECT_EQ(spec.mechanisms[0].bodies[1].joint.coordinates[0].forces.size(), 1u) << "the damper of the file alone";
}

TEST_F(Urdf, TheHashOfTheSceneKnowsTheFile) {
  const std::uint64_t before = load().hash;
  write("meshes/tip.obj", "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  EXPECT_NE(load().hash, before);
}

TEST_F(Urdf, FaultsAreNamed) {
  EXPECT_THAT(faults("", "base: fixed"), HasSubstr("scene.yaml:7:18: "));
  EXPECT_THAT(faults("<robot name='a'><link name='x'"), HasSubstr("arm.urdf"));
  EXPECT_THAT(faults("<robot name='a'></robot>"), HasSubstr("arm.urdf"));
  EXPECT_THAT(faults(replaced("<mass value=\"1\"/>", "<mass value=\"0\"/>")),
              HasSubstr("link 'hand' moves at joint 'elbow' and has no mass"));
  EXPECT_THAT(faults(replaced("<mass value=\"1\"/>", "<mass value=\"-1\"/>")), HasSubstr("mass"));
  EXPECT_THAT(faults(replaced("tip.obj", "no.obj")), HasSubstr("link 'tip'"));
  EXPECT_THAT(faults(replaced("child link=\"hand\"", "child link=\"hnd\"")), HasSubstr("arm.urdf"));
  EXPECT_THAT(faults(arm, "base: fixed, joints: {elbw: {start: 1}}"), HasSubstr("did you mean 'elbow'"));
  EXPECT_THAT(faults(replaced("<dynamics", "<mimic joint=\"other\"/><dynamics")), HasSubstr("mimic"));
  EXPECT_THAT(faults("<robot name='a'><link name='world'/></robot>", "base: free"), HasSubstr("has no mass"));
  std::filesystem::remove(folder / "urdf/arm.urdf");
  EXPECT_THROW(load(), InputError);
}

// What urdfdom leaves out in silence, or does not survive.
TEST_F(Urdf, WhatCannotBeReadHasALine) {
  const auto line = [](int number, const std::string& rest) {
    return HasSubstr("arm.urdf:" + std::to_string(number) + ": " + rest);
  };
  EXPECT_THAT(faults(replaced("<box size=\"0.1 0.2 0.3\"/>", "<sphere radius=\"abc\"/>")),
              line(7, "<sphere> radius: found 'abc', expected a number"));
  EXPECT_THAT(faults(replaced("0.1 0.2 0.3", "0.1 0.2")), line(7, "<box> size: found the end, expected 3 numbers"));
  EXPECT_THAT(faults(replaced("0.1 0.2 0.3", "0.1 0.2 0.3 4")), line(7, "<box> size: found '4' after 3 numbers"));
  EXPECT_THAT(faults(replaced("0.1 0.2 0.3", "0.1 nan 0.3")), line(7, "<box> size: found 'nan'"));
  EXPECT_THAT(faults(replaced("<sphere radius=\"9\"/>", "<capsule radius=\"1\" length=\"2\"/>")),
              line(8, "found the shape <capsule>, expected box, sphere, cylinder or mesh"));
  EXPECT_THAT(faults(replaced("<sphere radius=\"9\"/>", "")), line(8, "<visual> has no shape"));
  EXPECT_THAT(faults(replaced("package://arm/meshes/tip.obj", "")), line(18, "<mesh> has no filename"));
  EXPECT_THAT(faults(replaced("<mass value=\"2\"/>", "")), line(5, "<inertial> expects <mass> and <inertia>"));
  EXPECT_THAT(faults(replaced("iyy=\"2\"", "iyy=\"2,0\"")), line(6, "<inertia> iyy: found '2,0'"));
  EXPECT_THAT(faults(replaced("lower=\"-1\"", "lower=\"-1 rad\"")), line(12, "<limit> lower: found 'rad'"));
  EXPECT_THAT(faults(replaced("axis xyz=\"0 1 0\"", "axis xyz=\"up\"")), line(11, "<axis> xyz: found 'up'"));
  EXPECT_THAT(faults(replaced("child link=\"hand\"", "child link=\"hnd\"")), line(10, "<child>: found 'hnd'"));
  EXPECT_THAT(faults(replaced("link name=\"camera\"", "link name=\"tip\"")), line(21, "link 'tip' is there twice"));
  EXPECT_THAT(faults(replaced("</geometry></collision>\n", "</collision></geometry>\n")),
              line(7, "found </collision>, expected </geometry> of line 7"));
}

TEST_F(Urdf, LinksAreOneTree) {
  EXPECT_THAT(faults(replaced("<parent link=\"base\"/>", "<parent link=\"hand\"/>")), HasSubstr("its own parent"));
  EXPECT_THAT(faults(replaced("<parent link=\"hand\"/>", "<parent link=\"camera\"/>")), HasSubstr("its own parent"));
  EXPECT_THAT(faults("<robot name='a'><link name='x'/><joint name='j' type='fixed'><parent link='x'/>"
                     "<child link='x'/></joint></robot>"),
              HasSubstr("in a circle"));
  EXPECT_THAT(faults("<robot name='a'><link name='x'/><link name='y'/></robot>"), HasSubstr("without a parent"));
}

TEST_F(Urdf, NestingAndNumbersAreBounded) {
  std::string deep = "<robot name='a'>";
  for (int i = 0; i < 200'000; ++i) deep += "<a>";
  EXPECT_THAT(faults(deep), HasSubstr("deep"));
  std::string many = "<robot name='a'>", attributes = "<robot name='a'";
  for (int i = 0; i < 100'001; ++i) many += "<a/>";
  for (int i = 0; i < 1000; ++i) attributes += " a" + std::to_string(i) + "=''";
  EXPECT_THAT(faults(many + "</robot>"), HasSubstr("more than 100000 tags"));
  EXPECT_THAT(faults(attributes + "/>"), HasSubstr("more than 64 attributes"));
  EXPECT_THAT(faults("<!DOCTYPE a [<!ENTITY b 'c'>]><robot name='a'/>"), HasSubstr("DOCTYPE"));
  EXPECT_THAT(faults(std::string("<robot name='a\0'/>", 18)), HasSubstr("arm.urdf:1: "));
}

TEST_F(Urdf, OnlyRegularFilesAreRead) {
  std::filesystem::remove(folder / "urdf/arm.urdf");
  ASSERT_EQ(::mkfifo((folder / "urdf/arm.urdf").c_str(), 0600), 0);
  EXPECT_THROW(load(), InputError);
  std::filesystem::remove(folder / "urdf/arm.urdf");
  std::filesystem::create_symlink("/dev/zero", folder / "urdf/arm.urdf");
  EXPECT_THROW(load(), InputError);
}

TEST_F(Urdf, APlanarSceneHasNone) { EXPECT_THROW(load("base: fixed", "planar: true"), InputError); }

}  // namespace
}  // namespace grus::urdf_test
