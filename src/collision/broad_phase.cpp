#include "collision/broad_phase.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "collision/narrow_phase.hpp"
#include "collision/shape_bounds.hpp"
#include "collision/shapes/plane.hpp"
#include "collision/shapes/ring.hpp"
#include "collision/shapes/tube.hpp"
#include "core/grow.hpp"

namespace grus {

namespace {

// Slack of a collider, as a part of the smallest bound radius: how far it may move before the list is made anew.
// Slow bodies get the least; fast ones enough for some steps, up to a bound, because the list grows with its cube.
constexpr Real least_slack = 0.2;
constexpr Real most_slack = 0.6;
constexpr Real slack_steps = 8.0;
constexpr Index entries_per_chunk = 512;

constexpr int cell_bits = 19;
constexpr std::int64_t cell_mask = (std::int64_t{1} << cell_bits) - 1;
constexpr int level_limit = 31;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

PlacedShape placed(const Model& model, std::span<const Pose> X_WC, Index i) {
  return place_collider(model.colliders[at(i)], ShapeGeometry(model), X_WC[at(i)]);
}

// ---------------------------------------------------------------- motion since the list was built

Real turn(const Pose& from, const Pose& to) { return 2.0 * (from.rotation.conjugate() * to.rotation).vec().norm(); }

// Largest change of the distance to an unbounded surface, over the ball that holds all members.
Real surface_motion(const Collider& c, const Pose& from, const Pose& to, const Vec3& centre, Real extent, bool planar) {
  const PlacedShape s0 = place_collider(c, {}, from), s1 = place_collider(c, {}, to);
  if (c.kind == ShapeKind::plane) {
    const Vec3 n0 = plane::normal(s0, planar), n1 = plane::normal(s1, planar);
    return (n1 - n0).norm() * extent + std::abs(plane::height(s1, n1, centre) - plane::height(s0, n0, centre));
  }
  if (c.kind == ShapeKind::tube) {
    const Vec3 d0 = tube::axis(s0), d1 = tube::axis(s1);
    const Vec3 foot0 = tube::offset(s0, d0, centre), foot1 = tube::offset(s1, d1, centre);
    return (foot1 - foot0).norm() + 2.0 * (d1 - d0).norm() * (extent + foot0.norm());
  }
  return (to.position - from.position).norm();
}

Real motion(const NeighbourList& list, const Model& model, const Pose& now, Index i) {
  const Collider& c = model.colliders[at(i)];
  const Pose& before = list.built_at[at(i)];
  if (is_unbounded(c.kind)) return surface_motion(c, before, now, list.centre, list.extent, model.planar);
  const Real radius = turning_radius(c);
  const Real turned = radius > 0.0 ? turn(before, now) * radius : 0.0;
  return (now.position - before.position).norm() + turned;
}

// ---------------------------------------------------------------- the grid

// Cells are counted without end and wrap in the key: a body that got lost far away shares a cell with others, whose
// exact distance tells them apart, and leaves their cells as they are.
std::int64_t cell_coordinate(Real x) {
  constexpr Real limit = 1e18;
  // also sends NaN to a cell: a lost body must not stop the others
  return std::abs(x) < limit ? static_cast<std::int64_t>(std::floor(x)) : 0;
}

std::uint64_t pack(std::int32_t level, std::int64_t x, std::int64_t y, std::int64_t z) {
  const auto wrapped = [](std::int64_t i) { return static_cast<std::uint64_t>(i & cell_mask); };
  return ((static_cast<std::uint64_t>(level) << cell_bits | wrapped(z)) << cell_bits | wrapped(y)) << cell_bits |
         wrapped(x);
}

struct CellPosition {
  std::int64_t x, y, z;
};

CellPosition cell_of(const Grid& grid, std::int32_t level, const Vec3& p) {
  const Vec3 c = (p - grid.low) * grid.levels[at(level)].inverse_cell;
  return {cell_coordinate(c.x()), cell_coordinate(c.y()), cell_coordinate(c.z())};
}

std::size_t hash_slot(std::uint64_t key, std::size_t mask) {
  key *= 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(key >> 32) & mask;
}

Index find_cell(const Grid& grid, std::uint64_t key) {
  const std::size_t mask = grid.table.size() - 1;
  for (std::size_t slot = hash_slot(key, mask);; slot = (slot + 1) & mask) {
    const Index cell = grid.table[slot];
    if (cell == no_index || grid.cell_key[at(cell)] == key) return cell;
  }
}

// Entries ordered by key: least significant digit first, digits that are the same everywhere are skipped.
void sort_by_key(Grid& grid) {
  const std::size_t count = grid.entries.size();
  grid.order.resize(count);
  grid.order_scratch.resize(count);
  for (std::size_t i = 0; i < count; ++i) grid.order[i] = static_cast<std::uint32_t>(i);
  std::uint64_t any = 0, all = ~std::uint64_t{0};
  for (const GridEntry& e : grid.entries) {
    any |= e.key;
    all &= e.key;
  }
  constexpr int digit_bits = 11;
  constexpr std::uint64_t digit_mask = (1u << digit_bits) - 1;
  for (int shift = 0; shift < 64; shift += digit_bits) {
    if ((((any ^ all) >> shift) & digit_mask) == 0) continue;
    std::array<std::uint32_t, digit_mask + 1> begin{};
    for (const GridEntry& e : grid.entries) ++begin[(e.key >> shift) & digit_mask];
    std::uint32_t sum = 0;
    for (std::uint32_t& b : begin) {
      const std::uint32_t n = b;
      b = sum;
      sum += n;
    }
    for (const std::uint32_t i : grid.order)
      grid.order_scratch[begin[(grid.entries[i].key >> shift) & digit_mask]++] = i;
    grid.order.swap(grid.order_scratch);
  }
  grid.sorted.resize(count);
  for (std::size_t i = 0; i < count; ++i) grid.sorted[i] = grid.entries[grid.order[i]];
}

void index_cells(Grid& grid) {
  grid.cell_key.clear();
  grid.cell_begin.clear();
  for (std::size_t i = 0; i < grid.sorted.size(); ++i) {
    if (i > 0 && grid.sorted[i].key == grid.sorted[i - 1].key) continue;
    grid.cell_key.push_back(grid.sorted[i].key);
    grid.cell_begin.push_back(static_cast<Index>(i));
  }
  grid.cell_begin.push_back(static_cast<Index>(grid.sorted.size()));
  std::size_t slots = 16;
  while (slots < 2 * grid.cell_key.size()) slots *= 2;
  assign_with_room(grid.table, slots, no_index);
  for (std::size_t cell = 0; cell < grid.cell_key.size(); ++cell) {
    std::size_t slot = hash_slot(grid.cell_key[cell], slots - 1);
    while (grid.table[slot] != no_index) slot = (slot + 1) & (slots - 1);
    grid.table[slot] = static_cast<Index>(cell);
  }
}

void fill_grid(Grid& grid, const Parallel& parallel) {
  Real largest = 0.0;
  for (const GridEntry& e : grid.entries) largest = std::max(largest, e.r);
  grid.levels.assign(level_limit + 1, GridLevel{});
  for (GridEntry& e : grid.entries) {
    const Real level_of_size = std::log2(std::max(1.0, largest / e.r));
    e.level = static_cast<std::int32_t>(std::min<Real>(level_of_size, level_limit));
    GridLevel& level = grid.levels[at(e.level)];
    level.radius = std::max(level.radius, e.r);
    ++level.count;
  }
  for (GridLevel& level : grid.levels)
    if (level.count > 0) level.inverse_cell = 0.5 / level.radius;
  parallel.each(static_cast<Index>(grid.entries.size()), 4096, [&](Index i) {
    GridEntry& e = grid.entries[at(i)];
    const CellPosition c = cell_of(grid, e.level, e.p);
    e.key = pack(e.level, c.x, c.y, c.z);
  });
  sort_by_key(grid);
  index_cells(grid);
}

// ---------------------------------------------------------------- candidates

struct Candidates {
  const NeighbourList& list;
  const Model& model;
  std::span<const Pose> X_WC;

  bool may_meet(Index i, Index j) const {
    const Index body_i = model.colliders[at(i)].body, body_j = model.colliders[at(j)].body;
    if (body_i == body_j || (model.is_kinematic(body_i) && model.is_kinematic(body_j))) return false;
    return model.excluded_pairs.empty() ||
           !std::binary_search(model.excluded_pairs.begin(), model.excluded_pairs.end(),
                               std::pair(std::min(body_i, body_j), std::max(body_i, body_j)));
  }

  bool bounds_meet(Index i, Index j) const {
    const Bounds &bi = list.bounds[at(i)], &bj = list.bounds[at(j)];
    return (bi.low.array() <= bj.high.array()).all() && (bj.low.array() <= bi.high.array()).all();
  }

  void test(const GridEntry& e, const GridEntry& other, std::vector<ColliderPair>& out) const {
    const Real reach = e.r + other.r;
    if ((e.p - other.p).squaredNorm() > reach * reach) return;
    if (!may_meet(e.collider, other.collider) || !bounds_meet(e.collider, other.collider)) return;
    out.push_back({std::min(e.collider, other.collider), std::max(e.collider, other.collider)});
  }

  void test_cell(const GridEntry& e, std::uint64_t key, std::vector<ColliderPair>& out) const {
    const Grid& grid = list.grid;
    const Index cell = find_cell(grid, key);
    if (cell == no_index) return;
    for (Index k = grid.cell_begin[at(cell)]; k < grid.cell_begin[at(cell) + 1]; ++k) test(e, grid.sorted[at(k)], out);
  }

  // Own level: the rest of the own cell and the half of the cells around it that comes later in the order.
  void test_equals(Index position, std::vector<ColliderPair>& out) const {
    const Grid& grid = list.grid;
    const GridEntry& e = grid.sorted[at(position)];
    for (Index k = position + 1; k < static_cast<Index>(grid.sorted.size()) && grid.sorted[at(k)].key == e.key; ++k)
      test(e, grid.sorted[at(k)], out);
    const CellPosition c = cell_of(grid, e.level, e.p);
    test_cell(e, pack(e.level, c.x + 1, c.y, c.z), out);
    for (std::int64_t x = c.x - 1; x <= c.x + 1; ++x) test_cell(e, pack(e.level, x, c.y + 1, c.z), out);
    if (model.planar) return;
    for (std::int64_t y = c.y - 1; y <= c.y + 1; ++y)
      for (std::int64_t x = c.x - 1; x <= c.x + 1; ++x) test_cell(e, pack(e.level, x, y, c.z + 1), out);
  }

  void test_larger(const GridEntry& e, std::vector<ColliderPair>& out) const {
    const Grid& grid = list.grid;
    for (std::int32_t level = 0; level < e.level; ++level) {
      if (grid.levels[at(level)].count == 0) continue;
      const Vec3 reach = Vec3::Constant(e.r + grid.levels[at(level)].radius);
      const CellPosition low = cell_of(grid, level, e.p - reach), high = cell_of(grid, level, e.p + reach);
      for (std::int64_t z = low.z; z <= high.z; ++z)
        for (std::int64_t y = low.y; y <= high.y; ++y)
          for (std::int64_t x = low.x; x <= high.x; ++x) test_cell(e, pack(level, x, y, z), out);
    }
  }

  // Distance of a bounding sphere to an unbounded surface, without the margins.
  Real wall_distance(const PlacedShape& wall, const Vec3& p, Real radius) const {
    switch (wall.collider->kind) {
      case ShapeKind::plane:
        return plane::height(wall, plane::normal(wall, model.planar), p) - radius;
      case ShapeKind::tube:
        return wall.collider->radius - tube::offset(wall, tube::axis(wall), p).norm() - radius;
      default:
        return wall.collider->radius - ring::offset(wall, p).norm() - radius;
    }
  }

  void test_wall(Index wall, const GridEntry& e, std::vector<ColliderPair>& out) const {
    if (!may_meet(wall, e.collider)) return;
    const Real distance = wall_distance(placed(model, X_WC, wall), e.p, e.r);
    if (distance > list.margin[at(wall)]) return;
    out.push_back({std::min(wall, e.collider), std::max(wall, e.collider)});
  }
};

// Sorts pairs by (a, b): two stable counting passes.
void sort_pairs(std::vector<ColliderPair>& pairs, std::vector<ColliderPair>& scratch, std::vector<Index>& histogram,
                std::size_t colliders) {
  scratch.resize(pairs.size());
  const auto pass = [&](const std::vector<ColliderPair>& from, std::vector<ColliderPair>& to, auto digit) {
    histogram.assign(colliders + 1, 0);
    for (const ColliderPair& p : from) ++histogram[at(digit(p)) + 1];
    for (std::size_t i = 0; i < colliders; ++i) histogram[i + 1] += histogram[i];
    for (const ColliderPair& p : from) to[at(histogram[at(digit(p))]++)] = p;
  };
  pass(pairs, scratch, [](const ColliderPair& p) { return p.b; });
  pass(scratch, pairs, [](const ColliderPair& p) { return p.a; });
}

void collect_members(NeighbourList& list, const Model& model, Index active_count) {
  list.members.clear();
  const auto add = [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      if (model.colliders[at(i)].collides) list.members.push_back(i);
  };
  add(0, model.collider_begin[at(active_count)]);
  add(model.collider_begin[at(model.dynamic_count)], static_cast<Index>(model.colliders.size()));
  list.walls.clear();
  for (const Index i : list.members)
    if (is_unbounded(model.colliders[at(i)].kind)) list.walls.push_back(i);
}

// Motion of a collider per step since the last list; 0 where it was not in it.
Real motion_per_step(const NeighbourList& list, const Model& model, const Pose& now, Index i) {
  const Index body = model.colliders[at(i)].body;
  const bool known =
      list.age > 0 && at(i) < list.built_at.size() && (body < list.active_count || !model.is_dynamic(body));
  return known ? motion(list, model, now, i) / list.age : 0.0;
}

void place_members(NeighbourList& list, const Model& model, std::span<const Pose> X_WC, const ActivationRule& rule,
                   const Parallel& parallel) {
  const std::size_t count = model.colliders.size();
  list.built_at.resize(count);
  list.margin.resize(count);
  list.moved.assign(count, 0.0);
  list.bounds.resize(count);
  const Real unit = model.smallest_bound_radius;
  parallel.each(static_cast<Index>(list.members.size()), 4096, [&](Index m) {
    const Index i = list.members[at(m)];
    const Collider& c = model.colliders[at(i)];
    const Real wanted = slack_steps * motion_per_step(list, model, X_WC[at(i)], i);
    const Real slack = wanted > least_slack * unit ? std::min(wanted, most_slack * unit) : least_slack * unit;
    const Real margin = 0.5 * rule.skin + rule.reach_of(c.body) + slack;
    list.built_at[at(i)] = X_WC[at(i)];
    list.margin[at(i)] = margin;
    if (is_unbounded(c.kind)) return;
    Bounds b = bounds(placed(model, X_WC, i), model.planar);
    b.low.array() -= margin;
    b.high.array() += margin;
    list.bounds[at(i)] = b;
  });
}

}  // namespace

bool covers(NeighbourList& list, const Model& model, std::span<const Pose> X_WC, Index active_count,
            const ActivationRule& rule, std::vector<char>& partial, const Parallel& parallel) {
  if (list.active_count != active_count || list.built_at.size() != model.colliders.size()) return false;
  const auto all_within = [&](Index begin, Index end) -> char {
    bool all = true;
    for (Index m = begin; m < end; ++m) {
      const Index i = list.members[at(m)];
      const Real need = 0.5 * rule.skin + rule.reach_of(model.colliders[at(i)].body);
      const Real moved = motion(list, model, X_WC[at(i)], i);
      list.moved[at(i)] = moved;
      // the part of 1e-9 is for the rounding of distances; NaN is not within
      all = all && moved + need <= list.margin[at(i)] - 1e-9 * model.smallest_bound_radius;
    }
    return all ? 1 : 0;
  };
  return parallel.reduce(static_cast<Index>(list.members.size()), Index{2048}, char{1}, partial, all_within,
                         [](char x, char y) { return static_cast<char>(x & y); }) != 0;
}

void build(NeighbourList& list, const Model& model, std::span<const Pose> X_WC, Index active_count,
           const ActivationRule& rule, const Parallel& parallel) {
  collect_members(list, model, active_count);
  place_members(list, model, X_WC, rule, parallel);
  list.active_count = active_count;
  list.age = 0;

  Grid& grid = list.grid;
  grid.entries.clear();
  grid.low = Vec3::Constant(1e300);
  Vec3 low = Vec3::Constant(1e300), high = Vec3::Constant(-1e300);
  Real largest_margin = 0.0;
  for (const Index i : list.members) {
    const Collider& c = model.colliders[at(i)];
    if (is_unbounded(c.kind)) continue;
    const Real r = c.bound_radius + list.margin[at(i)];
    const Vec3& p = X_WC[at(i)].position;
    grid.entries.push_back({p, r, i, 0, 0});
    grid.low = grid.low.cwiseMin(p.cwiseMax(model.domain_min).cwiseMin(model.domain_max));
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
    largest_margin = std::max(largest_margin, r);
  }
  list.centre = 0.5 * (low + high);
  list.extent = 0.5 * (high - low).norm() + largest_margin;
  fill_grid(grid, parallel);

  const Candidates candidates{list, model, X_WC};
  const Index count = static_cast<Index>(grid.sorted.size());
  const Index chunks = (count + entries_per_chunk - 1) / entries_per_chunk;
  if (list.chunk_pairs.size() < at(chunks)) list.chunk_pairs.resize(at(chunks));
  parallel.each(chunks, 1, [&](Index chunk) {
    std::vector<ColliderPair>& out = list.chunk_pairs[at(chunk)];
    out.clear();
    for (Index k = chunk * entries_per_chunk; k < std::min(count, (chunk + 1) * entries_per_chunk); ++k) {
      const GridEntry& e = grid.sorted[at(k)];
      candidates.test_equals(k, out);
      candidates.test_larger(e, out);
      for (const Index wall : list.walls) candidates.test_wall(wall, e, out);
    }
  });
  list.pairs.clear();
  for (Index chunk = 0; chunk < chunks; ++chunk)
    list.pairs.insert(list.pairs.end(), list.chunk_pairs[at(chunk)].begin(), list.chunk_pairs[at(chunk)].end());
  sort_pairs(list.pairs, list.pair_scratch, list.histogram, model.colliders.size());
}

}  // namespace grus
