#include "solvers/nlgs.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/grow.hpp"
#include "core/stages.hpp"
#include "solvers/cone.hpp"

namespace grus {
namespace {

constexpr Index pack_grain = 512;
// A tool of 8 velocities on 500 grains of a bed of 5290 (benchmarks/nlgs_sweep.cpp), one pass or two: 135 sweeps to
// 1e-3 either way, 544 or 519 to 1e-4, 459 or 495 us each, but the defect of the tool 3e-5 or 3e-6 m/s, which the norm
// of the bed hides. The tool hung by joints between free bodies: 30 or 16 sweeps to 1e-2.
constexpr Index least_tail_passes = 2, most_tail_passes = 16;

// Arms off the normal and inertias off isotropy by less than this are rounding of positions and rotations.
constexpr Real sphere_tolerance = 1e-12;

bool along_normal(const Vec3& arm, const Vec3& n) {
  return arm.cross(n).squaredNorm() <= sphere_tolerance * sphere_tolerance * arm.squaredNorm();
}

bool isotropic(const SymMat3& j) {
  const Real bound = sphere_tolerance * std::abs(j.xx);
  return std::abs(j.yy - j.xx) <= bound && std::abs(j.zz - j.xx) <= bound && std::abs(j.xy) <= bound &&
         std::abs(j.xz) <= bound && std::abs(j.yz) <= bound;
}

bool is_sphere_contact(const ContactProblem& problem, Index contact) {
  const auto fits = [&](Index block, const Vec3& arm) {
    return !block_moves(problem, block) ||
           (isotropic(problem.inverse_inertia[block]) && along_normal(arm, problem.normal[contact]));
  };
  return fits(problem.block_a[contact], problem.arm_a[contact]) &&
         fits(problem.block_b[contact], problem.arm_b[contact]);
}

template <class Row>
void pack_sides(const ContactProblem& problem, Index contact, Row& row) {
  // the world: what does not move, or is not rigid
  const auto rigid = [&](Index block) {
    return block_moves(problem, block) && !problem.is_dense(block) ? block : problem.block_count;
  };
  row.a = rigid(problem.block_a[contact]);
  row.b = rigid(problem.block_b[contact]);
  row.friction = problem.friction[contact];
}

void pack(const ContactProblem& problem, Index contact, const Vec3& impulse, SphereRow& row) {
  const ContactFrame frame = contact_frame(problem, contact);
  const SymMat3 w = local_delassus(problem, frame, contact);
  pack_sides(problem, contact, row);
  row.n = frame.n;
  row.length_a = problem.arm_a[contact].dot(frame.n);
  row.length_b = problem.arm_b[contact].dot(frame.n);
  row.inverse_w_n = 1.0 / w.xx;
  row.inverse_w_t = 2.0 / (w.yy + w.zz);
  row.weight = trace(w) / 3.0;
  row.impulse = to_world(frame, impulse);
  row.shift = to_world(frame, folded_shift(problem, frame, contact));
}

void pack(const ContactProblem& problem, Index contact, const Vec3& impulse, SpatialRow& row) {
  const ContactFrame frame = contact_frame(problem, contact);
  pack_sides(problem, contact, row);
  row.n = frame.n;
  row.t1 = frame.t1;
  row.arm_a = problem.arm_a[contact];
  row.arm_b = problem.arm_b[contact];
  row.w = local_delassus(problem, frame, contact);
  row.impulse = impulse;
  row.shift = folded_shift(problem, frame, contact);
}

void pack(const ContactProblem& problem, Index contact, const Vec3& impulse, PlanarRow& row) {
  const ContactFrame frame = contact_frame(problem, contact);
  const SymMat3 w = local_delassus(problem, frame, contact);
  pack_sides(problem, contact, row);
  row.n = frame.n.head<2>();
  row.arm_a = problem.arm_a[contact].head<2>();
  row.arm_b = problem.arm_b[contact].head<2>();
  row.w = {w.xx, w.xy, w.yy};
  row.impulse = impulse.head<2>();
  row.shift = folded_shift(problem, frame, contact).head<2>();
}

// The way through world axes may leave the cone by a rounding error.
Vec3 from_world_axes(const ContactProblem& problem, Index contact, const Vec3& impulse) {
  return project_on_cone(to_frame(contact_frame(problem, contact), impulse), problem.friction[contact]);
}

Vec3 unpacked_impulse(const ContactProblem& problem, Index contact, const SphereRow& row) {
  return from_world_axes(problem, contact, row.impulse);
}
Vec3 unpacked_impulse(const ContactProblem& problem, Index contact, const PairPoint& point, Index lane) {
  return from_world_axes(problem, contact,
                         Vec3(point.impulse[0][lane], point.impulse[1][lane], point.impulse[2][lane]));
}
Vec3 unpacked_impulse(const ContactProblem&, Index, const SpatialRow& row) { return row.impulse; }
Vec3 unpacked_impulse(const ContactProblem&, Index, const PlanarRow& row) {
  return Vec3(row.impulse[0], row.impulse[1], 0.0);
}

void pack_block(const ContactProblem& problem, Index index, SpatialBlock& block) {
  const SymMat3& j = problem.inverse_inertia[index];
  block.inverse_mass = problem.inverse_mass[index];
  block.j_xx = j.xx;
  block.j_yy = j.yy;
  block.j_zz = j.zz;
  block.j_xy = j.xy;
  block.j_xz = j.xz;
  block.j_yz = j.yz;
}

void pack_block(const ContactProblem& problem, Index index, PlanarBlock& block) {
  block.inverse_mass = problem.inverse_mass[index];
  block.inverse_inertia = problem.inverse_inertia[index].zz;
}

void set_velocity(const Real* v, SpatialBlock& block) {
  block.v = Vec3(v[0], v[1], v[2]);
  block.omega = Vec3(v[3], v[4], v[5]);
}

void set_velocity(const Real* v, PlanarBlock& block) {
  block.v = Vec2(v[0], v[1]);
  block.omega = v[2];
}

inline Real* turn_data(SpatialBlock& block) { return block.omega.data(); }
inline Real* turn_data(PlanarBlock& block) { return &block.omega; }

// Selects the contacts of a lane, strand by strand, and packs them.
template <class Row>
void fill_lane(const ContactProblem& problem, const ContactGraph& graph, const std::vector<LaneOf>& lane_of,
               LaneOf chosen, const std::vector<Vec3>& impulse, Lane<Row>& lane, const Parallel& parallel) {
  const Index strands = graph.strand_count();
  const auto each_chosen = [&](Index strand, const auto& visit) {
    for (Index i = graph.strand_begin[strand]; i < graph.strand_begin[strand + 1]; ++i)
      if (lane_of[graph.order[i]] == chosen) visit(graph.order[i]);
  };
  assign_with_room(lane.strand_begin, static_cast<std::size_t>(strands) + 1, Index{0});
  parallel.each(strands, 1, [&](Index s) { each_chosen(s, [&](Index) { ++lane.strand_begin[s + 1]; }); });
  for (Index s = 0; s < strands; ++s) lane.strand_begin[s + 1] += lane.strand_begin[s];
  lane.contact.resize(static_cast<std::size_t>(lane.strand_begin[strands]));
  lane.rows.resize(lane.contact.size());
  parallel.each(strands, 1, [&](Index s) {
    Index place = lane.strand_begin[s];
    each_chosen(s, [&](Index contact) {
      lane.contact[place] = contact;
      pack(problem, contact, impulse[contact], lane.rows[place++]);
    });
  });
}

// The hub lane is relaxed one by one, where lanes side by side would stand empty.
void choose_lanes(const ContactProblem& problem, const ContactGraph& graph, bool pairs, std::vector<LaneOf>& lane_of,
                  const Parallel& parallel) {
  resize_with_room(lane_of, static_cast<std::size_t>(problem.contact_count));
  const LaneOf general = pairs ? LaneOf::pairs : LaneOf::rows;
  const Index hub = graph.strand_begin[graph.phase_begin[graph.phase_count() - 1]];
  parallel.each(static_cast<Index>(graph.order.size()), pack_grain, [&](Index i) {
    const Index contact = graph.order[i];
    lane_of[contact] = is_sphere_contact(problem, contact) ? LaneOf::spheres : (i < hub ? general : LaneOf::rows);
  });
}

// How the iteration sees a lane: its impulses in the order of the problem, and as they lie in memory.
template <class Row>
void store_impulses(const ContactProblem& problem, const Lane<Row>& lane, std::vector<Vec3>& impulse,
                    const Parallel& parallel) {
  parallel.each(static_cast<Index>(lane.rows.size()), pack_grain,
                [&](Index i) { impulse[lane.contact[i]] = unpacked_impulse(problem, lane.contact[i], lane.rows[i]); });
}

void store_impulses(const ContactProblem& problem, const PairLane& lane, std::vector<Vec3>& impulse,
                    const Parallel& parallel) {
  parallel.each(static_cast<Index>(lane.points.size()), pack_grain / wide, [&](Index i) {
    for (Index k = 0; k < wide; ++k) {
      const Index contact = lane.contact[i * wide + k];
      if (contact != no_index) impulse[contact] = unpacked_impulse(problem, contact, lane.points[i], k);
    }
  });
}

template <class Row>
Index impulse_size(const Lane<Row>& lane) {
  return static_cast<Index>(lane.rows.size()) * decltype(Row::impulse)::RowsAtCompileTime;
}
inline Index impulse_size(const PairLane& lane) { return static_cast<Index>(lane.points.size()) * 3 * wide; }

template <class Row, class Run>
void impulse_runs(Lane<Row>& lane, Index place, const Run& run, const Parallel& parallel) {
  constexpr Index dim = decltype(Row::impulse)::RowsAtCompileTime;
  parallel.each(static_cast<Index>(lane.rows.size()), pack_grain,
                [&](Index i) { run(lane.rows[i].impulse.data(), dim, place + dim * i); });
}

template <class Run>
void impulse_runs(PairLane& lane, Index place, const Run& run, const Parallel& parallel) {
  constexpr Index size = 3 * wide;
  parallel.each(static_cast<Index>(lane.points.size()), pack_grain / wide,
                [&](Index i) { run(&lane.points[i].impulse[0][0], size, place + size * i); });
}

DenseSide pack_dense_side(const ContactProblem& problem, Index block, Index entries) {
  if (!problem.is_dense(block)) return {};
  return {entries, problem.velocity_begin(block) - problem.block_count * problem.block_size(),
          problem.velocity_size(block)};
}

ScalarSide pack_scalar_side(const ContactProblem& problem, Index block, Index entries) {
  if (block == no_index || problem.is_dense(block)) return {no_index, pack_dense_side(problem, block, entries)};
  return {block, {entries, 0, 0}};
}

template <class Row>
void fill_tail(const ContactProblem& problem, const ContactGraph& graph, const ResidualScratch& quality,
               const ContactSolution& solution, Tail<Row>& tail) {
  tail.contacts.clear();
  tail.scalars.clear();
  for (const Index c : graph.tail) {
    if (quality.rho[c] == 0.0) continue;
    DenseRow<Row>& row = tail.contacts.emplace_back();
    pack(problem, c, solution.impulse[c], row.rigid);
    // never set: zero times it must not be NaN
    if (problem.is_dense(problem.block_a[c])) row.rigid.arm_a.setZero();
    if (problem.is_dense(problem.block_b[c])) row.rigid.arm_b.setZero();
    row.a = pack_dense_side(problem, problem.block_a[c], problem.dense_a[c]);
    row.b = pack_dense_side(problem, problem.block_b[c], problem.dense_b[c]);
    row.contact = c;
  }
  for (Index i = 0; i < problem.row_count; ++i) {
    if (quality.row_rho[i] == 0.0) continue;
    tail.scalars.push_back({.a = pack_scalar_side(problem, problem.row_block_a[i], problem.row_side_a[i]),
                            .b = pack_scalar_side(problem, problem.row_block_b[i], problem.row_side_b[i]),
                            .row = i,
                            .inverse_w = quality.row_rho[i],
                            .weight = quality.row_weight[i],
                            .compliance = problem.compliance_of(i),
                            .shift = problem.row_shift[i],
                            .lower = problem.row_lower[i],
                            .upper = problem.row_upper[i],
                            .impulse = solution.row_impulse[i]});
  }
  const Index rigid = problem.block_count * problem.block_size();
  tail.velocity.resize(static_cast<std::size_t>(problem.velocity_count() - rigid));
}

// The sweep over one problem: blocks of one kind, lanes of contacts, and the tail.
template <class Block, class TailRow, class... Lanes>
struct Sweeper {
  static constexpr Index dim = decltype(TailRow::impulse)::RowsAtCompileTime;

  const ContactProblem& problem;
  const Parallel& parallel;
  std::vector<Block>& blocks;     // the world last
  std::vector<Real>& increments;  // per strand
  const ContactGraph& graph;
  Tail<TailRow>& tail;
  std::tuple<Lanes&...> lanes;
  Index tail_passes = least_tail_passes;

  void favour_tail() { tail_passes = std::min(2 * tail_passes, most_tail_passes); }

  void load_velocities(const std::vector<Real>& velocity) {
    const auto size = static_cast<std::size_t>(problem.block_size());
    parallel.each(problem.block_count, pack_grain,
                  [&](Index b) { set_velocity(velocity.data() + static_cast<std::size_t>(b) * size, blocks[b]); });
    std::copy(velocity.begin() + problem.block_count * problem.block_size(), velocity.end(), tail.velocity.begin());
  }

  void store_impulses(ContactSolution& solution) const {
    std::apply([&](const auto&... lane) { (grus::store_impulses(problem, lane, solution.impulse, parallel), ...); },
               lanes);
    for (const DenseRow<TailRow>& row : tail.contacts)
      solution.impulse[row.contact] = unpacked_impulse(problem, row.contact, row.rigid);
    for (const ScalarRow& row : tail.scalars) solution.row_impulse[row.row] = row.impulse;
  }

  Index impulse_size() const {
    return std::apply([](const auto&... lane) { return (grus::impulse_size(lane) + ...); }, lanes) +
           dim * static_cast<Index>(tail.contacts.size()) + static_cast<Index>(tail.scalars.size());
  }

  template <class Run>
  void impulse_runs(const Run& run) {
    Index place = 0;
    const auto visit = [&](auto& lane) {
      grus::impulse_runs(lane, place, run, parallel);
      place += grus::impulse_size(lane);
    };
    std::apply([&](auto&... lane) { (visit(lane), ...); }, lanes);
    for (DenseRow<TailRow>& row : tail.contacts) {
      run(row.rigid.impulse.data(), dim, place);
      place += dim;
    }
    for (ScalarRow& row : tail.scalars) run(&row.impulse, Index{1}, place++);
  }

  Index velocity_size() const { return problem.velocity_count(); }

  template <class Run>
  void velocity_runs(const Run& run) {
    constexpr Index turns = dim == 3 ? 3 : 1, size = dim + turns;
    parallel.each(problem.block_count, pack_grain, [&](Index b) {
      run(blocks[b].v.data(), dim, size * b);
      run(turn_data(blocks[b]), turns, size * b + dim);
    });
    run(tail.velocity.data(), static_cast<Index>(tail.velocity.size()), size * problem.block_count);
  }

  Real relax_tail() {
    const DenseBlocks dense{problem.jacobian.data(), problem.response.data(), tail.velocity.data()};
    Real sum = 0.0;
    // Rows before the contacts leave a defect of the tool a fifth larger.
    for (DenseRow<TailRow>& row : tail.contacts) sum += relax(row, blocks.data(), problem.block_count, dense);
    for (ScalarRow& row : tail.scalars) sum += relax(row, blocks.data(), dense);
    return sum;
  }

  // Returns the squared increment, in the norm of the residual.
  Real sweep() {
    resize_with_room(increments, static_cast<std::size_t>(graph.strand_count()));
    each_in_stages(parallel, graph.phase_begin, [&](Index strand) {
      Real sum = 0.0;
      const auto relax_lane = [&](auto& lane) {
        sum += relax_strand(lane, strand, blocks.data(), problem.block_count);
      };
      std::apply([&](auto&... lane) { (relax_lane(lane), ...); }, lanes);
      increments[strand] = sum;
    });
    Real sum = 0.0;
    for (const Real x : increments) sum += x;
    for (Index pass = 0; pass < tail_passes; ++pass) sum += relax_tail();
    return sum;
  }
};

template <class Block>
void pack_blocks(const ContactProblem& problem, std::vector<Block>& blocks, const Parallel& parallel) {
  blocks.resize(static_cast<std::size_t>(problem.block_count) + 1);
  parallel.each(problem.block_count, pack_grain, [&](Index b) { pack_block(problem, b, blocks[b]); });
  Block world{};
  world.v.setZero();
  if constexpr (requires { world.omega.setZero(); }) world.omega.setZero();
  blocks.back() = world;
}

// The guess made admissible: friction or bounds may have changed since, and what cannot act has no impulse.
void admit_guess(const ContactProblem& problem, const ResidualScratch& quality, ContactSolution& solution,
                 const Parallel& parallel) {
  const auto contacts = static_cast<std::size_t>(problem.contact_count);
  const auto rows = static_cast<std::size_t>(problem.row_count);
  if (solution.impulse.size() != contacts) solution.impulse.assign(contacts, Vec3::Zero());
  if (solution.row_impulse.size() != rows) solution.row_impulse.assign(rows, 0.0);
  parallel.each(problem.contact_count, pack_grain, [&](Index c) {
    Vec3& r = solution.impulse[c];
    if (problem.dimension == 2) r[2] = 0.0;
    r = quality.rho[c] != 0.0 ? project_on_cone(r, problem.friction[c]) : Vec3::Zero();
  });
  parallel.each(problem.row_count, pack_grain, [&](Index i) {
    Real& r = solution.row_impulse[i];
    r = quality.row_rho[i] != 0.0 ? clamp_impulse(r, problem.row_lower[i], problem.row_upper[i]) : 0.0;
  });
}

}  // namespace

SolveReport solve_nlgs(const ContactProblem& problem, ContactSolution& solution, NlgsScratch& scratch,
                       const NlgsOptions& options, const Parallel& parallel) {
  prepare_residual(problem, scratch.residual, parallel);
  admit_guess(problem, scratch.residual, solution, parallel);
  order_contacts(problem, scratch.graph);
  const ContactGraph& graph = scratch.graph;

  SolveReport report;
  if (problem.dimension == 3) {
    pack_blocks(problem, scratch.spatial_blocks, parallel);
    choose_lanes(problem, graph, options.pair_lane, scratch.lane_of, parallel);
    fill_lane(problem, graph, scratch.lane_of, LaneOf::spheres, solution.impulse, scratch.spheres, parallel);
    fill_pair_lane(problem, graph, scratch.lane_of, solution.impulse, scratch.spatial_blocks, scratch.pairs, parallel);
    fill_lane(problem, graph, scratch.lane_of, LaneOf::rows, solution.impulse, scratch.spatial, parallel);
    fill_tail(problem, graph, scratch.residual, solution, scratch.spatial_tail);
    Sweeper<SpatialBlock, SpatialRow, Lane<SphereRow>, PairLane, Lane<SpatialRow>> sweeper{
        problem,
        parallel,
        scratch.spatial_blocks,
        scratch.increments,
        graph,
        scratch.spatial_tail,
        {scratch.spheres, scratch.pairs, scratch.spatial}};
    report = iterate(sweeper, solution, scratch.residual, scratch.momentum, options, scratch.best);
  } else {
    pack_blocks(problem, scratch.planar_blocks, parallel);
    assign_with_room(scratch.lane_of, static_cast<std::size_t>(problem.contact_count), LaneOf::rows);
    fill_lane(problem, graph, scratch.lane_of, LaneOf::rows, solution.impulse, scratch.planar, parallel);
    fill_tail(problem, graph, scratch.residual, solution, scratch.planar_tail);
    Sweeper<PlanarBlock, PlanarRow, Lane<PlanarRow>> sweeper{
        problem, parallel, scratch.planar_blocks, scratch.increments, graph, scratch.planar_tail, {scratch.planar}};
    report = iterate(sweeper, solution, scratch.residual, scratch.momentum, options, scratch.best);
  }
  solution.velocity = scratch.residual.velocity;
  return report;
}

}  // namespace grus
