// Text on its way to a terminal. Names come from files that somebody else may have written: a control character in one
// could move the cursor, change the title or hide what is printed after it, so all of them are shown as escapes.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace grus {

// Control characters (C0, DEL, C1), marks that turn the direction of writing, and bytes that are no UTF-8 as \x1b or
// \u202e. Line ends stay when `lines`.
std::string printable(std::string_view text, bool lines = false);

// The printable text and a line end.
void print_line(std::FILE* file, std::string_view text);

// The same for a text of several lines.
void print_lines(std::FILE* file, std::string_view text);

}  // namespace grus
