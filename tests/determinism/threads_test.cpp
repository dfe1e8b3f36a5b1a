// Bitwise the same state for any number of threads, and for a workspace thrown away at any step.

#include <gtest/gtest.h>

#include "core/hash.hpp"
#include "support/rig.hpp"

namespace grus::testing {
namespace {

#ifdef GRUS_VALIDATE
constexpr int step_count = 14, sweep_limit = 3;  // the unoptimised build is a hundred times slower
#else
constexpr int step_count = 150, sweep_limit = 60;
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

std::uint64_t hash_after(const Spec& spec, int threads, int steps, bool fresh_workspace = false) {
  Rig rig(spec, threads);
  Index contacts = 0;
  for (int k = 0; k < steps; ++k) {
    if (fresh_workspace) rig.work = Workspace(rig.scene.model);
    rig.step();
    contacts = std::max(contacts, rig.report.contacts);
  }
  EXPECT_GT(contacts, 600) << "too few contacts to mean anything";
  return state_hash(rig.state);
}

struct Case {
  bool planar;
  ContactLawKind law;
};
class Determinism : public ::testing::TestWithParam<Case> {};

TEST_P(Determinism, OverThreads) {
  const Spec spec = busy_scene(GetParam().planar, GetParam().law);
  const std::uint64_t one = hash_after(spec, 1, step_count);
  for (const int threads : {2, 3, 4}) EXPECT_EQ(to_hex(hash_after(spec, threads, step_count)), to_hex(one)) << threads;
}

TEST_P(Determinism, OverWorkspaces) {
  const Spec spec = busy_scene(GetParam().planar, GetParam().law);
  EXPECT_EQ(to_hex(hash_after(spec, 2, step_count, true)), to_hex(hash_after(spec, 1, step_count)));
}

INSTANTIATE_TEST_SUITE_P(Scenes, Determinism,
                         ::testing::Values(Case{false, ContactLawKind::newton}, Case{false, ContactLawKind::gap},
                                           Case{true, ContactLawKind::newton}, Case{true, ContactLawKind::gap}));

TEST(Determinism, HashSeesOneBit) {
  Rig rig(busy_scene(true, ContactLawKind::newton));
  const std::uint64_t before = state_hash(rig.state);
  rig.state.velocity[3].x() = std::nextafter(rig.state.velocity[3].x(), 10.0);
  EXPECT_NE(state_hash(rig.state), before);
}

}  // namespace
}  // namespace grus::testing
