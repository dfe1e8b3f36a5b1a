// Named inputs: when a value that is set acts, on forces, motors, drives and walls; tables; and that they are part of
// the State.

#include <gtest/gtest.h>

#include <cmath>

#include "io/scene/scene.hpp"
#include "simulation/carried_bodies.hpp"
#include "simulation/observe.hpp"
#include "support/rig.hpp"

namespace grus::testing::inputs_test {
namespace {

constexpr Real h = 1e-3;
constexpr Real rounding = 1e-12;

Spec scene(const std::string& rest, Real theta = 1.0) {
  return parse_scene("gravity: [0, 0, 0]\ntime: {step: 1e-3, end: 1}\nintegrator: {theta: " + std::to_string(theta) +
                         "}\nmaterials: [{name: m, density: 1000}]\npairs: [{between: [any, any], friction: 0}]\n" +
                         rest,
                     "inputs.yaml");
}

std::string slider(const std::string& coordinate) {
  return "inputs: [{name: u, default: 0, unit: m, range: [-10, 10]}]\n"
         "mechanisms:\n"
         "  - name: slider\n"
         "    bodies:\n"
         "      - name: head\n"
         "        joint: {kind: prismatic, axis: [1, 0, 0], coordinates: {slide: " +
         coordinate +
         "}}\n"
         "        mass: 2\n"
         "        inertia: [1, 1, 1]\n";
}

// A force acts in the whole step that follows.
TEST(NamedInputs, AsAForceTheyActAtOnce) {
  Rig rig(scene(slider("{force: 3*u}")));
  rig.step();
  EXPECT_EQ(rig.state.joint_velocity[0], 0.0);
  rig.state.input[0] = 4.0;
  rig.step();
  EXPECT_NEAR(rig.state.joint_velocity[0], h * 3.0 * 4.0 / 2.0, rounding);
  rig.step();
  EXPECT_NEAR(rig.state.joint_velocity[0], 2.0 * h * 3.0 * 4.0 / 2.0, rounding);
}

// An implicit motor takes its target at the end of the step: v = h k u/(m + h^2 k + h d).
TEST(NamedInputs, AsATargetOfAMotor) {
  Rig rig(scene(slider("{motor: {position: u, gain: 1000, damping: 50, implicit: true}}")));
  rig.state.input[0] = 0.1;
  rig.step();
  EXPECT_NEAR(rig.state.joint_velocity[0], h * 1000.0 * 0.1 / (2.0 + h * h * 1000.0 + h * 50.0), rounding);
}

// A driven coordinate is there at the end of the step, with the velocity that takes it there.
TEST(NamedInputs, AsADrive) {
  Rig rig(scene(slider("{drive: 2*u}")));
  rig.step();
  rig.state.input[0] = 0.01;
  rig.step();
  EXPECT_EQ(rig.state.joint_position[0], 0.02);
  EXPECT_NEAR(rig.state.joint_velocity[0], 0.02 / h, rounding / h);
  // the force that moves it there, m dv/h
  EXPECT_NEAR(rig.work.reactions[0].residual[0], 2.0 * 0.02 / h / h, 1e-9 * 4e4);
  rig.step();
  EXPECT_EQ(rig.state.joint_position[0], 0.02);
  EXPECT_NEAR(rig.state.joint_velocity[0], 0.0, rounding);
}

// A wall pushes what it meets, and shows the velocity it had, whatever theta.
TEST(NamedInputs, AsTheMotionOfAWall) {
  for (const Real theta : {0.5, 1.0}) {
    Rig rig(
        scene("inputs: [{name: place}]\n"
              "walls: [{name: piston, shape: {plane: {normal: [1, 0, 0]}}, motion: {x: place}}]\n"
              "bodies: [{name: ball, shape: {sphere: {radius: 0.1}}, position: [0.1, 0, 0]}]\n",
              theta));
    CarriedBodies carried;
    for (int k = 1; k <= 20; ++k) {
      rig.state.input[0] = 1e-4 * k;
      rig.step();
      place_carried_bodies(rig.scene.model, rig.state, carried);
      EXPECT_NEAR(carried.position[0].x(), 1e-4 * k, rounding);
      EXPECT_NEAR(carried.velocity[0].x(), 0.1, 1e-9) << k;
      // the contact closes in the first or second step, and then the ball goes with the wall
      if (k > 2) {
        EXPECT_NEAR(rig.state.velocity[0].x(), 0.1, 1e-9) << "theta " << theta << ", step " << k;
      }
    }
    EXPECT_NEAR(rig.state.position[0].x(), 0.1 + 1e-4 * 20, 1.1e-4);
  }
}

// The velocities of the wall at both ends of a step are those of its lines, so that its work is the energy of the ball.
TEST(NamedInputs, WallsDoTheWorkOfTheLedger) {
  Rig rig(
      scene("inputs: [{name: place}]\n"
            "contact: {law: gap}\n"
            "walls: [{name: piston, shape: {plane: {normal: [1, 0, 0]}}, motion: {x: place}}]\n"
            "bodies: [{name: ball, shape: {sphere: {radius: 0.1}}, position: [0.1, 0, 0]}]\n"));
  for (int k = 1; k <= 50; ++k) {
    rig.state.input[0] = 1e-6 * k * k;
    rig.step();
  }
  EXPECT_NEAR(rig.state.velocity[0].x(), 1e-6 * (50.0 * 50.0 - 49.0 * 49.0) / h, 1e-9);
  EXPECT_NEAR(rig.state.energy.work_walls - rig.state.energy.dissipated_contact, rig.kinetic(), 1e-9 * rig.kinetic());
  EXPECT_GT(rig.state.energy.work_walls, 0.9 * rig.kinetic());
}

// From a table it is the function that it stands for, and a copy of the State goes on with the same bits.
TEST(NamedInputs, FromATable) {
  const std::string machine = slider("{drive: 'u + 0.1*sin(30*t)'}");
  std::string with_table = machine;
  with_table.replace(with_table.find("default: 0"), 10, "table: 't*t'");
  std::string plain = machine.substr(machine.find("mechanisms"));
  plain.replace(plain.find("u + "), 4, "t*t + ");
  for (const Real theta : {0.5, 1.0}) {
    Rig by_table(scene(with_table, theta)), by_function(scene(plain, theta)), resumed(scene(with_table, theta));
    for (int k = 0; k < 100; ++k) {
      by_table.step();
      by_function.step();
      if (k == 49) resumed.state = by_table.state;
      if (k > 49) resumed.step();
    }
    EXPECT_EQ(by_table.state.input_end[0], 0.1 * 0.1);
    EXPECT_NEAR(by_table.state.joint_position[0], by_function.state.joint_position[0], rounding);
    // theta = 1/2 asks for the velocity half a step ahead, where the line of the step differs from t^2 by h
    EXPECT_NEAR(by_table.state.joint_velocity[0], by_function.state.joint_velocity[0], theta == 1.0 ? 1e-9 : h);
    EXPECT_EQ(state_hash(resumed.state), state_hash(by_table.state));
  }
}

// They are columns, and formulas of columns may use them.
TEST(NamedInputs, AreColumns) {
  Spec spec = scene(slider("{force: u}") + "probes: [{column: twice, expression: 2*u}]\n");
  Rig rig(spec);
  rig.state.input[0] = 3.0;
  rig.step();
  const std::vector<std::string> names = series_column_names(rig.scene.probes);
  CarriedBodies carried;
  place_carried_bodies(rig.scene.model, rig.state, carried);
  std::vector<Real> row;
  observe(rig.scene, mechanical_energy(rig.scene.model, rig.scene.initial), rig.state, carried, rig.work, rig.report,
          row);
  ASSERT_EQ(names.size(), row.size());
  EXPECT_EQ(names[names.size() - 2], "u");
  EXPECT_EQ(row[row.size() - 2], 3.0);
  EXPECT_EQ(row.back(), 6.0);
  EXPECT_EQ(series_column_units(rig.scene.probes)[names.size() - 2], "m");
}

std::string faults_of(const std::string& inputs) {
  try {
    Rig rig(scene("inputs:\n" + inputs + "bodies: [{name: b, shape: {sphere: {radius: 0.1}}}]\n"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(NamedInputs, FaultsAreNamed) {
  const auto says = [](const std::string& inputs, const std::string& words) {
    const std::string found = faults_of(inputs);
    EXPECT_NE(found.find(words), std::string::npos) << inputs << found;
  };
  EXPECT_EQ(faults_of("  - {name: u, default: 1, range: [0, 2]}\n"), "none");
  says("  - {name: u, default: 3, range: [0, 2]}\n", "default is 3, expected a number from 0 to 2");
  says("  - {name: u, range: [2, 0]}\n", "range from 2 to 0 is empty");
  says("  - {name: u}\n  - {name: u}\n", "'u' is defined twice");
  says("  - {name: t}\n", "taken");
  says("  - {name: pi}\n", "taken");
  says("  - {name: a b}\n", "expected a name");
  says("  - {name: u, default: 0, table: t}\n", "table");
  says("  - {name: u, range: [0, 1], table: {table: [[0, 0], [1, 2]]}}\n", "value of the table is 2");
  says("  - {name: u, default: 0}\n  - {name: w, table: 2*u}\n", "unknown name 'u'");
}

}  // namespace
}  // namespace grus::testing::inputs_test
