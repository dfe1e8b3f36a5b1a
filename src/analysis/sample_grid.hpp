// Cells of a box and the points they are sampled at.
//
// The box is cut into count.xyz equal cells, and each cell into samples.xyz equal sub-cells, each known by the point in
// its middle. In a planar scene z is one cell with one sample at z = 0.
#pragma once

#include <array>
#include <cstdint>

#include "math/vector.hpp"

namespace grus {

struct SampleGrid {
  Vec3 min = Vec3::Zero();  // m
  Vec3 max = Vec3::Zero();  // m
  std::array<Index, 3> count{1, 1, 1};
  std::array<Index, 3> samples{1, 1, 1};  // per cell and axis
  bool planar = false;

  Index axis_points(int axis) const { return count[axis] * samples[axis]; }
  std::int64_t cell_total() const { return std::int64_t{count[0]} * count[1] * count[2]; }
  // Before anything is made as large: real, since a grid asked for by mistake can have more than any integer holds.
  Real cells_asked() const { return Real{1.0} * count[0] * count[1] * count[2]; }
  Real points_asked() const { return Real{1.0} * axis_points(0) * axis_points(1) * axis_points(2); }
  Real cell_size(int axis) const { return (max[axis] - min[axis]) / count[axis]; }
  Real spacing(int axis) const { return (max[axis] - min[axis]) / axis_points(axis); }
  // m3; planar: m2
  Real cell_volume() const { return cell_size(0) * cell_size(1) * (planar ? 1.0 : cell_size(2)); }
  Real coordinate(int axis, Index point) const {
    return planar && axis == 2 ? 0.0 : min[axis] + (point + 0.5) * spacing(axis);
  }
  Real cell_centre(int axis, Index cell) const {
    return planar && axis == 2 ? 0.0 : min[axis] + (cell + 0.5) * cell_size(axis);
  }
  // x fastest, then y, then z.
  std::size_t cell_index(Index x, Index y, Index z) const {
    return (static_cast<std::size_t>(z) * count[1] + y) * static_cast<std::size_t>(count[0]) + x;
  }
  bool holds(const Vec3& x) const {
    for (int axis = 0; axis < (planar ? 2 : 3); ++axis) {
      if (x[axis] < min[axis] || x[axis] > max[axis]) return false;
    }
    return true;
  }
};

// Cells as near to cubes of side `cell` as fit the box a whole number of times, with `samples` points along each side.
SampleGrid cell_grid(const Vec3& min, const Vec3& max, Real cell, Index samples, bool planar);

// The whole box as one cell, sampled at points no farther apart than `spacing`.
SampleGrid region_grid(const Vec3& min, const Vec3& max, Real spacing, bool planar);

}  // namespace grus
