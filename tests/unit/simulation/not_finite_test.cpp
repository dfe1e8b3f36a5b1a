// No number that is not finite passes: a run stops with its name and the time, or writes `nan` where there is nothing
// to measure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "core/error.hpp"
#include "grus/run.hpp"
#include "integrators/jumps.hpp"
#include "io/scene/scene.hpp"
#include "io/series.hpp"
#include "io/summary.hpp"
#include "model/finite_state.hpp"
#include "model/spec.hpp"
#include "model/state_fields.hpp"
#include "multibody/make_scene.hpp"
#include "simulation/not_finite_words.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::not_finite_test {
namespace {

using test::TemporaryDirectory;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* head =
    "time: {step: 1e-3, end: 0.02}\n"
    "materials: [{name: m, density: 1000}]\n"
    "pairs: [{between: [m, m], friction: 0.5}]\n"
    "outputs: {frames: false}\n";

// What the run is stopped by, or "done".
std::string stopped_by(const TemporaryDirectory& folder, const std::string& text) {
  std::ofstream(folder / "scene.yaml") << head << text;
  RunOptions options;
  options.scene = folder / "scene.yaml";
  options.out = folder / "out";
  options.threads = 1;
  options.report = false;
  try {
    return run(options).status == RunStatus::done ? "done" : "a check failed";
  } catch (const NumericalError& error) {
    return error.what();
  }
}

std::vector<std::string> warnings_of(const std::string& text) {
  const TemporaryDirectory folder;
  EXPECT_EQ(stopped_by(folder, text), "done");
  return read_summary(folder / "out/summary.json").warnings;
}

std::string driven_arm(const std::string& drive) {
  return "mechanisms:\n"
         "  - name: press\n"
         "    bodies:\n"
         "      - name: arm\n"
         "        joint: {kind: revolute, at: [0, 0, 0], coordinates: {angle: {drive: \"" +
         drive +
         "\"}}}\n"
         "        mass: 1\n"
         "        inertia: [1, 1, 1]\n";
}

std::string ball_on(const std::string& motion) {
  return "bodies: [{name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.3]}]\n"
         "walls: [{name: table, plane: {}, motion: {z: \"" +
         motion + "\"}}]\n";
}

TEST(NotFinite, ADriveOfAFullyDrivenMachine) {
  const TemporaryDirectory folder;
  EXPECT_THAT(stopped_by(folder, driven_arm("sqrt(0.0102 - t)")),
              AllOf(HasSubstr("the drive of 'arm.angle' is not a number"), HasSubstr("t = 0.01")));
  const Series series = read_series(folder / "out/series.csv");
  EXPECT_GE(series.rows(), 10u) << "rows before it are kept";
  for (const auto& column : series.values)
    for (const Real value : column) EXPECT_TRUE(std::isfinite(value));
}

TEST(NotFinite, AMotionOfAWall) {
  const TemporaryDirectory folder;
  EXPECT_THAT(stopped_by(folder, ball_on("sqrt(0.0102 - t)")),
              AllOf(HasSubstr("the motion of 'table' is not a number"), HasSubstr("t = 0.01")));
}

TEST(NotFinite, AFormulaOfAColumn) {
  for (const char* formula : {"sqrt(0.0105 - t)", "1/(t < 0.0105)"}) {
    const TemporaryDirectory folder;
    EXPECT_THAT(stopped_by(folder, ball_on("0*t") + "probes: [{column: broken, expression: \"" + formula + "\"}]\n"),
                HasSubstr("column 'broken' is not a number at t = 0.011 s"));
  }
}

TEST(NotFinite, WhatIsUndefinedIsWrittenAndSkipped) {
  const TemporaryDirectory folder;
  const std::string text =
      ball_on("0*t") +
      "generators:\n"
      "  - {name: late, kind: rain, count: 1, rate: 1000, start: 0.0105, shape: sphere, size: 0.05,\n"
      "     box: {min: [1, 1, 1], max: [1.2, 1.2, 1.2]}}\n"
      "probes:\n"
      "  - {column: late.z, group: late, quantity: mean.z}\n"
      "  - {column: twice, expression: 2*late.z}\n"
      "checks:\n"
      "  - {name: first, of: late.z, reduce: first, above: 0.9}\n"
      "  - {name: height, of: twice, reduce: min, above: 1.9, below: 2.5}\n";
  ASSERT_EQ(stopped_by(folder, text), "done");
  const Series series = read_series(folder / "out/series.csv");
  const std::size_t column = *series.find("twice");
  EXPECT_TRUE(std::isnan(series.values[column].front()));
  EXPECT_TRUE(std::isfinite(series.values[column].back()));
}

TEST(NotFinite, EveryFieldOfTheStateIsLookedAt) {
  State state;
  state.position = state.velocity = state.angular_velocity = {Vec3::Zero(), Vec3::Zero()};
  state.rotation = {Quat::Identity(), Quat::Identity()};
  state.impulse = {Vec3::Zero(), Vec3::Zero()};
  for (std::vector<Real>* values : {&state.angle, &state.joint_position, &state.joint_velocity, &state.memory,
                                    &state.limit_impulse, &state.friction_impulse, &state.condition_impulse,
                                    &state.input, &state.input_start, &state.input_end, &state.input_rate})
    values->assign(2, 0.5);
  EXPECT_FALSE(find_not_finite(state));
  int fields = 0;
  const auto spoil = [&](const char* name, auto& number) {
    const auto kept = number;
    for (const Real odd : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
      number = decltype(kept)(odd);
      const auto found = find_not_finite(state);
      ASSERT_TRUE(found) << name;
      EXPECT_STREQ(found->field, name);
      const std::string text = name;
      const bool of_bodies =
          text == "position" || text == "velocity" || text == "angular_velocity" || text == "impulse";
      EXPECT_EQ(find_not_finite_beside_bodies(state).has_value(), !of_bodies) << name;
    }
    number = kept;
    ++fields;
  };
  visit_fields(state, [&](const char* name, auto& field) {
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, Real>) {
      spoil(name, field);
    } else if constexpr (std::is_same_v<Field, std::vector<Real>>) {
      spoil(name, field[1]);
    } else if constexpr (std::is_same_v<Field, std::vector<Vec3>>) {
      spoil(name, field[1].y());
    } else if constexpr (std::is_same_v<Field, std::vector<Quat>>) {
      spoil(name, field[1].coeffs().z());
    }
  });
  EXPECT_EQ(fields, 27);
  state.joint_velocity = {1e308, 1e308};
  EXPECT_FALSE(find_not_finite_beside_bodies(state)) << "a sum that overflows is no fault of its terms";
}

TEST(NotFinite, NumbersOfTheStateHaveNames) {
  const CompiledScene scene = make_scene(parse_scene(head + driven_arm("t") + ball_on("0*t"), "scene.yaml"));
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_EQ(not_finite_words(scene, scene.initial), "");
  State state = scene.initial;
  state.velocity[0].x() = nan;
  EXPECT_EQ(not_finite_words(scene, state), "the velocity of 'ball' is not a number at t = 0 s");
  state = scene.initial;
  state.joint_position[0] = nan;
  EXPECT_EQ(not_finite_words(scene, state), "the joint position of 'arm.angle' is not a number at t = 0 s");
  state = scene.initial;
  state.energy.work_drives = nan;
  EXPECT_EQ(not_finite_words(scene, state), "the energy work drives is not a number at t = 0 s");
}

TEST(Jumps, OfDrivesAndMotionsAreWarnedAbout) {
  EXPECT_THAT(
      warnings_of(driven_arm("t < 0.0101 ? 0 : 0.5")),
      Contains(AllOf(HasSubstr("the drive of 'arm.angle' jumps by 0.5 rad at t = 0.0101 s"), HasSubstr("500 rad/s"))));
  EXPECT_THAT(warnings_of(ball_on("t < 0.0101 ? 0 : -0.2")),
              Contains(HasSubstr("the motion of 'table' jumps by -0.2 m at t = 0.0101 s")));
  EXPECT_THAT(warnings_of(driven_arm("rint(100*t)")), Contains(HasSubstr("2 jumps in all")));
}

TEST(Jumps, FastAndSuddenMotionsAreNone) {
  for (const char* motion : {"sin(2*pi*400*t)", "t < 0.0101 ? 0 : 30*(t - 0.0101)", "t^0.5", "100*t"})
    for (const std::string& text : {driven_arm(motion), ball_on(std::string("-") + motion)})
      EXPECT_THAT(warnings_of(text), Not(Contains(HasSubstr("jumps by")))) << motion;
}

std::string two_bodies(const std::string& joint) {
  return "bodies:\n"
         "  - {name: a, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}\n"
         "  - {name: b, shape: {sphere: {radius: 0.1}}, position: [1, 0, 1]}\n"
         "joints:\n  - " +
         joint + "\n";
}

TEST(OpenJoints, AreRefusedWithTheirPlace) {
  const auto faults = [](const std::string& joint) -> std::string {
    try {
      make_scene(parse_scene(head + two_bodies(joint), "scene.yaml"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  const std::string at = "scene.yaml:9:";
  EXPECT_THAT(faults("{name: pin, kind: ball, a: {body: a, at: [3.5, 0, 0]}, b: {body: b}}"),
              AllOf(HasSubstr(at), HasSubstr("joint 'pin': its two sides are 2.5 m apart")));
  EXPECT_THAT(faults("{name: rod, kind: rod, length: 2, a: {body: a}, b: {body: b}}"), HasSubstr("1 m apart"));
  EXPECT_THAT(faults("{name: hook, kind: ball, a: {body: ground, at: [0, 0, 2]}, b: {body: b}}"), HasSubstr("m apart"));
  EXPECT_THAT(faults("{name: weld, kind: rigid, a: {body: a, at: [1, 0, 0], rotation: {axis: [0, 0, 1], angle: 0.1}}, "
                     "b: {body: b}}"),
              HasSubstr("rad apart"));
  EXPECT_EQ(faults("{name: pin, kind: ball, a: {body: a, at: [0.5, 0, 0]}, b: {body: b, at: [-0.5, 0, 0]}}"), "none");
  EXPECT_EQ(faults("{name: pin, kind: ball, a: {body: a, at: [0.3333, 0, 0]}, b: {body: b, at: [-0.6667, 0, 0.0001]}}"),
            "none");
  EXPECT_EQ(faults("{name: rod, kind: rod, length: 1, a: {body: a}, b: {body: b}}"), "none");
}

// A light ball under one of 1e12 times its mass: the method throws it away and calls that a solution.
TEST(VelocitiesBeyondReason, CountAsNotConverged) {
  const TemporaryDirectory folder;
  const std::string text =
      "solver: {kind: interior-point, max_iterations: 100, tolerance: 1e-8}\n"
      "bodies:\n"
      "  - {name: light, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1], mass: 1.0e-6}\n"
      "  - {name: heavy, shape: {sphere: {radius: 0.1}}, position: [0.01, 0, 0.3], mass: 1.0e6, velocity: [0, 0, -1]}\n"
      "walls: [{name: floor, plane: {}}]\n"
      "probes: [{column: speed, group: all, quantity: max.speed}]\n";
  ASSERT_EQ(stopped_by(folder, text), "done");
  const Series series = read_series(folder / "out/series.csv");
  const std::vector<Real>& speed = series.values[*series.find("speed")];
  int thrown = 0;
  for (std::size_t row = 1; row < speed.size(); ++row) thrown += speed[row] > 1.1e3 * speed[row - 1] ? 1 : 0;
  EXPECT_GE(read_summary(folder / "out/summary.json").unconverged_steps, thrown);
}

}  // namespace
}  // namespace grus::not_finite_test
