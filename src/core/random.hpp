// Random numbers that are the same on every machine and library: the standard distributions are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/types.hpp"

namespace grus {

// splitmix64: one word of state, passes the usual batteries, trivially restartable.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t word() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  // In [0, 1).
  Real uniform() { return static_cast<Real>(word() >> 11) * 0x1.0p-53; }
  Real uniform(Real low, Real high) { return low + (high - low) * uniform(); }

  // In [0, count).
  std::uint64_t below(std::uint64_t count) { return word() % count; }

  // Standard normal, by Box-Muller; the second value is dropped to keep one word of state.
  Real normal() {
    const Real radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

}  // namespace grus
