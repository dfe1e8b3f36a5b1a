// Make a bed of stones from a scene that says when it is settled.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grus/run.hpp"

namespace grus {

struct BedOptions {
  std::string scene;
  std::string out;                     // file; empty: out/<scene name>.h5
  int threads = 0;                     // 0: all cores
  std::vector<std::string> overrides;  // "name=value"
  std::function<void(const Progress&)> progress;
  std::function<void(const std::string&)> message;  // warnings and notices, one line each
  std::function<bool()> stop;                       // asked after every step; true: give up
};

// Throws InputError for a faulty scene, NumericalError when the stones do not come to rest, IoError for the disk.
RunOutcome make_bed(const BedOptions& options);

}  // namespace grus
