#include "solvers/assemble.hpp"

#include <algorithm>

#include "solvers/delassus.hpp"
#include "solvers/local_residual.hpp"

namespace grus {
namespace {

constexpr Index assemble_grain = 64;

using AssemblySide = AssembleScratch::Side;

// Blocks and entries of the two sides of a contact or scalar row; `entries` is no_index for a side without rows in
// `jacobian`.
struct Ends {
  Index block[2];
  Index entries[2];
};

Ends ends_of(const ContactProblem& problem, Index item) {
  if (item >= problem.contact_count) {
    const Index row = item - problem.contact_count;
    return {{problem.row_block_a[row], problem.row_block_b[row]}, {problem.row_side_a[row], problem.row_side_b[row]}};
  }
  const bool has_dense = problem.dense_count > 0;
  return {{problem.block_a[item], problem.block_b[item]},
          {has_dense ? problem.dense_a[item] : no_index, has_dense ? problem.dense_b[item] : no_index}};
}

bool has_influence(const ContactProblem& problem, Index item) {
  if (item < problem.contact_count) return contact_rho(problem, item) != 0.0;
  return row_delassus(problem, item - problem.contact_count) != 0.0;
}

// H^T and Y of a contact on a rigid block: row i is +-(e_i, arm x e_i) and the same times diag(1/m, J^-1).
void rigid_side(const ContactProblem& problem, Index contact, bool is_b, Real* h, Real* y) {
  const Index block = (is_b ? problem.block_b : problem.block_a)[contact];
  const Vec3& arm = (is_b ? problem.arm_b : problem.arm_a)[contact];
  const ContactFrame frame = contact_frame(problem, contact);
  const SymMat3 inverse_inertia = block_inverse_inertia(problem, block);
  const Real inverse_mass = problem.inverse_mass[block], sign = is_b ? 1.0 : -1.0;
  const Vec3* const axes[3] = {&frame.n, &frame.t1, &frame.t2};
  const int dim = problem.dimension;
  for (int i = 0; i < dim; ++i) {
    const Vec3 axis = sign * *axes[i], lever = arm.cross(axis), turn = inverse_inertia * lever;
    for (int k = 0; k < dim; ++k) {
      *h++ = axis[k];
      *y++ = inverse_mass * axis[k];
    }
    for (int k = dim == 3 ? 0 : 2; k < 3; ++k) {
      *h++ = lever[k];
      *y++ = turn[k];
    }
  }
}

void number_items(const ContactProblem& problem, AssembleScratch& scratch) {
  const Index items = problem.contact_count + problem.row_count;
  scratch.item.clear();
  scratch.local.assign(static_cast<std::size_t>(items), no_index);
  for (Index item = 0; item < items; ++item) {
    if (!has_influence(problem, item)) continue;
    scratch.local[item] = static_cast<Index>(scratch.item.size());
    scratch.item.push_back(item);
  }
}

void fill_sides(const ContactProblem& problem, AssembleScratch& scratch, const Parallel& parallel) {
  const auto count = static_cast<Index>(scratch.item.size());
  scratch.side.assign(2 * scratch.item.size(), {});
  std::size_t entries = 0;
  for (Index k = 0; k < count; ++k) {
    const Index item = scratch.item[k], rows = item < problem.contact_count ? problem.dimension : 1;
    const Ends ends = ends_of(problem, item);
    for (int s = 0; s < 2; ++s) {
      if (!block_moves(problem, ends.block[s])) continue;
      scratch.side[2 * k + s] = {ends.block[s], entries};
      entries += static_cast<std::size_t>(rows * problem.velocity_size(ends.block[s]));
    }
  }
  scratch.h.resize(entries);
  scratch.y.resize(entries);
  parallel.each(count, assemble_grain, [&](Index k) {
    const Index item = scratch.item[k];
    const Ends ends = ends_of(problem, item);
    for (int s = 0; s < 2; ++s) {
      const AssemblySide& side = scratch.side[2 * k + s];
      if (side.block == no_index) continue;
      Real* const h = scratch.h.data() + side.begin;
      Real* const y = scratch.y.data() + side.begin;
      const bool is_contact = item < problem.contact_count;
      if (is_contact && !problem.is_dense(side.block)) {
        rigid_side(problem, item, s == 1, h, y);
        continue;
      }
      const Index size = (is_contact ? problem.dimension : 1) * problem.velocity_size(side.block);
      std::copy_n(problem.jacobian.data() + ends.entries[s], size, h);
      std::copy_n(problem.response.data() + ends.entries[s], size, y);
    }
  });
}

void list_sides_by_block(const ContactProblem& problem, AssembleScratch& scratch) {
  const Index blocks = problem.block_count + problem.dense_count;
  scratch.side_begin.assign(static_cast<std::size_t>(blocks) + 2, 0);
  for (const AssemblySide& side : scratch.side)
    if (side.block != no_index) ++scratch.side_begin[side.block + 2];
  for (Index b = 0; b <= blocks; ++b) scratch.side_begin[b + 1] += scratch.side_begin[b];
  scratch.sides.resize(static_cast<std::size_t>(scratch.side_begin[blocks + 1]));
  for (Index s = 0; s < static_cast<Index>(scratch.side.size()); ++s)
    if (scratch.side[s].block != no_index) scratch.sides[scratch.side_begin[scratch.side[s].block + 1]++] = s;
}

// Calls visit(column, own side, other side) for all pairs of sides of block row k that share a block, columns
// ascending: the lists of its two blocks are merged.
template <class Visit>
void visit_pairs(const AssembleScratch& scratch, Index k, const Visit& visit) {
  Index place[2], end[2];
  for (int s = 0; s < 2; ++s) {
    const Index block = scratch.side[2 * k + s].block;
    place[s] = block == no_index ? 0 : scratch.side_begin[block];
    end[s] = block == no_index ? 0 : scratch.side_begin[block + 1];
  }
  while (place[0] < end[0] || place[1] < end[1]) {
    const bool first =
        place[1] >= end[1] || (place[0] < end[0] && scratch.sides[place[0]] / 2 <= scratch.sides[place[1]] / 2);
    const int s = first ? 0 : 1;
    const Index other = scratch.sides[place[s]++];
    visit(other / 2, 2 * k + s, other);
  }
}

// block += H_i^T Y_j^T, rows x cols of a block stored dim x dim.
void add_product(const AssembleScratch& scratch, Index own, Index other, Index rows, Index cols, Index size, Index dim,
                 Real* block) {
  const Real* const h = scratch.h.data() + scratch.side[own].begin;
  const Real* const y = scratch.y.data() + scratch.side[other].begin;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) block[i * dim + j] += dot_product(h + i * size, y + j * size, size);
}

void fill_matrix(const ContactProblem& problem, const AssembleScratch& scratch, LocalProblem& local,
                 const Parallel& parallel) {
  const Index count = local.block_count(), dim = local.dimension;
  local.block_begin.assign(static_cast<std::size_t>(count) + 1, 0);
  parallel.each(count, assemble_grain, [&](Index k) {
    Index last = no_index, columns = 0;
    visit_pairs(scratch, k, [&](Index column, Index, Index) {
      columns += column != last;
      last = column;
    });
    local.block_begin[k + 1] = columns;
  });
  for (Index k = 0; k < count; ++k) local.block_begin[k + 1] += local.block_begin[k];
  local.column.resize(static_cast<std::size_t>(local.block_begin[count]));
  local.entry.assign(local.column.size() * static_cast<std::size_t>(dim * dim), 0.0);
  parallel.each(count, assemble_grain, [&](Index k) {
    const auto rows_of = [&](Index i) { return i < local.contact_count ? dim : 1; };
    Index place = local.block_begin[k] - 1, last = no_index;
    visit_pairs(scratch, k, [&](Index column, Index own, Index other) {
      if (column != last) local.column[++place] = column;
      last = column;
      add_product(scratch, own, other, rows_of(k), rows_of(column), problem.velocity_size(scratch.side[own].block), dim,
                  local.entry.data() + static_cast<std::size_t>(place) * static_cast<std::size_t>(dim * dim));
    });
  });
}

void add_compliance(const ContactProblem& problem, const AssembleScratch& scratch, LocalProblem& local) {
  local.row_weight.clear();
  if (problem.row_compliance.empty()) return;
  const auto size = static_cast<std::size_t>(local.dimension * local.dimension);
  for (Index i = local.contact_count; i < local.block_count(); ++i) {
    Real& w = local.entry[static_cast<std::size_t>(diagonal_place(local, i)) * size];
    local.row_weight.push_back(w);
    w += problem.row_compliance[scratch.item[i] - problem.contact_count];
  }
}

}  // namespace

std::int64_t assembled_blocks(const ContactProblem& problem) {
  std::vector<std::int64_t> degree(static_cast<std::size_t>(problem.block_count + problem.dense_count), 0);
  const Index items = problem.contact_count + problem.row_count;
  for (Index item = 0; item < items; ++item) {
    const Ends ends = ends_of(problem, item);
    for (const Index block : ends.block)
      if (block_moves(problem, block)) ++degree[block];
  }
  std::int64_t bound = 0;
  for (const std::int64_t d : degree) bound += d * d;
  return bound;
}

void assemble_local(const ContactProblem& problem, LocalProblem& local, AssembleScratch& scratch,
                    const Parallel& parallel) {
  number_items(problem, scratch);
  fill_sides(problem, scratch, parallel);
  list_sides_by_block(problem, scratch);

  const Index dim = problem.dimension, count = static_cast<Index>(scratch.item.size());
  local.dimension = dim;
  local.contact_count = static_cast<Index>(
      std::lower_bound(scratch.item.begin(), scratch.item.end(), problem.contact_count) - scratch.item.begin());
  local.row_count = count - local.contact_count;
  local.q.assign(static_cast<std::size_t>(local.unknown_count()), 0.0);
  local.friction.resize(static_cast<std::size_t>(local.contact_count));
  local.lower.resize(static_cast<std::size_t>(local.row_count));
  local.upper.resize(static_cast<std::size_t>(local.row_count));
  parallel.each(count, assemble_grain, [&](Index k) {
    const Index item = scratch.item[k], row = item - problem.contact_count;
    if (row >= 0) {
      local.q[k * dim] = row_velocity(problem, problem.free_velocity, row);
      local.lower[k - local.contact_count] = problem.row_lower[row];
      local.upper[k - local.contact_count] = problem.row_upper[row];
      return;
    }
    const Vec3 q = contact_velocity(problem, problem.free_velocity, contact_frame(problem, item), item);
    std::copy_n(q.data(), dim, local.q.data() + k * dim);
    local.friction[k] = problem.friction[item];
  });
  fill_matrix(problem, scratch, local, parallel);
  add_compliance(problem, scratch, local);
}

void gather_impulses(const ContactProblem& problem, const LocalProblem& local, const AssembleScratch& scratch,
                     const ContactSolution& solution, std::vector<Real>& impulse) {
  impulse.assign(static_cast<std::size_t>(local.unknown_count()), 0.0);
  const bool contacts_fit = solution.impulse.size() == static_cast<std::size_t>(problem.contact_count);
  const bool rows_fit = solution.row_impulse.size() == static_cast<std::size_t>(problem.row_count);
  for (Index k = 0; k < local.block_count(); ++k) {
    Real* const r = impulse.data() + k * local.dimension;
    const Index item = scratch.item[k], row = item - problem.contact_count;
    if (row < 0 && contacts_fit) std::copy_n(solution.impulse[item].data(), local.dimension, r);
    if (row >= 0 && rows_fit) r[0] = solution.row_impulse[row];
  }
}

void scatter_impulses(const ContactProblem& problem, const LocalProblem& local, const AssembleScratch& scratch,
                      const std::vector<Real>& impulse, ContactSolution& solution) {
  solution.impulse.assign(static_cast<std::size_t>(problem.contact_count), Vec3::Zero());
  solution.row_impulse.assign(static_cast<std::size_t>(problem.row_count), 0.0);
  for (Index k = 0; k < local.block_count(); ++k) {
    const Real* const r = impulse.data() + k * local.dimension;
    const Index item = scratch.item[k], row = item - problem.contact_count;
    if (row < 0) {
      std::copy_n(r, local.dimension, solution.impulse[item].data());
    } else {
      solution.row_impulse[row] = r[0];
    }
  }
}

}  // namespace grus
