// What contacts on dense blocks and scalar rows need in a Gauss-Seidel sweep, and their relaxation. They form the tail
// of a sweep: one after the other, in key order, by one thread.
//
//   u = (rigid sides, as in nlgs_rows.hpp) + sum over dense sides of H^T v,   v += Y^T (r - r_old),  Y = H^T A^-1
//   scalar rows:  r <- clamp(r - u/(w + c), lower, upper),  c the compliance
//
// H^T and Y are read where they are, in the arrays of the problem: a contact on a mechanism of n velocities streams
// 48 n bytes of them, and its row.
//
// relax() returns the share of the squared increment, as in nlgs_rows.hpp.
#pragma once

#include <vector>

#include "solvers/cone.hpp"
#include "solvers/nlgs_rows.hpp"

namespace grus {

// A side on a dense block; size 0: none.
struct DenseSide {
  Index entries = 0;   // into jacobian and response
  Index velocity = 0;  // first velocity of the block, in DenseBlocks::velocity
  Index size = 0;      // velocities of the block
};

template <class Row>
struct DenseRow {
  Row rigid;  // its dense sides are the world
  DenseSide a, b;
  Index contact;
};

struct ScalarSide {
  Index block = no_index;  // rigid; no_index: the world or dense
  DenseSide dense;         // its entries are those of a rigid side too
};

struct ScalarRow {
  ScalarSide a, b;
  Index row;
  Real inverse_w;  // 1/(w + compliance)
  Real weight;     // w
  Real compliance;
  Real shift, lower, upper;
  Real impulse;
};

template <class Row>
struct Tail {
  std::vector<ScalarRow> scalars;
  std::vector<DenseRow<Row>> contacts;
  std::vector<Real> velocity;  // of the dense blocks
};

// What a tail works on, beside the rigid blocks.
struct DenseBlocks {
  const Real* jacobian;
  const Real* response;
  Real* velocity;  // of the dense blocks
};

// u += H^T v, dim rows.
template <int dim>
inline void add_velocity(const DenseSide& side, const DenseBlocks& dense, Real* u) {
  const Real* __restrict h = dense.jacobian + side.entries;
  const Real* __restrict v = dense.velocity + side.velocity;
  for (Index k = 0; k < side.size; ++k) {
    for (int i = 0; i < dim; ++i) u[i] += h[i * side.size + k] * v[k];
  }
}

// v += Y^T change.
template <int dim>
inline void push(const DenseSide& side, const DenseBlocks& dense, const Real* change) {
  const Real* __restrict y = dense.response + side.entries;
  Real* __restrict v = dense.velocity + side.velocity;
  for (Index k = 0; k < side.size; ++k) {
    Real sum = 0.0;
    for (int i = 0; i < dim; ++i) sum += y[i * side.size + k] * change[i];
    v[k] += sum;
  }
}

template <class Row, class Block>
inline Real relax(DenseRow<Row>& row, Block* blocks, Index world, const DenseBlocks& dense) {
  constexpr int dim = decltype(row.rigid.impulse)::RowsAtCompileTime;
  const auto frame = row_frame(row.rigid);
  auto u = relative_velocity(row.rigid, frame, blocks);
  add_velocity<dim>(row.a, dense, u.data());
  add_velocity<dim>(row.b, dense, u.data());
  const auto impulse = solved_impulse(row.rigid, u);
  const auto change = (impulse - row.rigid.impulse).eval();
  row.rigid.impulse = impulse;
  push(row.rigid, frame, change, blocks, world);
  push<dim>(row.a, dense, change.data());
  push<dim>(row.b, dense, change.data());
  return weight(row.rigid) * change.squaredNorm();
}

inline Real product(const Real* h, const SpatialBlock& block) {
  return h[0] * block.v[0] + h[1] * block.v[1] + h[2] * block.v[2] + h[3] * block.omega[0] + h[4] * block.omega[1] +
         h[5] * block.omega[2];
}

inline Real product(const Real* h, const PlanarBlock& block) {
  return h[0] * block.v[0] + h[1] * block.v[1] + h[2] * block.omega;
}

inline void add_response(const Real* y, Real change, SpatialBlock& block) {
  block.v += change * Vec3(y[0], y[1], y[2]);
  block.omega += change * Vec3(y[3], y[4], y[5]);
}

inline void add_response(const Real* y, Real change, PlanarBlock& block) {
  block.v += change * Vec2(y[0], y[1]);
  block.omega += change * y[2];
}

template <class Block>
inline Real relax(ScalarRow& row, Block* blocks, const DenseBlocks& dense) {
  Real u = row.shift + row.compliance * row.impulse;
  for (const ScalarSide* side : {&row.a, &row.b}) {
    if (side->block != no_index) u += product(dense.jacobian + side->dense.entries, blocks[side->block]);
    add_velocity<1>(side->dense, dense, &u);
  }
  const Real impulse = clamp_impulse(row.impulse - u * row.inverse_w, row.lower, row.upper);
  const Real change = impulse - row.impulse;
  row.impulse = impulse;
  for (const ScalarSide* side : {&row.a, &row.b}) {
    if (side->block != no_index) add_response(dense.response + side->dense.entries, change, blocks[side->block]);
    push<1>(side->dense, dense, &change);
  }
  return change * change * row.weight;
}

}  // namespace grus
