// The broad phase: which colliders may touch in this step, kept as a neighbour list over many steps.
//
// Bounded colliders lie in a hierarchical uniform grid. Level l holds effective radii
//   R/2^(l+1) < r <= R/2^l      (R: the largest; r: bound radius + margin)
// in cells of twice the largest radius of the level, so a collider meets its equals in the cells around its
// own and larger ones in a few cells of each coarser level: linear cost for any spread of sizes. Unbounded ones
// (plane, tube, ring) are tested against every active collider by the distance of its bounding sphere.
//
// Neighbour list: with margins m_i and motions d_i since it was built (translation of the collider's origin plus
// turn times bound radius), every pair closer than  skin + reach_a + reach_b  is in the list while
//   d_i + reach_i + skin/2 <= m_i   for all i.
// The list is a cache of cost, not of results: the narrow phase judges each pair by its exact gap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collision/placed_shape.hpp"
#include "core/parallel.hpp"

namespace grus {

struct ColliderPair {
  Index a = 0, b = 0;  // a < b
  auto operator<=>(const ColliderPair&) const = default;
};

// When a pair takes part. Newton's law: gap <= 0. Gap law: gap <= skin + reach_a + reach_b.
struct ActivationRule {
  Real skin = 0.0;              // m
  std::span<const Real> reach;  // m, per body: how far it may travel in the step; empty: zero

  Real reach_of(Index body) const { return reach.empty() ? 0.0 : reach[static_cast<std::size_t>(body)]; }
};

// One collider in the grid.
struct GridEntry {
  Vec3 p;  // m
  Real r;  // m, effective
  Index collider;
  std::int32_t level;
  std::uint64_t key;  // level and cell, wrapped
};

struct GridLevel {
  Real radius = 0.0;        // largest effective radius, m
  Real inverse_cell = 0.0;  // 1/m
  Index count = 0;
};

struct Grid {
  std::vector<GridEntry> entries, sorted;
  std::vector<std::uint32_t> order, order_scratch;
  std::vector<GridLevel> levels;
  Vec3 low = Vec3::Zero();  // corner of cell 0: of the members inside the domain, so that most keys are short
  std::vector<std::uint64_t> cell_key;
  std::vector<Index> cell_begin;  // [cells + 1], into sorted
  std::vector<Index> table;       // hash of the key -> cell, no_index: empty
};

struct NeighbourList {
  std::vector<ColliderPair> pairs;  // sorted
  std::vector<Index> members;       // colliders that take part, rising
  std::vector<Index> walls;         // those without bounds
  Index active_count = no_index;    // dynamic bodies it was built for
  Index age = 0;                    // steps since it was built

  std::vector<Pose> built_at;  // X_WC, [colliders]
  std::vector<Real> margin;    // m, [colliders]
  std::vector<Real> moved;     // m, no point of the collider has moved farther since        [colliders]
  Vec3 centre = Vec3::Zero();  // ball that held all members, for the motion of unbounded shapes
  Real extent = 0.0;           // m

  Grid grid;
  std::vector<Bounds> bounds;                          // [colliders]
  std::vector<std::vector<ColliderPair>> chunk_pairs;  // per fixed chunk
  std::vector<ColliderPair> pair_scratch;
  std::vector<Index> histogram;
};

// X_WC: pose of every collider; those of bodies not yet released are not read. When the list is one of these bodies,
// `list.moved` is brought up to date.
bool covers(NeighbourList& list, const Model& model, std::span<const Pose> X_WC, Index active_count,
            const ActivationRule& rule, std::vector<char>& partial, const Parallel& parallel);
// Makes the list anew. Bodies that moved far per step since the last time get more slack.
void build(NeighbourList& list, const Model& model, std::span<const Pose> X_WC, Index active_count,
           const ActivationRule& rule, const Parallel& parallel);

}  // namespace grus
