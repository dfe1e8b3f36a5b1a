// The tiers of error.
//   user input   -> InputError: all faults of the stage that found one (reading, compiling), each with file:line:column
//   numerics     -> NumericalError: the run cannot go on (NaN, divergence); the state on disk is safe
//   environment  -> IoError: disk full, unreadable file
//   Grus itself  -> InternalError: an assertion of its own failed (GRUS_ASSERT in src/core/error.hpp)
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

// A broken invariant of Grus: "file:line: assertion failed: condition". What was being computed is not to be trusted; a
// Simulation refuses all further calls, others are not affected.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// What happens when an assertion of Grus fails. A handler may end the program or throw InternalError or a class derived
// from it; when it returns, InternalError is thrown, which is also what happens without one. It is called by the thread
// that failed, also by several at once, and holds for the whole process. Returns the handler it replaces; null: none.
using AssertionHandler = void (*)(const char* condition, const char* file, int line);
AssertionHandler set_assertion_handler(AssertionHandler handler) noexcept;

// A handler: the same words on stderr, then std::abort(), so that a debugger or a core dump shows the place. The
// command-line program installs it.
[[noreturn]] void abort_on_assertion(const char* condition, const char* file, int line) noexcept;

}  // namespace grus
