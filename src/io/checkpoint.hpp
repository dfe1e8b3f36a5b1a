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

#include "io/hdf5_arrays.hpp"
#include "model/model.hpp"
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
// From the arrays of a file; `path` is for messages. Throws InputError and Hdf5Error.
Checkpoint parse_checkpoint(const Hdf5Arrays& file, const std::string& path);

// A checkpoint is compared with the model before it is used: arrays of the model's lengths, finite numbers, rotations,
// keys of its colliders in order, one dependent velocity for each loop equation. Throws InputError.
void check_fits(const Checkpoint& checkpoint, const Model& model, const State& initial, const std::string& path);

// A count that the driver saved in `extra`. Throws InputError when it is absent or no whole number.
std::int64_t saved_count(const Checkpoint& checkpoint, const std::string& name, const std::string& path);

}  // namespace grus
