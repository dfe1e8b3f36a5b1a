// One point of contact between two colliders, as the narrow phase finds it.
#pragma once

#include "math/vector.hpp"
#include "model/state.hpp"

namespace grus {

struct ContactPoint {
  ContactKey key;  // colliders a < b, feature
  Index body_a = no_index;
  Index body_b = no_index;
  Vec3 position = Vec3::Zero();  // m, world, midway between the two surfaces
  Vec3 normal = Vec3::UnitX();   // unit, from a to b
  Real gap = 0.0;                // m, negative when penetrating
  Index law = 0;                 // index into Model::pair_laws
};

}  // namespace grus
