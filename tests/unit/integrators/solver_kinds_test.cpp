// Every solver of the registry in the stage `solve`.
#include <gtest/gtest.h>

#include "solvers/registry.hpp"
#include "support/machine.hpp"

namespace grus::testing::solver_kinds_test {
namespace {

// Two boxes and a sphere that slide and fall on a floor, one onto the other.
Spec sliding_scene(SolverKind kind) {
  Spec spec = bare_spec(1e-3, 0.3, 0.0);
  spec.gravity = Vec3(0, 0, -9.81);
  spec.solver.kind = kind;
  spec.solver.tolerance = 1e-9;
  spec.solver.max_iterations = 2000;
  add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  add_body(spec, box_shape(Vec3(0.2, 0.2, 0.1)), Vec3(0, 0, 0.05), Vec3(0.5, 0.2, 0));
  add_body(spec, box_shape(Vec3(0.1, 0.1, 0.1)), Vec3(0.01, 0.02, 0.15), Vec3(0, -0.3, 0));
  add_body(spec, sphere_shape(0.05), Vec3(0.3, 0, 0.05), Vec3(-1, 0, 0));
  return spec;
}

std::vector<Vec3> end_of(const Spec& spec, int threads) {
  Rig rig(spec, threads);
  rig.run(0.05);
  EXPECT_GT(rig.report.contacts, 0);
  return rig.state.position;
}

TEST(SolverKinds, MoveBodiesAlike) {
  const std::vector<Vec3> expected = end_of(sliding_scene(SolverKind::nlgs), 1);
  // Four points of a sliding face share its load in many ways, and with it the moment of friction: a part in a thousand
  // of the 25 mm that bodies slide is not determined. 16 facets: 2 % of the friction, a millimetre at most.
  constexpr Real round = 1e-4, faceted = 1e-3;
  for (const SolverEntry& entry : solver_registry()) {
    const std::vector<Vec3> found = end_of(sliding_scene(entry.kind), 1);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_LE((found[i] - expected[i]).norm(), has_facets(entry.kind) ? faceted : round) << entry.name << " " << i;
  }
}

TEST(SolverKinds, GiveTheSameBitsForAnyNumberOfThreads) {
  for (const SolverKind kind : {SolverKind::automatic, SolverKind::nlgs_anderson, SolverKind::proximal_newton}) {
    const std::vector<Vec3> one = end_of(sliding_scene(kind), 1);
    EXPECT_EQ(end_of(sliding_scene(kind), 3), one) << solver_name(kind);
  }
}

// `contacts` contacts, nearly all of balls that lie alone on a floor, and a machine of `sliders` on dry friction and
// `stops` that are not reached. A pile of three that carries a thousand times its mass keeps sweeps from converging.
Spec scattered_scene(int contacts, int sliders, int stops) {
  Spec spec = bare_spec(1e-3, 0.3, 0.0);
  spec.gravity = Vec3(0, 0, -9.81);
  spec.integrator.theta = 1.0;
  spec.law = ContactLawKind::gap;  // has rows for stops that are not reached
  spec.solver.kind = SolverKind::automatic;
  spec.solver.tolerance = 1e-9;
  spec.solver.max_iterations = 10;
  const Real r = 0.0625;
  add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  for (int i = 0; i < 3; ++i) add_body(spec, sphere_shape(r), Vec3(-1, 0, r + 2 * r * i));
  BodySpec& top = add_body(spec, sphere_shape(r), Vec3(-1, 0, 7 * r));
  top.mass = 1500.0;
  top.inertia = Mat3(Mat3::Identity());
  for (int i = 4; i < contacts; ++i) add_body(spec, sphere_shape(r), Vec3(0.2 * (i % 20), 0.2 * (i / 20), r));
  MechanismSpec machine;
  machine.name = "machine";
  for (int i = 0; i < sliders + stops; ++i) {
    CoordinateSpec slide = coordinate("slide", 0.0, 1.0);
    if (i < sliders) {
      slide.friction = 0.1;
    } else {
      slide.lower = -10.0;
    }
    add_link(machine, "link" + std::to_string(i), "ground", JointKind::prismatic, Vec3(0, 5.0 + i, 1), {slide})
        .joint.axis = Vec3(1, 0, 0);
  }
  spec.mechanisms.push_back(machine);
  return spec;
}

// True when sweeps were not all: the assembled problem adds iterations to the 10 that sweeps may take.
bool is_switched(const Spec& spec, Index contacts, std::size_t rows) {
  Rig rig(spec);
  rig.step();
  EXPECT_EQ(rig.report.contacts, contacts);
  EXPECT_EQ(rig.work.joint_rows.size(), rows);
  EXPECT_GE(rig.report.sweeps, 10);
  return rig.report.sweeps > 10;
}

// 600 unknowns are assembled, 601 are not; scalar rows that push are unknowns, stops that are not reached are none.
TEST(SolverKinds, AutoCountsContactsAndRowsThatPush) {
  EXPECT_TRUE(is_switched(scattered_scene(199, 3, 0), 199, 3));
  EXPECT_FALSE(is_switched(scattered_scene(199, 4, 0), 199, 4));
  EXPECT_TRUE(is_switched(scattered_scene(199, 3, 4), 199, 7));
  EXPECT_FALSE(is_switched(scattered_scene(201, 1, 0), 201, 1));
}

}  // namespace
}  // namespace grus::testing::solver_kinds_test
