#include "multibody/forces.hpp"

#include <algorithm>
#include <cmath>

#include "math/rotation.hpp"

namespace grus {

namespace {

Real at(const TimeFunctionPtr& function, Real time, std::span<const Real> inputs) {
  return function ? (*function)(time, constant_inputs(inputs)) : 0.0;
}

Real table_value(const std::vector<std::pair<Real, Real>>& table, Real x) {
  if (table.empty()) return 0.0;
  const auto after =
      std::upper_bound(table.begin(), table.end(), x,
                       [](Real value, const std::pair<Real, Real>& point) { return value < point.first; });
  if (after == table.begin()) return table.front().second;
  if (after == table.end()) return table.back().second;
  const auto before = after - 1;
  const Real part = (x - before->first) / (after->first - before->first);
  return before->second + part * (after->second - before->second);
}

Real spring_force(const ForceLaw& law, Real x, Real time, std::span<const Real> inputs) {
  return law.stiffness == 0.0 ? 0.0 : -law.stiffness * (x - at(law.rest, time, inputs));
}
Real damper_force(const ForceLaw& law, Real rate, Real time, std::span<const Real> inputs) {
  return law.damping == 0.0 ? 0.0 : -law.damping * (rate - at(law.rate, time, inputs));
}
Real other_force(const ForceLaw& law, Real x, std::span<const Real> values) {
  return table_value(law.table, x) + (law.expression ? (*law.expression)(values) : 0.0);
}
Real unlimited_force(const ForceLaw& law, Real x, Real rate, Real time, std::span<const Real> inputs,
                     std::span<const Real> values) {
  return spring_force(law, x, time, inputs) + damper_force(law, rate, time, inputs) + other_force(law, x, values);
}

bool has_limit(const ForceLaw& law) { return std::isfinite(law.limit); }
bool has_potential(const ForceLaw& law) { return law.rest_is_constant && !has_limit(law); }

Real end_of(const ForceStep& step) { return step.time + step.theta * step.h; }

Real dot(std::span<const Real> a, std::span<const Real> b) {
  Real sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

void add(Real scale, std::span<const Real> a, std::span<Real> sum) {
  for (std::size_t k = 0; k < a.size(); ++k) sum[k] += scale * a[k];
}

// Position x of a law, its gradient in scratch.gradient; scratch.values must be filled.
Real locate(const ForceStep& step, const JointForce& force, ForceScratch& scratch) {
  scratch.gradient.assign(step.mechanism.coordinates.size(), 0.0);
  scratch.gradient[force.coordinate] = 1.0;
  return scratch.values[1 + 2 * force.coordinate];
}
Real locate(const ForceStep& step, const PointForce& force, ForceScratch& scratch) {
  const PointLine line = point_line(force, step.kinematics);
  scratch.gradient.assign(step.mechanism.coordinates.size(), 0.0);
  const Vec3 none = Vec3::Zero();
  add_generalised_force(step.mechanism, step.kinematics, force.b, line.p_B, line.direction, none, 1.0,
                        scratch.gradient);
  add_generalised_force(step.mechanism, step.kinematics, force.a, line.p_A, line.direction, none, -1.0,
                        scratch.gradient);
  return line.length;
}

// Calls visit(law, its LawStep, x) for every law, its gradient in scratch.gradient; scratch.values must be filled.
template <class Visit>
void for_each_law(const ForceStep& step, ForceScratch& scratch, const Visit& visit) {
  GRUS_ASSERT(scratch.laws.size() == step.mechanism.law_count());
  std::size_t number = 0;
  const auto visit_all = [&](const auto& forces) {
    for (const auto& force : forces) {
      const Real x = locate(step, force, scratch);
      visit(force.law, scratch.laws[number++], x);
    }
  };
  visit_all(step.mechanism.joint_forces);
  visit_all(step.mechanism.point_forces);
}

LinkLoad load_of(const AppliedForce& applied, const MechanismKinematics& kinematics, std::span<const Real> values) {
  const Pose& X_WB = kinematics.X_WB[applied.link];
  LinkLoad load;
  load.link = applied.link;
  load.point = X_WB.position + X_WB.rotation * applied.p_B;
  for (std::size_t i = 0; i < 3; ++i) {
    if (applied.force[i]) load.force[static_cast<Index>(i)] = (*applied.force[i])(values);
    if (applied.torque[i]) load.torque[static_cast<Index>(i)] = (*applied.torque[i])(values);
  }
  if (applied.in_body_axes) {
    const Quat R_WU = X_WB.rotation * applied.R_UB.conjugate();
    load.force = R_WU * load.force;
    load.torque = R_WU * load.torque;
  }
  return load;
}

void add_applied_forces(const Mechanism& mechanism, const MechanismKinematics& kinematics, std::span<const Real> values,
                        std::span<Real> generalised) {
  for (const AppliedForce& applied : mechanism.applied_forces) {
    const LinkLoad load = load_of(applied, kinematics, values);
    add_generalised_force(mechanism, kinematics, load.link, load.point, load.force, load.torque, 1.0, generalised);
  }
}

}  // namespace

void coordinate_values(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v,
                       std::span<const Real> inputs, std::vector<Real>& values) {
  values.resize(1 + 2 * mechanism.coordinates.size() + inputs.size());
  std::copy(inputs.begin(), inputs.end(), values.end() - static_cast<std::ptrdiff_t>(inputs.size()));
  values[0] = time;
  for (const JointAxis& axis : mechanism.axes) {
    const Real* const x = &q[axis.position];
    Real* const value = &values[1 + 2 * axis.velocity];
    if (axis.kind != AxisKind::ball) {
      value[0] = x[0];
      value[1] = v[axis.velocity];
      continue;
    }
    const Vec3 rotation = log_rotation(Quat(x[0], x[1], x[2], x[3]));
    for (Index i = 0; i < 3; ++i) {
      value[2 * i] = rotation[i];
      value[2 * i + 1] = v[axis.velocity + i];
    }
  }
}

void force_values(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v,
                  std::span<const Real> inputs, std::span<const Real> memory, std::vector<Real>& values) {
  GRUS_ASSERT(memory.size() == mechanism.memories.size());
  coordinate_values(mechanism, time, q, v, inputs, values);
  values.insert(values.end(), memory.begin(), memory.end());
}

Real joint_force_value(const ForceLaw& law, Real x, Real rate, Real time, std::span<const Real> values,
                       std::span<const Real> inputs) {
  return std::clamp(unlimited_force(law, x, rate, time, inputs, values), -law.limit, law.limit);
}

PointLine point_line(const PointForce& force, const MechanismKinematics& kinematics) {
  const auto point = [&](Index link, const Vec3& p) {
    if (link == no_index) return p;
    return Vec3(kinematics.X_WB[link].position + kinematics.X_WB[link].rotation * p);
  };
  PointLine line;
  line.p_A = point(force.a, force.p_A);
  line.p_B = point(force.b, force.p_B);
  const Vec3 d = line.p_B - line.p_A;
  line.length = d.norm();
  // where the points meet the force has no direction: any
  if (line.length > 0.0) line.direction = d / line.length;
  return line;
}

void begin_forces(const ForceStep& step, std::span<const std::uint32_t> held, ForceScratch& scratch) {
  scratch.laws.assign(step.mechanism.law_count(), LawStep{});
  std::size_t number = 0;
  const auto begin = [&](const auto& forces) {
    for (const auto& force : forces) {
      const std::uint32_t side = held.empty() ? 0U : held[number];
      LawStep& law = scratch.laws[number++];
      if (!force.law.implicit) continue;
      law.mode = side == 0U ? LawMode::engaged : (side == 1U ? LawMode::held_at_upper : LawMode::held_at_lower);
      law.gain = force.law.damping + step.theta * step.h * force.law.stiffness;
    }
  };
  begin(step.mechanism.joint_forces);
  begin(step.mechanism.point_forces);
}

bool add_implicit_mass(const ForceStep& step, ForceScratch& scratch, Eigen::MatrixXd& mass) {
  const Index n = step.mechanism.velocity_count;
  bool any = false;
  scratch.values.assign(1 + 2 * step.mechanism.coordinates.size(), 0.0);  // gradients alone are asked for
  for_each_law(step, scratch, [&](const ForceLaw&, const LawStep& law_step, Real) {
    if (law_step.mode != LawMode::engaged) return;
    any = true;
    const Eigen::Map<const Eigen::VectorXd> g(scratch.gradient.data(), n);
    const Real weight = step.h * law_step.gain;
    for (Index k = 0; k < n; ++k)
      if (g[k] != 0.0) mass.col(k) += (weight * g[k]) * g;
  });
  return any;
}

void add_forces(const ForceStep& step, std::span<const Real> v, std::span<const Real> v_start, ForceScratch& scratch,
                std::span<Real> generalised) {
  const Mechanism& mechanism = step.mechanism;
  if (scratch.laws.empty() && mechanism.applied_forces.empty()) return;
  force_values(mechanism, step.time, step.q, v, step.inputs, scratch.memory, scratch.values);
  for_each_law(step, scratch, [&](const ForceLaw& law, LawStep& law_step, Real x) {
    if (law_step.mode == LawMode::at_velocity) {
      add(joint_force_value(law, x, dot(scratch.gradient, v), step.time, scratch.values, step.inputs), scratch.gradient,
          generalised);
      return;
    }
    const Real rate = dot(scratch.gradient, v_start);
    law_step.other = other_force(law, x + step.theta * step.h * rate, scratch.values);
    law_step.known = spring_force(law, x, end_of(step), step.inputs) +
                     damper_force(law, 0.0, end_of(step), step.inputs) + law_step.other;
    Real force = law_step.known - law_step.gain * rate;
    if (law_step.mode == LawMode::held_at_upper) force = law.limit;
    if (law_step.mode == LawMode::held_at_lower) force = -law.limit;
    add(force, scratch.gradient, generalised);
  });
  add_applied_forces(mechanism, step.kinematics, scratch.values, generalised);
}

bool hold_exceeded(const ForceStep& step, std::span<const Real> v_end, ForceScratch& scratch) {
  bool any = false;
  for_each_law(step, scratch, [&](const ForceLaw& law, LawStep& law_step, Real) {
    if (law_step.mode != LawMode::engaged || !has_limit(law)) return;
    const Real force = law_step.known - law_step.gain * dot(scratch.gradient, v_end);
    if (std::abs(force) <= law.limit) return;
    law_step.mode = force > 0.0 ? LawMode::held_at_upper : LawMode::held_at_lower;
    any = true;
  });
  return any;
}

void settle_forces(const ForceStep& step, std::span<const Real> v, std::span<const Real> v_end, ForceScratch& scratch) {
  force_values(step.mechanism, step.time, step.q, v, step.inputs, scratch.memory, scratch.values);
  for_each_law(step, scratch, [&](const ForceLaw& law, LawStep& law_step, Real x) {
    switch (law_step.mode) {
      case LawMode::at_velocity:
        law_step.acted = joint_force_value(law, x, dot(scratch.gradient, v), step.time, scratch.values, step.inputs);
        break;
      case LawMode::engaged:
        law_step.acted = law_step.known - law_step.gain * dot(scratch.gradient, v_end);
        break;
      case LawMode::held_at_upper:
        law_step.acted = law.limit + law_step.excess / step.h;
        break;
      case LawMode::held_at_lower:
        law_step.acted = -law.limit + law_step.excess / step.h;
        break;
    }
  });
}

const ForceLaw& law_of(const Mechanism& mechanism, std::size_t number) {
  const std::size_t joints = mechanism.joint_forces.size();
  return number < joints ? mechanism.joint_forces[number].law : mechanism.point_forces[number - joints].law;
}

void find_gradient(const ForceStep& step, std::size_t number, ForceScratch& scratch) {
  const std::size_t joints = step.mechanism.joint_forces.size();
  scratch.values.resize(1 + 2 * step.mechanism.coordinates.size());
  if (number < joints) {
    locate(step, step.mechanism.joint_forces[number], scratch);
  } else {
    locate(step, step.mechanism.point_forces[number - joints], scratch);
  }
}

void add_ledger_forces(const ForceStep& step, std::span<const Real> v, std::span<const Real> v_end,
                       ForceScratch& scratch, std::span<Real> damping, std::span<Real> external,
                       std::span<Real> stored) {
  force_values(step.mechanism, step.time, step.q, v, step.inputs, scratch.memory, scratch.values);
  for_each_law(step, scratch, [&](const ForceLaw& law, const LawStep& law_step, Real x) {
    if (has_limit(law)) {
      add(law_step.acted, scratch.gradient, external);
      return;
    }
    const bool at_end = law_step.mode != LawMode::at_velocity;
    const Real time = at_end ? end_of(step) : step.time;
    const Real rate = dot(scratch.gradient, at_end ? v_end : v);
    add(damper_force(law, rate, time, step.inputs), scratch.gradient, law.rate ? external : damping);
    add(at_end ? law_step.other : other_force(law, x, scratch.values), scratch.gradient, external);
    add(spring_force(law, at_end ? x + step.theta * step.h * rate : x, time, step.inputs), scratch.gradient,
        has_potential(law) ? stored : external);
  });
  add_applied_forces(step.mechanism, step.kinematics, scratch.values, external);
}

void append_force_loads(const ForceStep& step, std::span<const Real> v, ForceScratch& scratch,
                        std::vector<LinkLoad>& loads) {
  force_values(step.mechanism, step.time, step.q, v, step.inputs, scratch.memory, scratch.values);
  const std::size_t joints = step.mechanism.joint_forces.size();
  for (std::size_t i = 0; i < step.mechanism.point_forces.size(); ++i) {
    const PointForce& force = step.mechanism.point_forces[i];
    const PointLine line = point_line(force, step.kinematics);
    const Vec3 push = scratch.laws[joints + i].acted * line.direction;
    loads.push_back({force.b, line.p_B, push, Vec3::Zero()});
    loads.push_back({force.a, line.p_A, -push, Vec3::Zero()});
  }
  for (const AppliedForce& applied : step.mechanism.applied_forces)
    loads.push_back(load_of(applied, step.kinematics, scratch.values));
}

Real stored_energy(const Mechanism& mechanism, Real time, std::span<const Real> q,
                   const MechanismKinematics& kinematics, ForceScratch& scratch) {
  if (mechanism.joint_forces.empty() && mechanism.point_forces.empty()) return 0.0;
  // rates are not asked for
  scratch.gradient.assign(mechanism.coordinates.size(), 0.0);
  coordinate_values(mechanism, time, q, scratch.gradient, {}, scratch.values);
  Real energy = 0.0;
  const auto add_spring = [&](const ForceLaw& law, Real x) {
    if (!has_potential(law)) return;
    const Real stretch = x - at(law.rest, time, {});
    energy += 0.5 * law.stiffness * stretch * stretch;
  };
  for (const JointForce& force : mechanism.joint_forces)
    add_spring(force.law, scratch.values[1 + 2 * force.coordinate]);
  for (const PointForce& force : mechanism.point_forces) add_spring(force.law, point_line(force, kinematics).length);
  return energy;
}

}  // namespace grus
