// The free angular velocity of a rigid body over one step: Euler's equations J w' = -w x J w + torque with zero torque,
// in the body frame with principal inertia J.
//
//   explicit (paper 000, eq. 28):  w+ = w - h J^-1 (w x J w)                      first order
//   midpoint:                      J (w+ - w) = -h m x J m,  m = (w + w+)/2       second order; keeps the energy
//                                  w.J w/2 and ||J w|| exactly (quadratic invariants of the implicit midpoint rule)
#pragma once

#include "math/vector.hpp"
#include "model/model.hpp"

namespace grus {

// Every axis is principal then: no gyroscopic torque, and nothing to turn into the body frame.
inline bool is_isotropic(const Vec3& inertia) { return inertia.x() == inertia.y() && inertia.y() == inertia.z(); }

Vec3 free_angular_velocity(const Vec3& omega_B, const Vec3& inertia, Real step, BiasKind bias);

}  // namespace grus
