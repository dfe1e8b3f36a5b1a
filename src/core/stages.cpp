#include "core/stages.hpp"

#include <thread>

namespace grus::detail {

void wait_until_reached(const std::atomic<Index>& count, Index value) {
  // It takes longer than this only when the other thread has lost its processor: let it have ours.
  constexpr int patience = 2000;
  for (int tries = 0; count.load(std::memory_order_acquire) < value; ++tries)
    if (tries > patience) std::this_thread::yield();
}

}  // namespace grus::detail
