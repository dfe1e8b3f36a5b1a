#include "solvers/contact_graph.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include "core/grow.hpp"

#include "core/grow.hpp"
#include "solvers/delassus.hpp"

namespace grus {
namespace {

constexpr Index mask_bits = 64;
constexpr Index hub_group = mask_bits;  // until the number of colours is known

}  // namespace

void colour_contacts(const ContactProblem& problem, ContactGraph& graph) {
  const auto blocks = static_cast<std::size_t>(problem.block_count);
  graph.degree.assign(blocks, 0);
  graph.used.assign(blocks, 0);
  assign_with_room(graph.group, static_cast<std::size_t>(problem.contact_count), no_index);

  // A block that cannot move couples nothing: the world for our purpose.
  const auto mover = [&](Index block) { return block_moves(problem, block) ? block : no_index; };
  for (Index c = 0; c < problem.contact_count; ++c) {
    if (const Index a = mover(problem.block_a[c]); a != no_index) ++graph.degree[a];
    if (const Index b = mover(problem.block_b[c]); b != no_index) ++graph.degree[b];
  }

  std::array<Index, mask_bits + 1> count{};
  graph.colour_count = 0;
  for (Index c = 0; c < problem.contact_count; ++c) {
    const Index a = mover(problem.block_a[c]), b = mover(problem.block_b[c]);
    if (a == no_index && b == no_index) continue;
    const bool hub = (a != no_index && graph.degree[a] > hub_limit) || (b != no_index && graph.degree[b] > hub_limit);
    const std::uint64_t taken =
        (a != no_index ? graph.used[a] : 0) | (b != no_index ? graph.used[b] : 0) | (hub ? ~std::uint64_t{0} : 0);
    const Index colour = std::countr_one(taken);  // 64 = hub_group when none is free
    if (colour < mask_bits) {
      const std::uint64_t bit = std::uint64_t{1} << colour;
      if (a != no_index) graph.used[a] |= bit;
      if (b != no_index) graph.used[b] |= bit;
      graph.colour_count = std::max(graph.colour_count, colour + 1);
    }
    graph.group[c] = colour;
    ++count[colour];
  }

  assign_with_room(graph.group_begin, static_cast<std::size_t>(graph.colour_count) + 2, Index{0});
  std::array<Index, mask_bits + 1> next{};
  Index total = 0;
  for (Index g = 0; g < graph.colour_count; ++g) {
    graph.group_begin[g] = next[g] = total;
    total += count[g];
  }
  graph.group_begin[graph.colour_count] = next[hub_group] = total;
  total += count[hub_group];
  graph.group_begin[graph.colour_count + 1] = total;
  graph.order.resize(static_cast<std::size_t>(total));
  for (Index c = 0; c < problem.contact_count; ++c) {
    if (graph.group[c] != no_index) graph.order[next[graph.group[c]]++] = c;
  }
}

}  // namespace grus
