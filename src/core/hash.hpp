// A 64-bit hash of bits, for state_hash and for telling scenes apart. Not cryptographic.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

namespace grus {

class Hash {
 public:
  void bytes(const void* data, std::size_t size);

  template <class T>
  void value(const T& x) {
    static_assert(std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>,
                  "padding and -0.0 must be handled by the caller");
    bytes(&x, sizeof(T));
  }
  void value(double x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    word(bits);
  }

  std::uint64_t digest() const;

 private:
  void word(std::uint64_t w);
  std::uint64_t state_ = 0x9e3779b97f4a7c15ULL;
  std::uint64_t length_ = 0;
};

// 16 hexadecimal digits.
std::string to_hex(std::uint64_t digest);

}  // namespace grus
