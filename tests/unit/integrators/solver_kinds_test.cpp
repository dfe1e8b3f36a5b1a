// Every solver of the registry in the stage `solve`.
#include <gtest/gtest.h>

#include "solvers/registry.hpp"
#include "support/rig.hpp"

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

}  // namespace
}  // namespace grus::testing::solver_kinds_test
