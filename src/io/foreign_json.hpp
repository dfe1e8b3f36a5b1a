// JSON of unknown origin. Depth and memory are counted on the text before it is parsed: what walks a parsed text does
// so by recursion, and a value of two bytes takes up to sixty in memory.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace grus {

// Throws InputError naming `path`: too deep, too large, or "is damaged or no file of Grus" with the parser's reason.
nlohmann::ordered_json parse_foreign_json(std::string_view text, const std::string& path);

}  // namespace grus
