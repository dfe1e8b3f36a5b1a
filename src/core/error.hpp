// Errors inside the program: those of grus/error.hpp, and assertions for programmer errors.
// GRUS_ASSERT always checks; GRUS_CHECK is the heavier tier, only with GRUS_VALIDATE.
#pragma once

#include "grus/error.hpp"

namespace grus {

// Calls the handler (set_assertion_handler); throws InternalError when there is none or it returns. Where an exception
// cannot pass, in a destructor, the program ends.
[[noreturn, gnu::cold]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace grus

// Not assert(): NDEBUG, which turns off the index checks of third-party headers, must not turn off ours.
#define GRUS_ASSERT(condition) \
  (static_cast<bool>(condition) ? static_cast<void>(0) : ::grus::assertion_failed(#condition, __FILE__, __LINE__))
#ifdef GRUS_VALIDATE
#define GRUS_CHECK(condition) GRUS_ASSERT(condition)
#else
// Compiled, never evaluated: a condition that is off cannot rot.
#define GRUS_CHECK(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#endif
