// Poses and velocities of the bodies of all mechanisms in a State: for observers, frames and energy.
#pragma once

#include <vector>

#include "model/model.hpp"
#include "model/state.hpp"
#include "multibody/kinematics.hpp"

namespace grus {

struct LinkedBodies {
  std::vector<MechanismKinematics> mechanisms;  // placed and moved [Model::mechanisms]

  const Pose& pose(const Model& model, Index body) const;
  Twist twist(const Model& model, Index body) const;
  Real angle(const Model& model, Index body) const;  // planar scenes
};

void place_linked_bodies(const Model& model, const State& state, LinkedBodies& linked);

}  // namespace grus
