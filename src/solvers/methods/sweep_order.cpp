#include "solvers/methods/sweep_order.hpp"

#include <algorithm>
#include <numeric>

#include "core/random.hpp"

namespace grus {
namespace {

std::vector<Index> permuted_order(Index count, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  Random random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

std::vector<Index> coloured_order(const LocalProblem& problem) {
  const Index count = problem.block_count();
  std::vector<Index> colour(static_cast<std::size_t>(count), no_index);
  std::vector<Index> taken;  // by which block a colour was last found on a neighbour
  for (Index i = 0; i < count; ++i) {
    for (Index k = problem.block_begin[i]; k < problem.block_begin[i + 1]; ++k) {
      const Index other = colour[problem.column[k]];
      if (other != no_index) taken[other] = i;
    }
    Index chosen = 0;
    while (chosen < static_cast<Index>(taken.size()) && taken[chosen] == i) ++chosen;
    if (chosen == static_cast<Index>(taken.size())) taken.push_back(no_index);
    colour[i] = chosen;
  }
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return colour[a] < colour[b]; });
  return order;
}

}  // namespace

std::vector<Index> sweep_order(const LocalProblem& problem, SweepOrder order, std::uint64_t seed) {
  switch (order) {
    case SweepOrder::forward:
    case SweepOrder::symmetric:
      return {};
    case SweepOrder::permuted:
      return permuted_order(problem.block_count(), seed);
    case SweepOrder::coloured:
      return coloured_order(problem);
  }
  return {};
}

}  // namespace grus
