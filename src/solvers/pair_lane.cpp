#include "solvers/pair_lane.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "core/grow.hpp"
#include "core/stages.hpp"
#include "solvers/delassus.hpp"

namespace grus {
namespace {

// Pairs that find none of 64 colours free form a group each.
constexpr Index pair_colours = 64;

struct PairArranger {
  const ContactProblem& problem;
  const ContactGraph& graph;
  const std::vector<LaneOf>& lane_of;
  PairLane& lane;

  Index block_a(Index place) const { return problem.block_a[graph.order[place]]; }
  Index block_b(Index place) const { return problem.block_b[graph.order[place]]; }

  bool chosen(Index place) const { return lane_of[graph.order[place]] == LaneOf::pairs; }

  Index list_units(Index strand) {
    const Index begin = graph.strand_begin[strand], end = graph.strand_begin[strand + 1];
    Index count = begin;
    for (Index i = begin; i < end;) {
      if (!chosen(i)) {
        ++i;
        continue;
      }
      Index last = i + 1;
      while (last < end && last - i < pair_points && chosen(last) && block_a(last) == block_a(i) &&
             block_b(last) == block_b(i))
        ++last;
      lane.units[count++] = {i, last - i, 0};
      i = last;
    }
    return count - begin;
  }

  // Greedy colours in the order of the strand: pairs of a colour share no block that moves.
  void colour_units(Index begin, Index end) {
    const auto each_block = [&](const PairUnit& unit, const auto& visit) {
      for (const Index block : {block_a(unit.begin), block_b(unit.begin)})
        if (block_moves(problem, block)) visit(lane.used[block]);
    };
    for (Index i = begin; i < end; ++i) each_block(lane.units[i], [](std::uint64_t& used) { used = 0; });
    for (Index i = begin; i < end; ++i) {
      PairUnit& unit = lane.units[i];
      std::uint64_t taken = 0;
      each_block(unit, [&](std::uint64_t used) { taken |= used; });
      unit.colour = std::countr_one(taken);
      if (unit.colour == pair_colours) continue;
      each_block(unit, [&](std::uint64_t& used) { used |= std::uint64_t{1} << unit.colour; });
    }
  }

  // By colour, then long pairs first: lanes of a group then have about as many points each. Stable.
  void sort_units(Index begin, Index end) {
    const auto bin = [](const PairUnit& unit) { return unit.colour * pair_points + pair_points - unit.points; };
    std::array<Index, (pair_colours + 1) * pair_points + 1> place{};
    for (Index i = begin; i < end; ++i) ++place[static_cast<std::size_t>(bin(lane.units[i]) + 1)];
    Index first = begin;
    for (Index& p : place) first = p += first;
    for (Index i = begin; i < end; ++i) {
      const PairUnit& unit = lane.units[i];
      lane.sorted[place[static_cast<std::size_t>(bin(unit))]++] = unit;
    }
  }

  // f(first, last) for the units of each group of a strand.
  template <class F>
  void each_group(Index strand, const F& f) const {
    const Index begin = graph.strand_begin[strand], end = begin + lane.unit_count[strand];
    for (Index i = begin; i < end;) {
      const Index colour = lane.sorted[i].colour, longest = colour == pair_colours ? 1 : wide;
      Index last = i + 1;
      while (last < end && last - i < longest && lane.sorted[last].colour == colour) ++last;
      f(i, last);
      i = last;
    }
  }

  void arrange(Index strand) {
    const Index begin = graph.strand_begin[strand], count = list_units(strand);
    lane.unit_count[strand] = count;
    colour_units(begin, begin + count);
    sort_units(begin, begin + count);
    Index groups = 0, points = 0;
    each_group(strand, [&](Index first, Index) {
      ++groups;
      points += lane.sorted[first].points;  // the longest
    });
    lane.strand_begin[strand + 1] = groups;
    lane.point_begin[strand + 1] = points;
  }
};

void store_lane(const Vec3& x, Real (&to)[3][wide], Index lane) {
  for (int i = 0; i < 3; ++i) to[i][lane] = x[i];
}

// What is given. The rest follows by complete_point() for all lanes at once.
void pack_point(const ContactProblem& problem, Index contact, const Vec3& impulse, PairPoint& point, Index lane) {
  const ContactFrame frame = contact_frame(problem, contact);
  store_lane(frame.n, point.n, lane);
  store_lane(problem.arm_a[contact], point.arm_a, lane);
  store_lane(problem.arm_b[contact], point.arm_b, lane);
  store_lane(to_world(frame, impulse), point.impulse, lane);
  store_lane(to_world(frame, folded_shift(problem, frame, contact)), point.shift, lane);
  point.friction[lane] = problem.friction[contact];
}

// Adds W x of one side.
GRUS_WIDE_INLINE void add_side(const detail::WideBlock& block, const detail::WideVec3& arm, const detail::WideVec3& x,
                               detail::WideVec3& y) {
  const detail::WideVec3 turn = detail::cross(detail::turned(block, detail::cross(arm, x)), arm);
  y.x += block.inverse_mass * x.x + turn.x;
  y.y += block.inverse_mass * x.y + turn.y;
  y.z += block.inverse_mass * x.z + turn.z;
}

// tr W of one side.
GRUS_WIDE_INLINE Wide side_trace(const detail::WideBlock& block, const detail::WideVec3& arm) {
  return 3.0 * block.inverse_mass + detail::dot(arm, arm) * (block.j_xx + block.j_yy + block.j_zz) -
         detail::dot(arm, detail::turned(block, arm));
}

// Coupling, steps and weight, from the blocks. Lanes without a contact stay zero.
GRUS_WIDE_INLINE void complete_point(const detail::WideBlock& a, const detail::WideBlock& b, PairPoint& point) {
  const detail::WideVec3 n = detail::load(point.n), arm_a = detail::load(point.arm_a),
                         arm_b = detail::load(point.arm_b);
  detail::WideVec3 w{};
  add_side(a, arm_a, n, w);
  add_side(b, arm_b, n, w);
  const Wide w_n = detail::dot(n, w), trace = side_trace(a, arm_a) + side_trace(b, arm_b), w_t = trace - w_n;
  w.x -= w_n * n.x;
  w.y -= w_n * n.y;
  w.z -= w_n * n.z;
  const Wide tilted = 0.75 * (w_n + load_wide(point.friction) * square_root(detail::dot(w, w)));
  const Wide stiffness = tilted > w_n ? tilted : w_n;
  store_wide(w.x, point.coupling[0]);
  store_wide(w.y, point.coupling[1]);
  store_wide(w.z, point.coupling[2]);
  store_wide(stiffness > 0.0 ? 1.0 / stiffness : Wide{}, point.step_n);
  store_wide(w_t > 0.0 ? 2.0 / w_t : Wide{}, point.step_t);
  store_wide(trace / 3.0, point.weight);
}

void pack_strand(const PairArranger& arranger, Index strand, const std::vector<Vec3>& impulse,
                 const SpatialBlock* blocks) {
  const ContactProblem& problem = arranger.problem;
  PairLane& lane = arranger.lane;
  Index g = lane.strand_begin[strand], point = lane.point_begin[strand];
  arranger.each_group(strand, [&](Index first, Index last) {
    PairGroup& group = lane.groups[g++];
    group.first_point = point;
    group.points = lane.sorted[first].points;
    std::fill_n(lane.points.begin() + point, group.points, PairPoint{});
    std::fill_n(lane.contact.begin() + point * wide, group.points * wide, no_index);
    std::fill(group.a, group.a + wide, problem.block_count);
    std::fill(group.b, group.b + wide, problem.block_count);
    for (Index i = first; i < last; ++i) {
      const PairUnit& unit = lane.sorted[i];
      const Index in_group = i - first;
      const auto mover = [&](Index block) { return block_moves(problem, block) ? block : problem.block_count; };
      group.a[in_group] = mover(arranger.block_a(unit.begin));
      group.b[in_group] = mover(arranger.block_b(unit.begin));
      for (Index k = 0; k < unit.points; ++k) {
        const Index contact = arranger.graph.order[unit.begin + k];
        lane.contact[(point + k) * wide + in_group] = contact;
        pack_point(problem, contact, impulse[contact], lane.points[point + k], in_group);
      }
    }
    const detail::WideBlock a = detail::gather(blocks, group.a), b = detail::gather(blocks, group.b);
    for (Index k = 0; k < group.points; ++k) complete_point(a, b, lane.points[point + k]);
    point += group.points;
  });
}

}  // namespace

void fill_pair_lane(const ContactProblem& problem, const ContactGraph& graph, const std::vector<LaneOf>& lane_of,
                    const std::vector<Vec3>& impulse, const std::vector<SpatialBlock>& blocks, PairLane& lane,
                    const Parallel& parallel) {
  const Index strands = graph.strand_count();
  resize_with_room(lane.units, graph.order.size());
  resize_with_room(lane.sorted, graph.order.size());
  resize_with_room(lane.used, static_cast<std::size_t>(problem.block_count));
  resize_with_room(lane.unit_count, static_cast<std::size_t>(strands));
  assign_with_room(lane.strand_begin, static_cast<std::size_t>(strands) + 1, Index{0});
  assign_with_room(lane.point_begin, static_cast<std::size_t>(strands) + 1, Index{0});
  PairArranger arranger{problem, graph, lane_of, lane};
  // strands of one phase share no block, so the colours of a block belong to one of them at a time
  each_in_stages(parallel, graph.phase_begin, [&](Index s) { arranger.arrange(s); });
  for (Index s = 0; s < strands; ++s) {
    lane.strand_begin[s + 1] += lane.strand_begin[s];
    lane.point_begin[s + 1] += lane.point_begin[s];
  }
  resize_with_room(lane.groups, static_cast<std::size_t>(lane.strand_begin[strands]));
  resize_with_room(lane.points, static_cast<std::size_t>(lane.point_begin[strands]));
  resize_with_room(lane.contact, lane.points.size() * wide);
  parallel.each(strands, 1, [&](Index s) { pack_strand(arranger, s, impulse, blocks.data()); });
}

}  // namespace grus
