// Inputs for readers, made from good and bad ones by small changes: half of them change bytes, half the parts that the
// format has (lines and blocks, words, tags, JSON values, arrays). A function of the seeds and of the random numbers
// alone, so that an input is found again by its number.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/random.hpp"

namespace grus::testing {

// What the parts of a format are.
enum class Grammar {
  words,         // lines, words and numbers: YAML (blocks by indentation), OBJ, .dat, CSV, HTTP
  xml,           // tags, and all that is between a tag and its end
  json,          // values
  arrays,        // pack_hdf5_arrays()
  fclib_arrays,  // pack_fclib_arrays(): without a number of columns
  numbers,       // of 4 and 8 bytes, one after the other: parts of frames, binary STL, HDF5
};

// Longer inputs show nothing that shorter ones do not, and take their time.
inline constexpr std::size_t longest_input = 1 << 16;

class Mutator {
 public:
  Mutator(Grammar grammar, std::vector<std::string> seeds);

  // Three quarters of the inputs start from these seeds: one that is refused at once leads nowhere.
  void prefer(std::vector<std::size_t> seeds) { preferred_ = std::move(seeds); }

  // A seed, changed one to four times.
  std::string next(Random& random) const;
  std::string mutate(std::string input, Random& random) const;

  const std::vector<std::string>& seeds() const { return seeds_; }

 private:
  std::string change_part(const std::string& input, Random& random) const;
  std::string change_words(const std::string& input, Random& random) const;
  const std::string& any_seed(Random& random) const { return seeds_[random.below(seeds_.size())]; }

  Grammar grammar_;
  std::vector<std::string> seeds_;
  std::vector<std::size_t> preferred_;
  std::vector<std::string> words_;  // of the seeds
};

}  // namespace grus::testing
