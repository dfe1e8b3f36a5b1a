#include "grus/version.hpp"

namespace grus {

const char* version() { return GRUS_VERSION; }

}  // namespace grus
