// grus convert: a problem file from one format to another.
#include <filesystem>

#include <fmt/format.h>

#include "grus/problem.hpp"
#include "io/file_fault.hpp"
#include "io/problem/problem_file.hpp"
#include "io/problem/problem_statistics.hpp"

namespace grus {
namespace {

ProblemFormat format_of(const std::string& path, const std::string& storage) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".hdf5" || ending == ".h5") {
    if (!storage.empty())
      throw file_fault(path, fmt::format("found the storage '{}', expected none: FCLIB has one", storage));
    return ProblemFormat::fclib;
  }
  if (ending != ".dat")
    throw file_fault(path,
                     fmt::format("found the ending '{}', expected .hdf5, .h5 (FCLIB) or .dat (Siconos' text)", ending));
  if (storage.empty() || storage == "blocks") return ProblemFormat::siconos_blocks;
  if (storage == "dense") return ProblemFormat::siconos_dense;
  if (storage == "sparse") return ProblemFormat::siconos_sparse;
  throw file_fault(path, fmt::format("found the storage '{}', expected dense, blocks or sparse", storage));
}

}  // namespace

ProblemStatistics convert_problem(const std::string& from, const std::string& to, const std::string& storage) {
  const ProblemFormat format = format_of(to, storage);
  const ProblemFile file = read_problem_file(from);
  write_problem_file(to, file, format);
  ProblemStatistics statistics = describe_problem(file, from);
  if (format != ProblemFormat::fclib && (!file.guess.empty() || !file.solution.empty()))
    statistics.notes.push_back("Siconos' text has no place for the guess and the solution: left out");
  return statistics;
}

}  // namespace grus
