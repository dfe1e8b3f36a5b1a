#include "contact/joint_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/grow.hpp"
#include "multibody/condition.hpp"
#include "solvers/delassus.hpp"

namespace grus {

namespace {

constexpr Real unbounded = std::numeric_limits<Real>::infinity();

// Metres that a unit of velocity k stands for.
Real length_of(const Mechanism& mechanism, Index k) {
  return mechanism.coordinates[static_cast<std::size_t>(k)].is_slide ? 1.0 : mechanism.size;
}
Real length_of_law(const Mechanism& mechanism, std::size_t number) {
  const std::vector<JointForce>& joints = mechanism.joint_forces;
  return number < joints.size() ? length_of(mechanism, joints[number].coordinate) : 1.0;
}

struct Builder {
  const JointRowInput& input;
  DenseSideScratch& scratch;
  std::vector<JointRow>& rows;
  ContactProblem& problem;
  ContactSolution& solution;

  void add(const JointRow& row, Index block_a, Index side_a, Index block_b, Index side_b, Real shift, Real lower,
           Real upper, Real impulse, Real length, Real compliance = 0.0) {
    rows.push_back(row);
    problem.row_block_a.push_back(block_a);
    problem.row_side_a.push_back(side_a);
    problem.row_block_b.push_back(block_b);
    problem.row_side_b.push_back(side_b);
    problem.row_shift.push_back(shift);
    problem.row_lower.push_back(lower);
    problem.row_upper.push_back(upper);
    problem.row_compliance.push_back(compliance);
    problem.row_length.push_back(length);
    solution.row_impulse.push_back(impulse);
    ++problem.row_count;
  }

  // A force of mechanism d held at its limit.
  void add_force(std::size_t d, std::size_t number) {
    const Mechanism& mechanism = input.model.mechanisms[d];
    ReducedMechanism& m = input.mechanisms[d];
    const Real h = input.model.integrator.step;
    const LawStep& law = m.forces.laws[number];
    const Real bound = h * law_of(mechanism, number).limit;
    const Real sign = law.mode == LawMode::held_at_upper ? 1.0 : -1.0;
    find_gradient(force_step(mechanism, input.model.integrator, m), number, m.forces);
    const std::vector<Real>& g = m.forces.gradient;
    JointRow row;
    row.kind = JointRow::Kind::force;
    row.index = mechanism.first_law + static_cast<Index>(number);
    row.mechanism = static_cast<Index>(d);
    for (std::size_t k = 0; k < g.size(); ++k) {
      row.start_velocity += g[k] * m.velocity_start[k];
      row.affine_end += g[k] * m.end.affine[static_cast<Index>(k)];
    }
    const Real compliance = 1.0 / (h * law.gain);
    add(row, no_index, no_index, problem.block_count + static_cast<Index>(d), append_dense_row(m, g, scratch, problem),
        row.affine_end + (sign * bound - h * law.known) * compliance, std::min(0.0, -2.0 * sign * bound),
        std::max(0.0, -2.0 * sign * bound), 0.0, length_of_law(mechanism, number), compliance);
  }

  // sign times velocity k of mechanism d.
  void add_coordinate_row(std::size_t d, Index k, Real sign, JointRow row, Real shift, Real lower, Real upper,
                          Real impulse) {
    const ReducedMechanism& m = input.mechanisms[d];
    assign_with_room(scratch.row, m.velocity_start.size(), 0.0);
    scratch.row[static_cast<std::size_t>(k)] = sign;
    row.start_velocity = sign * m.velocity_start[static_cast<std::size_t>(k)];
    row.affine_end = sign * m.end.affine[k];
    add(row, no_index, no_index, problem.block_count + static_cast<Index>(d),
        append_dense_row(m, scratch.row, scratch, problem), shift + row.affine_end, lower, upper, impulse,
        length_of(input.model.mechanisms[d], k));
  }

  void add_limit(std::size_t d, Index k, bool is_lower) {
    const Model& model = input.model;
    const Mechanism& mechanism = model.mechanisms[d];
    const Coordinate& c = mechanism.coordinates[static_cast<std::size_t>(k)];
    const Real h = model.integrator.step, theta = model.integrator.theta;
    const Real q = input.mechanisms[d].q[static_cast<std::size_t>(c.position)];
    const Real sign = is_lower ? 1.0 : -1.0;
    const Real gap = is_lower ? q - c.lower : c.upper - q;
    const Real start = sign * input.mechanisms[d].velocity_start[static_cast<std::size_t>(k)];
    const bool newton = c.restitution > 0.0 || theta < 1.0;
    // Under the gap law an open limit takes part: its row decides whether it is met within the step.
    if (gap > 0.0 && newton) return;
    const Real shift = newton ? c.restitution * start : std::max(gap, 0.0) / (theta * h);
    JointRow row;
    row.kind = is_lower ? JointRow::Kind::lower_limit : JointRow::Kind::upper_limit;
    row.index = mechanism.first_velocity + k;
    row.gap = gap;
    const Real impulse = sign * input.state.limit_impulse[static_cast<std::size_t>(row.index)];
    add_coordinate_row(d, k, sign, row, shift, 0.0, unbounded, std::max(impulse, 0.0));
  }

  void add_friction(std::size_t d, Index k, Real force) {
    JointRow row;
    row.kind = JointRow::Kind::friction;
    row.index = input.model.mechanisms[d].first_velocity + k;
    const Real bound = input.model.integrator.step * force;
    add_coordinate_row(d, k, 1.0, row, 0.0, -bound, bound,
                       input.state.friction_impulse[static_cast<std::size_t>(row.index)]);
  }

  // Entries of a wrench on a free body; no_index for a body that is not free.
  Index append_rigid_row(Index body, const Vec3& point, const Vec3& force, const Vec3& torque, Real sign, Real& start) {
    if (body == no_index) return no_index;
    const auto begin = static_cast<Index>(problem.jacobian.size());
    const Vec3 arm = point - input.pose_m[body].position;
    const Vec3 f = sign * force, t = sign * (torque + arm.cross(force));
    const Vec3 push = problem.inverse_mass[body] * f, turn = block_inverse_inertia(problem, body) * t;
    const auto append = [&](const Vec3& h_linear, const Vec3& h_angular, std::vector<Real>& entries) {
      if (problem.dimension == 2) {
        entries.insert(entries.end(), {h_linear.x(), h_linear.y(), h_angular.z()});
      } else {
        entries.insert(entries.end(),
                       {h_linear.x(), h_linear.y(), h_linear.z(), h_angular.x(), h_angular.y(), h_angular.z()});
      }
    };
    append(f, t, problem.jacobian);
    append(push, turn, problem.response);
    start += f.dot(input.state.velocity[body]) + t.dot(input.state.angular_velocity[body]);
    return begin;
  }

  void add_condition(Index index) {
    const JointCondition& condition = input.model.joint_conditions[static_cast<std::size_t>(index)];
    const auto is_there = [&](Index body) { return body == no_index || body < input.active; };
    if (!is_there(condition.a) || !is_there(condition.b)) return;
    const auto pose = [&](Index body) { return body == no_index ? Pose{} : input.pose_m[body]; };
    const ConditionGradient g = condition_gradient(condition, pose(condition.a), pose(condition.b));
    JointRow row;
    row.kind = JointRow::Kind::condition;
    row.index = index;
    row.gap = g.value;
    const Index side_a = append_rigid_row(condition.a, g.point, g.force, g.torque, -1.0, row.start_velocity);
    const Index side_b = append_rigid_row(condition.b, g.point, g.force, g.torque, 1.0, row.start_velocity);
    add(row, condition.a, side_a, condition.b, side_b, 0.0, -unbounded, unbounded,
        input.state.condition_impulse[static_cast<std::size_t>(index)], 1.0);
  }
};

}  // namespace

void build_joint_rows(const JointRowInput& input, DenseSideScratch& scratch, std::vector<JointRow>& rows,
                      ContactProblem& problem, ContactSolution& solution) {
  rows.clear();
  problem.row_count = 0;
  for (std::vector<Index>* list :
       {&problem.row_block_a, &problem.row_block_b, &problem.row_side_a, &problem.row_side_b})
    list->clear();
  for (std::vector<Real>* list : {&problem.row_shift, &problem.row_lower, &problem.row_upper, &problem.row_compliance,
                                  &problem.row_length, &solution.row_impulse})
    list->clear();
  Builder builder{input, scratch, rows, problem, solution};
  for (Index i = 0; i < static_cast<Index>(input.model.joint_conditions.size()); ++i) builder.add_condition(i);
  for (std::size_t d = 0; d < input.mechanisms.size(); ++d) {
    const Mechanism& mechanism = input.model.mechanisms[d];
    for (Index k = 0; k < mechanism.velocity_count; ++k) {
      const Coordinate& c = mechanism.coordinates[static_cast<std::size_t>(k)];
      if (c.role == CoordinateRole::driven) continue;
      if (std::isfinite(c.lower)) builder.add_limit(d, k, true);
      if (std::isfinite(c.upper)) builder.add_limit(d, k, false);
      if (c.friction > 0.0) builder.add_friction(d, k, c.friction);
    }
  }
  // Last, so that the rows before keep their numbers when a step is solved again with one more of these.
  for (std::size_t d = 0; d < input.mechanisms.size(); ++d) {
    const std::vector<LawStep>& laws = input.mechanisms[d].forces.laws;
    for (std::size_t number = 0; number < laws.size(); ++number)
      if (is_held(laws[number].mode)) builder.add_force(d, number);
  }
}

}  // namespace grus
