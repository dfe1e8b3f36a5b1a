#include "collision/match.hpp"

#include <utility>
#include "core/grow.hpp"

namespace grus {

namespace {

using PairKey = std::pair<std::uint32_t, std::uint32_t>;

PairKey pair_of(const ContactKey& key) { return {key.a, key.b}; }

// One pair: contacts [first, last), old impulses [old, old_end).
Index match_pair(std::span<const ContactPoint> contacts, const State& state, std::size_t first, std::size_t last,
                 std::size_t old, std::size_t old_end, std::vector<Vec3>& impulse_W) {
  Vec3 left_over = Vec3::Zero();
  Index found = 0;
  std::size_t i = first;
  // merge by feature: a found point is marked by advancing past it, the others keep zero
  const auto is_found = [&](std::size_t c) {
    for (std::size_t k = old; k < old_end; ++k)
      if (state.impulse_key[k].feature == contacts[c].key.feature) return true;
    return false;
  };
  for (std::size_t k = old; k < old_end; ++k) {
    while (i < last && contacts[i].key < state.impulse_key[k]) ++i;
    if (i < last && contacts[i].key == state.impulse_key[k]) {
      impulse_W[i] = state.impulse[k];
      ++found;
    } else {
      left_over += state.impulse[k];
    }
  }
  const Index count = static_cast<Index>(last - first), fresh = count - found;
  if (found == static_cast<Index>(old_end - old)) return found;
  const Vec3 share = left_over / static_cast<Real>(fresh > 0 ? fresh : count);
  for (std::size_t c = first; c < last; ++c)
    if (fresh == 0 || !is_found(c)) impulse_W[c] += share;
  return found;
}

}  // namespace

Index match(std::span<const ContactPoint> contacts, const State& state, std::vector<Vec3>& impulse_W) {
  assign_with_room<Vec3>(impulse_W, contacts.size(), Vec3::Zero());
  const std::size_t old_count = state.impulse_key.size();
  Index found = 0;
  std::size_t old = 0;
  for (std::size_t first = 0; first < contacts.size();) {
    const PairKey pair = pair_of(contacts[first].key);
    std::size_t last = first + 1;
    while (last < contacts.size() && pair_of(contacts[last].key) == pair) ++last;
    while (old < old_count && pair_of(state.impulse_key[old]) < pair) ++old;
    std::size_t old_end = old;
    while (old_end < old_count && pair_of(state.impulse_key[old_end]) == pair) ++old_end;
    if (old_end > old) found += match_pair(contacts, state, first, last, old, old_end, impulse_W);
    old = old_end;
    first = last;
  }
  return found;
}

}  // namespace grus
