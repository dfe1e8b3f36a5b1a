#include "solvers/residual.hpp"

#include <cmath>

#include "solvers/cone.hpp"
#include "solvers/delassus.hpp"

namespace grus {
namespace {

constexpr Index chunk = 512;

// Like max, but a NaN wins: std::max would drop it.
Real nan_max(Real a, Real b) { return (a >= b || std::isnan(a)) ? a : b; }

ResidualScratch::Sums join(const ResidualScratch::Sums& a, const ResidualScratch::Sums& b) {
  return {a.defect + b.defect, a.impulse + b.impulse, nan_max(a.max_velocity, b.max_velocity)};
}

void list_sides(const ContactProblem& problem, ResidualScratch& scratch) {
  scratch.side_begin.assign(static_cast<std::size_t>(problem.block_count) + 1, 0);
  const auto visit = [&](const auto& found) {
    for (Index c = 0; c < problem.contact_count; ++c) {
      if (block_moves(problem, problem.block_a[c])) found(problem.block_a[c], 2 * c);
      if (block_moves(problem, problem.block_b[c])) found(problem.block_b[c], 2 * c + 1);
    }
  };
  visit([&](Index block, Index) { ++scratch.side_begin[block + 1]; });
  for (Index b = 0; b < problem.block_count; ++b) scratch.side_begin[b + 1] += scratch.side_begin[b];
  scratch.sides.resize(static_cast<std::size_t>(scratch.side_begin[problem.block_count]));
  visit([&](Index block, Index side) { scratch.sides[scratch.side_begin[block]++] = side; });
  // The fill moved every start to its end: shift back.
  for (Index b = problem.block_count; b > 0; --b) scratch.side_begin[b] = scratch.side_begin[b - 1];
  scratch.side_begin[0] = 0;
}

// v = v_free + A^-1 H^T r for one block.
void gather_velocity(const ContactProblem& problem, ResidualScratch& scratch, Index block) {
  Vec3 impulse = Vec3::Zero(), moment = Vec3::Zero();
  for (Index s = scratch.side_begin[block]; s < scratch.side_begin[block + 1]; ++s) {
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
  const int size = problem.block_size();
  const Real* free = problem.free_velocity.data() + static_cast<std::size_t>(block) * static_cast<std::size_t>(size);
  Real* v = scratch.velocity.data() + static_cast<std::size_t>(block) * static_cast<std::size_t>(size);
  const Real inverse_mass = problem.inverse_mass[block];
  if (size == 3) {
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

}  // namespace

void prepare_residual(const ContactProblem& problem, ResidualScratch& scratch, const Parallel& parallel) {
  const auto contacts = static_cast<std::size_t>(problem.contact_count);
  list_sides(problem, scratch);
  scratch.rho.resize(contacts);
  scratch.world_impulse.resize(contacts);
  scratch.contact_velocity.resize(contacts);
  scratch.velocity.resize(problem.free_velocity.size());

  const auto free_scale = [&](Index begin, Index end) {
    ResidualScratch::Sums sums;
    for (Index c = begin; c < end; ++c) {
      const Real tr = local_trace(problem, c);
      scratch.rho[c] = tr == 0.0 ? 0.0 : problem.dimension / tr;
      const Vec3 q = contact_velocity(problem, problem.free_velocity, contact_frame(problem, c), c);
      if (tr != 0.0) sums.impulse += scratch.rho[c] * q.squaredNorm();
    }
    return sums;
  };
  scratch.free_scale =
      parallel.reduce(problem.contact_count, chunk, ResidualScratch::Sums{}, scratch.partial, free_scale, join).impulse;
}

Residual evaluate_residual(const ContactProblem& problem, const std::vector<Vec3>& impulse, ResidualScratch& scratch,
                           const Parallel& parallel) {
  parallel.each(problem.contact_count, chunk,
                [&](Index c) { scratch.world_impulse[c] = to_world(contact_frame(problem, c), impulse[c]); });
  parallel.each(problem.block_count, chunk, [&](Index b) { gather_velocity(problem, scratch, b); });

  const auto measure = [&](Index begin, Index end) {
    ResidualScratch::Sums sums;
    for (Index c = begin; c < end; ++c) {
      const Vec3 u = contact_velocity(problem, scratch.velocity, contact_frame(problem, c), c);
      scratch.contact_velocity[c] = u;
      const Real rho = scratch.rho[c];
      if (rho == 0.0) continue;
      const Vec3 d = natural_map(impulse[c], u, problem.friction[c], rho);
      const Real d2 = d.squaredNorm();
      sums.defect += d2 / rho;
      sums.impulse += impulse[c].squaredNorm() / rho;
      sums.max_velocity = nan_max(sums.max_velocity, std::sqrt(d2) / rho);
    }
    return sums;
  };
  const ResidualScratch::Sums sums =
      parallel.reduce(problem.contact_count, chunk, ResidualScratch::Sums{}, scratch.partial, measure, join);
  scratch.scale = nan_max(sums.impulse, scratch.free_scale);
  return {scratch.scale == 0.0 ? 0.0 : std::sqrt(sums.defect / scratch.scale), sums.max_velocity};
}

Residual residual(const ContactProblem& problem, const ContactSolution& solution, ResidualScratch& scratch,
                  const Parallel& parallel) {
  prepare_residual(problem, scratch, parallel);
  return evaluate_residual(problem, solution.impulse, scratch, parallel);
}

}  // namespace grus
