// Joints of mechanisms put to given positions and velocities, with their loops closed again.
#pragma once

#include <span>
#include <string>

#include "model/model.hpp"
#include "model/state.hpp"

namespace grus {

struct JointSetting {
  Index coordinate = 0;  // velocity number over all mechanisms
  Real position = 0.0;   // m or rad
  Real velocity = 0.0;   // m/s or rad/s
};

// Coordinates that are not set move as little as closes the loops, and a new partition is chosen where there are any.
// Rates of independent coordinates stand, those of dependent ones follow. Returns what is wrong, and then leaves the
// state in an unspecified condition; empty: done.
std::string set_joints(const Model& model, const std::vector<MechanismNames>& names,
                       std::span<const JointSetting> settings, State& state);

// Position of a coordinate: its number, or of a component of a ball the component of its rotation vector.
Real joint_coordinate_position(const Model& model, const State& state, Index coordinate);

}  // namespace grus
