// An input stream over text in memory, without a copy.
#pragma once

#include <istream>
#include <streambuf>
#include <string_view>

namespace grus::scene {

class MemoryStream : private std::streambuf, public std::istream {
 public:
  explicit MemoryStream(std::string_view text) : std::istream(this) {
    char* begin = const_cast<char*>(text.data());  // streambuf's interface; the get area is never written
    setg(begin, begin, begin + text.size());
  }
};

}  // namespace grus::scene
