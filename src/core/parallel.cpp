// The thread arena: one per run, as wide as asked for.
#include "core/parallel.hpp"

#include <thread>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#ifdef __SANITIZE_THREAD__
#include "core/plain_threads.hpp"
#endif

namespace grus {

// The limit lets a run have more threads than cores: otherwise the library warns and gives fewer.
struct Parallel::Arena {
  explicit Arena(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)), tasks(threads) {}
  tbb::global_control limit;
  tbb::task_arena tasks;
};

Parallel::Parallel(int threads)
    : threads_(threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {
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
