// Files that carry a hash of their bytes at the end: a truncated or damaged one is told from a good one before anything
// in it is believed. Readers of the format inside (HDF5) ignore the 16 bytes: "GRUSHASH" and the hash, little-endian.
#pragma once

#include <string>

namespace grus {

// Written whole (whole_file.hpp).
void write_hashed_file(const std::string& path, std::string bytes);

// The bytes without the tail. Throws InputError: "<path>: is truncated or no <what>; <advice>", or damaged.
std::string read_hashed_file(const std::string& path, const std::string& what, const std::string& advice);

}  // namespace grus
