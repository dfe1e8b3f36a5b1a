// The potential energy that the removal of penetration adds to a mechanism: in gravity and in its springs, with z and
// without it, both with closed loops.
#pragma once

#include "multibody/reduction.hpp"

namespace grus {

struct RecoveryEnergyScratch {
  std::vector<Real> q, travel;
  MechanismKinematics kinematics;
  LoopScratch loops;
  ForceScratch forces;
};

// J. After finish_mechanism with pseudo-velocities; `end` is t_{n+1}. Zero when the loops would not close without them.
Real recovery_energy(const Mechanism& mechanism, const IntegratorOptions& integrator, const Vec3& gravity, Real end,
                     const State& state, const ReducedMechanism& reduced, RecoveryEnergyScratch& scratch);

}  // namespace grus
