// Bed files: HDF5 with a hash at the end (hashed_file.hpp). docs/files.md lists the arrays.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/hdf5_arrays.hpp"
#include "model/bed.hpp"

namespace grus {

struct BedFile {
  Bed bed;
  std::string scene_text;  // the scene that made it
  std::uint64_t scene_hash = 0;
  std::string program_version;
  std::map<std::string, std::vector<double>> statistics;  // by name, what is printed when it is made
};

void write_bed(const std::string& path, const BedFile& file);

// Throws InputError when the file is damaged, of another kind or holds what is no bed; IoError when it cannot be read.
BedFile read_bed(const std::string& path);
// From the arrays of a file; `path` is for messages. Throws InputError and Hdf5Error.
BedFile parse_bed(const Hdf5Arrays& file, const std::string& path);

// A bed kept for another run: nothing when there is none, it is damaged or was made by another scene.
std::shared_ptr<const Bed> read_kept_bed(const std::string& path, std::uint64_t scene_hash);

}  // namespace grus
