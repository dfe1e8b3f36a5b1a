#include "collision/detect.hpp"

#include <algorithm>
#include <cmath>

#include "collision/narrow_phase.hpp"
#include "core/grow.hpp"

namespace grus {

namespace {

constexpr Index pairs_per_chunk = 512;

// Of the size of a pair: far above the rounding of its distance, and nothing beside the motion in a step.
constexpr Real room_slack = 1e-8;
constexpr Real no_room = -1e300;

void place_colliders(const Model& model, std::span<const Pose> pose_W, Index active_count, std::vector<Pose>& X_WC,
                     const Parallel& parallel) {
  X_WC.resize(model.colliders.size());
  const auto place_one = [&](Index i) {
    const Collider& c = model.colliders[i];
    const Pose& X_WB = pose_W[c.body];
    X_WC[i] = {X_WB.position + X_WB.rotation * c.p_BC, X_WB.rotation * c.R_BC};
  };
  const Index kinematic = model.collider_begin[model.dynamic_count];
  parallel.each(model.collider_begin[active_count], 4096, place_one);
  parallel.each(static_cast<Index>(model.colliders.size()) - kinematic, 4096,
                [&](Index i) { place_one(kinematic + i); });
}

// What the narrow phase keeps of pairs of a list, where the scene has polyhedra: spans over the pairs, or empty.
struct KeptPairs {
  std::span<PairMemory> memory;
  std::span<Real> room;
  std::span<const Real> need, moved;  // per collider
};

struct NarrowStage {
  const Model& model;
  std::span<const Pose> X_WC;
  const ActivationRule& rule;
  std::span<const ColliderPair> pairs;
  KeptPairs kept;

  Real max_gap(const PairLaw& law, Index body_a, Index body_b) const {
    if (law.kind == ContactLawKind::newton) return 0.0;
    return rule.skin + rule.reach_of(body_a) + rule.reach_of(body_b);
  }

  // Has the pair no room yet to come into contact?
  bool is_far(Index k) const {
    return !kept.room.empty() && kept.need[pairs[k].a] + kept.need[pairs[k].b] + rule.skin < kept.room[k];
  }

  // The shapes of pair k are no nearer than this.
  void set_room(Index k, Real distance, Real size) const {
    if (kept.room.empty()) return;
    const auto [i, j] = pairs[k];
    kept.room[k] = distance - room_slack * size - kept.moved[i] - kept.moved[j];
  }

  // Contacts of pairs [begin, end) in order of their keys; returns how many pairs touch.
  Index run(Index begin, Index end, std::vector<ContactPoint>& out) const {
    Index touching = 0;
    Manifold manifold;
    const ShapeGeometry geometry(model);
    for (Index k = begin; k < end; ++k) {
      if (is_far(k)) continue;
      const auto [i, j] = pairs[k];
      const Collider &a = model.colliders[i], &b = model.colliders[j];
      const Pose &X_a = X_WC[i], &X_b = X_WC[j];
      const Index law = a.material * model.material_count + b.material;
      const Real limit = max_gap(model.pair_laws[law], a.body, b.body);
      const Real size = a.bound_radius + b.bound_radius, reach = size + limit;
      const Real distance2 = (X_a.position - X_b.position).squaredNorm();
      if (distance2 > reach * reach) {
        set_room(k, std::sqrt(distance2) - size, size);
        continue;
      }
      PairMemory* const memory = kept.memory.empty() ? nullptr : &kept.memory[k];
      if (memory) memory->apart_by = 0.0;
      collide(place_collider(a, geometry, X_a), place_collider(b, geometry, X_b), model.planar, limit, manifold,
              memory);
      if (manifold.count == 0) {
        if (memory) set_room(k, memory->apart_by, size);
        continue;
      }
      if (memory) kept.room[k] = no_room;
      for (const ManifoldPoint& p : manifold)
        out.push_back({{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), p.feature},
                       a.body,
                       b.body,
                       p.position,
                       p.normal,
                       p.gap,
                       law});
      ++touching;
    }
    return touching;
  }
};

// Many threads: fixed chunks, joined in order. The result is that of one run over all pairs.
Index run_in_chunks(const NarrowStage& stage, CollisionScratch& scratch, std::vector<ContactPoint>& contacts,
                    const Parallel& parallel) {
  const Index count = static_cast<Index>(stage.pairs.size());
  const Index chunks = (count + pairs_per_chunk - 1) / pairs_per_chunk;
  if (static_cast<Index>(scratch.chunk_contacts.size()) < chunks) scratch.chunk_contacts.resize(chunks);
  scratch.chunk_pairs.resize(chunks);
  parallel.each(chunks, 1, [&](Index c) {
    scratch.chunk_contacts[c].clear();
    scratch.chunk_pairs[c] =
        stage.run(c * pairs_per_chunk, std::min(count, (c + 1) * pairs_per_chunk), scratch.chunk_contacts[c]);
  });
  Index touching = 0;
  for (Index c = 0; c < chunks; ++c) {
    contacts.insert(contacts.end(), scratch.chunk_contacts[c].begin(), scratch.chunk_contacts[c].end());
    touching += scratch.chunk_pairs[c];
  }
  return touching;
}

// A new list, with what the old one knew of pairs that are in both.
void renew_list(const Model& model, Index active_count, const ActivationRule& rule, CollisionScratch& scratch,
                const Parallel& parallel) {
  NeighbourList& list = scratch.list;
  scratch.pairs_before.swap(list.pairs);
  scratch.memory_before.swap(scratch.memory);
  scratch.room_before.swap(scratch.room);
  const bool of_these_bodies = list.active_count == active_count;
  for (std::size_t k = 0; k < scratch.room_before.size(); ++k) {
    // from now on motion counts from here
    const auto [i, j] = scratch.pairs_before[k];
    scratch.room_before[k] = of_these_bodies ? scratch.room_before[k] - list.moved[i] - list.moved[j] : no_room;
  }
  build(list, model, scratch.X_WC, active_count, rule, parallel);
  scratch.memory.clear();
  scratch.room.clear();
  if (model.polyhedra.empty()) return;
  const std::vector<ColliderPair>& pairs = list.pairs;
  assign_with_room(scratch.memory, pairs.size(), PairMemory{});
  assign_with_room(scratch.room, pairs.size(), no_room);
  std::size_t old = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    while (old < scratch.memory_before.size() && scratch.pairs_before[old] < pairs[k]) ++old;
    if (old == scratch.memory_before.size()) break;
    if (scratch.pairs_before[old] != pairs[k]) continue;
    scratch.memory[k] = scratch.memory_before[old];
    scratch.room[k] = scratch.room_before[old];
  }
}

void add_needs(const Model& model, const ActivationRule& rule, CollisionScratch& scratch) {
  scratch.need.resize(model.colliders.size());
  for (const Index i : scratch.list.members)
    scratch.need[i] = scratch.list.moved[i] + rule.reach_of(model.colliders[i].body);
}

}  // namespace

DetectReport detect(const Model& model, std::span<const Pose> pose_W, Index active_count, const ActivationRule& rule,
                    CollisionScratch& scratch, std::vector<ContactPoint>& contacts, const Parallel& parallel) {
  DetectReport report;
  place_colliders(model, pose_W, active_count, scratch.X_WC, parallel);
  ++scratch.list.age;
  report.rebuilt = !covers(scratch.list, model, scratch.X_WC, active_count, rule, scratch.partial, parallel);
  if (report.rebuilt) renew_list(model, active_count, rule, scratch, parallel);
  report.candidate_count = static_cast<Index>(scratch.list.pairs.size());

  // pairs are sorted and the points of a pair too, so the contacts come out in the order of their keys
  contacts.clear();
  const bool keeps = !scratch.memory.empty();
  if (keeps) add_needs(model, rule, scratch);
  const NarrowStage stage{
      model, scratch.X_WC, rule, scratch.list.pairs,
      keeps ? KeptPairs{scratch.memory, scratch.room, scratch.need, scratch.list.moved} : KeptPairs{}};
  report.pair_count = parallel.threads() == 1 ? stage.run(0, report.candidate_count, contacts)
                                              : run_in_chunks(stage, scratch, contacts, parallel);
  return report;
}

}  // namespace grus
