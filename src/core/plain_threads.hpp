// The loop of core/parallel.hpp on plain threads, for the thread sanitizer only.
//
// The thread library is not instrumented: the sanitizer cannot see its forks and joins and reports every
// loop. Started threads it does see, so with these it finds the races that are ours. Too slow for anything else:
// threads are started for every loop.
#pragma once

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include "core/types.hpp"

namespace grus {

template <class Body>
void run_on_plain_threads(int threads, Index count, Index grain, const Body& body) {
  const Index pieces = std::min<Index>(threads, (count + grain - 1) / grain);
  const auto start = [&](Index piece) { return static_cast<Index>(static_cast<std::int64_t>(count) * piece / pieces); };
  std::vector<std::exception_ptr> failure(static_cast<std::size_t>(pieces));
  {
    std::vector<std::jthread> team;
    for (Index piece = 0; piece < pieces; ++piece) {
      team.emplace_back([&, piece] {
        try {
          body(start(piece), start(piece + 1));
        } catch (...) {
          failure[static_cast<std::size_t>(piece)] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& error : failure) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace grus
