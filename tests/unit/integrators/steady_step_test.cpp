// A steady step allocates nothing: operator new is counted over steps of a settled bed, one thread, without and with a
// machine that stirs it.

#include <gtest/gtest.h>

#include <algorithm>

#include "support/allocation_count.hpp"
#include "support/machine.hpp"

namespace grus::testing::steady_step_test {
namespace {

Spec bed(ContactLawKind law) {
  Spec spec = bare_spec(1e-3, 0.4, 0.0);
  spec.law = law;
  spec.integrator.theta = law == ContactLawKind::gap ? 1.0 : 0.5;
  spec.gravity = Vec3(0, 0, -9.81);
  spec.solver.tolerance = 1e-4;
  spec.solver.max_iterations = 200;
  spec.contact.recovery_speed = 0.05;
  add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  for (const Real side : {-1.0, 1.0}) {
    add_plane(spec, Vec3(side * 0.055, 0, 0), Vec3(-side, 0, 0));
    add_plane(spec, Vec3(0, side * 0.055, 0), Vec3(0, -side, 0));
  }
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 4; ++k)
        add_body(spec, (i + j + k) % 4 == 0 ? box_shape(Vec3(0.015, 0.016, 0.017)) : sphere_shape(0.009),
                 Vec3(0.021 * (i - 2) + 1e-4 * k, 0.021 * (j - 2), 0.012 + 0.0205 * k));
  return spec;
}

class SteadyStep : public ::testing::TestWithParam<ContactLawKind> {};

// Allocations of 50 steps after 0.8 s.
long allocations_of(const Spec& spec) {
  Rig rig(spec);
  rig.run(0.8);
  EXPECT_GT(rig.report.contacts, 100);
  if (!spec.mechanisms.empty()) {
    EXPECT_TRUE(std::any_of(rig.work.contacts.begin(), rig.work.contacts.end(), [&](const ContactPoint& contact) {
      return rig.scene.model.is_linked(contact.body_a) || rig.scene.model.is_linked(contact.body_b);
    })) << "the machine must touch";
    EXPECT_FALSE(rig.work.joint_rows.empty());
  }
  // The first passes take every array to the size these steps need (the neighbour list is made at other moments in
  // each); the last makes the same steps again.
  const State settled = rig.state;
  for (int pass = 0; pass < 8; ++pass) {
    for (int k = 0; k < 50; ++k) rig.step();
    rig.state = settled;
  }
  const long before = allocation_count();
  for (int k = 0; k < 50; ++k) rig.step();
  return allocation_count() - before;
}

TEST_P(SteadyStep, AllocatesNothing) { EXPECT_EQ(allocations_of(bed(GetParam())), 0); }

TEST_P(SteadyStep, OfAMachineAllocatesNothing) {
  Spec spec = bed(GetParam());
  // These do not converge while the arm stirs; `auto` would assemble the problem, and that allocates.
  spec.solver.max_iterations = 50;
  spec.solver.kind = SolverKind::nlgs_accelerated;
  spec.integrator.bias = GetParam() == ContactLawKind::gap ? BiasKind::midpoint : BiasKind::explicit_euler;
  spec.mechanisms.push_back(stirring_arm(0.285, "0.2828 - 0.02*(1 - cos(pi*min(t/0.7, 1)))/2"));
  EXPECT_EQ(allocations_of(spec), 0);
}

INSTANTIATE_TEST_SUITE_P(Laws, SteadyStep, ::testing::Values(ContactLawKind::newton, ContactLawKind::gap));

}  // namespace
}  // namespace grus::testing::steady_step_test
