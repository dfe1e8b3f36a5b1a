#include "multibody/dynamics.hpp"

namespace grus {

namespace {

Mat3 world_inertia(const Link& link, const Pose& X_WB) {
  const Mat3 R = X_WB.rotation.toRotationMatrix();
  return R * link.inertia.asDiagonal() * R.transpose();
}

// Inertia of a mass at `arm` from the point of reference.
Mat3 inertia_of_mass(Real mass, const Vec3& arm) {
  return mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
}

// Mass, centre and inertia about it of every body with all that hangs on it.
void composite_bodies(const Mechanism& mechanism, const MechanismKinematics& kinematics, DynamicsScratch& scratch) {
  const std::size_t count = mechanism.links.size();
  scratch.mass.resize(count);
  scratch.centre.resize(count);
  scratch.inertia.resize(count);
  for (Index i = 0; i < mechanism.link_count(); ++i) {
    scratch.mass[i] = mechanism.links[i].mass;
    scratch.centre[i] = kinematics.X_WB[i].position;
    scratch.inertia[i] = world_inertia(mechanism.links[i], kinematics.X_WB[i]);
  }
  for (Index i = mechanism.link_count() - 1; i >= 0; --i) {
    const Index p = mechanism.links[i].parent;
    if (p == no_index) continue;
    const Real mass = scratch.mass[i] + scratch.mass[p];
    if (mass > 0.0) {
      // two bodies about their common centre: each with its share of the distance
      const Vec3 arm = scratch.centre[i] - scratch.centre[p];
      const Real share = scratch.mass[i] / mass;
      scratch.centre[p] += share * arm;
      scratch.inertia[p] += inertia_of_mass(scratch.mass[p] * share, arm);
    }
    scratch.inertia[p] += scratch.inertia[i];
    scratch.mass[p] = mass;
  }
}

}  // namespace

void mass_matrix(const Mechanism& mechanism, const MechanismKinematics& kinematics, DynamicsScratch& scratch,
                 Eigen::MatrixXd& mass) {
  composite_bodies(mechanism, kinematics, scratch);
  mass.setZero(mechanism.velocity_count, mechanism.velocity_count);
  for (Index i = 0; i < mechanism.link_count(); ++i) {
    const Vec3& centre = scratch.centre[i];
    const auto [begin, end] = velocities_of(mechanism, i);
    for (Index l = begin; l < end; ++l) {
      const Vec3& angular = kinematics.angular[l];
      const Vec3 momentum = scratch.mass[i] * (kinematics.linear[l] + angular.cross(centre - kinematics.point[l]));
      const Vec3 spin = scratch.inertia[i] * angular;
      // velocities before l in the same joint, then those of the joints below
      Index k_begin = begin;
      Index k_end = l + 1;
      for (Index carrier = i;;) {
        for (Index k = k_begin; k < k_end; ++k) {
          const Vec3 moment = spin + (centre - kinematics.point[k]).cross(momentum);
          mass(k, l) = mass(l, k) = kinematics.linear[k].dot(momentum) + kinematics.angular[k].dot(moment);
        }
        carrier = mechanism.links[carrier].parent;
        if (carrier == no_index) break;
        const VelocityRange below = velocities_of(mechanism, carrier);
        k_begin = below.begin;
        k_end = below.end;
      }
    }
  }
}

void inverse_dynamics(const Mechanism& mechanism, const MechanismKinematics& kinematics, std::span<const Real> a,
                      const Vec3& gravity, DynamicsScratch& scratch, std::span<Real> tau) {
  const std::size_t count = mechanism.links.size();
  scratch.acceleration.resize(count);
  scratch.alpha.resize(count);
  scratch.force.resize(count);
  scratch.moment.resize(count);
  // outwards: the accelerations that `a` adds to the bias, and what they cost
  for (Index i = 0; i < mechanism.link_count(); ++i) {
    const Link& link = mechanism.links[i];
    const Vec3& centre = kinematics.X_WB[i].position;
    Vec3 acceleration = Vec3::Zero();
    Vec3 alpha = Vec3::Zero();
    if (const Index p = link.parent; p != no_index) {
      acceleration = scratch.acceleration[p] + scratch.alpha[p].cross(centre - kinematics.X_WB[p].position);
      alpha = scratch.alpha[p];
    }
    const auto [begin, end] = velocities_of(mechanism, i);
    for (Index k = begin; k < end; ++k) {
      acceleration += a[k] * (kinematics.linear[k] + kinematics.angular[k].cross(centre - kinematics.point[k]));
      alpha += a[k] * kinematics.angular[k];
    }
    scratch.acceleration[i] = acceleration;
    scratch.alpha[i] = alpha;
    const Mat3 inertia = world_inertia(link, kinematics.X_WB[i]);
    const Vec3& omega = kinematics.omega[i];
    scratch.force[i] = link.mass * (acceleration + kinematics.bias_acceleration[i] - gravity);
    scratch.moment[i] = inertia * (alpha + kinematics.bias_alpha[i]) + omega.cross(inertia * omega);
  }
  // inwards: wrenches at the centres of mass
  for (Index i = mechanism.link_count() - 1; i >= 0; --i) {
    const Vec3& centre = kinematics.X_WB[i].position;
    const auto [begin, end] = velocities_of(mechanism, i);
    for (Index k = begin; k < end; ++k) {
      const Vec3 moment = scratch.moment[i] + (centre - kinematics.point[k]).cross(scratch.force[i]);
      tau[k] = kinematics.linear[k].dot(scratch.force[i]) + kinematics.angular[k].dot(moment);
    }
    if (const Index p = mechanism.links[i].parent; p != no_index) {
      scratch.force[p] += scratch.force[i];
      scratch.moment[p] += scratch.moment[i] + (centre - kinematics.X_WB[p].position).cross(scratch.force[i]);
    }
  }
}

Real kinetic_energy(const Mechanism& mechanism, const MechanismKinematics& kinematics) {
  Real energy = 0.0;
  for (Index i = 0; i < mechanism.link_count(); ++i) {
    const Link& link = mechanism.links[i];
    const Vec3 omega_B = kinematics.X_WB[i].rotation.conjugate() * kinematics.omega[i];
    energy += 0.5 * link.mass * kinematics.velocity[i].squaredNorm();
    energy += 0.5 * omega_B.dot(link.inertia.cwiseProduct(omega_B));
  }
  return energy;
}

Real gravity_energy(const Mechanism& mechanism, const MechanismKinematics& kinematics, const Vec3& gravity) {
  Real energy = 0.0;
  for (Index i = 0; i < mechanism.link_count(); ++i)
    energy -= mechanism.links[i].mass * gravity.dot(kinematics.X_WB[i].position);
  return energy;
}

}  // namespace grus
