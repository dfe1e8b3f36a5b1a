#include "multibody/linked_bodies.hpp"

#include "multibody/reduction.hpp"

namespace grus {

namespace {

struct Place {
  std::size_t mechanism, link;
};

Place place_of(const Model& model, Index body) {
  const auto mechanism = static_cast<std::size_t>(model.mechanism_of_body(body));
  return {mechanism, static_cast<std::size_t>(body - model.mechanisms[mechanism].first_body)};
}

}  // namespace

const Pose& LinkedBodies::pose(const Model& model, Index body) const {
  const auto [mechanism, link] = place_of(model, body);
  return mechanisms[mechanism].X_WB[link];
}

Twist LinkedBodies::twist(const Model& model, Index body) const {
  const auto [mechanism, link] = place_of(model, body);
  return {mechanisms[mechanism].velocity[link], mechanisms[mechanism].omega[link]};
}

Real LinkedBodies::angle(const Model& model, Index body) const {
  const auto [mechanism, link] = place_of(model, body);
  return mechanisms[mechanism].angle[link];
}

void place_linked_bodies(const Model& model, const State& state, LinkedBodies& linked) {
  linked.mechanisms.resize(model.mechanisms.size());
  for (std::size_t d = 0; d < model.mechanisms.size(); ++d) {
    const Mechanism& mechanism = model.mechanisms[d];
    place(mechanism, positions(mechanism, state), linked.mechanisms[d]);
    move(mechanism, velocities(mechanism, state), linked.mechanisms[d]);
  }
}

}  // namespace grus
