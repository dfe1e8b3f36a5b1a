// The eight numbers of a row of Lanes side by side.
//
// The vector extensions of the compilers: where registers are narrower they split the work, and the results are those
// of one number at a time. (Loops over std::array were left scalar by g++ 12: four times the time.) Passed by
// reference: a processor without registers of this size has no way to pass them otherwise.
#pragma once

#include <cstdint>
#include <cstring>

#include "model/polyhedron.hpp"

namespace grus {

using LaneReals = Real __attribute__((vector_size(sizeof(Real) * Lanes::width)));
static_assert(Lanes::width == 8, "the reductions below are of eight");

// Functions on LaneReals are always inlined: as calls they would go through memory.
#define GRUS_LANE_INLINE [[gnu::always_inline]] inline

GRUS_LANE_INLINE void load(const std::array<Real, Lanes::width>& from, LaneReals& to) {
  std::memcpy(&to, from.data(), sizeof to);
}

// d.x of every column.
GRUS_LANE_INLINE void dots(const Lanes& l, Real dx, Real dy, Real dz, LaneReals& to) {
  LaneReals x, y, z;
  load(l.x, x);
  load(l.y, y);
  load(l.z, z);
  to = dx * x + dy * y + dz * z;
}

namespace detail {
using FourReals = Real __attribute__((vector_size(sizeof(Real) * 4)));
using TwoReals = Real __attribute__((vector_size(sizeof(Real) * 2)));
using FourMasks = std::int64_t __attribute__((vector_size(sizeof(Real) * 4)));
using TwoMasks = std::int64_t __attribute__((vector_size(sizeof(Real) * 2)));
}  // namespace detail

GRUS_LANE_INLINE Real largest(const LaneReals& v) {
  const detail::FourReals low = __builtin_shufflevector(v, v, 0, 1, 2, 3);
  const detail::FourReals high = __builtin_shufflevector(v, v, 4, 5, 6, 7);
  const detail::FourReals four = high > low ? high : low;
  const detail::TwoReals left = __builtin_shufflevector(four, four, 0, 1);
  const detail::TwoReals right = __builtin_shufflevector(four, four, 2, 3);
  const detail::TwoReals two = right > left ? right : left;
  return two[1] > two[0] ? two[1] : two[0];
}

// Bit k: v[k] >= bound.
GRUS_LANE_INLINE unsigned at_least(const LaneReals& v, Real bound) {
#ifdef __AVX512F__
  // the processor has an instruction for it, which compilers do not find
  constexpr int greater_or_equal = 0x1d, everywhere = 0xff, rounding_as_it_is = 4;
  return __builtin_ia32_cmppd512_mask(v, LaneReals{} + bound, greater_or_equal, everywhere, rounding_as_it_is);
#else
  using Mask = std::int64_t __attribute__((vector_size(sizeof(Real) * Lanes::width)));
  const Mask bit{1, 2, 4, 8, 16, 32, 64, 128};
  const Mask mask = (v >= bound) & bit;
  const detail::FourMasks four =
      __builtin_shufflevector(mask, mask, 0, 1, 2, 3) | __builtin_shufflevector(mask, mask, 4, 5, 6, 7);
  const detail::TwoMasks two = __builtin_shufflevector(four, four, 0, 1) | __builtin_shufflevector(four, four, 2, 3);
  return static_cast<unsigned>(two[0] | two[1]);
#endif
}

}  // namespace grus
