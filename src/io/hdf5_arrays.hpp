// All arrays of an HDF5 file of our own layout (beds, checkpoints), read in a process of its own (reader_program.hpp):
// the library has a long list of ways to break down on hostile bytes. Arrays lie unpacked in the file, so none of them
// is larger than it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace grus {

// In this process: everything that Hdf5Arrays needs, as bytes. Throws Hdf5Error. For grus-reader, and for
// fuzzers, which cannot see into another process.
std::string pack_hdf5_arrays(const std::string& image);

class Hdf5Arrays {
 public:
  // Throws Hdf5Error in words, whatever the bytes are.
  static Hdf5Arrays read(const std::string& image);
  // From what pack_hdf5_arrays() returned.
  static Hdf5Arrays unpack(std::string_view packed);

  // All values, row by row. Throw Hdf5Error when the array is absent, of another kind or has other columns.
  std::vector<double> read_real(const std::string& name, std::size_t columns) const;
  std::vector<std::int64_t> read_int(const std::string& name, std::size_t columns) const;
  std::vector<std::uint64_t> read_unsigned(const std::string& name, std::size_t columns) const;
  std::vector<std::uint32_t> read_index(const std::string& name, std::size_t columns) const;
  std::string read_text(const std::string& name) const;
  // Names of the arrays in a group, without it.
  std::vector<std::string> list(const std::string& group) const;

 private:
  struct Array {
    char kind = 0;
    std::uint64_t columns = 1;
    std::string bytes;
  };
  template <class T>
  std::vector<T> values(const std::string& name, char kind, std::size_t columns) const;

  std::map<std::string, Array> arrays_;  // by path, beginning with '/'
};

}  // namespace grus
