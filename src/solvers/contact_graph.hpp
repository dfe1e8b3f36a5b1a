// In which order a sweep visits the contacts, and which of them may be relaxed at the same time.
//
// A sweep is a list of phases, a phase a list of strands, a strand a list of contacts. Strands of one phase share no
// block that moves: they run in parallel, each in its own order, and the result does not depend on threads.
//   1 clusters   contacts inside one cluster of blocks (ContactProblem::cluster) or between it and the world; a strand
//                is a cluster. Its blocks stay in the cache for all their contacts: with colours alone every colour
//                passes over all blocks, which from 50 000 bodies on costs twice the time.
//   2 colours    contacts between clusters, by greedy colours: pairs of blocks in key order take the first colour free
//   on
//                both (one 64-bit mask per block); a strand is a piece of a colour that cuts no pair.
//   3 hub lane   blocks with more than `hub_limit` pairs left (a tool in a bed, a drum) would need a colour per
//                pair: their contacts, and the few that find no free colour, are relaxed one after the other, once
//                per sweep. Twice was measured on a free plate of 1-20 kg over 2048 contacts of spheres: the sweeps to
//                1e-3 did not fall, each cost 15-20 % more.
// Contacts on dense blocks (mechanisms) are in none of these: they follow as the tail (dense_rows.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/contact_problem.hpp"

namespace grus {

inline constexpr Index hub_limit = 48;
// Contacts of a colour that one thread relaxes in one go.
inline constexpr Index colour_strand = 128;

struct ContactGraph {
  // Contacts strand by strand; key order within each. Contacts between two immovable sides are in none.
  std::vector<Index> order;
  std::vector<Index> strand_begin;  // into order, [strands + 1]
  std::vector<Index> phase_begin;   // into strands, [phases + 1]: clusters, colours, hub lane

  std::vector<Index> tail;  // contacts on dense blocks, in key order

  Index strand_count() const { return static_cast<Index>(strand_begin.size()) - 1; }
  Index phase_count() const { return static_cast<Index>(phase_begin.size()) - 1; }

  // scratch of order_contacts
  std::vector<Index> degree;        // pairs that are in no cluster       [block_count]
  std::vector<std::uint64_t> used;  // colours taken, one bit each        [block_count]
  std::vector<Index> bin;           // cluster, then colour, then hub     [contact_count]
  std::vector<Index> bin_begin;     // [clusters + 66]
};

void order_contacts(const ContactProblem& problem, ContactGraph& graph);

}  // namespace grus
