// Wall time per stage.
#pragma once

#include <chrono>

#include "core/types.hpp"

namespace grus {

class Timer {
 public:
  Timer() : start_(Clock::now()) {}
  Real seconds() const { return std::chrono::duration<Real>(Clock::now() - start_).count(); }
  // Seconds since the last lap (or the start).
  Real lap() {
    const auto now = Clock::now();
    const Real passed = std::chrono::duration<Real>(now - start_).count();
    start_ = now;
    return passed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
};

}  // namespace grus
