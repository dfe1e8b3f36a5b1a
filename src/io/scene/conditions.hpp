// `when: formula` in any map of a scene: where the formula of the scene's parameters is zero (or false), the map is
// left out, with its place in the list or its key. One scene can so hold variants of one machine.
#pragma once

#include "io/scene/document.hpp"

namespace grus::scene {

// `root`, after all overrides, without what does not apply and without the conditions. Null after a fault. The names of
// `parameters` and the settings of `runs` are the user's own and hold no conditions.
NodePtr without_what_does_not_apply(const NodePtr& root, FaultList& faults);

}  // namespace grus::scene
