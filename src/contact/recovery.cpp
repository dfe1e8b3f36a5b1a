#include "contact/recovery.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/grow.hpp"

namespace grus {

namespace {
// Recovery is a correction of positions that is repeated every step: so many sweeps, whatever is left. To a residual of
// 1e-2 of the whole that is awake, a tine sank 6.7 mm into single stones.
constexpr Index recovery_sweeps = 50;

// Part of a depth that is taken back in one step. All of it at once would open the contacts on the other side of a
// stone by a slop, and the stone would fall back on them at slop/h, millimetres a second in a bed at rest.
constexpr Real recovered_part = 0.2;

// In slops.
constexpr Real waking_depth = 2.0;
constexpr Real pressing_depth = 3.0;
constexpr Index waking_rings = 2;

constexpr Real infinity = std::numeric_limits<Real>::infinity();

// One recovery: the blocks that wake, the problem around them, its solution back in the order of the whole.
class Recovery {
 public:
  Recovery(const RecoveryInput& input, ContactProblem& whole, RecoveryScratch& scratch)
      : input_(input),
        h_(input.model.integrator.step),
        theta_h_(input.model.integrator.theta * h_),
        slop_(input.model.contact.recovery_slop * input.model.smallest_bound_radius),
        whole_(whole),
        around_(scratch.around),
        scratch_(scratch) {}

  // False when nothing is deep enough.
  bool wake() {
    assign_with_room(scratch_.ring, static_cast<std::size_t>(whole_.block_count + whole_.dense_count), no_index);
    resize_with_room(scratch_.end_gap, input_.contacts.size());
    bool any = false;
    const auto seed = [&](Index a, Index b) {
      for (const Index block : {a, b})
        if (block != no_index) scratch_.ring[block] = 0;
      any = true;
    };
    for (Index c = 0; c < whole_.contact_count; ++c) {
      scratch_.end_gap[c] = input_.contacts[c].gap + theta_h_ * input_.contact_velocity[c].x();
      if (scratch_.end_gap[c] < -waking_depth * slop_) seed(whole_.block_a[c], whole_.block_b[c]);
    }
    for (Index r = 0; r < whole_.row_count; ++r)
      if (is_limit(r) && end_gap_of_row(r) < 0.0) seed(whole_.row_block_a[r], whole_.row_block_b[r]);
    if (!any) return false;
    for (Index ring = 0; ring < waking_rings; ++ring) grow(ring);
    return true;
  }

  SolveReport solve(NlgsScratch& nlgs, const Parallel& parallel) {
    take_blocks();
    take_contacts();
    take_rows();
    clear_with_room(scratch_.solution.velocity, static_cast<std::size_t>(whole_.velocity_count()));
    clear_with_room(scratch_.solution.impulse, static_cast<std::size_t>(whole_.contact_count));
    scratch_.solution.impulse.assign(static_cast<std::size_t>(around_.contact_count), Vec3::Zero());
    clear_with_room(scratch_.solution.row_impulse, static_cast<std::size_t>(whole_.row_count));
    scratch_.solution.row_impulse.assign(static_cast<std::size_t>(around_.row_count), 0.0);
    NlgsOptions options;
    options.fixed_sweeps = recovery_sweeps;
    std::swap(around_.jacobian, whole_.jacobian);
    std::swap(around_.response, whole_.response);
    const SolveReport report = solve_nlgs(around_, scratch_.solution, nlgs, options, parallel);
    std::swap(around_.jacobian, whole_.jacobian);
    std::swap(around_.response, whole_.response);
    put_velocities();
    return report;
  }

 private:
  bool is_awake(Index block) const { return block != no_index && scratch_.ring[block] != no_index; }
  bool is_asleep(Index block) const { return block != no_index && scratch_.ring[block] == no_index; }

  bool is_limit(Index r) const {
    return input_.rows[r].kind == JointRow::Kind::lower_limit || input_.rows[r].kind == JointRow::Kind::upper_limit;
  }
  Real end_gap_of_row(Index r) const { return input_.rows[r].gap + theta_h_ * input_.row_velocity[r]; }

  // 0 <= z + shift: what is open may close, what overlaps must part.
  Real shift_of(Real gap) const {
    return gap >= 0.0 ? gap / h_ : std::max(recovered_part * gap / h_, -input_.model.contact.recovery_speed);
  }

  // An open contact hands nothing on.
  void grow(Index last) {
    std::vector<Index>& ring = scratch_.ring;
    const auto reach = [&](Index from, Index to) {
      if (from != no_index && ring[from] == last && is_asleep(to)) ring[to] = last + 1;
    };
    const auto join = [&](Index a, Index b) {
      reach(a, b);
      reach(b, a);
    };
    for (Index c = 0; c < whole_.contact_count; ++c)
      if (scratch_.end_gap[c] <= 0.0) join(whole_.block_a[c], whole_.block_b[c]);
    for (Index r = 0; r < whole_.row_count; ++r) join(whole_.row_block_a[r], whole_.row_block_b[r]);
  }

  // Mechanisms are few and keep their numbers: behind the rigid blocks.
  void take_blocks() {
    around_.dimension = whole_.dimension;
    const auto room = static_cast<std::size_t>(whole_.block_count);
    clear_with_room(around_.inverse_mass, room);
    clear_with_room(around_.inverse_inertia, room);
    clear_with_room(around_.cluster, room);
    assign_with_room(scratch_.place, room, no_index);
    for (Index b = 0; b < whole_.block_count; ++b) {
      if (!is_awake(b)) continue;
      scratch_.place[b] = static_cast<Index>(around_.inverse_mass.size());
      around_.inverse_mass.push_back(whole_.inverse_mass[b]);
      around_.inverse_inertia.push_back(whole_.inverse_inertia[b]);
      if (!whole_.cluster.empty()) around_.cluster.push_back(whole_.cluster[b]);
    }
    around_.block_count = static_cast<Index>(around_.inverse_mass.size());
    around_.dense_count = whole_.dense_count;
    around_.dense_begin = whole_.dense_begin;
    for (Index& begin : around_.dense_begin) begin -= (whole_.block_count - around_.block_count) * whole_.block_size();
    clear_with_room(around_.free_velocity, static_cast<std::size_t>(whole_.velocity_count()));
    around_.free_velocity.assign(static_cast<std::size_t>(around_.velocity_count()), 0.0);
  }

  // The number of a block in the problem around; no_index when it does not move.
  Index placed(Index block) const {
    if (!is_awake(block)) return no_index;
    return whole_.is_dense(block) ? block - whole_.block_count + around_.block_count : scratch_.place[block];
  }

  void take_contacts() {
    clear_contacts();
    for (Index c = 0; c < whole_.contact_count; ++c) {
      const Index a = whole_.block_a[c], b = whole_.block_b[c];
      if (!is_awake(a) && !is_awake(b)) continue;
      const Real depth = (is_asleep(a) || is_asleep(b) ? pressing_depth : 1.0) * slop_;
      around_.block_a.push_back(placed(a));
      around_.block_b.push_back(placed(b));
      around_.normal.push_back(whole_.normal[c]);
      around_.arm_a.push_back(whole_.arm_a[c]);
      around_.arm_b.push_back(whole_.arm_b[c]);
      around_.shift.emplace_back(shift_of(scratch_.end_gap[c] + depth), 0.0, 0.0);
      if (whole_.dense_a.empty()) continue;
      around_.dense_a.push_back(is_awake(a) ? whole_.dense_a[c] : no_index);
      around_.dense_b.push_back(is_awake(b) ? whole_.dense_b[c] : no_index);
    }
    around_.contact_count = static_cast<Index>(around_.normal.size());
    around_.friction.assign(around_.normal.size(), 0.0);
  }

  void clear_contacts() {
    const auto room = static_cast<std::size_t>(whole_.contact_count);
    for (auto* indices : {&around_.block_a, &around_.block_b, &around_.dense_a, &around_.dense_b})
      clear_with_room(*indices, room);
    for (auto* vectors : {&around_.normal, &around_.arm_a, &around_.arm_b, &around_.shift})
      clear_with_room(*vectors, room);
    clear_with_room(around_.friction, room);
  }

  void take_rows() {
    for (auto* indices : {&around_.row_block_a, &around_.row_block_b, &around_.row_side_a, &around_.row_side_b})
      indices->clear();
    for (auto* numbers : {&around_.row_shift, &around_.row_lower, &around_.row_upper}) numbers->clear();
    for (Index r = 0; r < whole_.row_count; ++r) {
      const Index a = whole_.row_block_a[r], b = whole_.row_block_b[r];
      const JointRow::Kind kind = input_.rows[r].kind;
      if (kind == JointRow::Kind::friction || kind == JointRow::Kind::force || (!is_awake(a) && !is_awake(b))) continue;
      around_.row_block_a.push_back(placed(a));
      around_.row_block_b.push_back(placed(b));
      around_.row_side_a.push_back(is_awake(a) ? whole_.row_side_a[r] : no_index);
      around_.row_side_b.push_back(is_awake(b) ? whole_.row_side_b[r] : no_index);
      around_.row_shift.push_back(is_limit(r) ? shift_of(end_gap_of_row(r)) : 0.0);
      around_.row_lower.push_back(is_limit(r) ? 0.0 : -infinity);
      around_.row_upper.push_back(infinity);
    }
    around_.row_count = static_cast<Index>(around_.row_shift.size());
  }

  void put_velocities() {
    const std::vector<Real>& from = scratch_.solution.velocity;
    assign_with_room(scratch_.velocity, static_cast<std::size_t>(whole_.velocity_count()), 0.0);
    for (Index b = 0; b < whole_.block_count + whole_.dense_count; ++b)
      if (is_awake(b))
        std::copy_n(from.begin() + around_.velocity_begin(placed(b)), whole_.velocity_size(b),
                    scratch_.velocity.begin() + whole_.velocity_begin(b));
  }

  const RecoveryInput& input_;
  const Real h_, theta_h_;  // s
  const Real slop_;         // m
  ContactProblem& whole_;
  ContactProblem& around_;
  RecoveryScratch& scratch_;
};

}  // namespace

RecoveryReport recover_penetration(const RecoveryInput& input, ContactProblem& problem, RecoveryScratch& scratch,
                                   NlgsScratch& nlgs, const Parallel& parallel) {
  RecoveryReport report;
  if (input.model.contact.recovery_speed <= 0.0) return report;
  Recovery recovery(input, problem, scratch);
  if (!recovery.wake()) return report;
  report.applied = true;
  const SolveReport solved = recovery.solve(nlgs, parallel);
  report.iterations = solved.iterations;
  report.residual = solved.residual;
  report.max_velocity = solved.max_velocity;
  return report;
}

}  // namespace grus
