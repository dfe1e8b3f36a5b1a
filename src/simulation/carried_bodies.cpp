#include "simulation/carried_bodies.hpp"

#include <cmath>

namespace grus {

namespace {

// The continuous angle of a kinematic body in a planar scene.
Real kinematic_angle(const Motion& motion, Real time, const Inputs& inputs) {
  const Quat& base = motion.base.rotation;
  const Real start = 2.0 * std::atan2(base.z(), base.w());
  const Real turn = motion.angle ? (*motion.angle)(time, inputs) : 0.0;
  return start + (motion.axis.z() < 0.0 ? -turn : turn);
}

}  // namespace

void place_carried_bodies(const Model& model, const State& state, CarriedBodies& bodies) {
  const auto count = static_cast<std::size_t>(model.body_count - model.dynamic_count);
  bodies.position.resize(count);
  bodies.rotation.resize(count);
  bodies.velocity.resize(count);
  bodies.angular_velocity.resize(count);
  bodies.angle.resize(model.planar ? count : 0);
  const auto set = [&](std::size_t i, const Pose& pose, const Twist& twist) {
    bodies.position[i] = pose.position;
    bodies.rotation[i] = pose.rotation;
    bodies.velocity[i] = twist.linear;
    bodies.angular_velocity[i] = twist.angular;
  };
  const Inputs inputs = inputs_of_last_step(state, model.integrator.step);
  place_linked_bodies(model, state, bodies.linked);
  for (Index body = model.dynamic_count; body < model.kinematic_begin(); ++body) {
    const auto i = static_cast<std::size_t>(body - model.dynamic_count);
    set(i, bodies.linked.pose(model, body), bodies.linked.twist(model, body));
    if (model.planar) bodies.angle[i] = bodies.linked.angle(model, body);
  }
  for (std::size_t k = 0; k < model.motion.size(); ++k) {
    const std::size_t i = static_cast<std::size_t>(model.linked_count) + k;
    const Motion& motion = model.motion[k];
    set(i, motion.at(state.time, inputs), motion.mean_twist(state.time, model.integrator.step, inputs));
    if (model.planar) bodies.angle[i] = kinematic_angle(motion, state.time, inputs);
  }
}

}  // namespace grus
