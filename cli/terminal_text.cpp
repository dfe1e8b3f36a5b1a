#include "terminal_text.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace grus {
namespace {

// One character of UTF-8: its code point and length; length 0 when the bytes are none.
struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;
};

CodePoint code_point_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 && first < 0xf5   ? 4
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xc2 && first < 0xe0 ? 2
                                                             : 0;
  if (length == 0 || text.size() < length) return {};
  std::uint32_t value = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    value = value << 6U | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t shortest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < shortest[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return {};
  return {value, length};
}

bool is_control(std::uint32_t c) { return c < 0x20 || (c >= 0x7f && c < 0xa0); }

// Line and paragraph separators, embeddings, overrides, isolates, marks without width.
bool is_turning(std::uint32_t c) {
  return (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x061c;
}

}  // namespace

std::string printable(std::string_view text, bool lines) {
  std::string result;
  while (!text.empty()) {
    const CodePoint c = code_point_at(text);
    const std::size_t length = c.length == 0 ? 1 : c.length;
    if (c.length == 0)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if (c.value == '\n' && lines)
      result += '\n';
    else if (is_control(c.value))
      result += fmt::format("\\x{:02x}", c.value);
    else if (is_turning(c.value))
      result += fmt::format("\\u{:04x}", c.value);
    else
      result += text.substr(0, length);
    text.remove_prefix(length);
  }
  return result;
}

void print_line(std::FILE* file, std::string_view text) { fmt::print(file, "{}\n", printable(text)); }

void print_lines(std::FILE* file, std::string_view text) { fmt::print(file, "{}\n", printable(text, true)); }

}  // namespace grus
