// A number of the command line. CLI11's own Range lets NaN pass and words its faults unlike ours.
#pragma once

#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace grus {

template <class Number>
CLI::Validator within(Number low, Number high, const char* expected) {
  return {[=](const std::string& text) {
            Number value{};
            if (CLI::detail::lexical_cast(text, value) && value >= low && value <= high) return std::string();
            return fmt::format("found '{}', expected {}", text, expected);
          },
          ""};
}

}  // namespace grus
