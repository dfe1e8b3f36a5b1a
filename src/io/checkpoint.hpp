// checkpoint.h5: the whole State, so that a resumed run ends with the bits of the uninterrupted one.
//
// An HDF5 file made in memory and written whole, followed by 16 bytes: "GRUSHASH" and a 64-bit hash of all bytes
// before. The hash is checked before HDF5 sees the file: damage anywhere becomes a sentence, not a crash of the
// library. HDF5 tools ignore the tail.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/state.hpp"

namespace grus {

struct Checkpoint {
  State state;
  std::uint64_t scene_hash = 0;  // Model::scene_hash: a checkpoint of another scene is not for this run
  std::string program_version;
  // What the driver carries besides State: accumulators of the summary, length of series.csv, number of frames.
  std::map<std::string, std::vector<double>> extra;
};

// Throws IoError; an older checkpoint at `path` is then still whole.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);

// Nothing when there is no file. Throws InputError when it is truncated, damaged, of another program or of another
// layout.
std::optional<Checkpoint> load_checkpoint(const std::string& path);

}  // namespace grus
