#include "contact/clusters.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace grus {

namespace {

// Bits per axis: 10 in space, 15 in the plane; 30 in all.
constexpr int code_bits = 30;
constexpr int digit_bits = 10;

// x with `gap` zeros between its bits.
std::uint32_t spread(std::uint32_t x, int bits, int gap) {
  std::uint32_t result = 0;
  for (int k = 0; k < bits; ++k) result |= ((x >> k) & 1U) << (k * (gap + 1));
  return result;
}

// spread() of every 10-bit (or 15-bit) number, made once.
template <int bits, int gap>
const std::array<std::uint32_t, std::size_t{1} << bits>& spread_table() {
  static const auto table = [] {
    std::array<std::uint32_t, std::size_t{1} << bits> t{};
    for (std::uint32_t x = 0; x < t.size(); ++x) t[x] = spread(x, bits, gap);
    return t;
  }();
  return table;
}

// Position of x in [low, high] in steps of 2^-bits; what lies outside (a lost body, NaN) goes to the ends.
std::uint32_t quantised(Real x, Real low, Real high, int bits) {
  const Real top = static_cast<Real>((1U << bits) - 1U);
  const Real part = (x - low) / (high - low) * top;
  return part > 0.0 ? static_cast<std::uint32_t>(std::min(part, top)) : 0U;
}

// Bounds of the bodies inside the domain: one that got lost must not squeeze all others into one cell.
void bounds(const Model& model, std::span<const Pose> pose, Vec3& low, Vec3& high) {
  low = Vec3::Constant(std::numeric_limits<Real>::max());
  high = -low;
  for (const Pose& p : pose) {
    const Vec3 x = p.position.cwiseMax(model.domain_min).cwiseMin(model.domain_max);
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  high = high.cwiseMax(low + Vec3::Constant(model.smallest_bound_radius));
}

}  // namespace

void cluster_bodies(const Model& model, std::span<const Pose> pose_m, Index active, ClusterScratch& scratch,
                    std::vector<Index>& cluster) {
  cluster.clear();
  if (active <= 2 * cluster_size) return;
  const auto count = static_cast<std::size_t>(active);
  scratch.code.resize(count);
  scratch.code_sorted.resize(count);
  scratch.body.resize(count);
  scratch.body_sorted.resize(count);
  Vec3 low, high;
  bounds(model, pose_m.first(count), low, high);
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3& x = pose_m[i].position;
    scratch.body[i] = static_cast<Index>(i);
    if (model.planar) {
      const auto& table = spread_table<15, 1>();
      scratch.code[i] = table[quantised(x.x(), low.x(), high.x(), 15)] | table[quantised(x.y(), low.y(), high.y(), 15)]
                                                                             << 1;
    } else {
      const auto& table = spread_table<10, 2>();
      scratch.code[i] = table[quantised(x.x(), low.x(), high.x(), 10)] |
                        table[quantised(x.y(), low.y(), high.y(), 10)] << 1 |
                        table[quantised(x.z(), low.z(), high.z(), 10)] << 2;
    }
  }

  // Radix sort, three digits; stable, so equal codes keep the order of the bodies.
  constexpr std::uint32_t digit_mask = (1U << digit_bits) - 1U;
  for (int shift = 0; shift < code_bits; shift += digit_bits) {
    std::array<Index, digit_mask + 2> begin{};
    for (const std::uint32_t code : scratch.code) ++begin[(code >> shift & digit_mask) + 1];
    for (std::size_t d = 0; d <= digit_mask; ++d) begin[d + 1] += begin[d];
    for (std::size_t i = 0; i < count; ++i) {
      const Index place = begin[scratch.code[i] >> shift & digit_mask]++;
      scratch.code_sorted[place] = scratch.code[i];
      scratch.body_sorted[place] = scratch.body[i];
    }
    std::swap(scratch.code, scratch.code_sorted);
    std::swap(scratch.body, scratch.body_sorted);
  }
  cluster.resize(count);
  for (Index rank = 0; rank < active; ++rank) cluster[scratch.body[rank]] = rank / cluster_size;
}

}  // namespace grus
