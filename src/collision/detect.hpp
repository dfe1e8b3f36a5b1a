// Contact detection of one step: broad phase, narrow phase, contacts sorted by key.
#pragma once

#include <span>
#include <vector>

#include "collision/broad_phase.hpp"
#include "collision/contact_point.hpp"
#include "collision/pair_memory.hpp"

namespace grus {

// Disposable: a fresh one gives the same contacts, bit for bit. Belongs to one Model.
struct CollisionScratch {
  std::vector<Pose> X_WC;  // [colliders]
  NeighbourList list;
  std::vector<PairMemory> memory;  // [list.pairs] in scenes with polyhedra, else empty
  // m, with memories: the pair stays without contact while  moved_a + reach_a + moved_b + reach_b + skin < room,
  // moved as in the list; most pairs of a bed at rest need no other look                                 [list.pairs]
  std::vector<Real> room;
  std::vector<Real> need;  // m, moved + reach                                                          [colliders]
  // of the list before this one, while it is replaced
  std::vector<PairMemory> memory_before;
  std::vector<Real> room_before;
  std::vector<ColliderPair> pairs_before;
  std::vector<std::vector<ContactPoint>> chunk_contacts;  // per fixed chunk of pairs
  std::vector<Index> chunk_pairs;                         // touching pairs per chunk
  std::vector<char> partial;
};

struct DetectReport {
  Index candidate_count = 0;  // pairs in the neighbour list
  Index pair_count = 0;       // pairs with at least one contact point
  bool rebuilt = false;       // the neighbour list was made anew
};

// pose_W: X_WB of every body at q_m. Bodies in [active_count, dynamic_count) are left out.
DetectReport detect(const Model& model, std::span<const Pose> pose_W, Index active_count, const ActivationRule& rule,
                    CollisionScratch& scratch, std::vector<ContactPoint>& contacts, const Parallel& parallel);

}  // namespace grus
