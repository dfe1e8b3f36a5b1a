// Arrays inside text, small: integers and reals as byte planes, deflated (zlib, RFC 1950), in base64 (RFC 4648).
// A browser reads them with DecompressionStream("deflate"); viewer/src/report/packed.ts is the other side.
//
// Byte planes: first the lowest byte of every value, then the next one, and so on. Small integers then have planes of
// zeros, and reals of one size planes that hardly change, which deflate takes for almost nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/types.hpp"

namespace grus {

std::string packed_bytes(std::string_view bytes);

// Four planes. The sign lies in the lowest bit (zigzag: 0, -1, 1, -2, ...), so that small negative values have high
// bytes of zero too.
std::string packed_integers(std::span<const std::int32_t> values);

// Eight planes of doubles. Digits that no plot can show are cut: the error is below 1e-7 of the value, and below 1e-6
// of the range of all finite values.
std::string packed_reals(std::span<const Real> values);

}  // namespace grus
