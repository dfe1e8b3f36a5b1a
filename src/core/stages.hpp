// Loops that must follow each other, in one call of the thread library.
//
// Between two loops threads wait for each other on a counter: some 100 ns, where leaving and entering the thread
// library takes some microseconds.
#pragma once

#include <atomic>
#include <span>

#include "core/parallel.hpp"

namespace grus {
namespace detail {

// Returns when count >= value.
void wait_until_reached(const std::atomic<Index>& count, Index value);

// Elements are handed out in order, so one that waits for a stage waits for elements that others work on, and the first
// of these waits for none: whoever is there makes progress, also when fewer threads join than were asked for, or none
// does. A thread that loses its processor delays the others, which then give up theirs. It would not hold for a body
// that itself runs a parallel loop: while it waits, the thread library may give its thread another piece of this loop,
// which waits for the element below it on the stack.
struct StageCounters {
  alignas(64) std::atomic<Index> next;
  alignas(64) std::atomic<Index> done;
};

template <class Body>
void work_through(std::span<const Index> stage_begin, StageCounters& counters, const Body& body) {
  // counts also when body throws: the others would wait for ever
  struct Done {
    std::atomic<Index>& count;
    ~Done() { count.fetch_add(1, std::memory_order_release); }
  };
  std::size_t stage = 0;
  while (true) {
    const Index i = counters.next.fetch_add(1, std::memory_order_relaxed);
    if (i >= stage_begin.back()) return;
    const Done done{counters.done};
    while (i >= stage_begin[stage + 1]) ++stage;
    wait_until_reached(counters.done, stage_begin[stage]);
    body(i);
  }
}

}  // namespace detail

// body(i) for i in [0, stage_begin.back()); those of stage s, [stage_begin[s], stage_begin[s + 1]), begin when all of
// the stages before are done, and may run at the same time. stage_begin[0] is 0. body runs no parallel loop.
template <class Body>
void each_in_stages(const Parallel& parallel, std::span<const Index> stage_begin, const Body& body) {
  if (stage_begin.empty()) return;
  detail::StageCounters counters{0, 0};
  parallel.each(parallel.threads(), 1, [&](Index) { detail::work_through(stage_begin, counters, body); });
}

}  // namespace grus
