// The page of the viewer, compiled into the program by cmake/embed.cmake.
#pragma once

#include <string_view>

namespace grus {

extern const std::string_view viewer_page;  // one self-contained HTML file, or a comment when it was not built

// The page, or an IoError that says how to get it.
std::string_view require_viewer_page();

}  // namespace grus
