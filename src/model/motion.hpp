// Prescribed motion of a kinematic body: displacement and rotation as functions of time.
#pragma once

#include <array>
#include <memory>

#include "math/vector.hpp"
#include "model/inputs.hpp"
#include "model/time_function.hpp"

namespace grus {

struct Pose {
  Vec3 position = Vec3::Zero();
  Quat rotation = Quat::Identity();
};

struct Twist {
  Vec3 linear = Vec3::Zero();   // of the body frame's origin, m/s, world
  Vec3 angular = Vec3::Zero();  // rad/s, world
};

// Pose at time t: the base pose, turned about a world axis through `pivot` by angle(t), then moved by
// displacement(t). A null function is zero.
struct Motion {
  Pose base;                                      // X_WB at rest
  std::array<TimeFunctionPtr, 3> displacement{};  // m, world axes
  TimeFunctionPtr angle;                          // rad
  Vec3 axis = Vec3(0, 0, 1);                      // unit, world
  Vec3 pivot = Vec3::Zero();                      // m, world

  bool is_fixed() const { return !angle && !displacement[0] && !displacement[1] && !displacement[2]; }
  Pose at(Real time, const Inputs& inputs = {}) const;

  // Mean twist over [time - span/2, time + span/2], moved to begin at 0 where it would begin before. The step asks for
  // it at t_{n+1} + (1/2 - theta) h with span h: with theta = 1 it is the exact secant of the step, so a grain resting
  // on a moving wall follows it without drift; with theta = 1/2 it is the velocity at t_{n+1} to second order.
  Twist mean_twist(Real time, Real span, const Inputs& inputs = {}) const;
};

}  // namespace grus
