// Mechanisms made in memory, without a scene: joint by joint, or at random.
#pragma once

#include <span>
#include <vector>

#include "core/random.hpp"
#include "math/rotation.hpp"
#include "model/mechanism.hpp"
#include "multibody/kinematics.hpp"

namespace grus::testing {

inline Vec3 random_vector(Random& random, Real size = 1.0) {
  return Vec3(random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size));
}

inline Vec3 random_unit(Random& random) { return Vec3(random.normal(), random.normal(), random.normal()).normalized(); }

inline Quat random_rotation(Random& random) {
  return Quat(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
}

// Motions of a joint, with their numbers still open.
using Motions = std::vector<JointAxis>;

inline JointAxis slide(const Vec3& axis) { return {AxisKind::slide, axis, 0, 0}; }
inline JointAxis turn(const Vec3& axis) { return {AxisKind::turn, axis, 0, 0}; }
inline JointAxis ball() { return {AxisKind::ball, Vec3::UnitZ(), 0, 0}; }

// The eight joints, about random axes; in the plane (planar) the four it has.
inline Motions random_joint(Random& random, bool planar = false) {
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  if (planar) {
    const Real angle = random.uniform(0.0, 6.0);
    const Vec3 along(std::cos(angle), std::sin(angle), 0.0);
    switch (random.below(4)) {
      case 0:
        return {turn(z)};
      case 1:
        return {slide(along)};
      case 2:
        return {slide(x), slide(y), turn(-z)};
      default:
        return {turn(-z)};
    }
  }
  const Vec3 a = random_unit(random);
  const Vec3 b = a.cross(random_unit(random)).normalized();
  switch (random.below(8)) {
    case 0:
      return {};  // fixed
    case 1:
      return {turn(a)};  // revolute
    case 2:
      return {slide(a)};  // prismatic
    case 3:
      return {slide(a), turn(a)};  // cylindrical
    case 4:
      return {turn(a), turn(b)};  // universal
    case 5:
      return {ball()};  // spherical
    case 6:
      return {slide(x), slide(y), turn(z)};  // planar
    default:
      return {slide(x), slide(y), slide(z), ball()};  // free
  }
}

// Adds a link; gives its numbers to the motions of its joint. Returns the number of the link.
inline Index add_link(Mechanism& mechanism, Index parent, const Motions& motions, const Pose& X_PJ = {},
                      const Pose& X_JB = {}, Real mass = 1.0, const Vec3& inertia = Vec3::Constant(0.1)) {
  Link link;
  link.parent = parent;
  link.X_PJ = X_PJ;
  link.X_JB = X_JB;
  link.mass = mass;
  link.inertia = inertia;
  link.axis_begin = static_cast<Index>(mechanism.axes.size());
  for (JointAxis axis : motions) {
    axis.position = mechanism.position_count;
    axis.velocity = mechanism.velocity_count;
    const bool is_ball = axis.kind == AxisKind::ball;
    for (Index i = 0; i < (is_ball ? 3 : 1); ++i) {
      Coordinate coordinate;
      coordinate.position = is_ball ? no_index : axis.position;
      mechanism.coordinates.push_back(coordinate);
    }
    mechanism.position_count += is_ball ? 4 : 1;
    mechanism.velocity_count += is_ball ? 3 : 1;
    mechanism.axes.push_back(axis);
  }
  link.axis_end = static_cast<Index>(mechanism.axes.size());
  mechanism.links.push_back(link);
  return mechanism.link_count() - 1;
}

// Mass 0.5 to 2 kg; moments of a box of about 0.3 m, so that the triangle inequality holds.
inline Index add_random_link(Mechanism& mechanism, Index parent, const Motions& motions, Random& random,
                             bool planar = false) {
  const Real mass = random.uniform(0.5, 2.0);
  Pose X_PJ{random_vector(random, 0.5), random_rotation(random)};
  Pose X_JB{random_vector(random, 0.5), random_rotation(random)};
  const Vec3 box = Vec3::Constant(0.3) + random_vector(random, 0.15);
  Vec3 inertia = mass / 12.0 * (box.squaredNorm() * Vec3::Ones() - box.cwiseAbs2());
  Real angle = 0.0;
  if (planar) {
    const Real a = random.uniform(-3.0, 3.0), b = random.uniform(-3.0, 3.0);
    X_PJ.position.z() = X_JB.position.z() = 0.0;
    X_PJ.rotation = rotation_about_z(a);
    X_JB.rotation = rotation_about_z(b);
    inertia.setConstant(inertia.z());
    angle = a + b;
  }
  const Index link = add_link(mechanism, parent, motions, X_PJ, X_JB, mass, inertia);
  mechanism.links[static_cast<std::size_t>(link)].angle = angle;
  return link;
}

// A tree of `count` bodies; parents at random among those before, chains and bushes alike.
inline Mechanism random_tree(Random& random, Index count, bool planar = false) {
  Mechanism mechanism;
  for (Index i = 0; i < count; ++i) {
    Index parent = i - 1;
    if (random.below(3) == 0) parent = static_cast<Index>(random.below(static_cast<std::uint64_t>(i + 1))) - 1;
    // the first joint moves, so that there is always a velocity
    Motions motions = random_joint(random, planar);
    while (i == 0 && motions.empty()) motions = random_joint(random, planar);
    add_random_link(mechanism, parent, motions, random, planar);
  }
  return mechanism;
}

inline std::vector<Real> random_positions(const Mechanism& mechanism, Random& random) {
  std::vector<Real> q(static_cast<std::size_t>(mechanism.position_count));
  for (const JointAxis& axis : mechanism.axes) {
    Real* const x = &q[static_cast<std::size_t>(axis.position)];
    if (axis.kind != AxisKind::ball) {
      x[0] = axis.kind == AxisKind::turn ? random.uniform(-3.0, 3.0) : random.uniform(-0.5, 0.5);
      continue;
    }
    const Quat rotation = random_rotation(random);
    x[0] = rotation.w();
    x[1] = rotation.x();
    x[2] = rotation.y();
    x[3] = rotation.z();
  }
  return q;
}

inline std::vector<Real> random_numbers(Random& random, Index count, Real size = 1.0) {
  std::vector<Real> values(static_cast<std::size_t>(count));
  for (Real& value : values) value = random.uniform(-size, size);
  return values;
}

// Cuts between the links a and b (or the ground) that are closed in the configuration of `kinematics`.
enum class Cut { point, pin, rod, rigid, planar_point };

inline void add_closed_cut(Mechanism& mechanism, const MechanismKinematics& kinematics, Index a, Index b, Cut cut,
                           Random& random) {
  const auto pose = [&](Index link) {
    return link == no_index ? Pose{} : kinematics.X_WB[static_cast<std::size_t>(link)];
  };
  const Pose X_WA = pose(a), X_WB = pose(b);
  const Mat3 R = cut == Cut::planar_point ? Mat3(Mat3::Identity()) : Mat3(random_rotation(random).toRotationMatrix());
  // near B, so that levers stay of the size of the mechanism
  Vec3 p = X_WB.position + random_vector(random, 0.5);
  if (cut == Cut::planar_point) p.z() = 0.0;
  const auto add = [&](ConditionKind kind, const Vec3& axis_A, const Vec3& axis_B) {
    JointCondition condition;
    condition.kind = kind;
    condition.group = mechanism.loops.empty() ? 0 : mechanism.loops.back().group;
    condition.a = a;
    condition.b = b;
    condition.p_A = X_WA.rotation.conjugate() * (p - X_WA.position);
    condition.p_B = X_WB.rotation.conjugate() * (p - X_WB.position);
    condition.axis_A = X_WA.rotation.conjugate() * axis_A;
    condition.axis_B = X_WB.rotation.conjugate() * axis_B;
    mechanism.loops.push_back(condition);
  };
  const Vec3 x = R.col(0), y = R.col(1), z = R.col(2);
  if (cut == Cut::rod) {
    add(ConditionKind::distance, x, y);
    JointCondition& rod = mechanism.loops.back();
    rod.p_A = random_vector(random, 0.5);
    rod.length = (p - X_WA.position - X_WA.rotation * rod.p_A).norm();
  } else {
    for (const Vec3& axis : {x, y, z})
      if (cut != Cut::planar_point || axis.z() == 0.0) add(ConditionKind::along, axis, axis);
  }
  if (cut == Cut::pin) {
    add(ConditionKind::perpendicular, x, z);
    add(ConditionKind::perpendicular, y, z);
  }
  if (cut == Cut::rigid) {
    add(ConditionKind::perpendicular, x, y);
    add(ConditionKind::perpendicular, y, z);
    add(ConditionKind::perpendicular, z, x);
  }
  mechanism.closed_count = static_cast<Index>(mechanism.loops.size());
}

// Four-bar in the plane, all coordinates zero along x: crank, coupler and rocker turn about z; the rocker's end is cut
// from the ground at (ground, 0, 0). Two conditions.
inline Mechanism four_bar(Real crank, Real coupler, Real rocker, Real ground) {
  Mechanism mechanism;
  Real before = 0.0;
  for (const Real length : {crank, coupler, rocker}) {
    const Real mass = length;
    const Pose X_PJ{Vec3(before / 2.0, 0.0, 0.0), Quat::Identity()};
    add_link(mechanism, mechanism.link_count() - 1, {turn(Vec3::UnitZ())}, X_PJ,
             {Vec3(length / 2.0, 0.0, 0.0), Quat::Identity()}, mass, Vec3::Constant(mass * length * length / 12.0));
    before = length;
  }
  for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY())}) {
    JointCondition condition;
    condition.b = 2;
    condition.p_A = Vec3(ground, 0.0, 0.0);
    condition.p_B = Vec3(rocker / 2.0, 0.0, 0.0);
    condition.axis_A = axis;
    mechanism.loops.push_back(condition);
  }
  mechanism.closed_count = 2;
  return mechanism;
}

}  // namespace grus::testing
