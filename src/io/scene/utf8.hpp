// Is this text that a scene can be written in: UTF-8 without control characters?
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace grus::scene {

struct TextFault {
  int line = 1;
  int column = 1;  // in characters
  std::string message;
};

// The first place that is not text, if any.
std::optional<TextFault> find_text_fault(std::string_view text);

}  // namespace grus::scene
