// Poses and velocities of all bodies that are not free, linked and kinematic ones, at the time of a State: what
// observers, frames and energy need beside the State's own arrays.
#pragma once

#include <vector>

#include "model/model.hpp"
#include "model/state.hpp"
#include "multibody/linked_bodies.hpp"

namespace grus {

struct CarriedBodies {
  LinkedBodies linked;
  // [body_count - dynamic_count]
  std::vector<Vec3> position, velocity, angular_velocity;
  std::vector<Quat> rotation;
  std::vector<Real> angle;  // planar scenes: continuous, rad; empty otherwise
};

void place_carried_bodies(const Model& model, const State& state, CarriedBodies& bodies);

}  // namespace grus
