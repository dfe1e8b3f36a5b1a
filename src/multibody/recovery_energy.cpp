#include "multibody/recovery_energy.hpp"

namespace grus {

Real recovery_energy(const Mechanism& mechanism, const IntegratorOptions& integrator, const Vec3& gravity, Real end,
                     const State& state, const ReducedMechanism& reduced, RecoveryEnergyScratch& scratch) {
  const auto potential = [&](std::span<const Real> q, const MechanismKinematics& kinematics) {
    return gravity_energy(mechanism, kinematics, gravity) +
           stored_energy(mechanism, end, q, kinematics, scratch.forces);
  };
  const std::span<const Real> q_end = positions(mechanism, state);
  scratch.q = reduced.q;
  scratch.travel = reduced.velocity_end;
  integrate_positions(mechanism, scratch.travel, integrator.theta * integrator.step, scratch.q);
  for (const Coordinate& c : mechanism.coordinates)
    if (c.role == CoordinateRole::driven)
      scratch.q[static_cast<std::size_t>(c.position)] = q_end[static_cast<std::size_t>(c.position)];
  if (!close_loops(mechanism, reduced.partition, scratch.q, scratch.kinematics, scratch.loops).converged) return 0.0;
  return potential(q_end, reduced.at_end) - potential(scratch.q, scratch.kinematics);
}

}  // namespace grus
