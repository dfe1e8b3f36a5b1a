// JSON as text, the same way in every file: bytes of the user that are no UTF-8 are replaced, never an exception.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace grus {

// indent < 0: one line.
template <class Json>
std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace grus
