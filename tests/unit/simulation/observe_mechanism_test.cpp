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
  Real operator()(const std::string& column) {
    place_carried_bodies(rig.scene.model, rig.state, carried);
    observe(rig.scene, mechanical_energy(rig.scene.model, rig.scene.initial), rig.state, carried, rig.work, rig.report, row);
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
