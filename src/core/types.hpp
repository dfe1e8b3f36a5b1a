// The scalar and index types of the whole program.
#pragma once

#include <cstdint>

namespace grus {

using Real = double;
// 32 bits everywhere: half the memory traffic of size_t in the hot arrays, and usable by a GPU.
using Index = std::int32_t;

inline constexpr Index no_index = -1;

}  // namespace grus
