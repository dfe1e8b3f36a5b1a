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

struct Probe {
  enum class Source : std::uint8_t { body, group, expression } source = Source::body;
  enum class Quantity : std::uint8_t {
    position,
    velocity,
    angular_velocity,  // component below
    speed,
    angle,  // angle: planar scenes, continuous, rad
    force,
    torque,         // of contacts on the body over the last step, N, N m about its origin
    surface_angle,  // groups: slope of the free surface, rad
    count,          // groups: bodies released
  } quantity = Quantity::position;
  enum class Reduce : std::uint8_t { mean, min, max, rms } reduce = Reduce::mean;  // groups
  int component = 0;                                                               // 0..2
  Index body = no_index;                                                           // body: index in the Model
  std::vector<Index> members;                                                      // group: dynamic bodies
  int along = 0, up = 2;                                                           // surface_angle
  std::shared_ptr<const RowExpression> expression;
  std::string column;
  std::string unit;
};

}  // namespace grus
