// Files with one frictional contact problem each: FCLIB (HDF5, local and global form) and Siconos' text (dense, sparse
// blocks, sparse), in the plane and in space. What a file is, its content tells, not its name.
//
// A file is what somebody else wrote: everything in it is checked, and a fault is an InputError that says what was
// found and what was expected. Nothing is allocated that the bytes of the file do not back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "solvers/local_problem.hpp"

namespace grus {

enum class ProblemFormat { fclib, siconos_dense, siconos_blocks, siconos_sparse };

struct ProblemFile {
  LocalProblem problem;
  std::string form;                   // as read, in words: "FCLIB, global form"
  std::string title, description;     // FCLIB only; may be empty
  std::vector<Real> guess, solution;  // impulses [unknown_count()]; empty: the file has none. FCLIB only
  std::vector<std::string> notes;     // what was left out, one sentence each
};

// Throws InputError for a faulty file, IoError when it cannot be read.
ProblemFile read_problem_file(const std::string& path);
// The same from bytes; `path` is for the messages.
ProblemFile parse_problem(const std::string& bytes, const std::string& path);

// The bytes of a file. Siconos' text has no scalar rows: a problem with rows is an InputError naming `path`.
std::string problem_bytes(const ProblemFile& content, ProblemFormat format, const std::string& path);
// Written whole (io/whole_file.hpp). Throws IoError for the disk.
void write_problem_file(const std::string& path, const ProblemFile& content, ProblemFormat format);

}  // namespace grus
