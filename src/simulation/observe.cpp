#include "simulation/observe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "model/expression.hpp"
#include "model/series_columns.hpp"
#include "simulation/distance_outside.hpp"
#include "simulation/observe_mechanism.hpp"
#include "simulation/surface_angle.hpp"

namespace grus {

namespace {

// Force and torque (about the body's origin in q_m) of all contacts on one body over the last step.
struct Load {
  Vec3 force = Vec3::Zero();
  Vec3 torque = Vec3::Zero();
};

Load contact_load(const Model& model, const State& state, const Workspace& work, Index body) {
  Load load;
  for (std::size_t c = 0; c < work.contacts.size(); ++c) {
    const ContactPoint& contact = work.contacts[c];
    if (contact.body_a != body && contact.body_b != body) continue;
    const Real sign = contact.body_b == body ? 1.0 : -1.0;
    const Vec3 force = sign / model.integrator.step * state.impulse[c];
    load.force += force;
    load.torque += (contact.position - work.pose_m[body].position).cross(force);
  }
  return load;
}

// Motion of one body, free or carried.
struct BodyView {
  Vec3 position, velocity, angular_velocity;
  Quat rotation;
  Real angle = not_a_number;
};

BodyView view_of(const Model& model, const State& state, const CarriedBodies& carried, Index body) {
  if (model.is_dynamic(body))
    return {state.position[body], state.velocity[body], state.angular_velocity[body], state.rotation[body],
            model.planar ? state.angle[body] : not_a_number};
  const Index i = body - model.dynamic_count;
  return {carried.position[i], carried.velocity[i], carried.angular_velocity[i], carried.rotation[i],
          model.planar ? carried.angle[i] : not_a_number};
}

Real body_value(const CompiledScene& scene, const State& state, const CarriedBodies& carried, const Workspace& work,
                const Probe& probe) {
  const Model& model = scene.model;
  const Index body = probe.body;
  const int k = probe.component;
  using Quantity = Probe::Quantity;
  if (probe.quantity == Quantity::force) return contact_load(model, state, work, body).force[k];
  if (probe.quantity == Quantity::torque) return contact_load(model, state, work, body).torque[k];
  const BodyView view = view_of(model, state, carried, body);
  // from the centre of mass to the point that is watched
  const Vec3 arm = probe.has_point ? Vec3(view.rotation * probe.at) : Vec3(Vec3::Zero());
  switch (probe.quantity) {
    case Quantity::position:
      return view.position[k] + arm[k];
    case Quantity::velocity:
      return (view.velocity + view.angular_velocity.cross(arm))[k];
    case Quantity::angular_velocity:
      return view.angular_velocity[k];
    case Quantity::speed:
      return (view.velocity + view.angular_velocity.cross(arm)).norm();
    case Quantity::angle:
      return view.angle;
    default:
      return not_a_number;
  }
}

Real member_value(const State& state, const Probe& probe, Index i) {
  using Quantity = Probe::Quantity;
  switch (probe.quantity) {
    case Quantity::position:
      return state.position[i][probe.component];
    case Quantity::velocity:
      return state.velocity[i][probe.component];
    case Quantity::angular_velocity:
      return state.angular_velocity[i][probe.component];
    case Quantity::speed:
      return state.velocity[i].norm();
    default:
      return not_a_number;
  }
}

Real group_value(const CompiledScene& scene, const State& state, const CarriedBodies& carried, const Workspace& work,
                 const Probe& probe) {
  const Model& model = scene.model;
  const Index active = model.active_count(state.time);
  if (probe.quantity == Probe::Quantity::count)
    return static_cast<Real>(
        std::count_if(probe.members.begin(), probe.members.end(), [&](Index i) { return i < active; }));
  if (probe.quantity == Probe::Quantity::surface_angle)
    return surface_angle(state, probe.members, active, work.extent, probe.along, probe.up);
  if (probe.quantity == Probe::Quantity::outside) {
    const BodyView view = view_of(model, state, carried, probe.body);
    return distance_outside(model, state, probe.body, {view.position, view.rotation}, probe.members, active);
  }

  Real sum = 0.0, least = std::numeric_limits<Real>::infinity(), greatest = -least;
  Index count = 0;
  for (const Index i : probe.members) {
    if (i >= active) continue;
    const Real value = member_value(state, probe, i);
    sum += probe.reduce == Probe::Reduce::rms ? value * value : value;
    least = std::min(least, value);
    greatest = std::max(greatest, value);
    ++count;
  }
  if (count == 0) return not_a_number;
  switch (probe.reduce) {
    case Probe::Reduce::mean:
      return sum / count;
    case Probe::Reduce::rms:
      return std::sqrt(sum / count);
    case Probe::Reduce::min:
      return least;
    case Probe::Reduce::max:
      return greatest;
  }
  return not_a_number;
}

}  // namespace

namespace {

bool is_undefined(const CompiledScene& scene, const Probe& probe, std::span<const Real> row, bool stepped) {
  switch (probe.source) {
    case Probe::Source::group:
      return probe.quantity != Probe::Quantity::count;
    case Probe::Source::coordinate: {
      const Coordinate& coordinate = scene.model.mechanisms[probe.mechanism].coordinates[probe.coordinate];
      const bool is_load = probe.quantity == Probe::Quantity::force || probe.quantity == Probe::Quantity::power;
      return !stepped && is_load && coordinate.role == CoordinateRole::driven;
    }
    case Probe::Source::joint:
      return !stepped && probe.mechanism != no_index;
    case Probe::Source::expression:
      return probe.expression->reads_nan(row);
    default:
      return false;
  }
}

}  // namespace

std::string odd_column(const CompiledScene& scene, std::span<const Real> row, bool stepped) {
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (std::isfinite(row[c])) continue;
    if (c < standard_columns.size()) return std::string(standard_columns[c].name);
    const Probe& probe = scene.probes[c - standard_columns.size()];
    if (!std::isnan(row[c]) || !is_undefined(scene, probe, row, stepped)) return probe.column;
  }
  return {};
}

std::vector<std::string> series_column_names(const std::vector<Probe>& probes) {
  std::vector<std::string> names;
  for (const SeriesColumn& column : standard_columns) names.emplace_back(column.name);
  for (const Probe& probe : probes) names.push_back(probe.column);
  return names;
}

std::vector<std::string> series_column_units(const std::vector<Probe>& probes) {
  std::vector<std::string> units;
  for (const SeriesColumn& column : standard_columns) units.emplace_back(column.unit);
  for (const Probe& probe : probes) units.push_back(probe.unit);
  return units;
}

void observe(const CompiledScene& scene, const Energy& start, const State& state, const CarriedBodies& carried,
             Workspace& work, const StepReport& report, std::vector<Real>& row) {
  const Energy now{kinetic_energy(scene.model, state, carried.linked),
                   potential_energy(scene.model, state, carried.linked)};
  const EnergyLedger& ledger = state.energy;
  const EnergyBalance balance = energy_balance(start, now, ledger);
  const Real points = static_cast<Real>(std::max<Index>(report.penetration_points, 1));
  row.assign({state.time,
              now.kinetic,
              now.potential,
              now.total(),
              ledger.dissipated_contact,
              ledger.work_external(),
              ledger.recovery,
              ledger.dissipated_joint,
              ledger.work_walls,
              ledger.work_drives,
              ledger.work_forces,
              balance.error,
              balance.turned_over,
              static_cast<Real>(report.contacts),
              static_cast<Real>(report.pairs),
              static_cast<Real>(report.sweeps),
              report.residual,
              report.residual_mechanism,
              report.penetration_sum / points,
              report.penetration_max,
              report.loop_error});
  for (const Probe& probe : scene.probes) {
    switch (probe.source) {
      case Probe::Source::body:
        row.push_back(body_value(scene, state, carried, work, probe));
        break;
      case Probe::Source::group:
        row.push_back(group_value(scene, state, carried, work, probe));
        break;
      case Probe::Source::coordinate:
      case Probe::Source::joint:
      case Probe::Source::spring:
        row.push_back(mechanism_value(scene, state, carried, work, probe));
        break;
      case Probe::Source::input:
        row.push_back(state.input_end[static_cast<std::size_t>(probe.input)]);
        break;
      case Probe::Source::expression:
        row.push_back(probe.expression->evaluate(row));
        break;
    }
  }
}

}  // namespace grus
