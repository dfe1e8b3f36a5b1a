// Threads with results that do not depend on their number.
//
// Loops write disjoint elements; sums are formed over chunks of a fixed size and the chunk sums are
// added in order, so the rounding is the same for any number of threads. One thread never enters
// the thread library: no allocation, no scheduling.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/types.hpp"

namespace grus {

// More are a mistake.
inline constexpr int most_threads = 1024;

class Parallel {
 public:
  // threads = 0 means all cores. Throws std::invalid_argument when they are fewer than 0 or more than most_threads.
  explicit Parallel(int threads = 1);

  int threads() const { return threads_; }

  // body(begin, end) over sub-ranges of [0, count) of at least `grain` elements.
  // The sub-ranges may differ from run to run: body must write per element only.
  template <class Body>
  void ranges(Index count, Index grain, const Body& body) const {
    dispatch(count, grain, &body,
             [](const void* erased, Index begin, Index end) { (*static_cast<const Body*>(erased))(begin, end); });
  }

  // body(i) for i in [0, count).
  template <class Body>
  void each(Index count, Index grain, const Body& body) const {
    ranges(count, grain, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) body(i);
    });
  }

  // Ordered reduction: term(begin, end) -> T over chunks of `chunk` elements, joined from left to
  // right with join(T, T). `partial` is scratch that keeps its capacity.
  template <class T, class Term, class Join>
  T reduce(Index count, Index chunk, T start, std::vector<T>& partial, const Term& term, const Join& join) const {
    const Index chunks = (count + chunk - 1) / chunk;
    partial.resize(static_cast<std::size_t>(chunks), start);
    each(chunks, 1, [&](Index c) { partial[c] = term(c * chunk, std::min(count, (c + 1) * chunk)); });
    T total = start;
    for (Index c = 0; c < chunks; ++c) total = join(total, partial[c]);
    return total;
  }

 private:
  // The thread library stays out of this header, which nearly every file includes: its own is a second to compile.
  // The price is one indirect call per sub-range. One thread goes the same way: a body compiled in two places may be
  // rounded in two ways.
  using RangeCall = void (*)(const void* body, Index begin, Index end);
  void dispatch(Index count, Index grain, const void* body, RangeCall call) const;

  struct Arena;
  int threads_;
  std::shared_ptr<Arena> arena_;  // null for one thread
};

}  // namespace grus
