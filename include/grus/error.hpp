// The three tiers of error.
//   user input   -> InputError: all faults of the stage that found one (reading, compiling), each with file:line:column
//   numerics     -> NumericalError: the run cannot go on (NaN, divergence); the state on disk is safe
//   environment  -> IoError: disk full, unreadable file
// Programmer errors are assertions (src/core/error.hpp).
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

}  // namespace grus
