#include "solvers/residual.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/cone.hpp"
#include "solvers/delassus.hpp"

namespace grus {
namespace {

constexpr Index chunk = 512;

// Like max, but a NaN wins: std::max would drop it.
Real nan_max(Real a, Real b) { return (a >= b || std::isnan(a)) ? a : b; }

ResidualScratch::Sums join(const ResidualScratch::Sums& a, const ResidualScratch::Sums& b) {
  return {a.defect + b.defect, a.impulse + b.impulse, nan_max(a.max_velocity, b.max_velocity),
          nan_max(a.dense_velocity, b.dense_velocity)};
}

// `weight`: 1/kg, the velocity that an impulse makes.
void add(ResidualScratch::Sums& sums, Real defect, Real impulse2, Real weight, Real length, bool dense) {
  sums.defect += defect * defect * weight;
  sums.impulse += impulse2 * weight;
  const Real velocity = defect * weight * length;
  sums.max_velocity = nan_max(sums.max_velocity, velocity);
  if (dense) sums.dense_velocity = nan_max(sums.dense_velocity, velocity);
}

Index all_blocks(const ContactProblem& problem) { return problem.block_count + problem.dense_count; }

void list_sides(const ContactProblem& problem, ResidualScratch& scratch) {
  const Index blocks = all_blocks(problem);
  scratch.side_begin.assign(static_cast<std::size_t>(blocks) + 1, 0);
  const auto visit = [&](const auto& found) {
    const auto visit_pair = [&](Index a, Index b, Index number) {
      if (block_moves(problem, a)) found(a, 2 * number);
      if (block_moves(problem, b)) found(b, 2 * number + 1);
    };
    for (Index c = 0; c < problem.contact_count; ++c) visit_pair(problem.block_a[c], problem.block_b[c], c);
    for (Index i = 0; i < problem.row_count; ++i)
      visit_pair(problem.row_block_a[i], problem.row_block_b[i], problem.contact_count + i);
  };
  visit([&](Index block, Index) { ++scratch.side_begin[block + 1]; });
  for (Index b = 0; b < blocks; ++b) scratch.side_begin[b + 1] += scratch.side_begin[b];
  scratch.sides.resize(static_cast<std::size_t>(scratch.side_begin[blocks]));
  visit([&](Index block, Index side) { scratch.sides[scratch.side_begin[block]++] = side; });
  // The fill moved every start to its end: shift back.
  for (Index b = blocks; b > 0; --b) scratch.side_begin[b] = scratch.side_begin[b - 1];
  scratch.side_begin[0] = 0;
}

// v = v_free + A^-1 H r for one rigid block and its contacts.
void gather_contacts(const ContactProblem& problem, ResidualScratch& scratch, Index block, Index end) {
  Vec3 impulse = Vec3::Zero(), moment = Vec3::Zero();
  for (Index s = scratch.side_begin[block]; s < end; ++s) {
    const Index contact = scratch.sides[s] / 2;
    const bool is_b = scratch.sides[s] % 2 == 1;
    const Vec3& p = scratch.world_impulse[contact];
    const Vec3 turn = (is_b ? problem.arm_b : problem.arm_a)[contact].cross(p);
    if (is_b) {
      impulse += p;
      moment += turn;
    } else {
      impulse -= p;
      moment -= turn;
    }
  }
  const Real* free = problem.free_velocity.data() + problem.velocity_begin(block);
  Real* v = scratch.velocity.data() + problem.velocity_begin(block);
  const Real inverse_mass = problem.inverse_mass[block];
  if (problem.dimension == 2) {
    v[0] = free[0] + inverse_mass * impulse[0];
    v[1] = free[1] + inverse_mass * impulse[1];
    v[2] = free[2] + problem.inverse_inertia[block].zz * moment[2];
    return;
  }
  const Vec3 turn = problem.inverse_inertia[block] * moment;
  for (int i = 0; i < 3; ++i) {
    v[i] = free[i] + inverse_mass * impulse[i];
    v[i + 3] = free[i + 3] + turn[i];
  }
}

// v = v_free + A^-1 H r for one block.
void gather_velocity(const ContactProblem& problem, const ContactSolution& solution, ResidualScratch& scratch,
                     Index block) {
  const Index size = problem.velocity_size(block), begin = problem.velocity_begin(block);
  Real* v = scratch.velocity.data() + begin;
  const auto push = [&](Index side, Real r) {
    for (Index k = 0; k < size; ++k) v[k] += problem.response[side + k] * r;
  };
  Index s = scratch.side_begin[block];
  const Index end = scratch.side_begin[block + 1];
  // Contacts are listed before scalar rows.
  if (problem.is_dense(block)) {
    std::copy_n(problem.free_velocity.data() + begin, size, v);
    for (; s < end && scratch.sides[s] < 2 * problem.contact_count; ++s) {
      const Index contact = scratch.sides[s] / 2;
      const Index side = (scratch.sides[s] % 2 == 1 ? problem.dense_b : problem.dense_a)[contact];
      for (Index i = 0; i < problem.dimension; ++i) push(side + i * size, solution.impulse[contact][i]);
    }
  } else {
    Index contacts_end = end;
    while (contacts_end > s && scratch.sides[contacts_end - 1] >= 2 * problem.contact_count) --contacts_end;
    gather_contacts(problem, scratch, block, contacts_end);
    s = contacts_end;
  }
  for (; s < end; ++s) {
    const Index row = scratch.sides[s] / 2 - problem.contact_count;
    push((scratch.sides[s] % 2 == 1 ? problem.row_side_b : problem.row_side_a)[row], solution.row_impulse[row]);
  }
}

template <class Term>
ResidualScratch::Sums reduce(Index count, ResidualScratch& scratch, const Parallel& parallel, const Term& term) {
  return parallel.reduce(count, chunk, ResidualScratch::Sums{}, scratch.partial, term, join);
}

}  // namespace

void prepare_residual(const ContactProblem& problem, ResidualScratch& scratch, const Parallel& parallel) {
  const auto contacts = static_cast<std::size_t>(problem.contact_count);
  list_sides(problem, scratch);
  scratch.rho.resize(contacts);
  scratch.magnitude.resize(contacts);
  scratch.world_impulse.resize(contacts);
  scratch.contact_velocity.resize(contacts);
  scratch.velocity.resize(problem.free_velocity.size());

  const auto rows = static_cast<std::size_t>(problem.row_count);
  scratch.row_rho.resize(rows);
  scratch.row_magnitude.resize(rows);
  scratch.row_weight.resize(rows);
  scratch.row_velocity.resize(rows);

  const auto free_contacts = [&](Index begin, Index end) {
    ResidualScratch::Sums sums;
    for (Index c = begin; c < end; ++c) {
      const Real rho = contact_rho(problem, c);
      scratch.rho[c] = rho;
      scratch.magnitude[c] = contact_magnitude(problem, c);
      if (rho == 0.0) continue;
      const Vec3 q = contact_velocity(problem, problem.free_velocity, contact_frame(problem, c), c);
      sums.impulse += natural_map(Vec3::Zero(), q, problem.friction[c], rho).squaredNorm() / rho;
    }
    return sums;
  };
  const auto free_rows = [&](Index begin, Index end) {
    ResidualScratch::Sums sums;
    for (Index i = begin; i < end; ++i) {
      const Real w = row_delassus(problem, i), q = row_velocity(problem, problem.free_velocity, i);
      scratch.row_weight[i] = w;
      scratch.row_magnitude[i] = row_magnitude(problem, i);
      scratch.row_rho[i] = w == 0.0 ? 0.0 : 1.0 / (w + problem.compliance_of(i));
      if (w == 0.0) continue;
      const Real d = row_natural_map(0.0, q, problem.row_lower[i], problem.row_upper[i], scratch.row_rho[i]);
      sums.impulse += d * d * w;
    }
    return sums;
  };
  scratch.free_scale = reduce(problem.contact_count, scratch, parallel, free_contacts).impulse +
                       reduce(problem.row_count, scratch, parallel, free_rows).impulse;
}

Residual evaluate_residual(const ContactProblem& problem, const ContactSolution& solution, ResidualScratch& scratch,
                           const Parallel& parallel) {
  parallel.each(problem.contact_count, chunk,
                [&](Index c) { scratch.world_impulse[c] = to_world(contact_frame(problem, c), solution.impulse[c]); });
  parallel.each(all_blocks(problem), chunk, [&](Index b) { gather_velocity(problem, solution, scratch, b); });

  const auto measure_contacts = [&](Index begin, Index end) {
    ResidualScratch::Sums sums;
    for (Index c = begin; c < end; ++c) {
      const Vec3 u = contact_velocity(problem, scratch.velocity, contact_frame(problem, c), c);
      scratch.contact_velocity[c] = u;
      const Real rho = scratch.rho[c];
      if (rho == 0.0) continue;
      const Vec3& r = solution.impulse[c];
      const Vec3 d = natural_map(r, u, problem.friction[c], rho);
      const Real impulse2 = r.squaredNorm();
      add(sums, beyond_rounding(d.norm(), std::sqrt(impulse2), rho * scratch.magnitude[c]), impulse2, 1.0 / rho, 1.0,
          touches_dense(problem, c));
    }
    return sums;
  };
  const auto measure_rows = [&](Index begin, Index end) {
    ResidualScratch::Sums sums;
    for (Index i = begin; i < end; ++i) {
      const Real r = solution.row_impulse[i], rho = scratch.row_rho[i];
      const Real u = row_velocity(problem, scratch.velocity, i) + problem.compliance_of(i) * r;
      scratch.row_velocity[i] = u;
      if (rho == 0.0) continue;
      const Real d = row_natural_map(r, u, problem.row_lower[i], problem.row_upper[i], rho);
      add(sums, beyond_rounding(std::abs(d), std::abs(r), rho * scratch.row_magnitude[i]), r * r, scratch.row_weight[i],
          problem.length_of(i), row_touches_dense(problem, i));
    }
    return sums;
  };
  const ResidualScratch::Sums sums = join(reduce(problem.contact_count, scratch, parallel, measure_contacts),
                                          reduce(problem.row_count, scratch, parallel, measure_rows));
  scratch.scale = nan_max(sums.impulse, scratch.free_scale);
  const Real scaled = scratch.scale == 0.0 ? 0.0 : std::sqrt(sums.defect / scratch.scale);
  return {scaled, sums.max_velocity, sums.dense_velocity};
}

Residual residual(const ContactProblem& problem, const ContactSolution& solution, ResidualScratch& scratch,
                  const Parallel& parallel) {
  prepare_residual(problem, scratch, parallel);
  return evaluate_residual(problem, solution, scratch, parallel);
}

}  // namespace grus
