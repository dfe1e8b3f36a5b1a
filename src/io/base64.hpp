// Base64 (RFC 4648), for arrays inside text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace grus {

std::string base64(std::string_view bytes);

template <class T>
std::string base64_of(const std::vector<T>& values) {
  return base64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

}  // namespace grus
