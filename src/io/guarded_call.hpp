// Calls a function in a process of its own, with limits on time and memory. For a library that reads what somebody else
// wrote and may crash, loop or ask for all memory when the bytes are damaged or hostile (HDF5 has a long list of such
// cases): what it does then is a sentence here, not the end of the program.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace grus {

struct GuardLimits {
  unsigned cpu_seconds = 60;
  std::size_t more_memory = std::size_t{1} << 30;  // bytes of address space besides what this process has; not under
                                                   // sanitizers, which need all of it
  std::size_t most_bytes = std::size_t{4} << 30;   // of the result
};

struct GuardedResult {
  bool finished = false;
  std::string bytes;   // what `work` returned
  std::string reason;  // when not finished: the words of its exception, or what ended the process
};

// `work` sees a copy of this process's memory; nothing it changes comes back but the bytes it returns. Throws IoError
// when the system gives no process.
GuardedResult call_guarded(const std::function<std::string()>& work, const GuardLimits& limits);

}  // namespace grus
