#include "multibody/assembly.hpp"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "multibody/loops.hpp"
#include "support/random_mechanism.hpp"

namespace grus::assembly_test {
namespace {

using testing::Cut;
using ::testing::HasSubstr;

struct Linear : TimeFunction {
  Linear(Real start, Real slope) : start_(start), slope_(slope) {}
  Real operator()(Real time, const Inputs&) const override { return start_ + slope_ * time; }
  Real start_, slope_;
};

// A scene of one mechanism; coordinates are named "c0", "c1", ..., loops "loop0", ...
CompiledScene scene_of(const Mechanism& mechanism, const std::vector<Real>& q, std::vector<Real> v = {}) {
  CompiledScene scene;
  scene.model.integrator.step = 1e-3;
  scene.model.mechanisms.push_back(mechanism);
  scene.initial.joint_position = q;
  v.resize(mechanism.coordinates.size(), 0.0);
  scene.initial.joint_velocity = v;
  MechanismNames names;
  names.name = "machine";
  names.mark = {"scene.yaml", 3, 1};
  for (std::size_t k = 0; k < mechanism.coordinates.size(); ++k) {
    names.coordinate.push_back("c" + std::to_string(k));
    names.coordinate_mark.push_back({"scene.yaml", static_cast<int>(k), 1});
  }
  Index loops = 0;
  for (const JointCondition& condition : mechanism.loops) loops = std::max(loops, condition.group + 1);
  for (Index i = 0; i < loops; ++i) {
    names.loop.push_back("loop" + std::to_string(i));
    names.loop_mark.push_back({"scene.yaml", 100 + i, 1});
  }
  scene.names.mechanism.push_back(names);
  return scene;
}

// Largest |h| over all conditions and |J v| over the closed ones.
struct Consistency {
  Real error = 0.0, opening = 0.0;
};
Consistency consistency(const CompiledScene& scene) {
  const Mechanism& mechanism = scene.model.mechanisms[0];
  MechanismKinematics kinematics;
  LoopScratch scratch;
  place(mechanism, scene.initial.joint_position, kinematics);
  evaluate_loops(mechanism, kinematics, static_cast<Index>(mechanism.loops.size()), scratch);
  const Eigen::Map<const Eigen::VectorXd> v(scene.initial.joint_velocity.data(), mechanism.velocity_count);
  return {scratch.h.lpNorm<Eigen::Infinity>(), (scratch.J * v).lpNorm<Eigen::Infinity>()};
}

std::string fault_of(CompiledScene& scene) {
  try {
    assemble_mechanisms(scene);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

Mechanism machine() {
  Mechanism mechanism = testing::four_bar(0.1, 0.3, 0.25, 0.28);
  mechanism.size = 0.1;
  return mechanism;
}

TEST(Assembly, ClosesAFourBarDrawnStraight) {
  Mechanism mechanism = machine();
  CompiledScene scene = scene_of(mechanism, {0.0, 0.0, 0.0});
  EXPECT_EQ(fault_of(scene), "");
  EXPECT_LT(consistency(scene).error, 1e-13);
  EXPECT_EQ(scene.model.mechanisms[0].closed_count, 2);
  EXPECT_TRUE(scene.warnings.empty());
  const std::vector<std::uint32_t>& dependent = scene.initial.joint_dependent;
  EXPECT_EQ(std::count(dependent.begin(), dependent.end(), 1U), 2);
}

TEST(Assembly, KeepsWhatTheUserGave) {
  Mechanism mechanism = machine();
  mechanism.coordinates[0].position_given = true;
  mechanism.coordinates[0].velocity_given = true;
  CompiledScene scene = scene_of(mechanism, {0.7, 1.0, -2.0}, {3.0, 0.0, 0.0});
  EXPECT_EQ(fault_of(scene), "");
  EXPECT_NEAR(scene.initial.joint_position[0], 0.7, 1e-13);
  EXPECT_NEAR(scene.initial.joint_velocity[0], 3.0, 1e-13);
  EXPECT_LT(consistency(scene).error, 1e-13);
  EXPECT_LT(consistency(scene).opening, 1e-13);
}

// The rocker cannot swing that far with all three given: they move as little as possible, and a warning says so.
TEST(Assembly, MovesGivenPositionsOnlyWhenItMust) {
  Mechanism mechanism = machine();
  CompiledScene closed = scene_of(mechanism, {0.7, 1.0, -2.0});
  ASSERT_EQ(fault_of(closed), "");
  std::vector<Real> q = closed.initial.joint_position;
  for (Coordinate& coordinate : mechanism.coordinates) coordinate.position_given = true;
  for (Real& x : q) x += 0.02;
  CompiledScene scene = scene_of(mechanism, q);
  EXPECT_EQ(fault_of(scene), "");
  EXPECT_LT(consistency(scene).error, 1e-13);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(scene.initial.joint_position[k], q[k], 0.05);
  ASSERT_FALSE(scene.warnings.empty());
  EXPECT_THAT(scene.warnings[0], HasSubstr("'c0' moved from"));
}

TEST(Assembly, MovesTheCoordinatesThatTheUserMadeDependent) {
  Mechanism mechanism = machine();
  mechanism.coordinates[0].role = CoordinateRole::dependent;
  mechanism.coordinates[1].role = CoordinateRole::dependent;
  CompiledScene closed = scene_of(machine(), {0.7, 1.0, -2.0});
  ASSERT_EQ(fault_of(closed), "");
  std::vector<Real> q = closed.initial.joint_position;
  q[0] += 0.1;
  q[1] -= 0.1;
  CompiledScene scene = scene_of(mechanism, q);
  EXPECT_EQ(fault_of(scene), "");
  EXPECT_EQ(scene.initial.joint_position[2], q[2]);
  EXPECT_EQ(scene.initial.joint_dependent, (std::vector<std::uint32_t>{1, 1, 0}));
}

TEST(Assembly, StartsDrivesWhereTheyAre) {
  Mechanism mechanism = machine();
  mechanism.coordinates[0].role = CoordinateRole::driven;
  mechanism.coordinates[0].drive = std::make_shared<Linear>(1.2, 5.0);
  CompiledScene scene = scene_of(mechanism, {0.0, 1.0, -2.0});
  EXPECT_EQ(fault_of(scene), "");
  EXPECT_EQ(scene.initial.joint_position[0], 1.2);
  EXPECT_NEAR(scene.initial.joint_velocity[0], 5.0, 1e-12);
  EXPECT_LT(consistency(scene).opening, 1e-13);
  EXPECT_EQ(scene.initial.joint_dependent, (std::vector<std::uint32_t>{0, 1, 1}));
}

TEST(Assembly, ClosesRandomChainsFromRoughGuesses) {
  Random random(31);
  int count = 0;
  for (const Cut cut : {Cut::point, Cut::pin, Cut::rod, Cut::rigid, Cut::planar_point}) {
    const bool planar = cut == Cut::planar_point;
    for (int trial = 0; trial < 10; ++trial) {
      Mechanism mechanism;
      for (Index i = 0; i < 8; ++i)
        testing::add_random_link(mechanism, i - 1, testing::random_joint(random, planar), random, planar);
      std::vector<Real> q = testing::random_positions(mechanism, random);
      MechanismKinematics kinematics;
      place(mechanism, q, kinematics);
      testing::add_closed_cut(mechanism, kinematics, -1, 7, cut, random);
      if (mechanism.velocity_count <= mechanism.closed_count) continue;
      integrate_positions(mechanism, testing::random_numbers(random, mechanism.velocity_count, 0.4), 1.0, q);
      const std::size_t given = random.below(static_cast<std::uint64_t>(mechanism.velocity_count));
      mechanism.coordinates[given].velocity_given = true;
      std::vector<Real> v(mechanism.coordinates.size(), 0.0);
      v[given] = 1.0;
      CompiledScene scene = scene_of(mechanism, q, v);
      const std::string fault = fault_of(scene);
      // a velocity may be tied by the loops alone; nothing else may be wrong
      if (!fault.empty()) {
        EXPECT_THAT(fault, HasSubstr("contradict loop"));
        continue;
      }
      ++count;
      EXPECT_LT(consistency(scene).error, 1e-12);
      EXPECT_LT(consistency(scene).opening, 1e-11);
    }
  }
  EXPECT_GT(count, 35);
}

// A four-bar in space with parallel pins: a pin cut has five conditions, of which three hold of themselves.
TEST(Assembly, WatchesConditionsThatRepeatOthers) {
  Mechanism mechanism = machine();
  mechanism.loops.clear();
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  const auto add = [&](ConditionKind kind, const Vec3& a, const Vec3& b) {
    JointCondition condition;
    condition.kind = kind;
    condition.b = 2;
    condition.p_A = Vec3(0.28, 0.0, 0.0);
    condition.p_B = Vec3(0.125, 0.0, 0.0);
    condition.axis_A = a;
    condition.axis_B = b;
    mechanism.loops.push_back(condition);
  };
  add(ConditionKind::along, z, z);
  add(ConditionKind::perpendicular, x, z);
  add(ConditionKind::along, x, x);
  add(ConditionKind::perpendicular, y, z);
  add(ConditionKind::along, y, y);
  CompiledScene scene = scene_of(mechanism, {0.5, 1.0, -2.0});
  EXPECT_EQ(fault_of(scene), "");
  const Mechanism& sorted = scene.model.mechanisms[0];
  EXPECT_EQ(sorted.closed_count, 2);
  EXPECT_EQ(sorted.loops[0].axis_A, x);
  EXPECT_EQ(sorted.loops[1].axis_A, y);
  ASSERT_EQ(scene.warnings.size(), 3U);
  EXPECT_THAT(scene.warnings[0], HasSubstr("loop 'loop0': its condition 1 repeats others and is only watched"));
  EXPECT_THAT(scene.warnings[2], HasSubstr("condition 4"));
  EXPECT_LT(consistency(scene).error, 1e-13);
}

// A coupler on three parallel cranks: four conditions, one of which the lengths make hold of itself on the way, though
// not in other positions of the bodies.
TEST(Assembly, WatchesAThirdParallelCrank) {
  Mechanism mechanism;
  const Vec3 z = Vec3::UnitZ();
  const auto crank = [&](Real x) {
    return testing::add_link(mechanism, no_index, {testing::turn(z)}, {Vec3(x, 0, 0), Quat::Identity()},
                             {Vec3(0.05, 0, 0), Quat::Identity()});
  };
  const Index first = crank(0.0);
  const Index coupler = testing::add_link(mechanism, first, {testing::turn(z)}, {Vec3(0.05, 0, 0), Quat::Identity()});
  for (const Real x : {0.3, 0.5}) {
    const Index link = crank(x);
    for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY())}) {
      JointCondition condition;
      condition.group = x == 0.3 ? 0 : 1;
      condition.a = coupler;
      condition.b = link;
      condition.p_A = Vec3(x, 0.0, 0.0);
      condition.p_B = Vec3(0.05, 0.0, 0.0);
      condition.axis_A = axis;
      mechanism.loops.push_back(condition);
    }
  }
  mechanism.size = 0.1;
  mechanism.coordinates[0].position_given = true;
  mechanism.coordinates[0].velocity_given = true;
  CompiledScene scene = scene_of(mechanism, {1.0, -0.9, 1.1, 0.9}, {2.0, 0.0, 0.0, 0.0});
  EXPECT_EQ(fault_of(scene), "");
  EXPECT_EQ(scene.model.mechanisms[0].closed_count, 3);
  EXPECT_EQ(scene.warnings.size(), 1U);
  EXPECT_LT(consistency(scene).error, 1e-12);
  for (const std::size_t k : {0U, 2U, 3U}) {
    EXPECT_NEAR(scene.initial.joint_position[k], 1.0, 1e-9);
    EXPECT_NEAR(scene.initial.joint_velocity[k], 2.0, 1e-8);
  }
}

// Right angles stay right when a side is turned by half a turn: a body fastened to the ground must not end up so.
TEST(Assembly, DoesNotFastenBodiesTheWrongWayRound) {
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  const auto add = [&](Mechanism& mechanism, const Vec3& a, const Vec3& b) {
    JointCondition condition;
    condition.kind = ConditionKind::perpendicular;
    condition.b = 0;
    condition.axis_A = a;
    condition.axis_B = b;
    mechanism.loops.push_back(condition);
  };
  Mechanism planar;
  testing::add_link(planar, no_index, {testing::slide(x), testing::turn(z)});
  add(planar, x, y);
  Mechanism pin, rigid;
  for (Mechanism* mechanism : {&pin, &rigid})
    testing::add_link(*mechanism, no_index, {testing::slide(x), testing::ball()});
  add(pin, x, z);
  add(pin, y, z);
  add(rigid, x, y);
  add(rigid, y, z);
  add(rigid, z, x);
  CompiledScene scene = scene_of(planar, {0.0, 3.0});
  EXPECT_EQ(fault_of(scene), "");
  EXPECT_NEAR(std::cos(scene.initial.joint_position[1]), 1.0, 1e-12);
  Random random(33);
  for (int trial = 0; trial < 10; ++trial) {
    const Quat start = testing::random_rotation(random);
    const std::vector<Real> q{0.0, start.w(), start.x(), start.y(), start.z()};
    CompiledScene on_pin = scene_of(pin, q), fastened = scene_of(rigid, q);
    EXPECT_EQ(fault_of(on_pin), "");
    EXPECT_EQ(fault_of(fastened), "");
    const auto rotation = [](const CompiledScene& s) {
      const std::vector<Real>& found = s.initial.joint_position;
      return Quat(found[1], found[2], found[3], found[4]);
    };
    EXPECT_NEAR((rotation(on_pin) * z).z(), 1.0, 1e-12);
    EXPECT_NEAR(std::abs(rotation(fastened).w()), 1.0, 1e-12);
  }
  // with the turn given and nothing else that could turn it
  planar.coordinates[1].role = CoordinateRole::driven;
  planar.coordinates[1].drive = std::make_shared<Linear>(std::numbers::pi, 0.0);
  CompiledScene wrong = scene_of(planar, {0.0, 0.0});
  EXPECT_THAT(fault_of(wrong), HasSubstr("loop 'loop0' closes only with its axes against each other"));
}

TEST(Assembly, SaysWhichLoopCannotClose) {
  Mechanism mechanism = testing::four_bar(0.1, 0.1, 0.1, 0.5);
  CompiledScene scene = scene_of(mechanism, {0.3, 0.2, -0.4});
  const std::string fault = fault_of(scene);
  EXPECT_THAT(fault, HasSubstr("scene.yaml:100:1: loop 'loop0' cannot close: 0.2 m stay open"));
}

TEST(Assembly, SaysWhichDrivesContradict) {
  Mechanism mechanism = machine();
  for (const std::size_t k : {0U, 2U}) {
    mechanism.coordinates[k].role = CoordinateRole::driven;
    mechanism.coordinates[k].drive = std::make_shared<Linear>(0.3, 1.0);
  }
  CompiledScene open = scene_of(mechanism, {0.0, 1.0, -2.0});
  EXPECT_THAT(fault_of(open), HasSubstr("with the driven 'c0' and 'c2' where they are at t = 0"));

  // closed at t = 0, but then each goes its own way
  CompiledScene closed = scene_of(machine(), {0.7, 1.0, -2.0});
  ASSERT_EQ(fault_of(closed), "");
  for (const std::size_t k : {0U, 2U})
    mechanism.coordinates[k].drive = std::make_shared<Linear>(closed.initial.joint_position[k], 1.0);
  CompiledScene scene = scene_of(mechanism, closed.initial.joint_position);
  EXPECT_THAT(fault_of(scene), HasSubstr("the driven 'c0' and 'c2' contradict each other"));
}

TEST(Assembly, SaysWhichRatesContradict) {
  Mechanism mechanism = machine();
  mechanism.coordinates[0].velocity_given = mechanism.coordinates[1].velocity_given = true;
  CompiledScene scene = scene_of(mechanism, {0.7, 1.0, -2.0}, {1.0, 1.0, 0.0});
  EXPECT_THAT(fault_of(scene), HasSubstr("the rates given to 'c0' and 'c1' contradict loop 'loop0'"));
}

// Slider-crank drawn straight with a driven slider: the crank may go either way.
TEST(Assembly, RefusesADeadCentre) {
  Mechanism mechanism;
  const Vec3 z = Vec3::UnitZ();
  testing::add_link(mechanism, no_index, {testing::turn(z)}, {}, {Vec3(0.05, 0, 0), Quat::Identity()});
  testing::add_link(mechanism, 0, {testing::turn(z)}, {Vec3(0.05, 0, 0), Quat::Identity()},
                    {Vec3(0.15, 0, 0), Quat::Identity()});
  testing::add_link(mechanism, no_index, {testing::slide(Vec3::UnitX())});
  mechanism.size = 0.1;
  for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY())}) {
    JointCondition condition;
    condition.a = 2;
    condition.b = 1;
    condition.p_B = Vec3(0.15, 0.0, 0.0);
    condition.axis_A = axis;
    mechanism.loops.push_back(condition);
  }
  CompiledScene free = scene_of(mechanism, {0.0, 0.0, 0.4});
  EXPECT_EQ(fault_of(free), "");
  EXPECT_EQ(free.initial.joint_position, (std::vector<Real>{0.0, 0.0, 0.4}));
  mechanism.coordinates[2].role = CoordinateRole::driven;
  mechanism.coordinates[2].drive = std::make_shared<Linear>(0.4, -0.1);
  CompiledScene scene = scene_of(mechanism, {0.0, 0.0, 0.4});
  EXPECT_THAT(fault_of(scene), HasSubstr("singular position"));
}

TEST(Assembly, NamesACoordinateWithoutMass) {
  Mechanism mechanism;
  testing::add_link(mechanism, no_index, {testing::turn(Vec3::UnitZ())});
  testing::add_link(mechanism, 0, {testing::slide(Vec3::UnitX())}, {}, {}, 0.0, Vec3::Zero());
  CompiledScene scene = scene_of(mechanism, {0.0, 0.0});
  EXPECT_THAT(fault_of(scene), HasSubstr("scene.yaml:3:1: mechanism 'machine': 'c1' moves nothing"));
}

TEST(Assembly, RefusesRolesThatDoNotFitTheLoops) {
  Mechanism mechanism = machine();
  for (Coordinate& coordinate : mechanism.coordinates) coordinate.role = CoordinateRole::independent;
  CompiledScene few = scene_of(mechanism, {0.7, 1.0, -2.0});
  EXPECT_THAT(fault_of(few), HasSubstr("need 2 dependent coordinates, and only 0 may be"));
  for (Coordinate& coordinate : mechanism.coordinates) coordinate.role = CoordinateRole::dependent;
  CompiledScene many = scene_of(mechanism, {0.7, 1.0, -2.0});
  EXPECT_THAT(fault_of(many), HasSubstr("are dependent, but the loops have 2 independent conditions"));
}

TEST(Assembly, LeavesOpenTreesAlone) {
  Random random(32);
  const Mechanism mechanism = testing::random_tree(random, 12);
  const std::vector<Real> q = testing::random_positions(mechanism, random);
  const std::vector<Real> v = testing::random_numbers(random, mechanism.velocity_count);
  CompiledScene scene = scene_of(mechanism, q, v);
  EXPECT_EQ(fault_of(scene), "");
  EXPECT_EQ(scene.initial.joint_position, q);
  EXPECT_EQ(scene.initial.joint_velocity, v);
  EXPECT_EQ(scene.initial.joint_dependent, std::vector<std::uint32_t>(v.size(), 0U));
  EXPECT_EQ(scene.initial.limit_impulse.size(), v.size());
  EXPECT_EQ(scene.initial.friction_impulse.size(), v.size());
}

}  // namespace
}  // namespace grus::assembly_test
