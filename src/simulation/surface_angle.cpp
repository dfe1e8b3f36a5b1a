#include "simulation/surface_angle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace grus {

Real surface_angle(const State& state, std::span<const Index> members, Index active, std::span<const Real> extent,
                   int along, int up) {
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  Real left = infinity, right = -infinity, radius_sum = 0.0;
  Index count = 0;
  for (const Index i : members) {
    if (i >= active) continue;
    left = std::min(left, state.position[i][along]);
    right = std::max(right, state.position[i][along]);
    radius_sum += extent[i];
    ++count;
  }
  if (count == 0 || !(right > left)) return std::numeric_limits<Real>::quiet_NaN();

  const Real width = 3.0 * radius_sum / count;
  // Fewer grains than columns (one that flew far away, bodies without a shape) are no surface.
  if (!(right - left < width * count)) return std::numeric_limits<Real>::quiet_NaN();
  const auto columns = static_cast<Index>((right - left) / width) + 1;
  std::vector<Real> top(static_cast<std::size_t>(columns), -infinity);
  for (const Index i : members) {
    if (i >= active) continue;
    const auto column = static_cast<Index>((state.position[i][along] - left) / width);
    top[column] = std::max(top[column], state.position[i][up] + extent[i]);
  }

  Real n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (Index k = columns / 4; k < columns - columns / 4; ++k) {
    if (top[k] == -infinity) continue;
    const Real x = left + (k + 0.5) * width;
    n += 1;
    sx += x;
    sy += top[k];
    sxx += x * x;
    sxy += x * top[k];
  }
  const Real spread = n * sxx - sx * sx;
  if (n < 3 || !(spread > 0.0)) return std::numeric_limits<Real>::quiet_NaN();
  return std::atan((n * sxy - sx * sy) / spread);
}

}  // namespace grus
