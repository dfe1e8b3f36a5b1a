#include "io/problem/problem_file.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/file_fault.hpp"
#include "io/problem/fclib_problem.hpp"
#include "io/problem/siconos_text.hpp"
#include "io/whole_file.hpp"

namespace grus {
namespace {

// The bytes are held in memory, some times over.
constexpr std::uintmax_t most_problem_bytes = std::uintmax_t{4} << 30;

}  // namespace

ProblemFile read_problem_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw file_fault(path, "does not exist, expected a contact problem");
  // a pipe or a device may never end
  if (!std::filesystem::is_regular_file(status)) throw file_fault(path, "is not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > most_problem_bytes)
    throw file_fault(path, fmt::format("found {} bytes, at most {} are read", size, most_problem_bytes));
  return parse_problem(read_whole_file(path), path);
}

ProblemFile parse_problem(const std::string& bytes, const std::string& path) {
  if (looks_like_hdf5(bytes)) return parse_fclib(bytes, path);
  if (bytes.empty()) throw file_fault(path, "is empty, expected a contact problem: FCLIB (HDF5) or Siconos' text");
  if (bytes.find('\0') != std::string::npos)
    throw file_fault(path, "is neither HDF5 nor text, expected a contact problem: FCLIB (HDF5) or Siconos' text");
  return parse_siconos_text(bytes, path);
}

std::string problem_bytes(const ProblemFile& content, ProblemFormat format, const std::string& path) {
  if (format == ProblemFormat::fclib) return fclib_bytes(content, nullptr, path);
  if (content.problem.row_count > 0)
    throw file_fault(path, fmt::format("found a problem with {} scalar rows (joints, limits), which Siconos' text "
                                       "cannot hold; expected contacts alone, or FCLIB (.hdf5)",
                                       content.problem.row_count));
  return siconos_text(content.problem, format);
}

void write_problem_file(const std::string& path, const ProblemFile& content, ProblemFormat format) {
  write_whole_file(path, problem_bytes(content, format, path));
}

}  // namespace grus
