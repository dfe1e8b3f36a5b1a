// The energy balance of whole runs, as summary.json and series.csv show it: it closes where the method keeps energy,
// says what went in and out, and a run in which it does not close says so.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "grus/run.hpp"
#include "io/series.hpp"
#include "io/summary.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::testing::energy_balance_test {
namespace {

struct Ran {
  Summary summary;
  Series series;

  const SummaryEnergy& energy() const { return summary.energy; }
  bool warns_of_balance() const { return warns_of("energy balance"); }
  bool warns_of(const std::string& words) const {
    return std::any_of(summary.warnings.begin(), summary.warnings.end(),
                       [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
  }
  const std::vector<Real>& column(const char* name) const { return series.values.at(series.find(name).value()); }
};

Ran run_text(const std::string& text) {
  const test::TemporaryDirectory folder;
  const std::string scene = folder / "scene.yaml", out = folder / "out";
  std::ofstream(scene) << text;
  RunOptions options;
  options.scene = scene;
  options.out = out;
  options.threads = 1;
  options.report = false;
  run(options);
  return {read_summary(out + "/summary.json"), read_series(out + "/series.csv")};
}

// What the keys mean: the terms of the balance, and the last row of series.csv, agree to rounding.
void expect_identity(const Ran& ran) {
  const SummaryEnergy& e = ran.energy();
  const Real size = std::abs(e.kinetic_start) + std::abs(e.potential_start) + e.turned_over;
  const Real rounding = 1e-12 * size;
  EXPECT_NEAR(e.work_external, e.work_walls + e.work_drives + e.work_forces, rounding);
  const Real change = e.kinetic + e.potential - e.kinetic_start - e.potential_start;
  EXPECT_NEAR(e.balance_error, change - e.work_external - e.recovery + e.dissipated_contact + e.dissipated_joint,
              rounding);
  EXPECT_NEAR(e.balance_error_part, std::abs(e.balance_error) / e.turned_over, 1e-12);
  EXPECT_EQ(ran.column("energy.balance_error").back(), e.balance_error);
  EXPECT_EQ(ran.column("energy.turned_over").back(), e.turned_over);
  EXPECT_EQ(ran.column("energy.work_walls").back(), e.work_walls);
  EXPECT_EQ(ran.column("energy.work_drives").back(), e.work_drives);
  EXPECT_EQ(ran.column("energy.work_forces").back(), e.work_forces);
  EXPECT_TRUE(std::is_sorted(ran.column("energy.turned_over").begin(), ran.column("energy.turned_over").end()));
}

// Nothing flows: the energy is measured against the kinetic energy at the bottom, m g r (1 - cos).
TEST(EnergyBalance, OfAPendulumIsMeasuredByItsKineticEnergy) {
  const Ran ran = run_text(R"yaml(
planar: true
gravity: [0, -9.81]
time: {step: 1e-3, end: 10}
integrator: {bias: midpoint}
mechanisms:
  - name: pendulum
    bodies:
      - {name: rod, joint: {kind: revolute, angle: -pi/2, coordinates: {angle: {start: 1.2}}}, mass: 2, inertia: 0.1,
         center_of_mass: [0.5, 0]}
)yaml");
  expect_identity(ran);
  EXPECT_NEAR(ran.energy().turned_over, 2 * 9.81 * 0.5 * (1 - std::cos(1.2)), 1e-3);
  EXPECT_LT(ran.energy().balance_error_part, 1e-4);
  EXPECT_TRUE(ran.summary.warnings.empty());
}

// e = 0.5 from 1 m: all that is lost is lost in the contact.
TEST(EnergyBalance, OfABouncingBallIsTheLossAtTheFloor) {
  const Ran ran = run_text(R"yaml(
gravity: [0, 0, -9.81]
time: {step: 1e-4, end: 1}
contact: {law: newton, recovery_speed: 0}
materials: [{name: m, density: 1000}]
pairs: [{between: [m, m], friction: 0, restitution: 0.5}]
walls:
  - {name: floor, plane: {normal: [0, 0, 1]}}
bodies:
  - {name: ball, material: m, mass: 1, position: [0, 0, 1.05], shape: {sphere: {radius: 0.05}}}
)yaml");
  expect_identity(ran);
  // bounces at 0.4515 and 0.9030 s: 3/4 of the energy, then 3/4 of the rest
  EXPECT_NEAR(ran.energy().dissipated_contact, 9.81 * (1.0 - 1.0 / 16.0), 0.02);
  EXPECT_NEAR(ran.energy().turned_over, 9.81, 0.02);
  EXPECT_LT(ran.energy().balance_error_part, 1e-9);
}

// A motor turns an arm against dry friction and gravity into a heavy ball and rolls it away; a second joint is driven.
TEST(EnergyBalance, OfAMachineNamesMotorsDrivesAndFriction) {
  const Ran ran = run_text(R"yaml(
planar: true
gravity: [0, -9.81]
time: {step: 1e-4, end: 2}
integrator: {theta: 0.5, bias: midpoint}
contact: {law: newton}
materials: [{name: m, density: 1000}]
pairs: [{between: [m, m], friction: 0.4}]
walls:
  - {name: floor, plane: {normal: [0, 1]}}
bodies:
  - {name: ball, material: m, position: [0.55, 0.2], shape: {disk: {radius: 0.2}}, mass: 5, inertia: 0.1}
mechanisms:
  - name: machine
    bodies:
      - name: arm
        joint:
          kind: revolute
          at: [0, 1]
          angle: -pi/2
          coordinates: {angle: {start: 0, friction: 0.5, motor: {position: 0.6*sin(3*t), gain: 150, damping: 15}}}
        material: m
        mass: 2
        inertia: 0.2
        center_of_mass: [0.4, 0]
        shape: {capsule: {radius: 0.04, length: 0.7}, position: [0.4, 0]}
      - name: fan
        parent: arm
        joint: {kind: revolute, at: [0.3, 0], coordinates: {angle: {drive: 5*t^2}}}
        mass: 0.5
        inertia: 0.02
        center_of_mass: [0.05, 0]
)yaml");
  expect_identity(ran);
  EXPECT_GT(ran.energy().work_forces, 1.0);
  EXPECT_GT(ran.energy().work_drives, 1.0);
  EXPECT_GT(ran.energy().dissipated_joint, 0.5);
  EXPECT_GT(ran.energy().dissipated_contact, 0.05);
  EXPECT_EQ(ran.energy().work_walls, 0.0);
  EXPECT_LT(ran.energy().balance_error_part, 2e-3);
  EXPECT_FALSE(ran.warns_of_balance());
}

// With theta = 1 gravity is known half a step late: -(theta - 1/2) h f.dv, which sums to f.(v_start - v_end) h/2.
// Grains are otherwise exact, so that the whole error is that of the potential energy.
TEST(EnergyBalance, OfAShakenBoxIsTheWorkOfItsWalls) {
  const Ran ran = run_text(R"yaml(
gravity: [0, 0, -9.81]
time: {step: 1e-3, end: 1}
materials: [{name: m, density: 2500}]
pairs: [{between: [m, m], friction: 0.5}]
contact: {law: gap}
containers:
  - name: box
    box: {min: [-0.05, -0.05, 0], max: [0.05, 0.05, 0.3], open: [+z]}
    motion: {z: 0.01*sin(2*pi*8*t)}
generators:
  - {name: grains, kind: lattice, size: 0.02, cells: [4, 4, 4], spacing: 0.022,
     box: {min: [-0.044, -0.044, 0.001], max: [0.044, 0.044, 0.1]}, jitter: 0.5}
)yaml");
  expect_identity(ran);
  EXPECT_GT(ran.energy().work_walls, 0.1);
  EXPECT_GT(ran.energy().dissipated_contact, 0.1);
  EXPECT_EQ(ran.energy().work_forces, 0.0);
  EXPECT_NEAR(ran.energy().balance_error, ran.energy().balance_error_potential, 1e-9 * ran.energy().turned_over);
  EXPECT_LT(ran.energy().balance_error_part, 0.01);
  EXPECT_FALSE(ran.warns_of_balance());
}

std::string spring_scene(Real stiffness, bool implicit, Real theta) {
  return "planar: true\ntime: {step: 1e-3, end: 0.2}\nintegrator: {theta: " + std::to_string(theta) +
         "}\nmechanisms:\n  - name: machine\n    bodies:\n      - {name: slider, joint: {kind: prismatic, coordinates: "
         "{slide: {start: 0.01, spring: {stiffness: " +
         std::to_string(stiffness) + ", rest: 0, implicit: " + (implicit ? "true" : "false") +
         "}}}}, mass: 1, inertia: 1, center_of_mass: [0, 0]}\n";
}

// omega h = 2.02: an explicit spring beyond its limit feeds itself, and nothing in the ledger explains it.
TEST(EnergyBalance, GainOfAnExplicitStiffSpringIsWarnedOf) {
  const Ran ran = run_text(spring_scene(std::pow(2.02e3, 2), false, 0.5));
  expect_identity(ran);
  EXPECT_GT(ran.energy().balance_error, 0.1 * ran.energy().turned_over);
  EXPECT_NEAR(ran.energy().balance_error_potential, ran.energy().balance_error,
              1e-6 * std::abs(ran.energy().balance_error));
  EXPECT_TRUE(ran.warns_of("came from nowhere"));
  EXPECT_TRUE(ran.warns_of("spring"));
  // well within the limit nothing is said
  EXPECT_FALSE(run_text(spring_scene(std::pow(50.0, 2), false, 0.5)).warns_of_balance());
}

// Implicit Euler in the spring: the amplitude falls by (1 + omega^2 h^2)^(-1/2) a step.
TEST(EnergyBalance, LossOfAnImplicitSpringIsWarnedOf) {
  const Real omega = 100.0, h = 1e-3, start = 0.5 * omega * omega * 1e-4;
  const Ran ran = run_text(spring_scene(omega * omega, true, 1.0));
  expect_identity(ran);
  const Real left = std::pow(1.0 + omega * omega * h * h, -200.0);
  EXPECT_NEAR(ran.energy().balance_error, -(1.0 - left) * start, 1e-9 * start);
  EXPECT_TRUE(ran.warns_of("are missing"));
}

// At rest nothing is turned over, and rounding is no error.
TEST(EnergyBalance, OfASceneAtRestIsNotWarnedOf) {
  const Ran ran = run_text(R"yaml(
gravity: [0, 0, -9.81]
time: {step: 1e-3, end: 0.5}
contact: {law: gap}
materials: [{name: m, density: 1000}]
pairs: [{between: [m, m], friction: 0.5}]
walls:
  - {name: floor, plane: {normal: [0, 0, 1], point: [0, 0, 1000]}}
bodies:
  - {name: block, material: m, position: [0, 0, 1000.05], shape: {box: {size: [0.1, 0.1, 0.1]}}}
)yaml");
  EXPECT_LT(ran.energy().turned_over, 1e-6);
  EXPECT_TRUE(ran.summary.warnings.empty()) << ran.summary.warnings.front();
}

// One sweep a step cannot carry an impact through a column. The anvil comes down by 2 mm a step and is 5 mm above: in
// the third step it takes up the last millimetre and throws the middle ball at 1 m/s onto the lower one: their contact
// was relaxed before and is left as it was.
TEST(PoorContact, IsNamedWithItsBodiesAndTime) {
  std::string text = R"yaml(
gravity: [0, 0, -9.81]
time: {step: 1e-3, end: 3e-3}
contact: {law: gap}
solver: {kind: nlgs, tolerance: 1e-6, max_iterations: SWEEPS}
materials: [{name: m, density: 1000}]
pairs: [{between: [m, m], friction: 0.5}]
walls:
  - {name: floor, plane: {normal: [0, 0, 1]}}
bodies:
  - {name: low, material: m, position: [0, 0, 0.05], shape: {sphere: {radius: 0.05}}}
  - {name: middle, material: m, position: [0, 0, 0.15], shape: {sphere: {radius: 0.05}}}
  - {name: anvil, material: m, mass: 300, position: [0, 0, 0.255], velocity: [0, 0, -2], shape: {sphere: {radius: 0.05}}}
)yaml";
  const auto with = [&](const std::string& sweeps) {
    std::string scene = text;
    scene.replace(scene.find("SWEEPS"), 6, sweeps);
    return run_text(scene);
  };
  const Ran poor = with("1");
  EXPECT_NEAR(poor.summary.residual_velocity_max, 1.0, 0.05);
  EXPECT_TRUE(poor.warns_of("the contact between low and middle was off by 1 m/s at t = 0.003 s"));
  EXPECT_TRUE(poor.warns_of("1 of 3 steps had a contact off"));
  EXPECT_FALSE(with("100000").warns_of("the contact between "));
}

}  // namespace
}  // namespace grus::testing::energy_balance_test
