// The arrays of an FCLIB file by name, as they are, without knowing what they mean.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace grus {

struct FclibArrays {
  std::string group;  // "/fclib_local", or "/fclib_global" when the file has no local form
  std::map<std::string, std::vector<std::int64_t>> whole;
  std::map<std::string, std::vector<double>> real;
  std::map<std::string, std::string> text;
};

// The names an FCLIB file may have and we use; others are left alone. HDF5 runs in a process of its own
// (reader_program.hpp). Throws InputError naming `path`.
FclibArrays read_fclib_arrays(const std::string& bytes, const std::string& path);

// The two halves of it, the first of which runs in grus-reader: the arrays as bytes, and back. Fuzzers, which cannot
// see into another process, call them in this one. Throw Hdf5Error.
std::string pack_fclib_arrays(const std::string& image);
FclibArrays unpack_fclib_arrays(std::string_view packed);

}  // namespace grus
