// One fault about a whole file, as the exception for bad input.
#pragma once

#include <string>
#include <utility>

#include "core/error.hpp"

namespace grus {

inline InputError file_fault(const std::string& path, std::string message) {
  return InputError({Fault{SourceMark{path, 0, 0}, std::move(message)}});
}

}  // namespace grus
