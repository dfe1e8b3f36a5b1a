// Any text is a contact problem or an InputError with a place: no crash, no hang, no other exception, no undefined
// behaviour, no memory that the text does not back; and what is read is written and read back to the same problem.
// HDF5 is left out: it runs in a process of its own (io/guarded_call.hpp), which a fuzzer cannot see into.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/error.hpp"
#include "io/problem/fclib_problem.hpp"
#include "io/problem/problem_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (grus::looks_like_hdf5(text)) return 0;
  try {
    const grus::ProblemFile file = grus::parse_problem(text, "fuzz.dat");
    for (const auto format : {grus::ProblemFormat::siconos_dense, grus::ProblemFormat::siconos_blocks,
                              grus::ProblemFormat::siconos_sparse}) {
      const grus::LocalProblem again =
          grus::parse_problem(grus::problem_bytes(file, format, "again.dat"), "again.dat").problem;
      if (again.q != file.problem.q || again.friction != file.problem.friction) std::abort();
    }
  } catch (const grus::InputError& error) {
    if (error.faults().empty()) std::abort();
    for (const grus::Fault& fault : error.faults()) {
      if (fault.where.file == "again.dat" || fault.message.empty()) std::abort();
    }
  }
  return 0;
}
