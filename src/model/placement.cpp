#include "model/placement.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace grus {

namespace {

using Cell = std::array<std::int64_t, 3>;

// Odd multipliers (Teschner et al. 2003 use primes likewise) and the top half folded down.
std::size_t bucket_of(const Cell& cell, std::size_t count) {
  std::uint64_t h = static_cast<std::uint64_t>(cell[0]) * 0x9e3779b97f4a7c15ULL ^
                    static_cast<std::uint64_t>(cell[1]) * 0xbf58476d1ce4e5b9ULL ^
                    static_cast<std::uint64_t>(cell[2]) * 0x94d049bb133111ebULL;
  h ^= h >> 32;
  return static_cast<std::size_t>(h) & (count - 1);
}

// Beyond 1e15 cells from the origin all are one: slower there, never wrong.
std::int64_t cell_of(Real x, Real cell) {
  return static_cast<std::int64_t>(std::clamp(std::floor(x / cell), -1e15, 1e15));
}

Cell cell_of(const Vec3& p, Real cell, bool planar) {
  return {cell_of(p.x(), cell), cell_of(p.y(), cell), planar ? 0 : cell_of(p.z(), cell)};
}

}  // namespace

Real Region::measure() const {
  const Vec3 size = high - low;
  if (cylinder_axis < 0) return planar ? size.x() * size.y() : size.prod();
  const int u = (cylinder_axis + 1) % 3, v = (cylinder_axis + 2) % 3;
  const Real radius = 0.5 * std::min(size[u], size[v]);
  return std::numbers::pi * radius * radius * (planar ? 1.0 : size[cylinder_axis]);
}

bool Region::holds(Real diameter) const {
  // a lattice typed to fit exactly must not fail by rounding
  constexpr Real rounding = 1e-12;
  const Vec3 size = high - low;
  for (int axis = 0; axis < (planar ? 2 : 3); ++axis) {
    if (size[axis] < diameter * (1.0 - rounding)) return false;
  }
  return true;
}

Vec3 Region::sample(Real radius, Random& random) const {
  const Vec3 middle = 0.5 * (low + high);
  const Vec3 half = (0.5 * (high - low) - Vec3::Constant(radius)).cwiseMax(0.0);
  Vec3 center = middle;
  if (cylinder_axis >= 0) {
    const int u = (cylinder_axis + 1) % 3, v = (cylinder_axis + 2) % 3;
    const Real r = std::min(half[u], half[v]) * std::sqrt(random.uniform());
    const Real turn = 2.0 * std::numbers::pi * random.uniform();
    center[u] += r * std::cos(turn);
    center[v] += r * std::sin(turn);
    if (!planar) center[cylinder_axis] += half[cylinder_axis] * random.uniform(-1.0, 1.0);
  } else {
    for (int axis = 0; axis < (planar ? 2 : 3); ++axis) center[axis] += half[axis] * random.uniform(-1.0, 1.0);
  }
  if (planar) center.z() = 0.0;
  return center;
}

SphereGrids::SphereGrids(Real largest_diameter, Real clearance, bool planar, std::size_t expected)
    : largest_(largest_diameter),
      clearance_(clearance),
      planar_(planar),
      bucket_count_(std::bit_ceil(2 * expected + 16)) {}

bool SphereGrids::is_cell_free(const Level& level, const Cell& cell, const Vec3& center, Real radius) const {
  for (Index i = level.bucket[bucket_of(cell, bucket_count_)]; i != no_index;) {
    const Sphere& other = spheres_[static_cast<std::size_t>(i)];
    const Real apart = radius + other.radius + clearance_;
    if ((center - other.center).squaredNorm() < apart * apart) return false;
    i = other.next;
  }
  return true;
}

bool SphereGrids::is_free(const Vec3& center, Real radius) const {
  for (const Level& level : levels_) {
    if (level.bucket.empty()) continue;
    // in a crowd most draws fail, and most of these by a neighbour in the cell they fall into
    const Cell home = cell_of(center, level.cell, planar_);
    if (!is_cell_free(level, home, center, radius)) return false;
    const Vec3 reach = Vec3::Constant(radius + level.reach);
    const Cell low = cell_of(center - reach, level.cell, planar_);
    const Cell high = cell_of(center + reach, level.cell, planar_);
    for (std::int64_t z = low[2]; z <= high[2]; ++z) {
      for (std::int64_t y = low[1]; y <= high[1]; ++y) {
        for (std::int64_t x = low[0]; x <= high[0]; ++x) {
          if (!is_cell_free(level, {x, y, z}, center, radius)) return false;
        }
      }
    }
  }
  return true;
}

void SphereGrids::add(const Vec3& center, Real radius) {
  const auto rank = static_cast<std::size_t>(std::max(0.0, std::floor(std::log2(largest_ / (2.0 * radius)))));
  while (levels_.size() <= rank) {
    const Real diameter = std::ldexp(largest_, -static_cast<int>(levels_.size()));
    levels_.push_back({diameter + clearance_, 0.5 * diameter + clearance_, {}});
  }
  Level& level = levels_[rank];
  if (level.bucket.empty()) level.bucket.assign(bucket_count_, no_index);
  Index& first = level.bucket[bucket_of(cell_of(center, level.cell, planar_), bucket_count_)];
  spheres_.push_back({center, radius, first});
  first = static_cast<Index>(spheres_.size()) - 1;
}

bool place(const Region& region, Real radius, int tries, SphereGrids& grids, Random& random, Vec3& center) {
  for (int k = 0; k < tries; ++k) {
    center = region.sample(radius, random);
    if (!grids.is_free(center, radius)) continue;
    grids.add(center, radius);
    return true;
  }
  return false;
}

}  // namespace grus
