// The thread arena: one per run, as wide as asked for.
#include "core/parallel.hpp"

#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#ifdef __SANITIZE_THREAD__
#include "core/plain_threads.hpp"
#endif

namespace grus {

// The library gives no more threads than cores, and warns, unless a limit allows them. Its limits hold for the whole
// process, and of those that live the smallest wins. So every arena sets the same one, the largest there is: a
// simulation with two threads does not throttle one with four beside it, and no limit is left when the last one is
// gone. How many threads an arena has is its own number of places. When the host sets a smaller limit, fewer join, and
// the results are the same.
struct Parallel::Arena {
  explicit Arena(int threads) : limit(tbb::global_control::max_allowed_parallelism, most_threads), tasks(threads) {}
  tbb::global_control limit;
  tbb::task_arena tasks;
};

Parallel::Parallel(int threads)
    : threads_(threads > 0 ? threads
                           : std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most_threads)) {
  if (threads < 0 || threads > most_threads)
    throw std::invalid_argument(fmt::format("found {} threads, expected a number from 0 to {}", threads, most_threads));
  if (threads_ > 1) arena_ = std::make_shared<Arena>(threads_);
}

void Parallel::dispatch(Index count, Index grain, const void* body, RangeCall call) const {
  if (threads_ == 1 || count <= grain) {
    if (count > 0) call(body, Index{0}, count);
    return;
  }
#ifdef __SANITIZE_THREAD__
  run_on_plain_threads(threads_, count, grain, [&](Index begin, Index end) { call(body, begin, end); });
#else
  arena_->tasks.execute([&] {
    tbb::parallel_for(tbb::blocked_range<Index>(0, count, static_cast<std::size_t>(grain)),
                      [&](const tbb::blocked_range<Index>& range) { call(body, range.begin(), range.end()); });
  });
#endif
}

}  // namespace grus
