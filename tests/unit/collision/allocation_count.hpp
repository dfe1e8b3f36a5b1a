// Calls of operator new in this test program since its start.
#pragma once

namespace grus::test {

long allocation_count();

}  // namespace grus::test
