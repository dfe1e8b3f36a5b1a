// Joints between free bodies that are open at the start.
#pragma once

#include "model/compile.hpp"
#include "model/spec.hpp"

namespace grus {

// Throws InputError with every joint whose two sides are apart in scene.initial.
void refuse_open_joints(const Spec& spec, const CompiledScene& scene);

}  // namespace grus
