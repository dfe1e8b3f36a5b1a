// grus::Simulation: the bits of `grus run`, going back, copies in threads, loads, inputs, and what it refuses.

#include "grus/simulation.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "grus/error.hpp"
#include "grus/run.hpp"
#include "io/checkpoint.hpp"
#include "io/summary.hpp"
#include "simulation/simulation_content.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::testing::simulation_test {
namespace {

constexpr double rounding = 1e-12;

std::string write_scene(const std::string& folder, const std::string& text) {
  const std::string path = folder + "/scene.yaml";
  std::ofstream(path) << text;
  return path;
}

// A paddle with an input and a closed loop in a box of boxes.
const char* const stirred_box = R"(
parameters: {across: 4}
gravity: [0, 0, -9.81]
time: {step: 1e-3, end: 0.08}
contact: {law: gap}
inputs: [{name: swing, default: 0, unit: rad, range: [-1, 1]}]
materials: [{name: m, density: 2000}]
pairs: [{between: [any, any], friction: 0.5}]
walls: [{name: floor, shape: {plane: {normal: [0, 0, 1]}}}]
generators:
  - name: grains
    kind: lattice
    lattice: cubic
    shape: {box: {size: [0.03, 0.04, 0.02]}}
    size: 0.05
    cells: [across, across, 2]
    box: {min: [-0.025*across, -0.025*across, 0.001], max: [0.025*across, 0.025*across, 0.1]}
mechanisms:
  - name: stirrer
    bodies:
      - name: arm
        joint: {kind: revolute, axis: [0, 1, 0], at: [0, 0, 0.25],
                coordinates: {angle: {motor: {position: swing, gain: 50, damping: 2, implicit: true, limit: 20}}}}
        shape: {box: {size: [0.02, 0.1, 0.2]}}
        mass: 1
        center_of_mass: [0, 0, -0.1]
        inertia: [0.01, 0.01, 0.01]
probes:
  - {column: angle, coordinate: arm.angle, quantity: position}
  - {column: torque, coordinate: arm.angle, quantity: force}
)";

const char* const four_bar = R"(
planar: true
gravity: [0, -9.81]
time: {step: 1e-3, end: 1}
materials: [{name: m, density: 1000}]
pairs: [{between: [any, any], friction: 0}]
mechanisms:
  - name: four-bar
    bodies:
      - {name: crank, joint: {kind: revolute, coordinates: {angle: {start: 0.5}}}, mass: 0.2, inertia: 0.001, center_of_mass: [0.1, 0]}
      - {name: coupler, parent: crank, joint: {kind: revolute, at: [0.2, 0], coordinates: {angle: {}}}, mass: 0.6, inertia: 0.02, center_of_mass: [0.3, 0]}
      - {name: rocker, joint: {kind: revolute, at: [0.7, 0], coordinates: {angle: {}}}, mass: 0.5, inertia: 0.01, center_of_mass: [0.25, 0]}
    loops: [{name: knee, kind: pin, a: {body: coupler, at: [0.6, 0]}, b: {body: rocker, at: [0.5, 0]}}]
)";

const char* const ball = R"(
gravity: [0, 0, -9.81]
time: {step: 1e-3, end: 1}
materials: [{name: m, density: 1000}]
pairs: [{between: [any, any], friction: 0.3}]
walls: [{name: floor, shape: {plane: {normal: [0, 0, 1]}}}]
bodies: [{name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}]
)";

std::string hash_of_run(const std::string& scene, const std::string& out) {
  RunOptions options;
  options.scene = scene;
  options.out = out;
  options.threads = 1;
  options.report = false;
  run(options);
  return read_summary(out + "/summary.json").state_hash;
}

TEST(SimulationClass, HasTheBitsOfARun) {
  const test::TemporaryDirectory folder;
  const std::string scene = write_scene(folder.path(), stirred_box);
  const std::string expected = hash_of_run(scene, folder.path() + "/out");
  Simulation simulation(scene);
  simulation.advance(simulation.end());
  EXPECT_EQ(simulation.state_hash(), expected);
  EXPECT_EQ(simulation.step_count(), 80);
  EXPECT_GT(simulation.last_step().contacts, 20);
  // the checkpoint of the run is that state too
  Simulation loaded(scene);
  loaded.load(folder.path() + "/out/checkpoint.h5");
  EXPECT_EQ(loaded.state_hash(), expected);
  EXPECT_EQ(loaded.value("angle"), simulation.value("angle"));
}

// Back to a state in memory or in a file, in a copy, and in copies that run in threads of their own at the same time.
TEST(SimulationClass, GoesBackAndIsCopied) {
  const test::TemporaryDirectory folder;
  const std::string scene = write_scene(folder.path(), stirred_box);
  Simulation simulation(scene, {.threads = 2});
  simulation.set_input("swing", 0.4);
  simulation.advance(0.03);
  const SavedState middle = simulation.state();
  simulation.save(folder.path() + "/middle.h5");
  Simulation copy = simulation.clone();
  EXPECT_DOUBLE_EQ(middle.time(), 0.03);
  simulation.advance(0.06);
  const std::string expected = simulation.state_hash();

  copy.advance(0.06);
  EXPECT_EQ(copy.state_hash(), expected);
  simulation.restore(middle);
  simulation.advance(0.06);
  EXPECT_EQ(simulation.state_hash(), expected);
  Simulation other(scene);
  other.load(folder.path() + "/middle.h5");
  other.advance(0.06);
  EXPECT_EQ(other.state_hash(), expected);

  simulation.restore(middle);
  Simulation a = simulation.clone(), b = simulation.clone();
  b.set_input("swing", -0.4);
  std::thread of_a([&] { a.advance(0.06); });
  std::thread of_b([&] { b.advance(0.06); });
  of_a.join();
  of_b.join();
  EXPECT_EQ(a.state_hash(), expected);
  EXPECT_NE(b.state_hash(), expected);
  Simulation alone = simulation.clone();
  alone.set_input("swing", -0.4);
  alone.advance(0.06);
  EXPECT_EQ(b.state_hash(), alone.state_hash());
}

// Two in threads of their own, with different numbers of threads and together with more than most machines have cores,
// while a third one is made, loads a checkpoint, steps and saves again and again: each has the bits it has alone.
TEST(SimulationClass, SeveralAtOnceHaveTheBitsOfOneAlone) {
  const test::TemporaryDirectory folder;
  const std::string scene = write_scene(folder.path(), stirred_box);
  constexpr double middle = 0.01, end = 0.03;
  const auto hash_at_end = [&](int threads, double swing) {
    Simulation simulation(scene, {.overrides = {"across=9"}, .threads = threads});
    simulation.set_input("swing", swing);
    simulation.advance(end);
    return simulation.state_hash();
  };
  const std::string left = hash_at_end(1, 0.4), right = hash_at_end(1, -0.3);
  ASSERT_NE(left, right);
  Simulation first(scene);
  first.advance(middle);
  first.save(folder / "middle.h5");
  first.step();
  const std::string after_middle = first.state_hash();

  std::string left_at_once, right_at_once;
  std::atomic<int> running = 2;
  std::vector<std::string> loaded;
  {
    const std::jthread of_left([&] {
      left_at_once = hash_at_end(4, 0.4);
      --running;
    });
    const std::jthread of_right([&] {
      right_at_once = hash_at_end(2, -0.3);
      --running;
    });
    const std::jthread of_loads([&] {
      do {
        Simulation simulation(scene, {.threads = 3});
        simulation.load(folder / "middle.h5");
        simulation.step();
        simulation.save(folder / "saved.h5");
        loaded.push_back(simulation.state_hash());
      } while (running > 0);
    });
  }
  EXPECT_EQ(left_at_once, left);
  EXPECT_EQ(right_at_once, right);
  for (const std::string& hash : loaded) EXPECT_EQ(hash, after_middle);
}

// A force holds the ball against its weight for one call, and not for the next one.
TEST(SimulationClass, LoadsLastForOneCall) {
  const test::TemporaryDirectory folder;
  Simulation simulation(write_scene(folder.path(), ball));
  const std::int32_t body = simulation.body("ball");
  const double weight = 9.81 * 1000.0 * 4.0 / 3.0 * std::acos(-1.0) * 1e-3;
  simulation.add_force(body, {0, 0, weight});
  simulation.advance(0.1);
  EXPECT_NEAR(simulation.velocity(body).linear[2], 0.0, rounding);
  simulation.advance(0.2);
  EXPECT_NEAR(simulation.velocity(body).linear[2], -9.81 * 0.1, rounding);
  // a callback adds its load to every step anew
  simulation.before_step([&](Simulation& s) { s.add_force(body, {0, 0, weight}); });
  const double before = simulation.velocity(body).linear[2];
  simulation.advance(0.3);
  EXPECT_NEAR(simulation.velocity(body).linear[2], before, rounding);
  EXPECT_NEAR(simulation.value("energy.balance_error"), 0.0, 1e-9);
  // nor does a load outlive a call that a callback ends
  Simulation other = simulation.clone();
  bool stops = true;
  other.before_step([&](Simulation&) {
    if (stops) throw std::runtime_error("stop");
  });
  other.add_force(body, {0, 0, 1e6});
  EXPECT_THROW(other.step(), std::runtime_error);
  stops = false;
  const double speed = other.velocity(body).linear[2];
  other.step();
  EXPECT_NEAR(other.velocity(body).linear[2], speed - 9.81e-3, rounding);
}

// A controller in the loop: two callbacks, one input, and what it sees is the state before the step.
TEST(SimulationClass, CallbacksControlIt) {
  const test::TemporaryDirectory folder;
  Simulation simulation(write_scene(folder.path(), stirred_box));
  std::vector<double> times;
  double reached = 0.0;
  simulation.before_step([&](Simulation& s) {
    times.push_back(s.time());
    s.set_input("swing", 0.01 * static_cast<double>(s.step_count()));
  });
  simulation.after_step([&](Simulation& s) { reached = s.value("swing"); });
  simulation.advance(0.01);
  ASSERT_EQ(times.size(), 10U);
  EXPECT_EQ(times[0], 0.0);
  EXPECT_EQ(times[9], 9.0 * 1e-3);
  EXPECT_EQ(reached, 0.09);
  simulation.before_step([](Simulation& s) { s.step(); });
  EXPECT_THROW(simulation.step(), std::invalid_argument);
}

TEST(SimulationClass, MatricesAreThoseOfTheRates) {
  const test::TemporaryDirectory folder;
  Simulation simulation(write_scene(folder.path(), four_bar));
  simulation.set_joint(simulation.coordinate("crank.angle"), 0.8, 2.0);
  const std::span<const double> v = simulation.joint_velocities();
  const Matrix mass = simulation.mass_matrix("four-bar");
  double twice_kinetic = 0.0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) twice_kinetic += v[i] * mass(i, j) * v[j];
  EXPECT_NEAR(0.5 * twice_kinetic, simulation.value("energy.kinetic"), rounding);
  const std::int32_t coupler = simulation.body("coupler");
  const Matrix jacobian = simulation.jacobian(coupler, {0.3, 0, 0});
  for (std::size_t i = 0; i < 2; ++i) {
    double rate = 0.0;
    for (std::size_t j = 0; j < 3; ++j) rate += jacobian(i, j) * v[j];
    EXPECT_NEAR(rate, simulation.velocity(coupler).linear[i], rounding);
  }
  // at rest the bias is the weight: of the rocker alone m g r cos(angle)
  simulation.set_joint(simulation.coordinate("crank.angle"), 0.8, 0.0);
  const double angle = simulation.joint_position(simulation.coordinate("rocker.angle"));
  EXPECT_NEAR(simulation.bias("four-bar")[2], 0.5 * 9.81 * 0.25 * std::cos(angle), 1e-10);
}

// The knee stays closed, and a crank angle that it cannot reach is refused with its name, leaving all as it was.
TEST(SimulationClass, LoopsAreClosedOrRefused) {
  const test::TemporaryDirectory folder;
  Simulation simulation(write_scene(folder.path(), four_bar));
  const auto knee_gap = [&] {
    const Matrix a = simulation.jacobian(simulation.body("coupler"), {0.6, 0, 0});
    const Matrix b = simulation.jacobian(simulation.body("rocker"), {0.5, 0, 0});
    double rate = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      double part = 0.0;
      for (std::size_t j = 0; j < 3; ++j) part += (a(i, j) - b(i, j)) * simulation.joint_velocities()[j];
      rate = std::max(rate, std::abs(part));
    }
    return std::max(rate, simulation.value("loop_error"));
  };
  simulation.set_joint(simulation.coordinate("crank.angle"), 1.3, 4.0);
  EXPECT_EQ(simulation.joint_position(simulation.coordinate("crank.angle")), 1.3);
  EXPECT_LT(knee_gap(), 1e-11);
  simulation.step();
  EXPECT_LT(simulation.last_step().loop_error, 1e-12);
  const std::string before = simulation.state_hash();
  try {
    simulation.set_joint(simulation.coordinate("rocker.angle"), 0.0);
    FAIL() << "a rocker that lies flat cannot meet its coupler";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("'knee'"), std::string::npos) << error.what();
  }
  EXPECT_EQ(simulation.state_hash(), before);
}

TEST(SimulationClass, PosesAreThoseOfTheScene) {
  const test::TemporaryDirectory folder;
  Simulation simulation(write_scene(folder.path(), stirred_box));
  const std::int32_t grain = simulation.body("grains[0]");
  const BodyPose pose{{0.3, 0.2, 0.5}, {0.0, 0.0, std::sin(0.2), std::cos(0.2)}};
  simulation.set_pose(grain, pose);
  simulation.set_velocity(grain, {{1, 2, 3}, {4, 5, 6}});
  const BodyPose found = simulation.pose(grain);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found.position[i], pose.position[i], rounding);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found.rotation[i], pose.rotation[i], rounding);
  EXPECT_EQ(simulation.velocity(grain).linear[2], 3.0);
  EXPECT_EQ(simulation.velocities()[static_cast<std::size_t>(3 * grain + 1)], 2.0);
  // the arm hangs: the origin of a linked body is that of its joint
  EXPECT_NEAR(simulation.pose(simulation.body("arm")).position[2], 0.25, rounding);
  EXPECT_EQ(simulation.kind(simulation.body("floor")), BodyKind::prescribed);
  EXPECT_EQ(simulation.kind(simulation.body("arm")), BodyKind::linked);
}

// Action and reaction: the impulses of contacts() are the change of momentum.
TEST(SimulationClass, ContactsCarryTheWeight) {
  const test::TemporaryDirectory folder;
  Simulation simulation(write_scene(folder.path(), ball), {.overrides = {"contact.law=gap"}});
  const std::int32_t body = simulation.body("ball");
  simulation.set_pose(body, {{0, 0, 0.1}, {0, 0, 0, 1}});
  simulation.advance(0.01);
  const std::vector<ContactOfStep> contacts = simulation.contacts();
  ASSERT_EQ(contacts.size(), 1U);
  const double sign = contacts[0].body_b == body ? 1.0 : -1.0;
  const double weight = 9.81 * 1000.0 * 4.0 / 3.0 * std::acos(-1.0) * 1e-3;
  EXPECT_NEAR(sign * contacts[0].impulse[2], weight * 1e-3, 1e-9);
  EXPECT_NEAR(contacts[0].point[2], 0.0, 1e-6);
  EXPECT_EQ(simulation.impulses()[2], contacts[0].impulse[2]);
}

// A step that breaks down leaves the simulation as it was, and usable.
TEST(SimulationClass, AFailedStepIsTakenBack) {
  const test::TemporaryDirectory folder;
  Simulation simulation(write_scene(folder.path(), ball));
  simulation.advance(0.01);
  const std::string before = simulation.state_hash();
  // together they are more than a double holds, h F/m of each is not
  for (int k = 0; k < 20000; ++k) simulation.add_force(simulation.body("ball"), {1e308, 0, 0});
  EXPECT_THROW(simulation.step(), NumericalError);
  EXPECT_EQ(simulation.state_hash(), before);
  simulation.step();
  EXPECT_NEAR(simulation.velocity(0).linear[2], -9.81 * 0.011, rounding);
}

// After an error of Grus itself nothing is answered any more but in words; others go on, and it can be destroyed, also
// while it records.
TEST(SimulationClass, ABrokenInvariantMakesItUnusable) {
  const test::TemporaryDirectory folder;
  Simulation simulation(write_scene(folder.path(), four_bar));
  simulation.record(folder / "recorded");
  simulation.advance(0.01);
  Simulation other = simulation.clone();
  SimulationAccess::stepper(simulation).state().joint_dependent.assign(3, 0);
  EXPECT_THROW(simulation.step(), InternalError);
  const auto says_so = [](const auto& call) {
    try {
      call();
      ADD_FAILURE() << "an unusable simulation answered";
    } catch (const InternalError& error) {
      EXPECT_NE(std::string(error.what()).find("not usable"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("assertion failed"), std::string::npos) << error.what();
    }
  };
  says_so([&] { simulation.step(); });
  says_so([&] { simulation.time(); });
  says_so([&] { simulation.positions(); });
  says_so([&] { simulation.restore(other.state()); });
  says_so([&] { simulation.clone(); });
  says_so([&] { simulation.stop_recording(); });
  other.step();
  EXPECT_EQ(other.step_count(), 11);
  simulation = std::move(other);
  EXPECT_EQ(simulation.step_count(), 11);
  EXPECT_THROW(other.time(), std::invalid_argument);  // NOLINT: what was moved away says so
}

// A checkpoint of this scene's hash whose arrays are not this scene's.
TEST(SimulationClass, RefusesACheckpointThatDoesNotFit) {
  const test::TemporaryDirectory folder;
  Simulation simulation(write_scene(folder.path(), four_bar));
  simulation.save(folder / "good.h5");
  std::optional<Checkpoint> forged = load_checkpoint(folder / "good.h5");
  forged->state.joint_position.push_back(0.0);
  save_checkpoint(folder / "forged.h5", *forged);
  EXPECT_THROW(simulation.load(folder / "forged.h5"), InputError);
  simulation.load(folder / "good.h5");
}

// What is recorded is what a run writes: the same rows and frames, and a summary with its checks at the end.
TEST(SimulationClass, RecordsTheFolderOfARun) {
  const test::TemporaryDirectory folder;
  const std::string scene = write_scene(folder.path(), stirred_box);
  const std::string expected = hash_of_run(scene, folder / "run");
  Simulation simulation(scene);
  simulation.record(folder / "recorded");
  simulation.advance(simulation.end());
  simulation.stop_recording();
  const auto text = [](const std::string& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(text(folder / "recorded/series.csv"), text(folder / "run/series.csv"));
  EXPECT_GT(text(folder / "recorded/series.csv").size(), 1000U);
  EXPECT_EQ(text(folder / "recorded/frames/part-00000.bin"), text(folder / "run/frames/part-00000.bin"));
  EXPECT_EQ(read_summary(folder / "recorded/summary.json").state_hash, expected);
  EXPECT_EQ(read_summary(folder / "recorded/summary.json").status, "done");
  // a second one, cut short by the end of the object
  {
    Simulation short_one(scene);
    short_one.record(folder / "short");
    short_one.advance(0.01);
  }
  EXPECT_EQ(read_summary(folder / "short/summary.json").status, "interrupted");
}

TEST(SimulationClass, RefusesInWords) {
  const test::TemporaryDirectory folder;
  Simulation simulation(write_scene(folder.path(), stirred_box));
  const auto refuses = [](const auto& call, const std::string& words) {
    try {
      call();
      ADD_FAILURE() << "nothing was refused, expected: " << words;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  const std::string before = simulation.state_hash();
  refuses([&] { simulation.body("amr"); }, "did you mean 'arm'");
  refuses([&] { simulation.set_input("swing", 2.0); }, "from -1 to 1");
  refuses([&] { simulation.set_input("swing", std::nan("")); }, "from -1 to 1");
  refuses([&] { simulation.pose(-1); }, "no body number -1");
  refuses([&] { simulation.add_force(simulation.body("floor"), {1, 0, 0}); }, "'floor' moves on a given path");
  refuses([&] { simulation.add_force(0, {std::nan(""), 0, 0}); }, "not a finite number");
  refuses([&] { simulation.set_pose(simulation.body("arm"), {}); }, "'arm' is not a free body");
  refuses([&] { simulation.set_pose(0, {{0, 0, 0}, {0, 0, 0, 0}}); }, "quaternion of zeros");
  refuses([&] { simulation.value("angel"); }, "did you mean 'angle'");
  refuses([&] { simulation.restore(SavedState()); }, "empty");
  Simulation other(write_scene(folder.path(), ball));
  refuses([&] { simulation.restore(other.state()); }, "another scene");
  EXPECT_EQ(simulation.state_hash(), before);
  EXPECT_THROW(simulation.load(folder.path() + "/none.h5"), InputError);
  EXPECT_THROW(Simulation(folder.path() + "/none.yaml"), std::exception);
}

}  // namespace
}  // namespace grus::testing::simulation_test
