#include "model/placement.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace grus {

namespace {

// 21 bits per axis. Cells that share a key only cost a comparison: overlap is decided by distance.
std::uint64_t cell_key(std::int64_t x, std::int64_t y, std::int64_t z) {
  const auto part = [](std::int64_t i) { return static_cast<std::uint64_t>(i) & 0x1fffffULL; };
  return part(x) | part(y) << 21 | part(z) << 42;
}

// Beyond 1e15 cells from the origin all are one: slower there, never wrong.
std::int64_t cell_of(Real x, Real cell) {
  return static_cast<std::int64_t>(std::clamp(std::floor(x / cell), -1e15, 1e15));
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

SphereGrids::SphereGrids(Real largest_diameter, Real clearance, bool planar)
    : largest_(largest_diameter), clearance_(clearance), planar_(planar) {}

bool SphereGrids::is_free(const Vec3& center, Real radius) const {
  for (const Level& level : levels_) {
    if (level.head.empty()) continue;
    const Real reach = radius + level.reach;
    const auto low = [&](int axis) { return cell_of(center[axis] - reach, level.cell); };
    const auto high = [&](int axis) { return cell_of(center[axis] + reach, level.cell); };
    const std::int64_t z_low = planar_ ? 0 : low(2), z_high = planar_ ? 0 : high(2);
    for (std::int64_t z = z_low; z <= z_high; ++z) {
      for (std::int64_t y = low(1); y <= high(1); ++y) {
        for (std::int64_t x = low(0); x <= high(0); ++x) {
          const auto found = level.head.find(cell_key(x, y, z));
          if (found == level.head.end()) continue;
          for (Index i = found->second; i != no_index; i = spheres_[static_cast<std::size_t>(i)].next) {
            const Sphere& other = spheres_[static_cast<std::size_t>(i)];
            const Real apart = radius + other.radius + clearance_;
            if ((center - other.center).squaredNorm() < apart * apart) return false;
          }
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
  const std::int64_t z = planar_ ? 0 : cell_of(center.z(), level.cell);
  const auto [entry, is_new] =
      level.head.emplace(cell_key(cell_of(center.x(), level.cell), cell_of(center.y(), level.cell), z), no_index);
  spheres_.push_back({center, radius, entry->second});
  entry->second = static_cast<Index>(spheres_.size()) - 1;
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
