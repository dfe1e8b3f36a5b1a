// Which contacts may be relaxed at the same time: greedy colours, and the hub lane.
//
// No two contacts of a colour share a block that moves. Contacts are visited in the given (key) order and take the
// first colour free on both blocks: one pass, one 64-bit mask per block, no dependence on threads. A block with more
// than `hub_limit` contacts (a tool in a bed, a drum) would need a colour per contact: its contacts, and the few that
// find no free colour, form the hub lane, relaxed one after the other in key order, once per sweep. Twice was measured
// on a free plate of 1-20 kg over 2048 contacts of spheres: the sweeps to 1e-3 did not fall, each cost 15-20 % more.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/contact_problem.hpp"

namespace grus {

inline constexpr Index hub_limit = 48;

struct ContactGraph {
  // Contacts colour by colour, then the hub lane; key order within each. Contacts between two immovable sides are
  // in none.
  std::vector<Index> order;
  std::vector<Index> group_begin;  // [colour_count + 2]: the last group is the hub lane (perhaps empty)
  Index colour_count = 0;

  // scratch of colour_contacts
  std::vector<Index> degree;        // [block_count]
  std::vector<std::uint64_t> used;  // colours taken, one bit each    [block_count]
  std::vector<Index> group;         // [contact_count]
};

void colour_contacts(const ContactProblem& problem, ContactGraph& graph);

}  // namespace grus
