// Threads with results that do not depend on their number.
//
// Loops write disjoint elements; sums are formed over chunks of a fixed size and the chunk sums are
// added in order, so the rounding is the same for any number of threads. One thread never enters
// the thread library: no allocation, no scheduling.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "core/types.hpp"

#ifdef __SANITIZE_THREAD__
#include "core/plain_threads.hpp"
#endif

namespace grus {

class Parallel {
 public:
  // threads = 0 means all cores.
  explicit Parallel(int threads = 1);

  int threads() const { return threads_; }

  // body(begin, end) over sub-ranges of [0, count) of at least `grain` elements.
  // The sub-ranges may differ from run to run: body must write per element only.
  template <class Body>
  void ranges(Index count, Index grain, const Body& body) const {
    if (threads_ == 1 || count <= grain) {
      if (count > 0) body(Index{0}, count);
      return;
    }
#ifdef __SANITIZE_THREAD__
    run_on_plain_threads(threads_, count, grain, body);
#else
    arena_->tasks.execute([&] {
      tbb::parallel_for(tbb::blocked_range<Index>(0, count, static_cast<std::size_t>(grain)),
                        [&](const tbb::blocked_range<Index>& range) { body(range.begin(), range.end()); });
    });
#endif
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
  // The limit lets a run have more threads than cores: otherwise the library warns and gives fewer.
  struct Arena {
    explicit Arena(int threads);
    tbb::global_control limit;
    tbb::task_arena tasks;
  };

  int threads_;
  std::shared_ptr<Arena> arena_;  // null for one thread
};

}  // namespace grus
