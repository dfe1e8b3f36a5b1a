// Case B: the tamping machine (paper 000, section 6) without ballast, where its motion is known: degrees of freedom and
// masses, amplitude of the tines, the harmonics that drive the run with imposed vibration, the laws of control
// (eqs 34-36). In ballast it runs through its scenes: small.yaml in examples_test, the others in `make validate`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "io/scene/scene.hpp"
#include "multibody/linked_bodies.hpp"
#include "support/paths.hpp"
#include "support/rig.hpp"

namespace grus::tamping_test {
namespace {

constexpr Real pi = std::numbers::pi;
constexpr Real gravity = 9.81;
constexpr Real machine_mass = 123.0;  // kg

struct Machine {
  explicit Machine(const std::vector<std::string>& overrides)
      : spec(load_scene(std::string(GRUS_SOURCE_DIR) + "/examples/tamping/air.yaml", overrides)), rig(spec) {}

  const Mechanism& mechanism() const { return rig.scene.model.mechanisms.at(0); }
  Real parameter(const std::string& name) const { return spec.parameters.at(name); }

  std::size_t coordinate(const std::string& name) const {
    const std::vector<std::string>& names = rig.scene.names.mechanism.at(0).coordinate;
    const auto found = std::find(names.begin(), names.end(), name);
    GRUS_ASSERT(found != names.end());
    return static_cast<std::size_t>(found - names.begin());
  }
  Real position(const std::string& name) const {
    return rig.state.joint_position[static_cast<std::size_t>(mechanism().coordinates[coordinate(name)].position)];
  }
  Real rate(const std::string& name) const { return rig.state.joint_velocity[coordinate(name)]; }

  Index body(const std::string& name) const {
    const std::vector<std::string>& names = rig.scene.names.body;
    return static_cast<Index>(std::find(names.begin(), names.end(), name) - names.begin());
  }
  // Centre of the plate, `side` -1 left and 1 right.
  Vec3 plate(Real side) const {
    LinkedBodies linked;
    place_linked_bodies(rig.scene.model, rig.state, linked);
    const Index arm = body(side < 0 ? "left-arm" : "right-arm");
    const Pose& pose = linked.pose(rig.scene.model, arm);
    const Vec3 point(0.0, -parameter("reach"), 0.0);
    const Link& link = mechanism().links[static_cast<std::size_t>(arm - mechanism().first_body)];
    return pose.position + pose.rotation * (link.X_JB.rotation.conjugate() * (point - link.X_JB.position));
  }
  void run(Real duration) { rig.run(duration); }

  Spec spec;
  testing::Rig rig;
};

struct Harmonic {
  Real mean = 0.0, amplitude = 0.0, phase = 0.0;
};

// Sums over whole cycles, where sine, cosine and constant are orthogonal.
class Fit {
 public:
  void add(Real angle, Real value) {
    ++count_;
    sum_ += value;
    sine_ += value * std::sin(angle);
    cosine_ += value * std::cos(angle);
  }
  Harmonic result() const {
    const Real scale = 2.0 / count_;
    return {sum_ / count_, scale * std::hypot(sine_, cosine_), std::atan2(cosine_, sine_)};
  }

 private:
  int count_ = 0;
  Real sum_ = 0.0, sine_ = 0.0, cosine_ = 0.0;
};

// First harmonics over the last of four seconds, after the run-up has died out: chassis x, z, angle, then the plates'
// x on the left and on the right.
std::vector<Harmonic> free_air(Machine& machine) {
  const Real h = machine.rig.scene.model.integrator.step;
  machine.run(3.0);
  std::vector<Fit> fits(5);
  for (int k = 0; k < std::lround(1.0 / h); ++k) {
    machine.rig.step();
    const Real angle =
        2 * pi * machine.parameter("frequency") * (machine.rig.state.time - 0.5 * machine.parameter("run_up"));
    fits[0].add(angle, machine.position("chassis.x"));
    fits[1].add(angle, machine.position("chassis.y"));
    fits[2].add(angle, machine.position("chassis.angle"));
    fits[3].add(angle, machine.plate(-1).x());
    fits[4].add(angle, machine.plate(1).x());
  }
  std::vector<Harmonic> harmonics;
  for (const Fit& fit : fits) harmonics.push_back(fit.result());
  return harmonics;
}

TEST(Tamping, MachineIsThatOfTable2) {
  const Machine machine({});
  const Mechanism& mechanism = machine.mechanism();
  EXPECT_EQ(mechanism.link_count(), 8);
  EXPECT_EQ(mechanism.velocity_count, 10);
  EXPECT_EQ(mechanism.loops.size(), 4u);
  EXPECT_EQ(mechanism.closed_count, 4);  // no equation repeats another: six degrees of freedom, the flywheel's driven
  const std::vector<std::pair<std::string, Real>> masses{{"support", 50},  {"chassis", 20},      {"flywheel", 15},
                                                         {"left-arm", 15}, {"right-arm", 15},    {"barrel", 3},
                                                         {"rod", 2},       {"connecting-rod", 3}};
  Real total = 0.0;
  for (const auto& [name, mass] : masses) {
    const Link& link = mechanism.links[static_cast<std::size_t>(machine.body(name) - mechanism.first_body)];
    EXPECT_NEAR(link.mass, mass, 1e-12) << name;
    total += link.mass;
    if (name == "flywheel") {
      EXPECT_NEAR(link.X_JB.position.norm(), 0.020, 1e-12);
    }
  }
  EXPECT_NEAR(total, machine_mass, 1e-12);
  EXPECT_EQ(machine.parameter("spring"), 50e3);
  EXPECT_EQ(machine.parameter("diving_force"), 10e3);
  EXPECT_EQ(machine.parameter("diving_damping"), 3e3);
  EXPECT_EQ(machine.parameter("holding_stiffness"), 1e6);
  EXPECT_EQ(machine.parameter("holding_damping"), 1e3);
  EXPECT_EQ(machine.parameter("actuator_stiffness"), 500e3);
  EXPECT_EQ(machine.parameter("actuator_damping"), 10e3);
}

TEST(Tamping, TinesSwingByThreeToTenMillimetresInFreeAir) {
  for (const char* frequency : {"15", "35"}) {
    Machine machine({std::string("frequency=") + frequency});
    const std::vector<Harmonic> found = free_air(machine);
    for (std::size_t side : {3u, 4u}) {
      EXPECT_GT(found[side].amplitude, 3e-3) << frequency;
      EXPECT_LT(found[side].amplitude, 10e-3) << frequency;
    }
    EXPECT_LT(machine.rig.report.loop_error, 1e-10);
  }
}

// parts/harmonics.yaml is what harmonics.py would write today, and the machine driven by it swings like the one it was
// taken from.
TEST(Tamping, ImposedVibrationIsThatOfFreeAir) {
  Machine dynamic({"frequency=15"});
  const std::vector<Harmonic> found = free_air(dynamic);
  const std::vector<std::string> names{"x", "z", "angle"};
  for (std::size_t k = 0; k < names.size(); ++k) {
    // written with six digits
    const Real rounding = 1e-5 * found[k].amplitude;
    EXPECT_NEAR(dynamic.parameter(names[k] + "_amplitude"), found[k].amplitude, rounding) << "run harmonics.py";
    EXPECT_NEAR(dynamic.parameter(names[k] + "_mean"), found[k].mean, rounding) << "run harmonics.py";
    EXPECT_NEAR(dynamic.parameter(names[k] + "_phase"), found[k].phase, 1e-5) << "run harmonics.py";
  }
  Machine imposed({"frequency=15", "imposed=true"});
  const std::vector<Harmonic> driven = free_air(imposed);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(driven[k].amplitude, found[k].amplitude, 1e-5 * found[k].amplitude);
  // The arms sit on the chassis by the actuator alone, and the support gives way by 0.3 mm: one per cent.
  for (std::size_t k = 3; k < 5; ++k) {
    EXPECT_NEAR(driven[k].amplitude, found[k].amplitude, 0.01 * found[k].amplitude);
    EXPECT_NEAR(driven[k].phase, found[k].phase, 0.01);
  }
}

// Without ballast the dive ends at the speed where the damper carries force and weight; then the support swings into
// the height it had at the end of the dive, less what the weight takes.
TEST(Tamping, SupportDivesAndIsHeldWhereTheDiveEnded) {
  Machine machine({"frequency=0", "dive_start=0.1", "dive_end=0.6", "squeeze_end=1"});
  machine.run(0.1);
  const Real start = machine.position("support.slide");
  EXPECT_NEAR(start, 0.0, 1e-6);
  machine.run(0.5);
  EXPECT_NEAR(machine.rate("support.slide"), -(10e3 + machine_mass * gravity) / 3e3, 0.02);
  const Real reached = machine.position("support.slide");
  EXPECT_EQ(machine.rig.state.memory.at(0), reached);
  // it swings about the height with 2 m/c = 0.25 s: nothing is left after four seconds
  machine.run(4.0);
  EXPECT_EQ(machine.rig.state.memory.at(0), reached);
  EXPECT_NEAR(machine.position("support.slide"), reached - machine_mass * gravity / 1e6, 1e-6);
}

// The actuator lies above the hinges and the connecting rod is crossed: extending it turns the arms in opposite senses
// and closes the tines.
TEST(Tamping, ExtendingTheActuatorClosesTheTines) {
  Machine machine({"frequency=0", "dive_start=9", "dive_end=0.1", "squeeze_end=0.5"});
  const Real left = machine.plate(-1).x(), right = machine.plate(1).x();
  machine.run(2.0);
  const Real squeeze = machine.parameter("squeeze");
  EXPECT_NEAR(machine.position("rod.slide"), machine.parameter("actuator_start") + squeeze, 1e-4);
  const Real travel = 0.5 * squeeze * machine.parameter("reach") / machine.parameter("lever");
  // levers turn by a tenth of a radian, and the crossed rod is not quite a mirror
  EXPECT_NEAR(machine.plate(-1).x() - left, travel, 0.1 * travel);
  EXPECT_NEAR(right - machine.plate(1).x(), travel, 0.1 * travel);
  EXPECT_LT(machine.position("right-arm.angle") * machine.position("left-arm.angle"), 0.0);
}

}  // namespace
}  // namespace grus::tamping_test
