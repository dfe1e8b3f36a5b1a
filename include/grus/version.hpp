// The version of the program, as in summary.json.
#pragma once

namespace grus {

// "0.1.0"
const char* version();

}  // namespace grus
