#include "io/scene/utf8.hpp"

#include <cstddef>

#include <fmt/format.h>

namespace grus::scene {

namespace {

// Length of the well-formed sequence at `at`, 0 when it is none: overlong forms, surrogates and code points past
// U+10FFFF are refused (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : static_cast<unsigned char>(0);
  };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80, high = 0xbf;  // allowed range of the second byte
  if (lead >= 0xc2 && lead <= 0xdf) length = 2;
  if (lead >= 0xe0 && lead <= 0xef) length = 3;
  if (lead >= 0xf0 && lead <= 0xf4) length = 4;
  if (lead == 0xe0) low = 0xa0;
  if (lead == 0xed) high = 0x9f;
  if (lead == 0xf0) low = 0x90;
  if (lead == 0xf4) high = 0x8f;
  if (length == 0 || byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::optional<TextFault> find_text_fault(std::string_view text) {
  TextFault place;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = sequence_length(text, at);
    if (length == 0) {
      place.message = fmt::format("byte 0x{:02x} is not UTF-8 text, expected a YAML file", byte);
      return place;
    }
    const bool control = (byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f;
    if (control) {
      place.message = fmt::format("byte 0x{:02x} is a control character, expected a YAML file", byte);
      return place;
    }
    if (byte == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
    at += length;
  }
  return std::nullopt;
}

}  // namespace grus::scene
