// Mass matrix and inverse dynamics of a tree.
//
// Composite bodies (mass, centre C, inertia about C) move with the unit velocity of the joint that carries them:
//   P = m (linear_l + angular_l x (C - point_l)),  L = I angular_l
//   M_kl = linear_k.P + angular_k.(L + (C - point_k) x P)
// for every k between l and the ground (Featherstone 2008, section 6.2, with world axes and centres of mass): O(n d).
// Inverse dynamics is the recursion of Newton and Euler: O(n).
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "multibody/kinematics.hpp"

namespace grus {

struct DynamicsScratch {
  std::vector<Real> mass;
  std::vector<Vec3> centre, acceleration, alpha, force, moment;
  std::vector<Mat3> inertia;
};

// M(q), symmetric, [velocity_count x velocity_count]. Needs place().
void mass_matrix(const Mechanism& mechanism, const MechanismKinematics& kinematics, DynamicsScratch& scratch,
                 Eigen::MatrixXd& mass);

// tau = M(q) a + c(q, v) - gravity: the joint forces that give the accelerations a. Needs place() and move().
void inverse_dynamics(const Mechanism& mechanism, const MechanismKinematics& kinematics, std::span<const Real> a,
                      const Vec3& gravity, DynamicsScratch& scratch, std::span<Real> tau);

Real kinetic_energy(const Mechanism& mechanism, const MechanismKinematics& kinematics);
Real gravity_energy(const Mechanism& mechanism, const MechanismKinematics& kinematics, const Vec3& gravity);

}  // namespace grus
