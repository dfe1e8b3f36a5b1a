#include "io/problem/problem_file.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/file_fault.hpp"
#include "io/foreign_file.hpp"
#include "io/problem/fclib_problem.hpp"
#include "io/problem/siconos_text.hpp"
#include "io/reader_limits.hpp"
#include "io/whole_file.hpp"

namespace grus {
ProblemFile read_problem_file(const std::string& path) {
  if (!std::filesystem::exists(path)) throw file_fault(path, "does not exist, expected a contact problem");
  return parse_problem(read_foreign_file(path, most_problem_bytes), path);
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
