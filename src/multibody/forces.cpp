#include "multibody/forces.hpp"

#include <algorithm>
#include <cmath>

#include "math/rotation.hpp"

namespace grus {

namespace {

Real at(const TimeFunctionPtr& function, Real time) { return function ? (*function)(time) : 0.0; }

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

Real spring_force(const ForceLaw& law, Real x, Real time) {
  return law.stiffness == 0.0 ? 0.0 : -law.stiffness * (x - at(law.rest, time));
}
Real damper_force(const ForceLaw& law, Real rate, Real time) {
  return law.damping == 0.0 ? 0.0 : -law.damping * (rate - at(law.rate, time));
}
Real other_force(const ForceLaw& law, Real x, std::span<const Real> values) {
  return table_value(law.table, x) + (law.expression ? (*law.expression)(values) : 0.0);
}
Real unlimited_force(const ForceLaw& law, Real x, Real rate, Real time, std::span<const Real> values) {
  return spring_force(law, x, time) + damper_force(law, rate, time) + other_force(law, x, values);
}

bool has_limit(const ForceLaw& law) { return std::isfinite(law.limit); }
bool has_potential(const ForceLaw& law) { return law.rest_is_constant && !has_limit(law); }

LawMode mode_of(const ForceLaw& law, Real force) {
  if (force >= law.limit) return LawMode::at_upper_limit;
  if (force <= -law.limit) return LawMode::at_lower_limit;
  return LawMode::at_end;
}

Real dot(std::span<const Real> a, std::span<const Real> b) {
  Real sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

void add(Real scale, std::span<const Real> a, std::span<Real> sum) {
  for (std::size_t k = 0; k < a.size(); ++k) sum[k] += scale * a[k];
}

// Calls visit(law, number, x) for every law, its gradient in scratch.gradient; scratch.values must be filled.
template <class Visit>
void for_each_law(const Mechanism& mechanism, const MechanismKinematics& kinematics, ForceScratch& scratch,
                  const Visit& visit) {
  std::size_t number = 0;
  for (const JointForce& force : mechanism.joint_forces) {
    scratch.gradient.assign(mechanism.coordinates.size(), 0.0);
    scratch.gradient[force.coordinate] = 1.0;
    visit(force.law, number++, scratch.values[1 + 2 * force.coordinate]);
  }
  for (const PointForce& force : mechanism.point_forces) {
    const PointLine line = point_line(force, kinematics);
    scratch.gradient.assign(mechanism.coordinates.size(), 0.0);
    const Vec3 none = Vec3::Zero();
    add_generalised_force(mechanism, kinematics, force.b, line.p_B, line.direction, none, 1.0, scratch.gradient);
    add_generalised_force(mechanism, kinematics, force.a, line.p_A, line.direction, none, -1.0, scratch.gradient);
    visit(force.law, number++, line.length);
  }
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
                       std::vector<Real>& values) {
  values.resize(1 + 2 * mechanism.coordinates.size());
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
                  std::span<const Real> memory, std::vector<Real>& values) {
  GRUS_ASSERT(memory.size() == mechanism.memories.size());
  coordinate_values(mechanism, time, q, v, values);
  values.insert(values.end(), memory.begin(), memory.end());
}

Real joint_force_value(const ForceLaw& law, Real x, Real rate, Real time, std::span<const Real> values) {
  return std::clamp(unlimited_force(law, x, rate, time, values), -law.limit, law.limit);
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

bool add_mass_of_modes(const Mechanism& mechanism, const MechanismKinematics& kinematics, Real h, Real theta,
                       ForceScratch& scratch, Eigen::MatrixXd& mass) {
  if (std::find(scratch.mode.begin(), scratch.mode.end(), LawMode::at_end) == scratch.mode.end()) return false;
  for_each_law(mechanism, kinematics, scratch, [&](const ForceLaw& law, std::size_t number, Real) {
    if (scratch.mode[number] != LawMode::at_end) return;
    const Eigen::Map<const Eigen::VectorXd> g(scratch.gradient.data(), mechanism.velocity_count);
    const Real weight = h * law.damping + theta * h * h * law.stiffness;
    for (Index k = 0; k < mechanism.velocity_count; ++k)
      if (g[k] != 0.0) mass.col(k) += (weight * g[k]) * g;
  });
  return true;
}

bool add_implicit_mass(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v,
                       const MechanismKinematics& kinematics, Real h, Real theta, ForceScratch& scratch,
                       Eigen::MatrixXd& mass) {
  scratch.mode.assign(mechanism.joint_forces.size() + mechanism.point_forces.size(), LawMode::at_velocity);
  if (scratch.mode.empty()) return false;
  force_values(mechanism, time, q, v, scratch.memory, scratch.values);
  for_each_law(mechanism, kinematics, scratch, [&](const ForceLaw& law, std::size_t number, Real x) {
    if (!law.implicit) return;
    const Real rate = dot(scratch.gradient, v);
    scratch.mode[number] = mode_of(law, unlimited_force(law, x + theta * h * rate, rate, time, scratch.values));
  });
  return add_mass_of_modes(mechanism, kinematics, h, theta, scratch, mass);
}

void add_forces(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v,
                std::span<const Real> v_start, Real h, Real theta, const MechanismKinematics& kinematics,
                ForceScratch& scratch, std::span<Real> generalised) {
  GRUS_ASSERT(scratch.mode.size() == mechanism.joint_forces.size() + mechanism.point_forces.size());
  if (scratch.mode.empty() && mechanism.applied_forces.empty()) return;
  force_values(mechanism, time, q, v, scratch.memory, scratch.values);
  for_each_law(mechanism, kinematics, scratch, [&](const ForceLaw& law, std::size_t number, Real x) {
    Real force = 0.0;
    switch (scratch.mode[number]) {
      case LawMode::at_velocity:
        force = joint_force_value(law, x, dot(scratch.gradient, v), time, scratch.values);
        break;
      case LawMode::at_end: {
        const Real rate = dot(scratch.gradient, v_start);
        force = unlimited_force(law, x + theta * h * rate, rate, time, scratch.values);
        break;
      }
      case LawMode::at_upper_limit:
        force = law.limit;
        break;
      case LawMode::at_lower_limit:
        force = -law.limit;
        break;
    }
    add(force, scratch.gradient, generalised);
  });
  add_applied_forces(mechanism, kinematics, scratch.values, generalised);
}

bool revise_limits(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v_end, Real h,
                   Real theta, const MechanismKinematics& kinematics, ForceScratch& scratch) {
  force_values(mechanism, time, q, v_end, scratch.memory, scratch.values);
  bool changed = false;
  for_each_law(mechanism, kinematics, scratch, [&](const ForceLaw& law, std::size_t number, Real x) {
    if (!law.implicit || !has_limit(law)) return;
    const Real rate = dot(scratch.gradient, v_end);
    LawMode mode = mode_of(law, unlimited_force(law, x + theta * h * rate, rate, time, scratch.values));
    LawMode& held = scratch.mode[number];
    // a stiff law held too long overshoots to the other limit: the answer is in between
    if (held != LawMode::at_end && mode != held) mode = LawMode::at_end;
    changed = changed || mode != held;
    held = mode;
  });
  return changed;
}

void add_ledger_forces(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v,
                       std::span<const Real> v_end, Real h, Real theta, const MechanismKinematics& kinematics,
                       ForceScratch& scratch, std::span<Real> damping, std::span<Real> external) {
  GRUS_ASSERT(scratch.mode.size() == mechanism.joint_forces.size() + mechanism.point_forces.size());
  force_values(mechanism, time, q, v, scratch.memory, scratch.values);
  for_each_law(mechanism, kinematics, scratch, [&](const ForceLaw& law, std::size_t number, Real x) {
    const bool at_end = scratch.mode[number] != LawMode::at_velocity;
    const Real rate = dot(scratch.gradient, at_end ? v_end : v);
    const Real x_law = at_end ? x + theta * h * rate : x;
    if (has_limit(law)) {
      add(joint_force_value(law, x_law, rate, time, scratch.values), scratch.gradient, external);
      return;
    }
    add(damper_force(law, rate, time), scratch.gradient, law.rate ? external : damping);
    add(other_force(law, x_law, scratch.values), scratch.gradient, external);
    if (!has_potential(law)) add(spring_force(law, x_law, time), scratch.gradient, external);
  });
  add_applied_forces(mechanism, kinematics, scratch.values, external);
}

void append_force_loads(const Mechanism& mechanism, Real time, std::span<const Real> q, std::span<const Real> v,
                        std::span<const Real> v_end, Real h, Real theta, const MechanismKinematics& kinematics,
                        ForceScratch& scratch, std::vector<LinkLoad>& loads) {
  force_values(mechanism, time, q, v, scratch.memory, scratch.values);
  const std::size_t joints = mechanism.joint_forces.size();
  for_each_law(mechanism, kinematics, scratch, [&](const ForceLaw& law, std::size_t number, Real x) {
    if (number < joints) return;  // inside the joint
    const bool at_end = scratch.mode[number] != LawMode::at_velocity;
    const Real rate = dot(scratch.gradient, at_end ? v_end : v);
    const PointForce& force = mechanism.point_forces[number - joints];
    const PointLine line = point_line(force, kinematics);
    const Vec3 push =
        joint_force_value(law, at_end ? x + theta * h * rate : x, rate, time, scratch.values) * line.direction;
    loads.push_back({force.b, line.p_B, push, Vec3::Zero()});
    loads.push_back({force.a, line.p_A, -push, Vec3::Zero()});
  });
  for (const AppliedForce& applied : mechanism.applied_forces)
    loads.push_back(load_of(applied, kinematics, scratch.values));
}

Real stored_energy(const Mechanism& mechanism, Real time, std::span<const Real> q,
                   const MechanismKinematics& kinematics, ForceScratch& scratch) {
  if (mechanism.joint_forces.empty() && mechanism.point_forces.empty()) return 0.0;
  // rates are not asked for
  scratch.gradient.assign(mechanism.coordinates.size(), 0.0);
  coordinate_values(mechanism, time, q, scratch.gradient, scratch.values);
  Real energy = 0.0;
  const auto add_spring = [&](const ForceLaw& law, Real x) {
    if (!has_potential(law)) return;
    const Real stretch = x - at(law.rest, time);
    energy += 0.5 * law.stiffness * stretch * stretch;
  };
  for (const JointForce& force : mechanism.joint_forces)
    add_spring(force.law, scratch.values[1 + 2 * force.coordinate]);
  for (const PointForce& force : mechanism.point_forces) add_spring(force.law, point_line(force, kinematics).length);
  return energy;
}

}  // namespace grus
