#include "solvers/contact_graph.hpp"

#include <algorithm>
#include <bit>

#include "core/grow.hpp"
#include "solvers/delassus.hpp"

namespace grus {
namespace {

constexpr Index colour_limit = 64;

// Bins are numbered: clusters, then colours, then the hub lane.
struct Bins {
  Index clusters = 0;
  Index colour(Index c) const { return clusters + c; }  // c = colour_limit: the hub lane
  Index count() const { return clusters + colour_limit + 1; }
};

// A block that cannot move couples nothing: the world for our purpose.
Index mover(const ContactProblem& problem, Index block) { return block_moves(problem, block) ? block : no_index; }

// The cluster a contact lies in, or no_index when it joins two.
Index common_cluster(const ContactProblem& problem, Index a, Index b) {
  if (problem.cluster.empty()) return no_index;
  if (a == no_index) return problem.cluster[b];
  if (b == no_index || problem.cluster[a] == problem.cluster[b]) return problem.cluster[a];
  return no_index;
}

// Contacts of a pair follow each other and have one colour.
bool same_pair_as_before(const ContactProblem& problem, Index c) {
  return c > 0 && problem.block_a[c] == problem.block_a[c - 1] && problem.block_b[c] == problem.block_b[c - 1];
}

void choose_clusters(const ContactProblem& problem, ContactGraph& graph) {
  graph.tail.clear();
  for (Index c = 0; c < problem.contact_count; ++c) {
    if (touches_dense(problem, c)) {
      graph.tail.push_back(c);
      continue;
    }
    const Index a = mover(problem, problem.block_a[c]), b = mover(problem, problem.block_b[c]);
    if (a == no_index && b == no_index) continue;
    graph.bin[c] = common_cluster(problem, a, b);
    if (graph.bin[c] != no_index || same_pair_as_before(problem, c)) continue;
    if (a != no_index) ++graph.degree[a];
    if (b != no_index) ++graph.degree[b];
  }
}

void choose_colours(const ContactProblem& problem, const Bins& bins, ContactGraph& graph) {
  for (Index c = 0; c < problem.contact_count; ++c) {
    const Index a = mover(problem, problem.block_a[c]), b = mover(problem, problem.block_b[c]);
    if (graph.bin[c] != no_index || (a == no_index && b == no_index) || touches_dense(problem, c)) continue;
    if (same_pair_as_before(problem, c)) {
      graph.bin[c] = graph.bin[c - 1];
      continue;
    }
    const bool hub = (a != no_index && graph.degree[a] > hub_limit) || (b != no_index && graph.degree[b] > hub_limit);
    const std::uint64_t taken =
        (a != no_index ? graph.used[a] : 0) | (b != no_index ? graph.used[b] : 0) | (hub ? ~std::uint64_t{0} : 0);
    const Index colour = std::countr_one(taken);  // colour_limit, the hub lane, when none is free
    if (colour < colour_limit) {
      const std::uint64_t bit = std::uint64_t{1} << colour;
      if (a != no_index) graph.used[a] |= bit;
      if (b != no_index) graph.used[b] |= bit;
    }
    graph.bin[c] = bins.colour(colour);
  }
}

// Counting sort of the contacts by bin.
void sort_by_bin(const ContactProblem& problem, const Bins& bins, ContactGraph& graph) {
  assign_with_room(graph.bin_begin, static_cast<std::size_t>(bins.count()) + 1, Index{0});
  for (Index c = 0; c < problem.contact_count; ++c)
    if (graph.bin[c] != no_index) ++graph.bin_begin[graph.bin[c] + 1];
  for (Index b = 0; b < bins.count(); ++b) graph.bin_begin[b + 1] += graph.bin_begin[b];
  graph.order.resize(static_cast<std::size_t>(graph.bin_begin[bins.count()]));
  for (Index c = 0; c < problem.contact_count; ++c)
    if (graph.bin[c] != no_index) graph.order[graph.bin_begin[graph.bin[c]]++] = c;
  // The sort has moved every beginning to the end of its bin.
  for (Index b = bins.count(); b > 0; --b) graph.bin_begin[b] = graph.bin_begin[b - 1];
  graph.bin_begin[0] = 0;
}

}  // namespace

void order_contacts(const ContactProblem& problem, ContactGraph& graph) {
  const auto blocks = static_cast<std::size_t>(problem.block_count);
  graph.degree.assign(blocks, 0);
  graph.used.assign(blocks, 0);
  assign_with_room(graph.bin, static_cast<std::size_t>(problem.contact_count), no_index);
  Bins bins;
  for (const Index cluster : problem.cluster) bins.clusters = std::max(bins.clusters, cluster + 1);
  choose_clusters(problem, graph);
  choose_colours(problem, bins, graph);
  sort_by_bin(problem, bins, graph);

  graph.strand_begin.clear();
  graph.phase_begin.clear();
  const auto begin_phase = [&] { graph.phase_begin.push_back(static_cast<Index>(graph.strand_begin.size())); };
  const auto add_strands = [&](Index bin, Index longest) {
    const Index end = graph.bin_begin[bin + 1];
    for (Index i = graph.bin_begin[bin]; i < end;) {
      graph.strand_begin.push_back(i);
      i = std::min(end, i + longest);
      while (i < end && same_pair_as_before(problem, graph.order[i])) ++i;
    }
  };
  const Index whole = std::max<Index>(problem.contact_count, 1);
  begin_phase();
  for (Index k = 0; k < bins.clusters; ++k) add_strands(k, whole);
  for (Index c = 0; c < colour_limit; ++c) {
    begin_phase();
    add_strands(bins.colour(c), colour_strand);
    // Colours are taken from the first on: an empty one is the last.
    if (graph.phase_begin.back() == static_cast<Index>(graph.strand_begin.size())) break;
  }
  begin_phase();
  add_strands(bins.colour(colour_limit), whole);
  begin_phase();
  graph.strand_begin.push_back(static_cast<Index>(graph.order.size()));
}

}  // namespace grus
