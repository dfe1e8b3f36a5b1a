// A compiled mechanism: a tree of bodies in relative coordinates with loop cuts and forces.
//
// A joint is a list of elementary motions between the joint frame J, fixed in the parent, and the body:
//   slide  along an axis, one coordinate        turn  about an axis, one coordinate
//   ball   any rotation; position a unit quaternion, velocity the angular velocity in the frame after it
// fixed {}, revolute {turn}, prismatic {slide}, cylindrical {slide, turn}, universal {turn, turn}, spherical {ball},
// planar {slide, slide, turn}, free {slide, slide, slide, ball}. Every algorithm knows the three motions and no joint.
//
// Velocities v are numbered [0, velocity_count), positions q [0, position_count); they differ by the quaternions of
// balls. A velocity is independent (u), dependent (v) or driven (c, a given function of time).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "math/vector.hpp"
#include "model/expression.hpp"
#include "model/motion.hpp"
#include "model/time_function.hpp"

namespace grus {

enum class AxisKind : std::uint8_t { slide, turn, ball };

struct JointAxis {
  AxisKind kind = AxisKind::turn;
  Vec3 axis = Vec3::UnitZ();  // unit; in the frame left by the motions before it. ball: not used
  Index position = 0;         // first of its numbers in q: one, or four (w, x, y, z) of a ball
  Index velocity = 0;         // first of its numbers in v: one, or three of a ball
};

// Body i of a mechanism; parents come before their children.
struct Link {
  Index parent = no_index;  // link; no_index: the ground
  Pose X_PJ;                // joint frame in the parent's body frame B, or in the world
  Pose X_JB;                // body frame B (centre of mass, principal axes) in the frame left by the last motion
  Real angle = 0.0;         // planar scenes: angle of X_PJ and X_JB together, so that the body's stays continuous, rad
  Index axis_begin = 0, axis_end = 0;
  Real mass = 0.0;              // kg
  Vec3 inertia = Vec3::Zero();  // kg m2, principal; planar: all three are the moment about z
};

enum class CoordinateRole : std::uint8_t { automatic, independent, dependent, driven };

// One velocity of a mechanism.
struct Coordinate {
  Index position = no_index;  // its number in q; no_index: component of a ball
  bool is_slide = false;      // else a turn, or a component of a ball
  CoordinateRole role = CoordinateRole::automatic;
  TimeFunctionPtr drive;  // driven: its position
  Real lower = -std::numeric_limits<Real>::infinity();
  Real upper = std::numeric_limits<Real>::infinity();
  Real restitution = 0.0;                               // at the limits
  Real friction = 0.0;                                  // dry, N or N m
  bool position_given = false, velocity_given = false;  // the start was written by the user: assembly keeps it
};

// Condition between a frame A and a frame B, each fixed in a body; the same for loop cuts of mechanisms and for the
// joints of the absolute lane. With d = p_B - p_A, a fixed in A and b in B:
//   along          a.d = 0
//   perpendicular  a.b = 0
//   distance       |d| - length = 0
enum class ConditionKind : std::uint8_t { along, perpendicular, distance };

struct JointCondition {
  ConditionKind kind = ConditionKind::along;
  Index group = 0;                   // the loop or joint it belongs to, for names
  Index a = no_index, b = no_index;  // loops: links of the mechanism; joints: bodies of the Model; else ground
  Vec3 p_A = Vec3::Zero(), p_B = Vec3::Zero();  // m, in the body frames
  Vec3 axis_A = Vec3::UnitX(), axis_B = Vec3::UnitY();
  Real length = 0.0;  // m
};

// Force of a joint or between two points as a function of its position x and its rate:
//   f = clamp(-stiffness (x - rest(t)) - damping (x' - rate(t)) + table(x) + expression(t, q, v), -limit, limit)
// Implicit: the linear part is taken at the end of the step, which adds (h damping + theta h^2 stiffness) g g^T to the
// mass matrix, g the gradient of x; it is then stable for any stiffness.
struct ForceLaw {
  Real stiffness = 0.0, damping = 0.0;           // N/m or N m/rad, N s/m or N m s/rad
  TimeFunctionPtr rest, rate;                    // null: zero
  bool rest_is_constant = true;                  // then the spring has a potential
  std::vector<std::pair<Real, Real>> table;      // (x, f), rising in x, linear between, constant outside
  std::shared_ptr<const Expression> expression;  // of `force_variables`
  Real limit = std::numeric_limits<Real>::infinity();
  bool implicit = false;
};

struct JointForce {
  Index coordinate = 0;  // velocity number
  ForceLaw law;
};

// Along the line from A to B; x is the distance, a positive force pushes the points apart.
struct PointForce {
  Index a = no_index, b = no_index;             // links; no_index: the ground
  Vec3 p_A = Vec3::Zero(), p_B = Vec3::Zero();  // m, body frames
  ForceLaw law;
};

// Force at a point and torque on a link, each component an expression of `force_variables`; null: zero.
struct AppliedForce {
  Index link = 0;
  Vec3 p_B = Vec3::Zero();  // m, body frame
  bool in_body_axes = false;
  std::array<std::shared_ptr<const Expression>, 3> force, torque;
  Quat R_UB = Quat::Identity();  // components in body axes are those of the user's frame
};

// A value kept from a moment on: `of`, an expression of `coordinate_variables`, at the start of the first step at or
// after `time`. Until then it is taken anew at the start of every step. It is part of the State.
struct Memory {
  Real time = 0.0;  // s
  std::shared_ptr<const Expression> of;
};

struct Mechanism {
  Index first_body = 0;      // body of link 0 in the Model
  Index first_position = 0;  // of q in State::joint_position
  Index first_velocity = 0;  // of v in State::joint_velocity
  Index first_memory = 0;    // in State::memory
  Index first_law = 0;       // in State::held_force
  Index position_count = 0;
  Index velocity_count = 0;

  std::vector<Link> links;
  std::vector<JointAxis> axes;          // of link 0, of link 1, ...
  std::vector<Coordinate> coordinates;  // [velocity_count]
  std::vector<JointCondition> loops;    // all equations of all cuts; the first `closed_count` are independent
  Index closed_count = 0;               // set by assembly; the others repeat these and are only watched
  std::vector<JointForce> joint_forces;
  std::vector<PointForce> point_forces;
  std::vector<AppliedForce> applied_forces;
  std::vector<Memory> memories;
  Real size = 1.0;  // m, length that loop errors are compared with

  Index link_count() const { return static_cast<Index>(links.size()); }
  // Laws are numbered: those of joints, then those between points.
  std::size_t law_count() const { return joint_forces.size() + point_forces.size(); }
};

// Names of a mechanism and where they are written, for people: messages, probes, reports.
struct MechanismNames {
  std::string name;
  SourceMark mark;
  std::vector<std::string> coordinate;  // "crank.angle"                 [velocity_count]
  std::vector<std::string> loop;        // by JointCondition::group
  std::vector<SourceMark> coordinate_mark, loop_mark;
  std::vector<std::string> point_force;  // [point_forces]
};

// What memories may name, in the order of the values: t, then position and rate of every coordinate, then the inputs.
std::vector<std::string> coordinate_variables(const std::vector<std::string>& coordinate_names,
                                              const std::vector<std::string>& input_names = {});
// What expressions of forces may name: the same, then the memories.
std::vector<std::string> force_variables(const std::vector<std::string>& coordinate_names,
                                         const std::vector<std::string>& input_names = {},
                                         const std::vector<std::string>& memory_names = {});

}  // namespace grus
