#include "multibody/assembly.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "multibody/dynamics.hpp"
#include "multibody/find_closure.hpp"
#include "multibody/memories.hpp"
#include "multibody/reduction.hpp"

namespace grus {

namespace {

// Pivots of J, without units, below this part of the largest are zero: conditions that repeat others.
constexpr Real rank_tolerance = 1e-8;
// Given velocities that miss the loops by less are typed with few digits, and put right.
constexpr Real velocity_tolerance = 1e-6;

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += "'" + names[i] + "'";
  }
  return text;
}

// The least y with A y = b, by Gram-Schmidt on the rows, largest first; rows that are left below rank_tolerance of the
// largest say nothing new. Orthogonal to 1e-16 / 1e-8, far better than the velocities it is for need.
Eigen::VectorXd least_solution(Eigen::MatrixXd A, Eigen::VectorXd b) {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(A.cols());
  Real floor = 0.0;
  for (Index step = 0; step < A.rows(); ++step) {
    Index row = 0;
    const Real norm = std::sqrt(A.rowwise().squaredNorm().maxCoeff(&row));
    if (norm <= floor) break;
    if (step == 0) floor = rank_tolerance * norm;
    const Eigen::VectorXd direction = A.row(row).transpose() / norm;
    const Real amount = b[row] / norm;
    y += amount * direction;
    const Eigen::VectorXd along = A * direction;
    A -= along * direction.transpose();
    b -= amount * along;
    A.row(row).setZero();
  }
  return y;
}

// One mechanism on its way to a consistent start. Each step adds its faults and says whether the next makes sense.
class Assembly {
 public:
  Assembly(Mechanism& mechanism, const MechanismNames& names, const IntegratorOptions& integrator, State& state,
           std::vector<Fault>& faults, std::vector<std::string>& warnings)
      : mechanism_(mechanism),
        names_(names),
        integrator_(integrator),
        q_(std::span(state.joint_position).subspan(mechanism.first_position, mechanism.position_count)),
        v_(std::span(state.joint_velocity).subspan(mechanism.first_velocity, mechanism.velocity_count)),
        dependent_(std::span(state.joint_dependent).subspan(mechanism.first_velocity, mechanism.velocity_count)),
        inputs_(constant_inputs(state.input)),
        faults_(faults),
        warnings_(warnings) {}

  void run() {
    set_drives();
    if (!close()) return;
    if (!sort_conditions()) return;
    if (!choose()) return;
    if (!set_velocities()) return;
    check_mass();
  }

 private:
  bool is_driven(Index k) const { return mechanism_.coordinates[k].role == CoordinateRole::driven; }
  Index condition_count() const { return static_cast<Index>(mechanism_.loops.size()); }

  template <class Test>
  std::vector<std::string> names_of(const Test& test) const {
    std::vector<std::string> names;
    for (Index k = 0; k < mechanism_.velocity_count; ++k)
      if (test(k)) names.push_back(names_.coordinate[k]);
    return names;
  }
  template <class Test>
  std::vector<std::uint8_t> mask(const Test& test) const {
    std::vector<std::uint8_t> values(mechanism_.coordinates.size());
    for (Index k = 0; k < mechanism_.velocity_count; ++k) values[k] = test(mechanism_.coordinates[k]) ? 1 : 0;
    return values;
  }
  void fault_of_mechanism(const std::string& message) {
    faults_.push_back({names_.mark, fmt::format("mechanism '{}': {}", names_.name, message)});
  }
  // Number of a condition within its loop, from 1.
  Index number_in_loop(std::size_t condition) const {
    const Index group = mechanism_.loops[condition].group;
    return 1 + static_cast<Index>(std::count_if(mechanism_.loops.begin(), mechanism_.loops.begin() + condition,
                                                [&](const JointCondition& c) { return c.group == group; }));
  }

  void set_drives();
  bool close();
  void report_moved(std::span<const Real> guess, std::span<const Real> q);
  void report_open(std::span<const Real> q, const std::string& reason);
  std::vector<Index> independent_rows(std::span<const Real> q, std::vector<std::string>* overdriven);
  bool sort_conditions();
  bool choose();
  bool set_velocities();
  void check_mass();

  Mechanism& mechanism_;
  const MechanismNames& names_;
  const IntegratorOptions& integrator_;
  std::span<Real> q_, v_;
  std::span<std::uint32_t> dependent_;
  Inputs inputs_;
  std::vector<Fault>& faults_;
  std::vector<std::string>& warnings_;

  Partition partition_;
  MechanismKinematics kinematics_;
  LoopScratch scratch_;
  VelocityMap map_;
};

void Assembly::set_drives() {
  for (Index k = 0; k < mechanism_.velocity_count; ++k) {
    if (!is_driven(k)) continue;
    const Coordinate& coordinate = mechanism_.coordinates[k];
    q_[coordinate.position] = (*coordinate.drive)(0.0, inputs_);
    v_[k] = driven_velocity(coordinate, integrator_, 0.0, inputs_);
  }
}

bool Assembly::close() {
  if (mechanism_.loops.empty()) return true;
  const std::vector<Real> guess(q_.begin(), q_.end());
  FoundClosure found;
  std::vector<Real> q = guess;
  const auto closes = [&](const std::vector<std::uint8_t>& movable) {
    q = guess;
    found = find_closure(mechanism_, movable, q);
    return found.is_good(mechanism_);
  };
  const auto accept = [&] {
    std::copy(q.begin(), q.end(), q_.begin());
    return true;
  };
  using Role = CoordinateRole;
  const auto by_user = mask([](const Coordinate& c) { return c.role == Role::dependent; });
  if (std::count(by_user.begin(), by_user.end(), 1) > 0 && closes(by_user)) return accept();
  if (closes(mask([](const Coordinate& c) { return c.role != Role::driven && !c.position_given; }))) return accept();
  if (closes(mask([](const Coordinate& c) { return c.role != Role::driven; }))) {
    report_moved(guess, q);
    return accept();
  }
  if (found.error <= closed_well_enough * mechanism_.size) {
    faults_.push_back({names_.loop_mark[found.flipped],
                       fmt::format("loop '{}' closes only with its axes against each other, half a turn off; start "
                                   "closer to the position meant, or turn the frame of one side",
                                   names_.loop[found.flipped])});
    return false;
  }
  const std::vector<Real> best = q;
  const std::vector<std::string> driven = names_of([&](Index k) { return is_driven(k); });
  if (!driven.empty() && closes(mask([](const Coordinate&) { return true; }))) {
    report_open(best, fmt::format("with the driven {} {} at t = 0, but it closes when {} free", quoted_list(driven),
                                  driven.size() > 1 ? "where they are" : "where it is",
                                  driven.size() > 1 ? "they are" : "it is"));
  } else {
    report_open(best,
                "from the start positions given; check the lengths of its bodies and where it is cut, or start "
                "closer to a closed position");
  }
  return false;
}

void Assembly::report_moved(std::span<const Real> guess, std::span<const Real> q) {
  for (Index k = 0; k < mechanism_.velocity_count; ++k) {
    const Coordinate& coordinate = mechanism_.coordinates[k];
    const Index x = coordinate.position;
    if (!coordinate.position_given || x == no_index || std::abs(q[x] - guess[x]) < 1e-9) continue;
    warnings_.push_back(
        fmt::format("mechanism '{}': its loops do not close with the positions given; '{}' moved from {:.6g} to {:.6g}",
                    names_.name, names_.coordinate[k], guess[x], q[x]));
  }
}

void Assembly::report_open(std::span<const Real> q, const std::string& reason) {
  place(mechanism_, q, kinematics_);
  evaluate_loops(mechanism_, kinematics_, condition_count(), scratch_);
  std::vector<Real> open(names_.loop.size(), 0.0);
  for (Index i = 0; i < condition_count(); ++i) {
    const JointCondition& condition = mechanism_.loops[i];
    Real& worst = open[condition.group];
    worst = std::max(worst, condition_scale(mechanism_, condition) * std::abs(scratch_.h[i]));
  }
  for (std::size_t loop = 0; loop < open.size(); ++loop) {
    if (open[loop] <= closed_well_enough * mechanism_.size) continue;
    faults_.push_back({names_.loop_mark[loop], fmt::format("loop '{}' cannot close: {:.3g} m stay open {}",
                                                           names_.loop[loop], open[loop], reason)});
  }
}

// Rows of J at q that no others repeat, by what coordinates that are not driven can do. Driven coordinates that the
// loops then still tie are named in `overdriven`.
std::vector<Index> Assembly::independent_rows(std::span<const Real> q, std::vector<std::string>* overdriven) {
  place(mechanism_, q, kinematics_);
  evaluate_loops(mechanism_, kinematics_, condition_count(), scratch_);
  scale_jacobian(mechanism_, scratch_.J, scratch_.scaled);
  const Real floor = rank_tolerance * scratch_.scaled.lpNorm<Eigen::Infinity>();
  scratch_.use.resize(mechanism_.coordinates.size());
  for (Index k = 0; k < mechanism_.velocity_count; ++k)
    scratch_.use[k] = is_driven(k) ? ColumnUse::never : ColumnUse::first;
  Elimination& e = scratch_.elimination;
  eliminate(scratch_.scaled, scratch_.use, floor, e);
  if (overdriven != nullptr) {
    // what elimination left of rows without a pivot
    *overdriven = names_of([&](Index k) {
      if (!is_driven(k)) return false;
      for (Index i = 0; i < condition_count(); ++i)
        if (!e.row_done[i] && std::abs(scratch_.scaled(i, k)) > floor) return true;
      return false;
    });
  }
  return e.rows;
}

// Conditions that others repeat go to the end. The rank is taken beside the start too: at a dead centre J loses rank
// and its conditions are needed none the less.
bool Assembly::sort_conditions() {
  mechanism_.closed_count = 0;
  if (mechanism_.loops.empty()) return true;
  std::vector<std::string> overdriven;
  std::vector<Index> rows = independent_rows(q_, &overdriven);
  const std::size_t rank_here = rows.size();
  // driven ones too: beside a dead centre their drive may be out of reach
  const std::vector<std::uint8_t> all(mechanism_.coordinates.size(), 1);
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    std::vector<Real> beside(q_.begin(), q_.end());
    nudge_positions(mechanism_, all, 1e-2, seed, beside);
    if (!find_closure(mechanism_, all, beside).is_good(mechanism_)) continue;
    std::vector<std::string> overdriven_beside;
    const std::vector<Index> rows_beside = independent_rows(beside, &overdriven_beside);
    if (rows_beside.size() <= rows.size()) continue;
    rows = rows_beside;
    overdriven = overdriven_beside;
  }
  if (!overdriven.empty()) {
    fault_of_mechanism(fmt::format(
        "the driven {} {}: the loops leave no freedom for {}, drive fewer coordinates", quoted_list(overdriven),
        overdriven.size() > 1 ? "contradict each other" : "cannot move", overdriven.size() > 1 ? "all of them" : "it"));
    return false;
  }
  if (rank_here < rows.size()) {
    fault_of_mechanism(
        "it starts in a singular position (a dead centre), where its loops do not say how it moves on; "
        "start it beside");
    return false;
  }
  std::vector<JointCondition> closed, watched;
  for (std::size_t i = 0; i < mechanism_.loops.size(); ++i) {
    if (std::find(rows.begin(), rows.end(), static_cast<Index>(i)) != rows.end()) {
      closed.push_back(mechanism_.loops[i]);
      continue;
    }
    watched.push_back(mechanism_.loops[i]);
    warnings_.push_back(fmt::format("mechanism '{}': loop '{}': its condition {} repeats others and is only watched",
                                    names_.name, names_.loop[mechanism_.loops[i].group], number_in_loop(i)));
  }
  mechanism_.closed_count = static_cast<Index>(closed.size());
  closed.insert(closed.end(), watched.begin(), watched.end());
  mechanism_.loops = std::move(closed);
  return true;
}

// The first partition, and the loops closed to rounding with it.
bool Assembly::choose() {
  place(mechanism_, q_, kinematics_);
  evaluate_loops(mechanism_, kinematics_, mechanism_.closed_count, scratch_);
  partition_ = choose_partition(mechanism_, scratch_);
  const auto by_user = names_of([&](Index k) { return mechanism_.coordinates[k].role == CoordinateRole::dependent; });
  const auto wanted = static_cast<Index>(by_user.size());
  const auto found = static_cast<Index>(partition_.dependent.size());
  if (wanted > mechanism_.closed_count) {
    fault_of_mechanism(fmt::format("{} are dependent, but the loops have {} independent conditions",
                                   quoted_list(by_user), mechanism_.closed_count));
    return false;
  }
  if (found < mechanism_.closed_count) {
    fault_of_mechanism(
        fmt::format("the loops need {} dependent coordinates, and only {} may be: make fewer of them "
                    "independent",
                    mechanism_.closed_count, found));
    return false;
  }
  const PartitionQuality quality = partition_quality(mechanism_, partition_, scratch_);
  const bool unchosen = std::any_of(partition_.independent.begin(), partition_.independent.end(), [&](Index k) {
    return mechanism_.coordinates[k].role == CoordinateRole::dependent;
  });
  if (unchosen || quality.now < rank_tolerance) {
    fault_of_mechanism(fmt::format("the loops do not determine {} from the other coordinates at the start",
                                   by_user.empty() ? "the dependent coordinates" : quoted_list(by_user)));
    return false;
  }
  const std::vector<Real> closed(q_.begin(), q_.end());
  const ClosureReport report = close_loops(mechanism_, partition_, q_, kinematics_, scratch_);
  if (!report.converged || report.error > closed_well_enough * mechanism_.size) {
    report_open(closed, "to the last digits; it is close to a position where it cannot move on");
    return false;
  }
  std::fill(dependent_.begin(), dependent_.end(), 0U);
  for (const Index k : partition_.dependent) dependent_[k] = 1U;
  return true;
}

// J v = 0 with driven and given velocities, the others as small as possible.
bool Assembly::set_velocities() {
  const Index rows = mechanism_.closed_count;
  if (rows == 0) return true;
  Eigen::MatrixXd J;
  scale_jacobian(mechanism_, scratch_.J, J);
  const Eigen::MatrixXd J_plain = J;
  std::vector<Real> scales(v_.size(), 1.0);  // velocities without units are v times this
  for (const JointAxis& axis : mechanism_.axes)
    for (Index i = 0; axis.kind != AxisKind::slide && i < (axis.kind == AxisKind::ball ? 3 : 1); ++i)
      scales[axis.velocity + i] = mechanism_.size;
  Eigen::VectorXd known = Eigen::VectorXd::Zero(rows);
  Real largest = 0.0;
  for (Index k = 0; k < mechanism_.velocity_count; ++k) {
    if (!is_driven(k) && !mechanism_.coordinates[k].velocity_given) continue;
    const Eigen::VectorXd part = (scales[k] * v_[k]) * J_plain.col(k);
    known += part;
    largest = std::max(largest, part.lpNorm<Eigen::Infinity>());
    J.col(k).setZero();
  }
  const Eigen::VectorXd solved = least_solution(J, -known);
  const Eigen::VectorXd missed = J * solved + known;
  if (missed.lpNorm<Eigen::Infinity>() > velocity_tolerance * largest) {
    Index worst = 0;
    missed.cwiseAbs().maxCoeff(&worst);
    const Index loop = mechanism_.loops[worst].group;
    const std::vector<std::string> given = names_of([&](Index k) {
      return (is_driven(k) || mechanism_.coordinates[k].velocity_given) && std::abs(J_plain(worst, k)) > rank_tolerance;
    });
    faults_.push_back(
        {names_.loop_mark[loop],
         fmt::format("the rates given to {} contradict loop '{}', which opens with {:.3g} m/s; give fewer",
                     quoted_list(given), names_.loop[loop], std::abs(missed[worst]))});
    return false;
  }
  for (Index k = 0; k < mechanism_.velocity_count; ++k)
    if (!is_driven(k) && !mechanism_.coordinates[k].velocity_given) v_[k] = solved[k] / scales[k];
  // dependent ones to rounding
  map_velocities(mechanism_, partition_, v_, scratch_, map_);
  Eigen::VectorXd u(map_.T.cols());
  for (Index j = 0; j < u.size(); ++j) u[j] = v_[partition_.independent[j]];
  const Eigen::VectorXd all = map_.T * u + map_.affine;
  std::copy(all.data(), all.data() + all.size(), v_.begin());
  return true;
}

// Cholesky of the reduced mass matrix in coordinate order: the first pivot that fails names who moves nothing.
void Assembly::check_mass() {
  DynamicsScratch dynamics;
  Eigen::MatrixXd mass;
  place(mechanism_, q_, kinematics_);
  mass_matrix(mechanism_, kinematics_, dynamics, mass);
  map_velocities(mechanism_, partition_, v_, scratch_, map_);
  Eigen::MatrixXd A = map_.T.transpose() * mass * map_.T;
  for (Index j = 0; j < A.rows(); ++j) {
    const Real before = A(j, j);
    for (Index i = 0; i < j; ++i) A(j, j) -= A(j, i) * A(j, i);
    // rounding leaves 1e-16 of what was subtracted
    if (!(A(j, j) > 1e-13 * before)) {
      fault_of_mechanism(
          fmt::format("'{}' moves nothing that has mass or inertia of its own: the mass matrix is not "
                      "positive definite",
                      names_.coordinate[partition_.independent[j]]));
      return;
    }
    A(j, j) = std::sqrt(A(j, j));
    for (Index k = j + 1; k < A.rows(); ++k) {
      for (Index i = 0; i < j; ++i) A(k, j) -= A(k, i) * A(j, i);
      A(k, j) /= A(j, j);
    }
  }
}

}  // namespace

void assemble_mechanisms(CompiledScene& scene) {
  State& state = scene.initial;
  state.joint_dependent.assign(state.joint_velocity.size(), 0U);
  state.limit_impulse.assign(state.joint_velocity.size(), 0.0);
  state.friction_impulse.assign(state.joint_velocity.size(), 0.0);
  std::vector<Fault> faults;
  for (std::size_t i = 0; i < scene.model.mechanisms.size(); ++i) {
    Assembly(scene.model.mechanisms[i], scene.names.mechanism[i], scene.model.integrator, state, faults, scene.warnings)
        .run();
  }
  if (!faults.empty()) throw InputError(std::move(faults));
  std::vector<Real> values;
  for (const Mechanism& mechanism : scene.model.mechanisms)
    remember(mechanism, scene.model.integrator, -std::numeric_limits<Real>::infinity(), state.time, state, values);
}

}  // namespace grus
