// What one contact needs in a Gauss-Seidel sweep, packed in the order of the sweep, and its relaxation.
//
// A sweep is bound by the bytes it moves: frame, arms, W_cc and impulse are streamed, cross products recomputed, and H
// and A^-1 H never stored (576 bytes per contact in space). Here a contact of spheres takes 128 bytes, any other in
// space 208 (176 in pair_lane.hpp), in the plane 120; a block 128 bytes, of which spheres touch the first 64.
//
// relax() returns ||r_new - r_old||^2 tr W_cc/dim, the contact's share of the squared increment in the norm of
// residual.hpp.
//
// Sides that cannot move are folded into the shift and become the world: block number `world` of the block array, which
// is at rest and never written, so that contacts of one colour may share it.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/delassus.hpp"
#include "solvers/local/diagonal.hpp"
#include "solvers/local/local_solver.hpp"
#include "solvers/local/planar.hpp"

namespace grus {

// The shift with the velocity of immovable blocks added.
inline Vec3 folded_shift(const ContactProblem& problem, const ContactFrame& frame, Index contact) {
  Vec3 shift = problem.shift[contact];
  const Index a = problem.block_a[contact], b = problem.block_b[contact];
  // point_velocity() of the world and of dense blocks is zero
  if (!block_moves(problem, a)) {
    shift -= to_frame(frame, point_velocity(problem, problem.free_velocity, a, problem.arm_a[contact]));
  }
  if (!block_moves(problem, b)) {
    shift += to_frame(frame, point_velocity(problem, problem.free_velocity, b, problem.arm_b[contact]));
  }
  return shift;
}

struct alignas(64) SpatialBlock {
  Vec3 v, omega;
  Real inverse_mass;
  Real j_xx;  // all a sphere needs is in the first cache line
  Real j_yy, j_zz, j_xy, j_xz, j_yz;
  Real unused[3];  // read along with the rest by pair_lane.hpp
};

struct alignas(64) PlanarBlock {
  Vec2 v;
  Real omega;
  Real inverse_mass, inverse_inertia;
};

// Both arms along the normal and isotropic inertia: W_cc = diag(w_N, w_T, w_T) and no tangents are needed.
struct SphereRow {
  Index a, b;
  Vec3 n;
  Real length_a, length_b;  // arm = length n
  Real inverse_w_n, inverse_w_t;
  Real weight;  // tr W_cc / 3
  Real friction;
  Vec3 impulse;  // world axes
  Vec3 shift;    // world axes
};

struct SpatialRow {
  Index a, b;
  Vec3 n, t1;  // t2 = n x t1
  Vec3 arm_a, arm_b;
  SymMat3 w;
  Vec3 impulse, shift;
  Real friction;
};

struct PlanarRow {
  Index a, b;
  Vec2 n;  // t = (-n_y, n_x)
  Vec2 arm_a, arm_b;
  local::PlanarDelassus w;
  Vec2 impulse, shift;
  Real friction;
};

// What relaxes a contact of the graph: its own row with the exact local solver, the closed form of spheres, or
// pair_lane.hpp.
enum class LaneOf : std::uint8_t { rows, spheres, pairs };

// Rows of one kind, strand by strand of the contact graph.
template <class Row>
struct Lane {
  std::vector<Row> rows;
  std::vector<Index> contact;       // of each row
  std::vector<Index> strand_begin;  // [strands + 1]
};

inline Real relax(SphereRow& row, SpatialBlock* blocks, Index world) {
  SpatialBlock& a = blocks[row.a];
  SpatialBlock& b = blocks[row.b];
  const Vec3 n = row.n, old = row.impulse;
  const Vec3 spin = row.length_b * b.omega - row.length_a * a.omega;
  const Vec3 u = b.v - a.v + spin.cross(n) + row.shift;
  const Real u_n = n.dot(u), old_n = n.dot(old);
  Real r_n = old_n - u_n * row.inverse_w_n;
  Vec3 r_t = (old - old_n * n) - row.inverse_w_t * (u - u_n * n);
  local::solve_diagonal(r_n, r_t, row.friction);
  const Vec3 impulse = r_n * n + r_t;
  const Vec3 change = impulse - old;
  const Vec3 lever = n.cross(change);
  row.impulse = impulse;
  if (row.a != world) {
    a.v -= a.inverse_mass * change;
    a.omega -= (a.j_xx * row.length_a) * lever;
  }
  if (row.b != world) {
    b.v += b.inverse_mass * change;
    b.omega += (b.j_xx * row.length_b) * lever;
  }
  return row.weight * change.squaredNorm();
}

inline Vec3 turned(const SpatialBlock& block, const Vec3& x) {
  return Vec3(block.j_xx * x[0] + block.j_xy * x[1] + block.j_xz * x[2],
              block.j_xy * x[0] + block.j_yy * x[1] + block.j_yz * x[2],
              block.j_xz * x[0] + block.j_yz * x[1] + block.j_zz * x[2]);
}

// The steps of a relaxation, apart for rows that have dense sides too (dense_rows.hpp): u, the exact local solution for
// it, the change of the blocks.
inline ContactFrame row_frame(const SpatialRow& row) { return {row.n, row.t1, row.n.cross(row.t1)}; }

inline Vec3 relative_velocity(const SpatialRow& row, const ContactFrame& frame, const SpatialBlock* blocks) {
  const SpatialBlock& a = blocks[row.a];
  const SpatialBlock& b = blocks[row.b];
  const Vec3 relative = (b.v + b.omega.cross(row.arm_b)) - (a.v + a.omega.cross(row.arm_a));
  return to_frame(frame, relative) + row.shift;
}

inline Vec3 solved_impulse(const SpatialRow& row, const Vec3& u) {
  return local::solve_local(row.w, u - row.w * row.impulse, row.friction, row.impulse);
}

inline void push(const SpatialRow& row, const ContactFrame& frame, const Vec3& change, SpatialBlock* blocks,
                 Index world) {
  SpatialBlock& a = blocks[row.a];
  SpatialBlock& b = blocks[row.b];
  const Vec3 change_W = to_world(frame, change);
  if (row.a != world) {
    a.v -= a.inverse_mass * change_W;
    a.omega -= turned(a, row.arm_a.cross(change_W));
  }
  if (row.b != world) {
    b.v += b.inverse_mass * change_W;
    b.omega += turned(b, row.arm_b.cross(change_W));
  }
}

inline Real weight(const SpatialRow& row) { return trace(row.w) / 3.0; }

struct PlanarFrame {
  Vec2 n, t;
};

inline PlanarFrame row_frame(const PlanarRow& row) { return {row.n, Vec2(-row.n[1], row.n[0])}; }

inline Vec2 relative_velocity(const PlanarRow& row, const PlanarFrame& frame, const PlanarBlock* blocks) {
  const PlanarBlock& a = blocks[row.a];
  const PlanarBlock& b = blocks[row.b];
  const Vec2 relative(b.v[0] - b.omega * row.arm_b[1] - a.v[0] + a.omega * row.arm_a[1],
                      b.v[1] + b.omega * row.arm_b[0] - a.v[1] - a.omega * row.arm_a[0]);
  return Vec2(frame.n.dot(relative), frame.t.dot(relative)) + row.shift;
}

inline Vec2 solved_impulse(const PlanarRow& row, const Vec2& u) {
  const Vec2& old = row.impulse;
  const Vec2 q(u[0] - row.w.nn * old[0] - row.w.nt * old[1], u[1] - row.w.nt * old[0] - row.w.tt * old[1]);
  return local::solve_planar(row.w, q, row.friction);
}

inline void push(const PlanarRow& row, const PlanarFrame& frame, const Vec2& change, PlanarBlock* blocks, Index world) {
  PlanarBlock& a = blocks[row.a];
  PlanarBlock& b = blocks[row.b];
  const Vec2 change_W = change[0] * frame.n + change[1] * frame.t;
  if (row.a != world) {
    a.v -= a.inverse_mass * change_W;
    a.omega -= a.inverse_inertia * (row.arm_a[0] * change_W[1] - row.arm_a[1] * change_W[0]);
  }
  if (row.b != world) {
    b.v += b.inverse_mass * change_W;
    b.omega += b.inverse_inertia * (row.arm_b[0] * change_W[1] - row.arm_b[1] * change_W[0]);
  }
}

inline Real weight(const PlanarRow& row) { return 0.5 * (row.w.nn + row.w.tt); }

template <class Row, class Block>
inline Real relax(Row& row, Block* blocks, Index world) {
  const auto frame = row_frame(row);
  const auto impulse = solved_impulse(row, relative_velocity(row, frame, blocks));
  const auto change = (impulse - row.impulse).eval();
  row.impulse = impulse;
  push(row, frame, change, blocks, world);
  return weight(row) * change.squaredNorm();
}

// Relaxes a strand; returns its share of the squared increment.
template <class Row, class Block>
inline Real relax_strand(Lane<Row>& lane, Index strand, Block* blocks, Index world) {
  // Rows are streamed, blocks are not: those of the row this far ahead are asked for early.
  constexpr Index prefetch_distance = 6;
  Real sum = 0.0;
  const Index stop = lane.strand_begin[strand + 1];
  for (Index i = lane.strand_begin[strand]; i < stop; ++i) {
    if (i + prefetch_distance < stop) {
      const Row& ahead = lane.rows[i + prefetch_distance];
      __builtin_prefetch(blocks + ahead.a, 1);
      __builtin_prefetch(blocks + ahead.b, 1);
    }
    sum += relax(lane.rows[i], blocks, world);
  }
  return sum;
}

}  // namespace grus
