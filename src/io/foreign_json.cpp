#include "io/foreign_json.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "io/file_fault.hpp"
#include "io/reader_limits.hpp"

namespace grus {
namespace {

// A value in a list, and what a string, a list or a key of an object takes besides (measured with glibc).
constexpr std::size_t value_bytes = 2 * sizeof(nlohmann::ordered_json), allocation_bytes = 80;

struct JsonExtent {
  int depth = 0;
  std::size_t memory = 0;
};

// Correct for JSON; for anything else some number, and the parser refuses it.
JsonExtent extent_of(std::string_view text) {
  JsonExtent extent;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"': {
        const std::size_t begin = i;
        for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
        extent.memory += allocation_bytes + std::min(i, text.size()) - begin;
        break;
      }
      case '[':
      case '{':
        extent.depth = std::max(extent.depth, ++depth);
        extent.memory += allocation_bytes;
        break;
      case ']':
      case '}':
        --depth;
        break;
      case ',':
        extent.memory += value_bytes;
        break;
      default:
        break;
    }
  }
  return extent;
}

}  // namespace

nlohmann::ordered_json parse_foreign_json(std::string_view text, const std::string& path) {
  const JsonExtent extent = extent_of(text);
  if (extent.depth > deepest_json)
    throw file_fault(path,
                     fmt::format("found lists within lists {} deep, expected at most {}", extent.depth, deepest_json));
  if (extent.memory > most_json_memory)
    throw file_fault(path, fmt::format("found values that take about {} MB in memory, at most {} are read",
                                       extent.memory / mebibyte, most_json_memory / mebibyte));
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::json::exception& e) {
    throw file_fault(path, fmt::format("is damaged or no file of Grus ({})", e.what()));
  }
}

}  // namespace grus
