// The iteration around a sweep: how many sweeps are made, what is done between them (momentum.hpp), and when the true
// residual (residual.hpp) is measured.
//
// It knows nothing of rows and lanes: a sweep that fits the concept below is all it needs, so that the layout of the
// rows and the iteration change apart from each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <vector>

#include "core/parallel.hpp"
#include "solvers/momentum.hpp"
#include "solvers/residual.hpp"

namespace grus {

struct NlgsOptions {
  Real tolerance = 1e-4;                                         // of the scaled natural map
  Real dense_tolerance = std::numeric_limits<Real>::infinity();  // m/s, of SolveReport::dense_velocity
  Index max_iterations = 1000;                                   // sweeps
  Index fixed_sweeps = 0;   // > 0: exactly so many sweeps, residual only at the end (for benchmarks)
  bool accelerated = true;  // by momentum.hpp; off: plain Gauss-Seidel
  bool pair_lane = true;    // off: contacts of general shapes one by one, solved exactly (for comparisons)
};

// A sweep over one problem, which holds its impulses r and velocities v = v_free + A^-1 H r in a layout of its own.
//
// r and v can be seen as two flat vectors: impulse_runs(f) and velocity_runs(f) call f(Real* values, Index count,
// Index place) for disjoint runs of values that lie together in memory and are entries [place, place + count) of the
// vector. Runs may come in any order and from several threads. impulse_runs covers contacts on dense blocks and scalar
// rows too, velocity_runs the dense blocks; padding is allowed where it stays zero. A linear combination of pairs
// (r, v), with weights of sum one, keeps v = v_free + A^-1 H r: what is done to one vector must be done to the other.
template <class S>
concept Sweep = requires(S sweeper, ContactSolution& solution, const std::vector<Real>& velocity,
                         void (*run)(Real* values, Index count, Index place)) {
  { sweeper.problem } -> std::convertible_to<const ContactProblem&>;
  { sweeper.parallel } -> std::convertible_to<const Parallel&>;
  // One sweep; returns the squared increment sum ||r_new - r_old||^2 tr W_cc/dim, in the norm of the residual.
  { sweeper.sweep() } -> std::same_as<Real>;
  // From now on more work on dense blocks in each sweep: their errors lag behind.
  {sweeper.favour_tail()};
  // Impulses to the order of the problem, each inside its cone or bounds.
  {sweeper.store_impulses(solution)};
  // Velocities of all blocks in the order of the problem: those that residual.hpp computed from the stored impulses.
  {sweeper.load_velocities(velocity)};
  { sweeper.impulse_size() } -> std::same_as<Index>;
  { sweeper.velocity_size() } -> std::same_as<Index>;
  {sweeper.impulse_runs(run)};
  {sweeper.velocity_runs(run)};
};

// A bed at rest starts every step from the impulses of the last one, within the tolerance, and what is left of the
// error is one slow motion of all of it: with one sweep a step it creeps. (A machine of 9 kg on 108 grains sank by up
// to 1.4 mm in 10 s at a tolerance of 1e-4, though no contact of its feet was off by more than 1e-6 m/s;
// tests/validation/standing_machine_test.cpp.) So a step makes at least `rest_sweeps` sweeps until what it starts from
// is within `rest_part` of the tolerance, and then one: steps that only coast on carried impulses would never correct
// themselves. It costs little: a step with impacts takes more sweeps anyhow.
inline constexpr Index rest_sweeps = 24;
inline constexpr Real rest_part = 1e-3;

template <Sweep S>
SolveReport iterate(S& sweeper, ContactSolution& solution, ResidualScratch& quality, MomentumScratch& last,
                    const NlgsOptions& options, ContactSolution& best) {
  SolveReport report;
  const auto measure = [&] {
    const Residual measured = evaluate_residual(sweeper.problem, solution, quality, sweeper.parallel);
    report.residual = measured.scaled;
    report.max_velocity = measured.max_velocity;
    report.dense_velocity = measured.dense_velocity;
  };
  // How far it is from what is asked: momentum may leave the best iterate again before the last sweep.
  const auto distance = [&] {
    return std::max(report.residual / options.tolerance, report.dense_velocity / options.dense_tolerance);
  };
  Real least = std::numeric_limits<Real>::infinity();
  const auto is_met = [&] { return is_within(report, options.tolerance, options.dense_tolerance); };
  measure();
  const bool fixed = options.fixed_sweeps > 0;
  const Index limit = fixed ? options.fixed_sweeps : options.max_iterations;
  sweeper.load_velocities(quality.velocity);

  // The increment of a sweep that announces convergence, and the bounds on the sweeps between two measurements:
  // at least a few, as one costs about two sweeps; at most a quarter of the work done, so that little is wasted.
  Real trigger = options.tolerance;
  Index earliest = 1, latest = 16;
  MomentumControl control;
  Real squared_increment = 0.0;
  const bool empty = sweeper.problem.contact_count + sweeper.problem.row_count == 0;
  const auto is_done = [&](Index done) {
    if (!is_met()) return false;
    const bool at_rest = is_within(report, rest_part * options.tolerance, rest_part * options.dense_tolerance);
    return empty || done >= (at_rest ? 1 : rest_sweeps);
  };
  while (report.iterations < limit && std::isfinite(report.residual) && (fixed || !is_done(report.iterations))) {
    if (options.accelerated && report.iterations > 0) extrapolate(sweeper, control.next(squared_increment), last);
    squared_increment = sweeper.sweep();
    const Real increment = std::sqrt(squared_increment / quality.scale);
    const Index done = ++report.iterations;
    // The last sweeps from a guess within the tolerance: without a measurement they would be thrown away.
    const bool due = is_done(done) || done >= latest || (done >= earliest && increment <= trigger);
    if (done < limit && (fixed || !due)) continue;
    sweeper.store_impulses(solution);
    measure();
    sweeper.load_velocities(quality.velocity);
    if (report.dense_velocity * options.tolerance > report.residual * options.dense_tolerance) sweeper.favour_tail();
    if (!fixed && distance() < least) {
      least = distance();
      best.impulse = solution.impulse;
      best.row_impulse = solution.row_impulse;
    }
    trigger =
        increment * std::min(options.tolerance / report.residual, options.dense_tolerance / report.dense_velocity);
    earliest = done + std::max<Index>(2, done / 32);
    latest = done + std::max<Index>(16, done / 4);
  }
  if (!fixed && distance() > least) {
    std::swap(solution.impulse, best.impulse);
    std::swap(solution.row_impulse, best.row_impulse);
    measure();
  }
  report.converged = is_met();
  return report;
}

}  // namespace grus
