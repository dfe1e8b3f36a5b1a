// Contacts of general shapes in a Gauss-Seidel sweep: `wide` pairs of blocks at a time, one per lane of the processor.
//
// A pair is the contacts that follow each other between the same two blocks, at most four. Pairs of a group share no
// block that moves. The velocities and inverse inertias of a group are gathered once, its points relaxed one after the
// other, the velocities scattered once. One pass: two or three over the points while the velocities are at hand were
// measured on a bed of boxes and on rough grains, and save no sweep.
//
// One point, in world axes (no tangents are needed), u = relative velocity:
//
//   r_N' = max(0, r_N - s_N u_N),   u_T' = u_T + W_TN (r_N' - r_N),   r_T' = P(r_T - s_T u_T')
//
// P the projection on the disc of radius mu r_N'. For any s_N, s_T > 0 the fixed points are those of the contact law,
// because s_T is a number, not a matrix: r_T' = r_T on the rim means u_T against r_T. Not the exact solution of the
// point that nlgs_rows.hpp computes, but without branches, and a sweep gets as far: bed of 1000 boxes to 1e-3, 1e-4 in
// 110, 660 sweeps, with the exact one 110, 640; rough grains to 1e-3 in 270, with the exact one 280.
//
//   s_N = 1/(W_NN max(1, 3/4 (1 + k))),  k = mu ||W_TN|| / W_NN;   s_T = 2/tr W_TT
//
// A sliding point at rest in its direction d has r_T = mu r_N d, so r_N contracts by 1 - s_N (W_NN + mu W_TN . d): with
// s_N = 1/W_NN alone it would diverge from k = 1 on.
//
// A point takes 176 bytes, and 16 for the indices of its pair.
#pragma once

#include <vector>

#include "core/parallel.hpp"
#include "solvers/contact_graph.hpp"
#include "solvers/contact_problem.hpp"
#include "solvers/nlgs_rows.hpp"
#include "solvers/wide.hpp"

namespace grus {

inline constexpr Index pair_points = 4;

// One point of each pair of a group; lanes without one are zero.
struct alignas(64) PairPoint {
  Real n[3][wide];
  Real arm_a[3][wide], arm_b[3][wide];
  Real impulse[3][wide];
  Real shift[3][wide];
  Real coupling[3][wide];  // W_TN
  Real step_n[wide], step_t[wide];
  Real friction[wide];
  Real weight[wide];  // tr W_cc / 3
};

struct PairGroup {
  Index a[wide], b[wide];  // blocks; the world for lanes without a pair
  Index first_point;
  Index points;
};

// A pair on its way into a group.
struct PairUnit {
  Index begin;   // into ContactGraph::order
  Index points;  // 1 to pair_points
  Index colour;
};

struct PairLane {
  std::vector<PairGroup> groups;    // strand by strand of the contact graph
  std::vector<PairPoint> points;    // group by group
  std::vector<Index> contact;       // of each lane of each point; no_index: none     [wide * points]
  std::vector<Index> strand_begin;  // into groups                                    [strands + 1]

  // scratch of fill_pair_lane
  std::vector<PairUnit> units, sorted;  // of a strand from its first contact on      [contacts in the graph]
  std::vector<Index> unit_count;        // per strand
  std::vector<Index> point_begin;       // first point of each strand                 [strands + 1]
  std::vector<std::uint64_t> used;      // colours taken, one bit each                [block_count]
};

// Arranges and packs the contacts of LaneOf::pairs. lane_of and impulse (the guess) are by contact; of the blocks, the
// world last, inverse masses and inertias are used.
void fill_pair_lane(const ContactProblem& problem, const ContactGraph& graph, const std::vector<LaneOf>& lane_of,
                    const std::vector<Vec3>& impulse, const std::vector<SpatialBlock>& blocks, PairLane& lane,
                    const Parallel& parallel);

namespace detail {

struct WideVec3 {
  Wide x, y, z;
};

GRUS_WIDE_INLINE WideVec3 load(const Real (&from)[3][wide]) {
  return {load_wide(from[0]), load_wide(from[1]), load_wide(from[2])};
}

GRUS_WIDE_INLINE Wide dot(const WideVec3& a, const WideVec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

GRUS_WIDE_INLINE WideVec3 cross(const WideVec3& a, const WideVec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// SpatialBlock, one block per lane.
struct WideBlock {
  WideVec3 v, omega;
  Wide inverse_mass, j_xx, j_yy, j_zz, j_xy, j_xz, j_yz;
};

// Numbers of a block, and those among them that a sweep changes, rounded up to whole registers.
inline constexpr int block_fields = sizeof(SpatialBlock) / sizeof(Real), changed_fields = 8;

GRUS_WIDE_INLINE WideBlock gather(const SpatialBlock* blocks, const Index (&index)[wide]) {
  Wide f[block_fields];
  for (int begin = 0; begin < block_fields; begin += wide) {
    for (int lane = 0; lane < wide; ++lane)
      f[begin + lane] = load_wide(reinterpret_cast<const Real*>(blocks + index[lane]) + begin);
    transpose(f + begin);
  }
  return {{f[0], f[1], f[2]}, {f[3], f[4], f[5]}, f[6], f[7], f[8], f[9], f[10], f[11], f[12]};
}

GRUS_WIDE_INLINE void scatter_velocity(const WideBlock& from, const Index (&index)[wide], Index world,
                                       SpatialBlock* blocks) {
  SpatialBlock nowhere;  // the world is never written: strands of other threads read it
  Wide f[changed_fields] = {from.v.x,     from.v.y,     from.v.z,          from.omega.x,
                            from.omega.y, from.omega.z, from.inverse_mass, from.j_xx};
  for (int begin = 0; begin < changed_fields; begin += wide) {
    transpose(f + begin);
    for (int lane = 0; lane < wide; ++lane) {
      SpatialBlock* const block = index[lane] == world ? &nowhere : blocks + index[lane];
      store_wide(f[begin + lane], reinterpret_cast<Real*>(block) + begin);
    }
  }
}

// J^-1 x.
GRUS_WIDE_INLINE WideVec3 turned(const WideBlock& block, const WideVec3& x) {
  return {block.j_xx * x.x + block.j_xy * x.y + block.j_xz * x.z,
          block.j_xy * x.x + block.j_yy * x.y + block.j_yz * x.z,
          block.j_xz * x.x + block.j_yz * x.y + block.j_zz * x.z};
}

GRUS_WIDE_INLINE void push(WideBlock& block, const WideVec3& arm, const WideVec3& change) {
  const WideVec3 turn = turned(block, cross(arm, change));
  block.v.x += block.inverse_mass * change.x;
  block.v.y += block.inverse_mass * change.y;
  block.v.z += block.inverse_mass * change.z;
  block.omega.x += turn.x;
  block.omega.y += turn.y;
  block.omega.z += turn.z;
}

GRUS_WIDE_INLINE void relax_point(PairPoint& point, WideBlock& a, WideBlock& b, Wide& increment) {
  const WideVec3 n = load(point.n), old = load(point.impulse), shift = load(point.shift), w = load(point.coupling);
  const WideVec3 arm_a = load(point.arm_a), arm_b = load(point.arm_b);
  const WideVec3 turn_a = cross(a.omega, arm_a), turn_b = cross(b.omega, arm_b);
  const WideVec3 u{(b.v.x - a.v.x + shift.x) + (turn_b.x - turn_a.x), (b.v.y - a.v.y + shift.y) + (turn_b.y - turn_a.y),
                   (b.v.z - a.v.z + shift.z) + (turn_b.z - turn_a.z)};
  const Wide u_n = dot(n, u), old_n = dot(n, old), step_t = load_wide(point.step_t);
  const Wide r_n = positive_part(old_n - load_wide(point.step_n) * u_n), change_n = r_n - old_n;
  // the normal part of r - s_T u, to be taken off
  const Wide off = old_n - step_t * u_n;
  const WideVec3 t{old.x - step_t * (u.x + change_n * w.x) - off * n.x,
                   old.y - step_t * (u.y + change_n * w.y) - off * n.y,
                   old.z - step_t * (u.z + change_n * w.z) - off * n.z};
  const Wide bound = load_wide(point.friction) * r_n, length2 = dot(t, t);
  const Wide scale = length2 > bound * bound ? bound / square_root(length2) : Wide{} + 1.0;
  const WideVec3 impulse{r_n * n.x + scale * t.x, r_n * n.y + scale * t.y, r_n * n.z + scale * t.z};
  store_wide(impulse.x, point.impulse[0]);
  store_wide(impulse.y, point.impulse[1]);
  store_wide(impulse.z, point.impulse[2]);
  const WideVec3 change{impulse.x - old.x, impulse.y - old.y, impulse.z - old.z};
  push(a, arm_a, {-change.x, -change.y, -change.z});
  push(b, arm_b, change);
  increment += load_wide(point.weight) * dot(change, change);
}

}  // namespace detail

// Relaxes a strand; returns its share of the squared increment.
inline Real relax_strand(PairLane& lane, Index strand, SpatialBlock* blocks, Index world) {
  // Asking early for the blocks of the next groups was measured and saves nothing.
  Wide increment{};
  const Index end = lane.strand_begin[strand + 1];
  for (Index g = lane.strand_begin[strand]; g < end; ++g) {
    const PairGroup& group = lane.groups[g];
    detail::WideBlock a = detail::gather(blocks, group.a), b = detail::gather(blocks, group.b);
    PairPoint* const point = lane.points.data() + group.first_point;
    for (Index k = 0; k < group.points; ++k) detail::relax_point(point[k], a, b, increment);
    detail::scatter_velocity(a, group.a, world, blocks);
    detail::scatter_velocity(b, group.b, world, blocks);
  }
  return sum(increment);
}

}  // namespace grus
