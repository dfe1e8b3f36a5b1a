// Probes of mechanisms through the step: reactions, drive forces, springs, against closed forms and against each other.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "io/scene/scene.hpp"
#include "simulation/observe.hpp"
#include "support/paths.hpp"
#include "support/rig.hpp"

namespace grus::observe_mechanism_test {
namespace {

// Steps a scene and reads its columns by name.
struct Watched {
  explicit Watched(const Spec& spec) : rig(spec), names(series_column_names(rig.scene.probes)) {}

  void run(Real duration) { rig.run(duration); }
  Real operator()(const std::string& column) { return value(column, rig.report); }
  Real value(const std::string& column, const StepReport& report) {
    place_carried_bodies(rig.scene.model, rig.state, carried);
    observe(rig.scene, mechanical_energy(rig.scene.model, rig.scene.initial), rig.state, carried, rig.work, report,
            row);
    for (std::size_t k = 0; k < names.size(); ++k)
      if (names[k] == column) return row[k];
    ADD_FAILURE() << "no column " << column;
    return 0.0;
  }

  testing::Rig rig;
  std::vector<std::string> names;
  CarriedBodies carried;
  std::vector<Real> row;
};

// A uniform rod of mass 2 kg, length 1 m, turned about its end at a constant rate: its centre moves on a circle, so
// hinge and drive carry the weight and the centripetal force.
constexpr const char* driven_rod = R"yaml(
planar: true
gravity: [0, -10]
time: {step: 1e-4, end: 1}
mechanisms:
  - name: machine
    bodies:
      - {name: rod, joint: {kind: revolute, coordinates: {angle: {drive: 3*t}}}, mass: 2, inertia: 1/6,
         center_of_mass: [0.5, 0]}
probes:
  - {column: fx, joint: rod, quantity: force.x}
  - {column: fy, joint: rod, quantity: force.y}
  - {column: tz, joint: rod, quantity: torque.z}
  - {column: drive, coordinate: rod.angle, quantity: force}
  - {column: angle, coordinate: rod.angle, quantity: position}
  - {column: rate, coordinate: rod.angle, quantity: rate}
  - {column: power, coordinate: rod.angle, quantity: power}
  - {column: tip.x, body: rod, at: [1, 0], quantity: position.x}
  - {column: tip.vy, body: rod, at: [1, 0], quantity: velocity.y}
)yaml";

TEST(ObserveMechanism, DrivenRodCarriesItsWeightAndTheCentripetalForce) {
  Watched rod(parse_scene(driven_rod, "rod.yaml"));
  rod.run(0.4);
  const Real omega = 3.0, m = 2.0, r = 0.5, g = 10.0;
  // forces belong to q_m, half a step before the end
  const Real middle = omega * (0.4 - 0.5e-4);
  // rounding of a second difference of the angle, over h^2
  const Real tolerance = 1e-6;
  EXPECT_NEAR(rod("fx"), -m * r * omega * omega * std::cos(middle), tolerance);
  EXPECT_NEAR(rod("fy"), m * g - m * r * omega * omega * std::sin(middle), tolerance);
  EXPECT_NEAR(rod("drive"), m * g * r * std::cos(middle), tolerance);
  EXPECT_NEAR(rod("tz"), rod("drive"), 1e-9);
  EXPECT_NEAR(rod("angle"), 1.2, 1e-12);
  EXPECT_NEAR(rod("rate"), omega, 1e-9);
  EXPECT_NEAR(rod("power"), omega * rod("drive"), 1e-6);
  EXPECT_NEAR(rod("tip.x"), std::cos(1.2), 1e-12);
  EXPECT_NEAR(rod("tip.vy"), omega * std::cos(1.2), 1e-9);
}

// Energy in = energy stored: the drive's work is what the ledger calls external.
TEST(ObserveMechanism, WorkOfADriveIsExternalWork) {
  Watched rod(parse_scene(driven_rod, "rod.yaml"));
  const Real start = rod("energy.total");
  rod.run(0.4);
  EXPECT_NEAR(rod("energy.work_external"), rod("energy.total") - start, 1e-6 * std::abs(start + 10.0));
}

constexpr const char* hanging_spring = R"yaml(
planar: true
gravity: [0, -10]
time: {step: 1e-3, end: 1}
integrator: {theta: 1}
mechanisms:
  - name: machine
    bodies:
      - {name: weight, joint: {kind: prismatic, axis: [0, 1], coordinates: {slide: {start: -1.2}}}, mass: 2, inertia: 1}
    springs:
      - {name: coil, a: {body: ground}, b: {body: weight}, stiffness: 100, rest: 1, damping: 40}
probes:
  - {column: length, spring: coil, quantity: length}
  - {column: force, spring: coil, quantity: force}
  - {column: rate, spring: coil, quantity: rate}
  - {column: side, joint: weight, quantity: force.x}
  - {column: along, joint: weight, quantity: force.y}
)yaml";

TEST(ObserveMechanism, SpringAtRestCarriesTheWeight) {
  Watched weight(parse_scene(hanging_spring, "spring.yaml"));
  weight.run(0.01);
  EXPECT_NEAR(weight("length"), 1.2, 1e-12);
  // a positive force pushes apart: the stretched spring pulls
  EXPECT_NEAR(weight("force"), -20.0, 1e-9);
  EXPECT_NEAR(weight("rate"), 0.0, 1e-12);
  EXPECT_NEAR(weight("along"), 0.0, 1e-9);
  EXPECT_NEAR(weight("side"), 0.0, 1e-12);
}

// A ram whose motor wants to go 0.3 m into a wall, with 40 times its limit: after the impact it stands, and the probe
// shows the limit that acted, which is what the wall feels.
constexpr const char* stalled_ram = R"yaml(
planar: true
gravity: [0, 0]
time: {step: 1e-3, end: 1}
integrator: {theta: 1}
contact: {law: gap}
solver: {tolerance: 1e-12, max_iterations: 10000}
materials: [{name: m, density: 1000}]
pairs: [{between: [m, m], friction: 0}]
walls: [{name: wall, plane: {normal: [-1, 0], point: [0.12, 0]}}]
mechanisms:
  - name: machine
    bodies:
      - name: ram
        joint: {kind: prismatic, axis: [1, 0], coordinates: {slide: {motor: {position: 0.3, gain: 1e4, damping: 100, limit: LIMIT, implicit: IMPLICIT}}}}
        material: m
        mass: 3
        inertia: 1
        center_of_mass: [0, 0]
        shape: {box: {size: [0.2, 0.2]}}
probes:
  - {column: motor, coordinate: ram.slide, quantity: force}
  - {column: power, coordinate: ram.slide, quantity: power}
  - {column: rate, coordinate: ram.slide, quantity: rate}
  - {column: wall, body: ram, quantity: force.x}
)yaml";

Watched ram_with(const std::string& limit, const std::string& implicit, const std::vector<std::string>& more = {}) {
  std::string text = stalled_ram;
  text.replace(text.find("LIMIT"), 5, limit);
  text.replace(text.find("IMPLICIT"), 8, implicit);
  return Watched(parse_scene(text, "ram.yaml", more));
}

TEST(ObserveMechanism, AStalledMotorShowsTheForceThatActed) {
  const Real limit = 70.0;
  Watched ram = ram_with("70", "true");
  ram.run(0.03);
  // on its way: the limit moves the mass, 70 N/3 kg over half a step less than 0.03 s
  EXPECT_NEAR(ram("motor"), limit, 1e-9 * limit);
  EXPECT_EQ(ram("wall"), 0.0);
  EXPECT_NEAR(ram("power"), limit * limit / 3.0 * (0.03 - 0.5e-3), 1e-9 * limit);
  ram.run(0.17);
  EXPECT_NEAR(ram("motor"), limit, 1e-9 * limit);
  EXPECT_NEAR(ram("wall"), -limit, 1e-9 * limit);
  EXPECT_NEAR(ram("power"), 0.0, 1e-9 * limit);
}

// What a motor within its limit is stopped with is less than the limit, and the same force.
TEST(ObserveMechanism, AMotorStoppedWithinItsLimitShowsWhatTheWallFeels) {
  Watched ram = ram_with("1e5", "true");
  ram.run(0.2);
  EXPECT_NEAR(ram("motor"), 1e4 * (0.3 - 0.02), 1e-6);
  EXPECT_NEAR(ram("wall"), -ram("motor"), 1e-6);
}

TEST(ObserveMechanism, ResidualsOfTheStepHaveTheirColumns) {
  Watched ram = ram_with("70", "true");
  StepReport report;
  report.residual = 0.125;
  report.residual_mechanism = 0.25;
  EXPECT_EQ(ram.value("residual", report), 0.125);
  EXPECT_EQ(ram.value("residual_mechanism", report), 0.25);
}

// In every step of the way, through the impact and after, at a loose tolerance too: what motor and wall show is what
// changed the momentum.
TEST(ObserveMechanism, ForcesOfMotorAndWallAreTheChangeOfMomentum) {
  const Real m = 3.0, h = 1e-3, rounding = 1e-9;
  for (const char* limit : {"70", "2000", "1e5"}) {
    for (const char* implicit : {"true", "false"}) {
      Watched ram = ram_with(limit, implicit, {"solver.tolerance=0.1", "solver.max_iterations=1"});
      bool touched = false;
      for (int k = 0; k < 100; ++k) {
        const Real before = ram("rate");
        ram.run(h);
        const Real change = m * (ram("rate") - before) / h;
        EXPECT_NEAR(ram("motor") + ram("wall"), change, rounding * (2000.0 + std::abs(ram("wall"))))
            << limit << " " << k;
        EXPECT_NEAR(ram("power"), ram("motor") * 0.5 * (before + ram("rate")), rounding * 2000.0);
        touched = touched || ram("wall") < 0.0;
      }
      EXPECT_TRUE(touched);
    }
  }
}

// The pin between rod and slider is a joint of one model and a loop cut of the other: eq. 18 must agree with the
// recursion.
TEST(ObserveMechanism, ALoopCarriesWhatTheJointInItsPlaceCarries) {
  const auto spec_of = [](const char* scene, const char* joint) {
    Spec spec = load_scene(std::string(GRUS_SOURCE_DIR) + "/examples/slider-crank/" + scene + ".yaml", {});
    for (const char* quantity : {"force.x", "force.y"}) {
      ProbeSpec probe;
      probe.column = std::string("pin.") + quantity;
      probe.joint = joint;
      probe.quantity = quantity;
      spec.probes.push_back(probe);
    }
    return spec;
  };
  Watched chain(spec_of("chain", "slider")), cut(spec_of("cut-xy", "pin"));
  for (int k = 0; k < 5; ++k) {
    chain.run(1e-3);
    cut.run(1e-3);
    const Real scale = std::hypot(chain("pin.force.x"), chain("pin.force.y"));
    EXPECT_GT(scale, 1.0);
    EXPECT_NEAR(chain("pin.force.x"), cut("pin.force.x"), 1e-7 * scale);
    EXPECT_NEAR(chain("pin.force.y"), cut("pin.force.y"), 1e-7 * scale);
  }
}

}  // namespace
}  // namespace grus::observe_mechanism_test
