// Bitwise the same state for any number of threads, and for a workspace thrown away at any step.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/hash.hpp"
#include "support/machine.hpp"

namespace grus::testing::threads_test {
namespace {

#ifdef GRUS_VALIDATE
// The unoptimised build is a hundred times slower, so it makes few steps, on one and on four threads. The gap law,
// which looks ahead, has thousands of contacts from the first step on; the others have 600 after a dozen.
constexpr int step_count = 14, gap_step_count = 5, sweep_limit = 3;
constexpr int thread_counts[] = {4};
constexpr std::array<Index, 3> stone_cells{10, 10, 2};
#else
constexpr int step_count = 150, gap_step_count = 150, sweep_limit = 60;
constexpr int thread_counts[] = {2, 3, 4};
constexpr std::array<Index, 3> stone_cells{10, 10, 3};
#endif

// A polydisperse rain into a shaken box: enough contacts that every loop is split over threads.
Spec busy_scene(bool planar, ContactLawKind law) {
  Spec spec = bare_spec(1e-3, 0.5, 0.2);
  spec.planar = planar;
  spec.law = law;
  if (law == ContactLawKind::gap) {
    spec.integrator.theta = 1.0;
    spec.pairs[0].restitution = 0.0;
  }
  spec.solver.tolerance = 1e-4;
  spec.solver.max_iterations = sweep_limit;
  spec.contact.recovery_speed = 0.05;
  const int up = planar ? 1 : 2;
  const Real half_width = planar ? 0.42 : 0.12;
  spec.gravity = -9.81 * Vec3::Unit(up);
  for (int axis = 0; axis < (planar ? 2 : 3); ++axis)
    for (const Real side : {-1.0, 1.0}) {
      if (axis == up && side > 0) continue;
      const Vec3 normal = -side * Vec3::Unit(axis);
      BodySpec& wall = add_plane(spec, -(axis == up ? 0.0 : half_width) * normal, normal);
      if (axis != up) continue;
      wall.role = BodyRole::kinematic;
      MotionSpec motion;
      motion.displacement[up] = TimeFunctionSpec{};
      motion.displacement[up]->expression = "0.002*sin(2*pi*15*t)";
      wall.motion = motion;
    }
  GeneratorSpec grains;
  grains.kind = GeneratorSpec::Kind::lattice;
  grains.name = "grains";
  grains.material = "m";
  grains.shape = planar ? disk_shape(0.005) : sphere_shape(0.005);
  grains.size.kind = SizeSpec::Kind::uniform;
  grains.size.min = 0.008;
  grains.size.max = 0.014;
  grains.box_min = planar ? Vec3(-0.41, 0.01, 0) : Vec3(-0.11, -0.11, 0.01);
  grains.box_max = grains.box_min;
  grains.cells = planar ? std::array<Index, 3>{52, 24, 1} : std::array<Index, 3>{14, 14, 6};
  grains.spacing = 0.0145;
  grains.jitter = 0.9;
  grains.velocity = Vec3(0.2, 0, 0) - 3.0 * Vec3::Unit(up);
  grains.velocity_spread = 1.0;
  spec.generators.push_back(grains);
  return spec;
}

// A shallow bed with an arm that stirs it: a loop, a drive, a motor, dry friction, stops. `height` is that of the arm,
// m.
Spec machine_scene(ContactLawKind law, Real height = 0.236) {
  Spec spec = busy_scene(false, law);
  GeneratorSpec& grains = spec.generators.back();
  grains.box_min = grains.box_max = Vec3(-0.115, -0.115, 0.008);
  grains.cells = {16, 16, 3};
  spec.mechanisms.push_back(stirring_arm(height, "0.2828 - 0.012*(1 - cos(20*t))/2"));
  return spec;
}

// The same arm in crushed rock, where pairs touch in several points; lower, as the bed is.
Spec stone_machine_scene() {
  Spec spec = machine_scene(ContactLawKind::gap, 0.226);
  GeneratorSpec& stones = spec.generators.back();
  stones.stone = StoneSpec{};
  stones.stone->vertices = 18;
  stones.stone->variants = 8;
  stones.random_rotation = true;
  stones.size.min = 0.009;
  stones.size.max = 0.011;
  stones.spacing = 0.0;
  stones.jitter = 0.0;
  stones.cells = stone_cells;
  return spec;
}

bool touches_a_machine(const Rig& rig) {
  return std::any_of(rig.work.contacts.begin(), rig.work.contacts.end(), [&](const ContactPoint& contact) {
    return rig.scene.model.is_linked(contact.body_a) || rig.scene.model.is_linked(contact.body_b);
  });
}

// What a run has seen, so that equal hashes mean something.
struct Activity {
  Index contacts = 0;  // most at once
  bool machine_touched = false;

  void expect_enough(const Rig& rig) const {
    EXPECT_TRUE(machine_touched || rig.scene.model.mechanisms.empty());
    EXPECT_GT(contacts, 600) << "too few contacts to mean anything";
  }
};

void advance(Rig& rig, int steps, Activity& activity, bool fresh_workspace = false) {
  for (int k = 0; k < steps; ++k) {
    if (fresh_workspace) rig.work = Workspace(rig.scene.model);
    rig.step();
    activity.contacts = std::max(activity.contacts, rig.report.contacts);
    activity.machine_touched = activity.machine_touched || touches_a_machine(rig);
  }
}

std::uint64_t hash_after(const Spec& spec, int threads, int steps, bool fresh_workspace = false) {
  Rig rig(spec, threads);
  Activity activity;
  advance(rig, steps, activity, fresh_workspace);
  activity.expect_enough(rig);
  return state_hash(rig.state);
}

struct Case {
  bool planar;
  ContactLawKind law;
  bool machine = false;
  bool stones = false;
};
Spec scene_of(const Case& which) {
  if (which.stones) return stone_machine_scene();
  return which.machine ? machine_scene(which.law) : busy_scene(which.planar, which.law);
}
int steps_of(const Case& which) {
  return which.law == ContactLawKind::gap && !which.stones ? gap_step_count : step_count;
}
class Determinism : public ::testing::TestWithParam<Case> {};

TEST_P(Determinism, OverThreads) {
  const Spec spec = scene_of(GetParam());
  const int steps = steps_of(GetParam());
  const std::uint64_t one = hash_after(spec, 1, steps);
  for (const int threads : thread_counts) EXPECT_EQ(to_hex(hash_after(spec, threads, steps)), to_hex(one)) << threads;
}

TEST_P(Determinism, OverWorkspaces) {
  const Spec spec = scene_of(GetParam());
  const int steps = steps_of(GetParam());
  EXPECT_EQ(to_hex(hash_after(spec, 2, steps, true)), to_hex(hash_after(spec, 1, steps)));
}

INSTANTIATE_TEST_SUITE_P(Scenes, Determinism,
                         ::testing::Values(Case{false, ContactLawKind::newton}, Case{false, ContactLawKind::gap},
                                           Case{true, ContactLawKind::newton}, Case{true, ContactLawKind::gap},
                                           Case{false, ContactLawKind::newton, true},
                                           Case{false, ContactLawKind::gap, true},
                                           Case{false, ContactLawKind::gap, true, true}));

// All that a resumed run has is the scene and the state, which the checkpoint carries bit for bit
// (unit/io/checkpoint_test.cpp).
TEST(Determinism, StonesAndAMachineResumeWhereTheyStopped) {
  const Spec spec = stone_machine_scene();
  constexpr int stop = step_count * 3 / 4;
  Activity activity;
  Rig stopped(spec, 2);
  advance(stopped, stop, activity);
  EXPECT_FALSE(stopped.state.impulse.empty()) << "nothing to remember";
  Rig resumed(spec, 1);
  resumed.state = stopped.state;
  advance(resumed, step_count - stop, activity);
  activity.expect_enough(resumed);
  EXPECT_EQ(to_hex(state_hash(resumed.state)), to_hex(hash_after(spec, 1, step_count)));
}

TEST(Determinism, HashSeesOneBit) {
  Rig rig(busy_scene(true, ContactLawKind::newton));
  const std::uint64_t before = state_hash(rig.state);
  rig.state.velocity[3].x() = std::nextafter(rig.state.velocity[3].x(), 10.0);
  EXPECT_NE(state_hash(rig.state), before);
}

}  // namespace
}  // namespace grus::testing::threads_test
