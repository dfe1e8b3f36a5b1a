// The other side of io/packed.hpp, as a browser reads it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace grus::test {

std::string unpacked_bytes(const std::string& text);
std::vector<std::int32_t> unpacked_integers(const std::string& text);
std::vector<double> unpacked_reals(const std::string& text);

}  // namespace grus::test
