#include "analysis/sample_grid.hpp"

#include <algorithm>
#include <cmath>

namespace grus {

namespace {

// Whole parts of `length` of about, or at most, `part`. Bounded so that their products with `samples` stay indices; who
// samples looks at points_asked() first.
constexpr Real most_parts = 1e7;

Index parts_near(Real length, Real part) {
  return static_cast<Index>(std::clamp(std::round(length / part), 1.0, most_parts));
}
Index parts_within(Real length, Real part) {
  constexpr Real rounding = 1e-9;  // a length that is a multiple up to rounding gets no part more
  return static_cast<Index>(std::clamp(std::ceil(length / part - rounding), 1.0, most_parts));
}

}  // namespace

SampleGrid cell_grid(const Vec3& min, const Vec3& max, Real cell, Index samples, bool planar) {
  SampleGrid grid;
  grid.min = min, grid.max = max, grid.planar = planar;
  for (std::size_t axis = 0; axis < (planar ? 2u : 3u); ++axis) {
    const auto a = static_cast<int>(axis);
    grid.count[axis] = parts_near(max[a] - min[a], cell);
    grid.samples[axis] = samples;
  }
  return grid;
}

SampleGrid region_grid(const Vec3& min, const Vec3& max, Real spacing, bool planar) {
  SampleGrid grid;
  grid.min = min, grid.max = max, grid.planar = planar;
  for (std::size_t axis = 0; axis < (planar ? 2u : 3u); ++axis) {
    const auto a = static_cast<int>(axis);
    grid.samples[axis] = parts_within(max[a] - min[a], spacing);
  }
  return grid;
}

}  // namespace grus
