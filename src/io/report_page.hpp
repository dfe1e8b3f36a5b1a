// The report's page, built from viewer/ and compiled into the program by cmake/embed.cmake.
#pragma once

#include <string_view>

namespace grus {

extern const std::string_view report_page;  // one self-contained HTML file, or a comment when it was not built

}  // namespace grus
