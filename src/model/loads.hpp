// What acts on the bodies of a scene from outside: set by whoever steps it, constant over a step, not part of the
// State.
#pragma once

#include <vector>

#include "math/vector.hpp"

namespace grus {

// Force and torque in world axes, on a free or linked body. The point of attack is fixed in the body and moves with it.
struct BodyLoad {
  Index body = no_index;
  Vec3 force = Vec3::Zero();   // N
  Vec3 torque = Vec3::Zero();  // N m
  Vec3 at = Vec3::Zero();      // m, from the centre of mass, in the body frame B
};

struct Loads {
  std::vector<BodyLoad> bodies;  // several of one body add up; a body that is not released yet feels none
  std::vector<Real> joints;      // N or N m, along every joint velocity [State::joint_velocity], or empty

  bool empty() const { return bodies.empty() && joints.empty(); }
};

}  // namespace grus
