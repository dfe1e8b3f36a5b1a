// Several reals side by side, for loops that do the same to several contacts at once.
//
// The vector extensions of the compilers, not the intrinsics of one processor: `wide` reals are one register of the
// processor that is compiled for, and at -O0 the code is still right.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "core/types.hpp"

namespace grus {

#ifdef __AVX512F__
inline constexpr int wide = 8;
#elif defined(__AVX__)
inline constexpr int wide = 4;
#else
inline constexpr int wide = 2;
#endif

// Functions on Wide are always inlined: as calls they would pass registers through memory.
#define GRUS_WIDE_INLINE [[gnu::always_inline]] inline

using Wide = Real __attribute__((vector_size(sizeof(Real) * wide)));
using WideMask = std::int64_t __attribute__((vector_size(sizeof(std::int64_t) * wide)));

GRUS_WIDE_INLINE Wide load_wide(const Real* from) {
  Wide x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

GRUS_WIDE_INLINE void store_wide(const Wide& x, Real* to) { std::memcpy(to, &x, sizeof x); }

// NaN counts as not positive.
GRUS_WIDE_INLINE Wide positive_part(const Wide& x) { return x > 0.0 ? x : Wide{}; }

// Element by element; one instruction where math functions do not set errno (CMakeLists.txt).
GRUS_WIDE_INLINE Wide square_root(const Wide& x) {
  Real values[wide];
  store_wide(x, values);
  for (Real& value : values) value = __builtin_sqrt(value);
  return load_wide(values);
}

GRUS_WIDE_INLINE Real sum(const Wide& x) {
  Real values[wide], total = 0.0;
  store_wide(x, values);
  for (const Real value : values) total += value;
  return total;
}

namespace detail {

// Swaps the blocks off the diagonal of two rows of 2 x 2 blocks of `step` columns: lanes with bit `step` of x and
// without it of y.
template <int step, std::size_t... lane>
GRUS_WIDE_INLINE void swap_off_diagonal(Wide& x, Wide& y, std::index_sequence<lane...>) {
  constexpr auto low = [](int l) { return (l & step) == 0 ? l : wide + l - step; };
  constexpr auto high = [](int l) { return (l & step) == 0 ? l + step : wide + l; };
  const Wide first = __builtin_shufflevector(x, y, low(static_cast<int>(lane))...);
  const Wide second = __builtin_shufflevector(x, y, high(static_cast<int>(lane))...);
  x = first;
  y = second;
}

template <int step>
GRUS_WIDE_INLINE void transpose_blocks(Wide* row) {
  for (int i = 0; i < wide; ++i)
    if ((i & step) == 0) swap_off_diagonal<step>(row[i], row[i + step], std::make_index_sequence<wide>{});
}

}  // namespace detail

// Rows become columns, wide x wide.
GRUS_WIDE_INLINE void transpose(Wide* row) {
  detail::transpose_blocks<1>(row);
  if constexpr (wide >= 4) detail::transpose_blocks<2>(row);
  if constexpr (wide == 8) detail::transpose_blocks<4>(row);
}

}  // namespace grus
