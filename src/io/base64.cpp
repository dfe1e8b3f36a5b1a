#include "io/base64.hpp"

#include <cstdint>

namespace grus {

std::string base64(std::string_view bytes) {
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto byte = [&bytes](std::size_t i) -> std::uint32_t {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u;
  };
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t word = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    text += letters[word >> 18 & 63];
    text += letters[word >> 12 & 63];
    text += i + 1 < bytes.size() ? letters[word >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? letters[word & 63] : '=';
  }
  return text;
}

}  // namespace grus
