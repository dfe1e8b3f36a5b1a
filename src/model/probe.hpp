// A column of series.csv, compiled: no strings but its header.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "math/vector.hpp"

namespace grus {

// An expression of t and of columns by position, evaluated on a row. See model/expression.hpp.
class RowExpression;

// What a probe looks at, and where it is in the Model:
//   body        body; `at` in the body frame when has_point, else the centre of mass
//   group       members; outside: body, whose walls are looked at
//   coordinate  mechanism, coordinate (velocity number); force: of its springs, motors and expressions, or of its drive
//   joint       reaction at the joint, world axes: on the body of (mechanism, link) at the joint frame's origin, on
//   side
//               b of (mechanism, cut) at its point, or, without a mechanism, of the joint `cut` between free bodies
//   spring      mechanism, spring (Mechanism::point_forces)
//   input       input (Model::inputs), as in the last step
struct Probe {
  enum class Source : std::uint8_t { body, group, coordinate, joint, spring, input, expression } source = Source::body;
  enum class Quantity : std::uint8_t {
    position,          // component below; of a coordinate, m or rad
    velocity,          // component
    angular_velocity,  // component
    speed,
    angle,          // planar scenes, continuous, rad
    force,          // N; bodies and joints: component; coordinates: N or N m
    torque,         // component; of contacts on the body over the last step about its origin, or of a joint, N m
    surface_angle,  // groups: slope of the free surface, rad
    count,          // groups: bodies released
    outside,        // groups: largest distance of a centre beyond the walls of `body`, m
    rate,           // of a coordinate or of the length of a spring
    power,          // of the force of a coordinate, W
    length,         // of a spring, m
  } quantity = Quantity::position;
  enum class Reduce : std::uint8_t { mean, min, max, rms } reduce = Reduce::mean;  // groups
  int component = 0;                                                               // 0..2
  Index body = no_index;                                                           // index in the Model
  bool has_point = false;
  Vec3 at = Vec3::Zero();      // m, body frame
  std::vector<Index> members;  // group: dynamic bodies
  Index mechanism = no_index;
  Index coordinate = no_index;
  Index link = no_index;
  Index cut = no_index;  // JointCondition::group
  Index spring = no_index;
  Index input = no_index;
  int along = 0, up = 2;  // surface_angle
  std::shared_ptr<const RowExpression> expression;
  std::string column;
  std::string unit;
};

}  // namespace grus
