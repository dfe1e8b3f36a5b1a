// How far grains are beyond the walls of a container, m: what "no grain leaves the box" is measured by.
//
// The walls are the planes, tubes and rings of one body, all without an end, so that a grain is outside when its centre
// is behind any of these surfaces, however high it is thrown. A bounded shape (a box, a mesh) has no outside in this
// sense.
#pragma once

#include <span>

#include "model/model.hpp"
#include "model/state.hpp"

namespace grus {

// Largest signed distance of a centre behind a surface of the body `container`, which stands at X_WB: negative while
// all are inside. NaN without members or surfaces.
Real distance_outside(const Model& model, const State& state, Index container, const Pose& X_WB,
                      std::span<const Index> members, Index active);

}  // namespace grus
