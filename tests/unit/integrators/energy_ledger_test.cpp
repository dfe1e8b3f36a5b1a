// Terms of the energy ledger against closed forms: the work of gravity on the bodies of machines.
#include <gtest/gtest.h>

#include <cmath>

#include "integrators/energy.hpp"
#include "support/machine.hpp"

namespace grus::testing::energy_ledger_test {
namespace {

// A carriage of 2 kg on a slope of 3:4 and a lift of 3 kg on it that is thrown up. No springs: all that is conservative
// is gravity.
Spec carriage(Real theta) {
  MechanismSpec mechanism;
  mechanism.name = "machine";
  LinkSpec& base =
      add_link(mechanism, "carriage", "ground", JointKind::prismatic, Vec3::Zero(), {coordinate("slide", 0.0, 0.5)});
  base.joint.axis = Vec3(0.8, 0, 0.6);
  base.body.mass = 2.0;
  LinkSpec& lift =
      add_link(mechanism, "lift", "carriage", JointKind::prismatic, Vec3(0, 0, 0.1), {coordinate("slide", 0.0, 2.0)});
  lift.joint.axis = Vec3(0, 0, 1);
  lift.body.mass = 3.0;
  Spec spec = bare_spec(1e-2, 0.0, 0.0);
  spec.gravity = Vec3(0, 0, -10);
  spec.integrator.theta = theta;
  spec.mechanisms.push_back(mechanism);
  return spec;
}

// Slides are linear: the work at the mean velocity is what the potential energy loses, but for the step's late look at
// gravity with theta = 1, f.(v_start - v_end) h (theta - 1/2).
TEST(EnergyLedger, WorkOfGravityOnAMachineIsThePotentialItLoses) {
  for (const Real theta : {0.5, 1.0}) {
    Rig rig(carriage(theta));
    const Energy start = mechanical_energy(rig.scene.model, rig.state);
    const std::vector<Real> v = rig.state.joint_velocity;
    rig.run(0.3);
    const Energy now = mechanical_energy(rig.scene.model, rig.state);
    const EnergyLedger& ledger = rig.state.energy;
    // of both bodies along the slope, and of the upper one up
    const Real f[] = {-0.6 * 5.0 * 10.0, -3.0 * 10.0};
    Real late = 0.0;
    for (std::size_t k = 0; k < 2; ++k) late += f[k] * (v[k] - rig.state.joint_velocity[k]) * 1e-2 * (theta - 0.5);
    EXPECT_GT(std::abs(now.potential - start.potential), 1.0);
    EXPECT_NEAR(ledger.work_conservative, start.potential - now.potential + late, 1e-11) << theta;
    const EnergyBalance balance = energy_balance(start, now, ledger);
    EXPECT_NEAR(balance.error_potential, late, 1e-11) << theta;
    // the kinetic energy is that of a constant mass matrix, without error
    EXPECT_NEAR(balance.error, balance.error_potential, 1e-11) << theta;
  }
}

}  // namespace
}  // namespace grus::testing::energy_ledger_test
