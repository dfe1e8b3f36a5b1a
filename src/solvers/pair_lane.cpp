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

// W n summed over the sides, world axes.
Vec3 delassus_times_normal(const ContactProblem& problem, Index contact) {
  const Vec3& n = problem.normal[contact];
  Vec3 y = Vec3::Zero();
  const auto add_side = [&](Index block, const Vec3& arm) {
    if (block == no_index) return;
    const Vec3 turn = problem.inverse_inertia[block] * Vec3(arm.cross(n));
    y += problem.inverse_mass[block] * n + turn.cross(arm);
  };
  add_side(problem.block_a[contact], problem.arm_a[contact]);
  add_side(problem.block_b[contact], problem.arm_b[contact]);
  return y;
}

void store_lane(const Vec3& x, Real (&to)[3][wide], Index lane) {
  for (int i = 0; i < 3; ++i) to[i][lane] = x[i];
}

void pack_point(const ContactProblem& problem, Index contact, const Vec3& impulse, PairPoint& point, Index lane) {
  const ContactFrame frame = contact_frame(problem, contact);
  const Vec3 y = delassus_times_normal(problem, contact);
  const Real trace = local_trace(problem, contact), w_n = frame.n.dot(y);
  const Vec3 coupling = y - w_n * frame.n;
  const Real friction = problem.friction[contact], tilt = friction * coupling.norm() / w_n;
  store_lane(frame.n, point.n, lane);
  store_lane(problem.arm_a[contact], point.arm_a, lane);
  store_lane(problem.arm_b[contact], point.arm_b, lane);
  store_lane(to_world(frame, impulse), point.impulse, lane);
  store_lane(to_world(frame, folded_shift(problem, frame, contact)), point.shift, lane);
  store_lane(coupling, point.coupling, lane);
  point.step_n[lane] = 1.0 / (w_n * std::max(1.0, 0.75 * (1.0 + tilt)));
  point.step_t[lane] = 2.0 / (trace - w_n);
  point.friction[lane] = friction;
  point.weight[lane] = trace / 3.0;
}

void pack_strand(const PairArranger& arranger, Index strand, const std::vector<Vec3>& impulse) {
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
    point += group.points;
  });
}

}  // namespace

void fill_pair_lane(const ContactProblem& problem, const ContactGraph& graph, const std::vector<LaneOf>& lane_of,
                    const std::vector<Vec3>& impulse, PairLane& lane, const Parallel& parallel) {
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
  parallel.each(strands, 1, [&](Index s) { pack_strand(arranger, s, impulse); });
}

}  // namespace grus
