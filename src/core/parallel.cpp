// The thread arena: one per run, as wide as asked for.
#include "core/parallel.hpp"

#include <thread>

namespace grus {

Parallel::Arena::Arena(int threads)
    : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)), tasks(threads) {}

Parallel::Parallel(int threads)
    : threads_(threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {
  if (threads_ > 1) arena_ = std::make_shared<Arena>(threads_);
}

}  // namespace grus
