// Collects the faults of one scene. After `most_kept` they are only counted: nobody reads the hundredth, and a
// hostile file must not cost memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace grus::scene {

class FaultList {
 public:
  static constexpr std::size_t most_kept = 100;

  void add(SourceMark where, std::string message);
  // Counts a fault without wording it: for a list that is full.
  void skip() { ++count_; }
  bool empty() const { return count_ == 0; }
  // When full, a caller may skip() the work of wording a message.
  bool full() const { return faults_.size() >= most_kept; }
  std::size_t count() const { return count_; }

  // Throws InputError when there is any fault; the last one says how many were left off.
  void raise() const;

 private:
  std::vector<Fault> faults_;
  std::size_t count_ = 0;
};

// A piece of user text as shown in a message: quoted, shortened, without control characters.
std::string quoted(const std::string& text);

}  // namespace grus::scene
