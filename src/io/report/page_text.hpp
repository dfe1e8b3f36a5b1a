// The texts of the report page, compiled into the program by cmake/embed.cmake.
#pragma once

#include <string_view>

namespace grus {

extern const std::string_view report_page;    // page.html
extern const std::string_view report_style;   // page.css
extern const std::string_view report_script;  // the .js files, one after the other

}  // namespace grus
