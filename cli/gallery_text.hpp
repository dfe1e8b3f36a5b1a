// The gallery as a table, as JSON, or one path.
#pragma once

#include <string>

namespace grus {

// False when `name` is given and no example has it; says so on stderr.
bool print_gallery(const std::string& name, bool json);

}  // namespace grus
