// How a cost grows with a size: the exponent of the power law that fits best.
#pragma once

#include <cmath>
#include <map>

#include "core/types.hpp"

namespace grus {

// Least squares of log cost over log size.
inline Real exponent_of(const std::map<Index, Real>& cost_of_size) {
  Real n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [size, cost] : cost_of_size) {
    const Real x = std::log(static_cast<Real>(size)), y = std::log(cost);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace grus
