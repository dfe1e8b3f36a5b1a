// Machines in memory: joint by joint, and an arm with a closed loop that stirs a bed of grains.
#pragma once

#include <string>
#include <vector>

#include "support/rig.hpp"

namespace grus::testing {

inline CoordinateSpec coordinate(const std::string& name, Real start = 0.0, Real rate = 0.0) {
  CoordinateSpec spec;
  spec.name = name;
  spec.start = start;
  spec.rate = rate;
  return spec;
}

inline TimeFunctionSpec function_of_time(const std::string& expression) {
  TimeFunctionSpec function;
  function.expression = expression;
  return function;
}

inline CoordinateSpec driven(const std::string& name, const std::string& expression) {
  CoordinateSpec spec;
  spec.name = name;
  spec.drive = function_of_time(expression);
  return spec;
}

inline ForceLawSpec spring(Real stiffness, Real damping = 0.0, Real rest = 0.0) {
  ForceLawSpec law;
  law.stiffness = stiffness;
  law.damping = damping;
  law.rest = function_of_time(std::to_string(rest));
  return law;
}

// A link of mass 1 kg and inertia 0.1 kg m2 about its origin, without a shape.
inline LinkSpec& add_link(MechanismSpec& mechanism, const std::string& name, const std::string& parent, JointKind kind,
                          const Vec3& at, std::vector<CoordinateSpec> coordinates) {
  LinkSpec link;
  link.body.name = name;
  link.body.material = "m";
  link.body.mass = 1.0;
  link.body.inertia = 0.1 * Mat3::Identity();
  link.body.center_of_mass = Vec3::Zero();
  link.parent = parent;
  link.joint.kind = kind;
  link.joint.at = at;
  link.joint.coordinates = std::move(coordinates);
  mechanism.bodies.push_back(link);
  return mechanism.bodies.back();
}

inline CutSpec cut(const std::string& name, CutKind kind, const std::string& a, const Vec3& at_a, const std::string& b,
                   const Vec3& at_b) {
  CutSpec spec;
  spec.name = name;
  spec.kind = kind;
  spec.a.body = a;
  spec.a.at = at_a;
  spec.b.body = b;
  spec.b.at = at_b;
  return spec;
}

// Planar crank (0.2), coupler (0.6) and rocker (0.5) over a base of 0.7 m, closed by a pin; the crank turns fully
// around.
inline MechanismSpec four_bar(const CoordinateSpec& crank) {
  MechanismSpec mechanism;
  mechanism.name = "four-bar";
  const auto slender = [](LinkSpec& link, Real length, Real mass) {
    link.body.mass = mass;
    link.body.inertia = Mat3(Mat3::Identity() * (mass * length * length / 12.0));
    link.body.center_of_mass = Vec3(length / 2.0, 0, 0);
  };
  slender(add_link(mechanism, "crank", "ground", JointKind::revolute, Vec3::Zero(), {crank}), 0.2, 0.2);
  // guesses: not written, so that they may move
  CoordinateSpec coupler = coordinate("angle", 0.9), rocker = coordinate("angle", 1.9);
  coupler.rate.reset();
  rocker.rate.reset();
  slender(add_link(mechanism, "coupler", "crank", JointKind::revolute, Vec3(0.2, 0, 0), {coupler}), 0.6, 0.6);
  slender(add_link(mechanism, "rocker", "ground", JointKind::revolute, Vec3(0.7, 0, 0), {rocker}), 0.5, 0.5);
  mechanism.loops.push_back(cut("knee", CutKind::pin, "coupler", Vec3(0.6, 0, 0), "rocker", Vec3(0.5, 0, 0)));
  return mechanism;
}

// An arm over the origin, x forward, z up: a boom lifted by a cylinder (barrel, rod, loop), a stick on a motor with a
// limit, a paddle of two boxes on a universal joint with dampers, dry friction and stops. The paddle hangs 0.19 m below
// `height` when the cylinder is 0.2828 m long, and 2.8 mm lower for every millimetre less.
inline MechanismSpec stirring_arm(Real height, const std::string& cylinder_length) {
  MechanismSpec mechanism;
  mechanism.name = "arm";
  const Vec3 axis(0, -1, 0);
  const auto weigh = [](LinkSpec& link, Real mass, const Vec3& center) {
    link.body.mass = mass;
    link.body.inertia = Mat3(Mat3::Identity() * (0.003 * mass));
    link.body.center_of_mass = center;
  };
  CoordinateSpec angle = coordinate("angle", 0.0);
  angle.rate.reset();
  angle.role = CoordinateRole::dependent;
  LinkSpec& boom = add_link(mechanism, "boom", "ground", JointKind::revolute, Vec3(-0.4, 0, height), {angle});
  boom.joint.axis = axis;
  weigh(boom, 2.0, Vec3(0.2, 0, 0));

  angle.start = 0.785;
  LinkSpec& barrel = add_link(mechanism, "barrel", "ground", JointKind::revolute, Vec3(-0.4, 0, height - 0.2), {angle});
  barrel.joint.axis = axis;
  weigh(barrel, 0.5, Vec3(0.05, 0, 0));
  CoordinateSpec lift = driven("slide", cylinder_length);
  LinkSpec& rod = add_link(mechanism, "rod", "barrel", JointKind::prismatic, Vec3::Zero(), {lift});
  rod.joint.axis = Vec3(1, 0, 0);
  weigh(rod, 0.3, Vec3(-0.05, 0, 0));

  CoordinateSpec crowd = coordinate("angle", -1.5);
  ForceLawSpec motor = spring(400.0, 4.0);
  motor.rest = function_of_time("-1.5 + 0.3*sin(9*t)");
  motor.limit = 30.0;
  motor.implicit = true;
  crowd.forces.push_back(motor);
  LinkSpec& stick = add_link(mechanism, "stick", "boom", JointKind::revolute, Vec3(0.4, 0, 0), {crowd});
  stick.joint.axis = axis;
  weigh(stick, 1.0, Vec3(0.05, 0, 0));
  stick.body.shapes.push_back(capsule_shape(0.01, 0.08));
  stick.body.shapes.back().rotation = Quat::FromTwoVectors(Vec3(0, 0, 1), Vec3(1, 0, 0));
  stick.body.shapes.back().position = Vec3(0.05, 0, 0);

  CoordinateSpec tilt = coordinate("angle_1"), swing = coordinate("angle_2");
  tilt.forces.push_back(spring(5.0, 0.05));
  tilt.friction = 0.05;
  swing.forces.push_back(spring(2.0, 0.02));
  swing.lower = -0.1;
  swing.upper = 0.1;
  LinkSpec& paddle = add_link(mechanism, "paddle", "stick", JointKind::universal, Vec3(0.12, 0, 0), {tilt, swing});
  paddle.joint.axis = Vec3(0, 1, 0);
  paddle.joint.axis_2 = Vec3(1, 0, 0);
  weigh(paddle, 0.4, Vec3(0.03, 0, 0));
  paddle.body.shapes.push_back(box_shape(Vec3(0.06, 0.10, 0.012)));
  paddle.body.shapes.back().position = Vec3(0.03, 0, 0);
  paddle.body.shapes.push_back(box_shape(Vec3(0.012, 0.10, 0.03)));
  paddle.body.shapes.back().position = Vec3(0.06, 0, 0.01);

  CutSpec pin = cut("pin", CutKind::components, "boom", Vec3(0.2, 0, 0), "rod", Vec3::Zero());
  pin.components = {"x", "z"};
  mechanism.loops.push_back(pin);
  return mechanism;
}

}  // namespace grus::testing
