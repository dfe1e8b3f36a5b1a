// A scene ready to step: compiled, its mechanisms assembled.
#pragma once

#include "model/compile.hpp"

namespace grus {

// Throws InputError with every fault found by compile(), or else by assembly.
CompiledScene make_scene(const Spec& spec);

}  // namespace grus
