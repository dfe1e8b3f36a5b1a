#include "model/motion.hpp"

#include <algorithm>

#include "math/rotation.hpp"

namespace grus {

namespace {

Vec3 displacement_at(const Motion& motion, Real time, const Inputs& inputs) {
  Vec3 d = Vec3::Zero();
  for (int i = 0; i < 3; ++i) {
    if (motion.displacement[static_cast<std::size_t>(i)])
      d[i] = (*motion.displacement[static_cast<std::size_t>(i)])(time, inputs);
  }
  return d;
}

// The lever from the pivot to the origin, turned.
Vec3 turned_lever(const Motion& motion, Real angle) {
  return exp_rotation(angle * motion.axis) * (motion.base.position - motion.pivot);
}

}  // namespace

Pose Motion::at(Real time, const Inputs& inputs) const {
  if (is_fixed()) return base;
  Pose pose = base;
  if (angle) {
    const Real turn = (*angle)(time, inputs);
    pose.rotation = (exp_rotation(turn * axis) * base.rotation).normalized();
    pose.position = pivot + turned_lever(*this, turn);
  }
  pose.position += displacement_at(*this, time, inputs);
  return pose;
}

Twist Motion::mean_twist(Real time, Real span, const Inputs& inputs) const {
  Twist twist;
  if (is_fixed()) return twist;
  // Before the start a motion need not be defined: t^1.5, sqrt(t).
  const Real before = std::max(time - 0.5 * span, 0.0);
  const Real after = before + span;
  twist.linear = (displacement_at(*this, after, inputs) - displacement_at(*this, before, inputs)) / span;
  if (angle) {
    // The axis is fixed, so the difference of the angles is the logarithm of the relative rotation, also
    // beyond half a turn.
    const Real start = (*angle)(before, inputs);
    const Real end = (*angle)(after, inputs);
    twist.angular = ((end - start) / span) * axis;
    twist.linear += (turned_lever(*this, end) - turned_lever(*this, start)) / span;
  }
  return twist;
}

}  // namespace grus
