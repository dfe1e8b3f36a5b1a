#include "io/packed.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "io/base64.hpp"

namespace grus {
namespace {

template <class Word, class Values, class Map>
std::string byte_planes(const Values& values, const Map& word_of) {
  std::string planes(values.size() * sizeof(Word), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Word word = word_of(values[i]);
    for (std::size_t k = 0; k < sizeof(Word); ++k)
      planes[k * values.size() + i] = static_cast<char>((word >> (8 * k)) & 0xff);
  }
  return planes;
}

// Bits of the mantissa to keep.
int needed_bits(std::span<const Real> values) {
  constexpr int digits = std::numeric_limits<Real>::digits;  // 53
  constexpr int least = 24;                                  // 2^-24 = 6e-8 of the value
  constexpr Real part_of_range = 1e-6;
  Real low = std::numeric_limits<Real>::infinity(), high = -low;
  for (const Real x : values) {
    if (!std::isfinite(x)) continue;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  const Real size = std::max(std::abs(low), std::abs(high)), range = high - low;
  if (!(range > 0.0) || !std::isfinite(range)) return digits;
  return std::clamp(static_cast<int>(std::ceil(std::log2(size / (part_of_range * range)))), least, digits);
}

}  // namespace

std::string packed_bytes(std::string_view bytes) {
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  std::string deflated(size, '\0');
  const int status =
      ::compress2(reinterpret_cast<Bytef*>(deflated.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                  static_cast<uLong>(bytes.size()), Z_DEFAULT_COMPRESSION);
  if (status != Z_OK) throw IoError("there is not enough memory to compress the data of a report");
  deflated.resize(size);
  return base64(deflated);
}

std::string packed_integers(std::span<const std::int32_t> values) {
  return packed_bytes(byte_planes<std::uint32_t>(values, [](std::int32_t v) {
    return (static_cast<std::uint32_t>(v) << 1) ^ static_cast<std::uint32_t>(v >> 31);
  }));
}

std::string packed_reals(std::span<const Real> values) {
  const int cut = std::numeric_limits<Real>::digits - needed_bits(values);
  const std::uint64_t kept = ~std::uint64_t{0} << cut, half = cut > 0 ? std::uint64_t{1} << (cut - 1) : 0;
  return packed_bytes(byte_planes<std::uint64_t>(values, [&](Real x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    return std::isfinite(x) ? (bits + half) & kept : bits;  // rounds; a carry goes into the exponent, as it should
  }));
}

}  // namespace grus
