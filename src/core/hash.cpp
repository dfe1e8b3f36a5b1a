// Words of 64 bits, mixed one after the other.
#include "core/hash.hpp"

#include <fmt/format.h>

namespace grus {

namespace {
// The finaliser of splitmix64: every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}
}  // namespace

void Hash::word(std::uint64_t w) {
  state_ = mix(state_ ^ w) + 0x9e3779b97f4a7c15ULL;
  length_ += 8;
}

void Hash::bytes(const void* data, std::size_t size) {
  const auto* p = static_cast<const unsigned char*>(data);
  for (; size >= 8; size -= 8, p += 8) {
    std::uint64_t w = 0;
    std::memcpy(&w, p, 8);
    word(w);
  }
  if (size > 0) {
    std::uint64_t w = static_cast<std::uint64_t>(size) << 56;
    std::memcpy(&w, p, size);
    word(w);
    length_ += size;
    length_ -= 8;
  }
}

std::uint64_t Hash::digest() const { return mix(state_ ^ length_); }

std::string to_hex(std::uint64_t digest) { return fmt::format("{:016x}", digest); }

}  // namespace grus
