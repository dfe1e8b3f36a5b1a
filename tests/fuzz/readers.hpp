// Every reader of files and requests of unknown origin: what it starts from and how it is fed. One table for the
// mutations of the tests (tests/robustness/mutated_input_test.cpp) and for libFuzzer (reader_fuzzer.cpp).
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "fuzz/mutator.hpp"

namespace grus::testing {

// What a reader must never do, whatever it is given.
class BrokenPromise : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

struct Reader {
  std::string name;
  Grammar grammar;
  std::vector<std::string> (*seeds)();
  // Throws InputError, IoError or NumericalError to refuse the bytes; BrokenPromise and all else is a fault.
  void (*read)(const std::string& bytes);
  // Of the mutations of a test: a reader that starts a process for each input gets fewer.
  int share_in_percent = 100;
};

const std::vector<Reader>& fuzzed_readers();
const Reader& fuzzed_reader(const std::string& name);

// Seeds, and the inputs in tests/fuzz/corpus/NAME that have broken the reader once.
std::vector<std::string> inputs_of(const Reader& reader);

// True when the bytes are read, false when they are refused in words. Throws what else the reader throws, and
// BrokenPromise.
bool feed(const Reader& reader, const std::string& bytes);

}  // namespace grus::testing
