// Prescribed motion: displacements and an angle as functions of time.
#include "io/scene/tables.hpp"

#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "model/expression.hpp"
#include "model/inputs.hpp"

namespace grus::scene {

bool check_rising(ValueReader& reader, const Entry& entry, const std::vector<std::pair<Real, Real>>& points) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].first > points[i - 1].first) continue;
    reader.fault(*entry.value->items[i], fmt::format("{}: found {:g} after {:g}, expected a first column that rises",
                                                     entry.key, points[i].first, points[i - 1].first));
    return false;
  }
  return true;
}

namespace {

void read_expression_of_time(ValueReader& reader, const Entry& entry, TimeFunctionSpec& function) {
  const Node& node = *entry.value;
  const auto text = reader.text(entry.key, node, TextRule::expression);
  if (!text) return;
  function.expression = *text;
  std::vector<std::string> variables{"t"};
  variables.insert(variables.end(), reader.inputs.name.begin(), reader.inputs.name.end());
  const auto result = Expression::read(*text, variables, reader.parameters());
  if (const std::string* message = std::get_if<std::string>(&result)) {
    reader.fault(node, fmt::format("{}: {}, expected an expression of t", entry.key, *message));
    return;
  }
  const Real value = std::get<Expression>(result).at(0.0, constant_inputs(reader.inputs.start));
  if (!std::isfinite(value) || std::abs(value) > largest)
    reader.fault(node, fmt::format("{}: {} is {:g} at t = 0, expected a finite value of at most {:g}", entry.key,
                                   quoted(*text), value, largest));
}

const Object& time_function_table() {
  static const Object table =
      Describe<TimeFunctionSpec>("function of time",
                                 "An expression, or values at given times, constant before the first and after the "
                                 "last.")
          .custom("expression", "expression of t", read_expression_of_time, "the same as written without the map")
          .custom(
              "table", "[[t, value], ...]",
              [](ValueReader& reader, const Entry& entry, TimeFunctionSpec& function) {
                auto points = reader.points(entry.key, *entry.value, any_number, any_number);
                if (points && check_rising(reader, entry, *points)) function.table = std::move(*points);
              },
              "times in s, rising, and values in m or rad")
          .exactly_one_of({"expression", "table"})
          .boolean("smooth", &TimeFunctionSpec::smooth, "monotone cubic between the points instead of straight lines")
          .only_of({"table"})
          .done();
  return table;
}

}  // namespace

std::optional<TimeFunctionSpec> read_time_function(ValueReader& reader, const Entry& entry) {
  const Node& node = *entry.value;
  TimeFunctionSpec function;
  function.mark = node.mark.source();
  const std::size_t before = reader.faults().count();
  if (node.kind == Node::Kind::map)
    read_object(reader, time_function_table(), node, &function);
  else
    read_expression_of_time(reader, entry, function);
  if (reader.faults().count() != before) return std::nullopt;
  return function;
}

const char* const time_function_type = "expression of t, or {table: [[t, value], ...], smooth: true}";

const Object& motion_table() {
  const auto displacement = [](int axis) {
    return [axis](ValueReader& reader, const Entry& entry, MotionSpec& motion) {
      if (axis == 2 && reader.planar)
        reader.fault(entry, "found a motion along z in a planar scene, expected x, y or angle");
      else
        motion.displacement[static_cast<std::size_t>(axis)] = read_time_function(reader, entry);
    };
  };
  static const Object table =
      Describe<MotionSpec>("motion",
                           "A body moved as a function of time, whatever pushes against it: turned about an axis "
                           "through the pivot, then displaced.")
          .custom("x", time_function_type, displacement(0), "displacement along x")
          .unit("m")
          .nested(time_function_table())
          .custom("y", time_function_type, displacement(1), "displacement along y")
          .unit("m")
          .custom("z", time_function_type, displacement(2), "displacement along z")
          .unit("m")
          .custom(
              "angle", time_function_type,
              [](ValueReader& reader, const Entry& entry, MotionSpec& motion) {
                motion.angle = read_time_function(reader, entry);
              },
              "angle turned about the axis")
          .unit("rad")
          .vector("axis", &MotionSpec::axis, VectorRule::spatial, any_number, "of the turn, any length")
          .vector("pivot", &MotionSpec::pivot, VectorRule::point, any_length, "a point of the axis")
          .fallback("the body's position")
          .finish([](ValueReader& reader, const Node& node, MotionSpec& motion) {
            const Entry* axis = node.find("axis");
            if (motion.axis.norm() < 1e-9) {
              reader.fault(*axis, "axis: found a zero vector, expected a direction");
              return;
            }
            motion.axis.normalize();
            if (reader.planar && axis && std::abs(motion.axis.z()) != 1.0)
              reader.fault(*axis,
                           "axis: found a turn out of the plane, expected [0, 0, 1] or no axis in a planar scene");
          })
          .done();
  return table;
}

}  // namespace grus::scene
