// Small mechanisms for the tests of compile().
#pragma once

#include <map>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "math/rotation.hpp"
#include "model/spec.hpp"

namespace grus::test {

using Isometry = Eigen::Isometry3d;
// A handful of products of rotations and sums of lengths of order 1.
inline constexpr Real pose_rounding = 1e-14;

inline Isometry isometry(const Vec3& p, const Quat& q) {
  Isometry X = Isometry::Identity();
  X.linear() = Eigen::Quaterniond(q).toRotationMatrix();
  X.translation() = p;
  return X;
}

inline LinkSpec link(const std::string& name, const std::string& parent, JointKind kind,
                     const Vec3& at = Vec3::Zero()) {
  LinkSpec result;
  result.body.mark = {"scene.yaml", 1, 1};
  result.body.name = name;
  result.body.mass = 2.0;
  result.body.inertia = Mat3(Vec3(0.1, 0.2, 0.25).asDiagonal());
  result.parent = parent;
  result.joint.mark = {"scene.yaml", 2, 1};
  result.joint.kind = kind;
  result.joint.at = at;
  return result;
}

inline CoordinateSpec coordinate(const std::string& name, std::optional<Real> start, std::optional<Real> rate = {}) {
  CoordinateSpec result;
  result.mark = {"scene.yaml", 3, 1};
  result.name = name;
  result.start = start;
  result.rate = rate;
  return result;
}

inline AnchorSpec anchor(const std::string& body, const Vec3& at = Vec3::Zero()) {
  AnchorSpec result;
  result.body = body;
  result.at = at;
  return result;
}

inline CutSpec cut(const std::string& name, CutKind kind, const AnchorSpec& a, const AnchorSpec& b) {
  CutSpec result;
  result.mark = {"scene.yaml", 4, 1};
  result.name = name;
  result.kind = kind;
  result.a = a;
  result.b = b;
  return result;
}

inline Spec machine(std::vector<LinkSpec> bodies, bool planar = false) {
  Spec spec;
  spec.file = "scene.yaml";
  spec.planar = planar;
  MechanismSpec mechanism;
  mechanism.mark = {"scene.yaml", 5, 1};
  mechanism.name = "machine";
  mechanism.bodies = std::move(bodies);
  spec.mechanisms = {std::move(mechanism)};
  return spec;
}

struct Random {
  std::mt19937 engine{7};
  Real number(Real low = -1.0, Real high = 1.0) { return std::uniform_real_distribution<Real>(low, high)(engine); }
  Vec3 vector() { return Vec3(number(), number(), number()); }
  Quat rotation() { return exp_rotation(3.0 * vector()); }
};

inline const std::map<JointKind, std::vector<const char*>> coordinate_names{
    {JointKind::fixed, {}},
    {JointKind::revolute, {"angle"}},
    {JointKind::prismatic, {"slide"}},
    {JointKind::cylindrical, {"slide", "angle"}},
    {JointKind::universal, {"angle_1", "angle_2"}},
    {JointKind::spherical, {"rx", "ry", "rz"}},
    {JointKind::planar, {"x", "y", "angle"}},
    {JointKind::free, {"x", "y", "z", "rx", "ry", "rz"}},
};

inline LinkSpec random_link(Random& random, const std::string& name, const std::string& parent, JointKind kind) {
  LinkSpec result = link(name, parent, kind, random.vector());
  result.joint.rotation = random.rotation();
  if (kind == JointKind::revolute || kind == JointKind::prismatic || kind == JointKind::cylindrical ||
      kind == JointKind::universal)
    result.joint.axis = random.vector();
  if (kind == JointKind::universal) result.joint.axis_2 = random.vector();
  for (const char* motion : coordinate_names.at(kind))
    result.joint.coordinates.push_back(coordinate(motion, random.number()));
  result.body.center_of_mass = random.vector();
  const Mat3 R = random.rotation().toRotationMatrix();
  result.body.inertia = R * Vec3(0.1, 0.2, 0.25).asDiagonal() * R.transpose();
  result.body.inertia = Mat3(0.5 * (*result.body.inertia + result.body.inertia->transpose()));
  return result;
}

// Crank 0.2 m from the origin, rod 0.5 m; masses in the middle.
inline std::vector<LinkSpec> slider_crank() {
  std::vector<LinkSpec> bodies{link("rod", "crank", JointKind::revolute, Vec3(0.2, 0, 0)),
                               link("crank", "ground", JointKind::revolute),
                               link("slider", "ground", JointKind::prismatic, Vec3(0.7, 0, 0))};
  bodies[0].body.center_of_mass = Vec3(0.25, 0, 0);
  bodies[1].body.center_of_mass = Vec3(0.1, 0, 0);
  bodies[0].joint.angle = 0.5 * std::numbers::pi;
  bodies[1].joint.coordinates = {coordinate("angle", 0.5 * std::numbers::pi, 3.0)};
  return bodies;
}

}  // namespace grus::test
