// Runs another program with limits on time and memory, gives it bytes and takes its answer. For a library that reads
// what somebody else wrote and may crash, loop or ask for all memory when the bytes are damaged or hostile (HDF5 has a
// long list of such cases): what it does then is a sentence here, not the end of the program.
//
// The program is spawned. A forked copy of this process would do without a program, but has only the thread that
// called: a lock that another thread held at that moment, of the heap, of HDF5 or of a library of the host, stays
// locked in it for ever.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace grus {

struct GuardLimits {
  unsigned cpu_seconds = 60;
  std::size_t memory = std::size_t{1} << 30;      // bytes of address space, the program itself included; not under
                                                  // sanitizers, which need all of it
  std::size_t most_bytes = std::size_t{4} << 30;  // of the answer
};

struct GuardedResult {
  bool finished = false;
  std::string bytes;   // what it answered
  std::string reason;  // when not finished: the fault it answered with, or what ended it
};

// The program reads `input` from its standard input and writes to its standard output what guarded_answer_head() says
// and the bytes announced there. It gets the limits before the input. Throws IoError when it cannot be started.
GuardedResult call_guarded(const std::vector<std::string>& command, std::string_view input, const GuardLimits& limits);

// The first line of an answer, of a result or of a fault in words: it announces the bytes that follow, so that an
// answer that was cut short is known as such.
std::string guarded_answer_head(bool is_result, std::size_t bytes);

}  // namespace grus
