// Outside of a container, as a probe of a scene shows it: boxes, tubes and rings, at rest and moved.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/error.hpp"
#include "io/scene/scene.hpp"
#include "simulation/observe.hpp"
#include "support/rig.hpp"

namespace grus::testing::distance_outside_test {
namespace {

constexpr Real rounding = 1e-12;
const std::string head =
    "time: {step: 1e-3, end: 1}\nmaterials: [{name: m, density: 1000}]\npairs: [{between: [m, m], friction: 0}]\n";

// The last column of the row at the start of a scene.
Real at_the_start(const std::string& text) {
  Rig rig(parse_scene(text, "scene.yaml"));
  CarriedBodies carried;
  place_carried_bodies(rig.scene.model, rig.state, carried);
  std::vector<Real> row;
  observe(rig.scene, Energy{}, rig.state, carried, rig.work, rig.report, row);
  return row.back();
}

std::string with_ball(const std::string& position, const std::string& container) {
  return head +
         "bodies:\n  - {name: near, group: balls, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.5]}\n"
         "  - {name: ball, group: balls, shape: {sphere: {radius: 0.1}}, position: " +
         position + "}\ncontainers:\n  - {name: walls, " + container +
         "}\nprobes:\n  - {column: out, group: balls, quantity: outside, container: walls}\n";
}

TEST(DistanceOutside, OfABoxIsTheDistanceBehindItsNearestWall) {
  const std::string box = "box: {min: [-1, -2, 0], max: [1, 2, 3], open: [+z]}";
  EXPECT_NEAR(at_the_start(with_ball("[0, 0, 0.3]", box)), -0.3, rounding);
  EXPECT_NEAR(at_the_start(with_ball("[1.25, 0, 1]", box)), 0.25, rounding);
  EXPECT_NEAR(at_the_start(with_ball("[0, -2.5, 1]", box)), 0.5, rounding);
  EXPECT_NEAR(at_the_start(with_ball("[0, 0, -0.125]", box)), 0.125, rounding);
  // the side walls have no upper edge, and the open top no wall
  EXPECT_NEAR(at_the_start(with_ball("[1.25, 0, 9]", box)), 0.25, rounding);
  EXPECT_NEAR(at_the_start(with_ball("[0, 0, 9]", box)), -0.5, rounding);
}

// A body waits where it will be released, often outside; it is not there yet.
TEST(DistanceOutside, KnowsOnlyBodiesThatAreReleased) {
  const auto scene = [](Real release) {
    return with_ball("[0, 0, -0.25], release_time: " + std::to_string(release),
                     "box: {min: [-1, -1, 0], max: [1, 1, 3]}");
  };
  EXPECT_NEAR(at_the_start(scene(0.0)), 0.25, rounding);
  EXPECT_NEAR(at_the_start(scene(0.5)), -0.5, rounding);
  std::string all_wait = scene(0.5);
  const std::string near = "position: [0, 0, 0.5]";
  all_wait.insert(all_wait.find(near) + near.size(), ", release_time: 0.25");
  EXPECT_TRUE(std::isnan(at_the_start(all_wait)));
}

TEST(DistanceOutside, MovesWithTheContainer) {
  const std::string jar = "cylinder: {radius: 2, length: 3, open: [top]}, motion: {x: 0.5 + t}";
  EXPECT_NEAR(at_the_start(with_ball("[0.5, 1.5, 2]", jar)), -0.5, rounding);
  EXPECT_NEAR(at_the_start(with_ball("[0.5, -2.25, 2]", jar)), 0.25, rounding);
  EXPECT_NEAR(at_the_start(with_ball("[-1.75, 0, 2]", jar)), 0.25, rounding);
}

TEST(DistanceOutside, OfARingIsInThePlane) {
  const auto scene = [](const std::string& position) {
    return "planar: true\n" + head + "bodies: [{name: ball, shape: {disk: {radius: 0.1}}, position: " + position +
           "}]\ncontainers: [{name: drum, ring: {radius: 1}}]\n"
           "probes: [{column: out, group: all, quantity: outside, container: drum}]\n";
  };
  EXPECT_NEAR(at_the_start(scene("[0.3, 0.4]")), -0.5, rounding);
  EXPECT_NEAR(at_the_start(scene("[0.9, 1.2]")), 0.5, rounding);
}

TEST(DistanceOutside, NeedsAContainerWithEndlessWalls) {
  const auto fault_of = [](const std::string& probe) -> std::string {
    try {
      compile(parse_scene(head +
                              "bodies: [{name: ball, shape: {sphere: {radius: 0.1}}}]\n"
                              "walls: [{name: block, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, -1]}]\n"
                              "probes: [{column: out, " +
                              probe + "}]\n",
                          "scene.yaml"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const auto says = [&](const std::string& probe, const std::string& words) {
    const std::string fault = fault_of(probe);
    EXPECT_NE(fault.find(words), std::string::npos) << probe << ": " << fault;
  };
  says("group: all, quantity: outside", "outside needs 'container'");
  says("group: all, quantity: outside, container: blok", "unknown container 'blok' (did you mean 'block'?)");
  says("group: all, quantity: outside, container: block", "neither planes nor a tube or ring");
  says("group: all, quantity: count, container: block", "'container' goes with outside of a group");
}

}  // namespace
}  // namespace grus::testing::distance_outside_test
