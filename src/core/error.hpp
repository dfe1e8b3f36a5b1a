// The three tiers of error.
//   user input   -> InputError: every fault at once, each with file:line:column
//   numerics     -> NumericalError: the run cannot go on (NaN, divergence); the state on disk is safe
//   environment  -> IoError: disk full, unreadable file
// Programmer errors are assertions: GRUS_ASSERT is cheap and stays on in every build, GRUS_CHECK may cost as
// much as the work it guards and is on only with GRUS_VALIDATE (the debug and sanitizer presets).
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace grus {

// Where something was said in a scene. line and column start at 1; 0 means "the whole file".
struct SourceMark {
  std::string file;
  int line = 0;
  int column = 0;
};

struct Fault {
  SourceMark where;
  std::string message;  // what was found and what was expected, one sentence
};

// "file:line:column: message"
std::string to_string(const Fault& fault);

class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Fault> faults);
  const std::vector<Fault>& faults() const { return faults_; }

 private:
  std::vector<Fault> faults_;
};

class NumericalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "file:line: assertion failed: condition" on stderr, then abort: the state of the program is not to be trusted.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;

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
