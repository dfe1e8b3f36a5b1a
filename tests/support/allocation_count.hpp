// Calls of operator new in this test program since its start.
#pragma once

namespace grus::testing {

long allocation_count();

}  // namespace grus::testing
