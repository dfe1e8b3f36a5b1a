#include "multibody/set_joints.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "multibody/find_closure.hpp"
#include "multibody/reduction.hpp"

namespace grus {

namespace {

std::size_t mechanism_of_coordinate(const Model& model, Index coordinate) {
  std::size_t d = 0;
  while (coordinate >= model.mechanisms[d].first_velocity + model.mechanisms[d].velocity_count) ++d;
  return d;
}

// The loop that is furthest open at q.
std::string open_loop(const Mechanism& mechanism, const MechanismNames& names, std::span<const Real> q) {
  MechanismKinematics kinematics;
  LoopScratch scratch;
  place(mechanism, q, kinematics);
  evaluate_loops(mechanism, kinematics, static_cast<Index>(mechanism.loops.size()), scratch);
  Real worst = 0.0;
  Index loop = 0;
  for (std::size_t i = 0; i < mechanism.loops.size(); ++i) {
    const Real error = condition_scale(mechanism, mechanism.loops[i]) * std::abs(scratch.h[static_cast<Index>(i)]);
    if (!(error > worst)) continue;
    worst = error;
    loop = mechanism.loops[i].group;
  }
  return fmt::format("loop '{}' cannot close: {:.3g} m stay open", names.loop[static_cast<std::size_t>(loop)], worst);
}

// The loops of one mechanism closed from q, by coordinates that are neither driven nor `set`.
std::string close_again(const Mechanism& mechanism, const MechanismNames& names, const std::vector<bool>& set,
                        State& state) {
  if (mechanism.closed_count == 0) return "";
  std::vector<std::uint8_t> movable(mechanism.coordinates.size());
  for (std::size_t k = 0; k < movable.size(); ++k)
    movable[k] = mechanism.coordinates[k].role != CoordinateRole::driven && !set[k] ? 1 : 0;
  const std::span<Real> q = positions(mechanism, state), v = velocities(mechanism, state);
  if (!find_closure(mechanism, movable, q).is_good(mechanism)) return open_loop(mechanism, names, q);

  MechanismKinematics kinematics;
  LoopScratch loops;
  place(mechanism, q, kinematics);
  evaluate_loops(mechanism, kinematics, mechanism.closed_count, loops);
  const Partition partition = choose_partition(mechanism, loops);
  if (static_cast<Index>(partition.dependent.size()) < mechanism.closed_count ||
      !close_loops(mechanism, partition, q, kinematics, loops).converged)
    return fmt::format("mechanism '{}' is in a singular position there", names.name);
  const std::span<std::uint32_t> dependent =
      std::span(state.joint_dependent).subspan(mechanism.first_velocity, mechanism.velocity_count);
  std::fill(dependent.begin(), dependent.end(), 0U);
  for (const Index k : partition.dependent) dependent[static_cast<std::size_t>(k)] = 1U;

  VelocityMap map;
  map_velocities(mechanism, partition, v, loops, map);
  Eigen::VectorXd independent(map.T.cols());
  for (Index j = 0; j < independent.size(); ++j) independent[j] = v[partition.independent[j]];
  const Eigen::VectorXd all = map.T * independent + map.affine;
  std::copy(all.data(), all.data() + all.size(), v.begin());
  return "";
}

}  // namespace

std::string set_joints(const Model& model, const std::vector<MechanismNames>& names,
                       std::span<const JointSetting> settings, State& state) {
  for (std::size_t d = 0; d < model.mechanisms.size(); ++d) {
    const Mechanism& mechanism = model.mechanisms[d];
    std::vector<bool> set(mechanism.coordinates.size(), false);
    for (const JointSetting& setting : settings) {
      if (mechanism_of_coordinate(model, setting.coordinate) != d) continue;
      const auto k = static_cast<std::size_t>(setting.coordinate - mechanism.first_velocity);
      const Coordinate& coordinate = mechanism.coordinates[k];
      if (coordinate.role == CoordinateRole::driven)
        return fmt::format("coordinate '{}' is driven and goes where its drive says", names[d].coordinate[k]);
      if (coordinate.position == no_index)
        return fmt::format("coordinate '{}' is a rotation in space and has no position of its own",
                           names[d].coordinate[k]);
      if (setting.position < coordinate.lower || setting.position > coordinate.upper)
        return fmt::format("coordinate '{}' would be at {:g}, outside its limits {:g} to {:g}", names[d].coordinate[k],
                           setting.position, coordinate.lower, coordinate.upper);
      positions(mechanism, state)[static_cast<std::size_t>(coordinate.position)] = setting.position;
      velocities(mechanism, state)[k] = setting.velocity;
      set[k] = true;
    }
    if (std::none_of(set.begin(), set.end(), [](bool x) { return x; })) continue;
    if (std::string fault = close_again(mechanism, names[d], set, state); !fault.empty()) return fault;
  }
  return "";
}

Real joint_coordinate_position(const Model& model, const State& state, Index coordinate) {
  const Mechanism& mechanism = model.mechanisms[mechanism_of_coordinate(model, coordinate)];
  std::vector<Real> values;
  coordinate_values(mechanism, state.time, positions(mechanism, state), velocities(mechanism, state), {}, values);
  return values[static_cast<std::size_t>(1 + 2 * (coordinate - mechanism.first_velocity))];
}

}  // namespace grus
