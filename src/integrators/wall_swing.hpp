// How far unbounded surfaces of a moving body sweep in a step.
#pragma once

#include "integrators/workspace.hpp"
#include "model/model.hpp"
#include "model/state.hpp"

namespace grus {

bool is_inside_domain(const Model& model, const Vec3& x);

// How far the planes and tubes of a body swing by its turn (rad) where the bodies are: an unbounded surface moves the
// more the farther away. A turn about the normal of a plane or the axis of a tube does not move it.
Real swing_of_walls(const Model& model, const State& state, const Workspace& work, Index body, const Vec3& turn);

}  // namespace grus
