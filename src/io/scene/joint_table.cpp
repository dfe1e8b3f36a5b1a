// Joints of mechanisms: kind, frame, axes, and what starts, drives, stops and moves their coordinates.
#include "io/scene/tables.hpp"

#include <fmt/format.h>

#include "math/rotation.hpp"

namespace grus::scene {

namespace {

void read_force_table(ValueReader& reader, const Entry& entry, ForceLawSpec& law) {
  auto points = reader.points(entry.key, *entry.value, any_number, {-1e15, 1e15});
  if (points && check_rising(reader, entry, *points)) law.table = std::move(*points);
}

const Object& joint_spring_table() {
  static const Object table =
      Describe<ForceLawSpec>("joint spring",
                             "Spring and damper of a coordinate x: -stiffness (x - rest) - damping x' + table(x).")
          .number("stiffness", &ForceLawSpec::stiffness, some_stiffness, "of the spring")
          .unit("N/m, N m/rad")
          .number("damping", &ForceLawSpec::damping, some_stiffness, "of the damper")
          .unit("N s/m, N m s/rad")
          .custom(
              "rest", time_function_type,
              [](ValueReader& reader, const Entry& entry, ForceLawSpec& law) {
                law.rest = read_time_function(reader, entry);
              },
              "position at which the spring is free")
          .unit("m, rad")
          .fallback("0")
          .custom("table", "[[position, force], ...]", read_force_table,
                  "force as a function of the position, linear between, constant outside")
          .number("limit", &ForceLawSpec::limit, {0.0, 1e15, "", true}, "largest force")
          .unit("N, N m")
          .fallback("none")
          .boolean("implicit", &ForceLawSpec::implicit, "stiffness and damping at the end of the step: never unstable")
          .done();
  return table;
}

struct Motor {
  std::optional<TimeFunctionSpec> speed, position;
  Real gain = 0.0, damping = 0.0;
  std::optional<Real> limit;
  bool implicit = false;
};

const Object& motor_table() {
  static const Object table =
      Describe<Motor>("motor",
                      "Force of a coordinate x that follows a speed, gain (speed - x'), or a position, gain (position "
                      "- x) - damping x'; what must be followed exactly is a `drive`.")
          .custom(
              "speed", time_function_type,
              [](ValueReader& reader, const Entry& entry, Motor& motor) {
                motor.speed = read_time_function(reader, entry);
              },
              "speed to follow")
          .unit("m/s, rad/s")
          .custom(
              "position", time_function_type,
              [](ValueReader& reader, const Entry& entry, Motor& motor) {
                motor.position = read_time_function(reader, entry);
              },
              "position to follow")
          .unit("m, rad")
          .exactly_one_of({"speed", "position"})
          .number("gain", &Motor::gain, {0.0, 1e15, "", true}, "force per unit of error")
          .required()
          .number("damping", &Motor::damping, some_stiffness, "force against the speed")
          .only_of({"position"})
          .number("limit", &Motor::limit, {0.0, 1e15, "", true}, "largest force")
          .unit("N, N m")
          .fallback("none")
          .boolean("implicit", &Motor::implicit, "taken at the end of the step: never unstable")
          .done();
  return table;
}

ForceLawSpec motor_law(Motor motor) {
  ForceLawSpec law;
  if (motor.speed) {
    law.damping = motor.gain;
    law.rate = std::move(motor.speed);
  } else {
    law.stiffness = motor.gain;
    law.rest = std::move(motor.position);
    law.damping = motor.damping;
  }
  law.limit = motor.limit;
  law.implicit = motor.implicit;
  return law;
}

void read_spring(ValueReader& reader, const Entry& entry, CoordinateSpec& coordinate) {
  ForceLawSpec law;
  read_object(reader, joint_spring_table(), *entry.value, &law);
  law.mark = entry.mark.source();
  coordinate.forces.push_back(std::move(law));
}

void read_motor(ValueReader& reader, const Entry& entry, CoordinateSpec& coordinate) {
  Motor motor;
  read_object(reader, motor_table(), *entry.value, &motor);
  coordinate.forces.push_back(motor_law(std::move(motor)));
  coordinate.forces.back().mark = entry.mark.source();
}

void read_force(ValueReader& reader, const Entry& entry, CoordinateSpec& coordinate) {
  const auto text = reader.text(entry.key, *entry.value, TextRule::expression);
  if (!text) return;
  ForceLawSpec law;
  law.mark = entry.value->mark.source();
  law.expression = *text;
  coordinate.forces.push_back(std::move(law));
}

}  // namespace

const Object& coordinate_table() {
  using Role = CoordinateRole;
  static const Object table =
      Describe<CoordinateSpec>("coordinate", "One motion of a joint: how it starts, what drives, stops and moves it.")
          .number("start", &CoordinateSpec::start, any_number,
                  "position at the start; where loops close, a guess for those that are not written is enough")
          .unit("m, rad")
          .fallback("0")
          .number("rate", &CoordinateSpec::rate, any_number, "velocity at the start")
          .unit("m/s, rad/s")
          .fallback("0, or what the loops ask for")
          .choice(
              "role", &CoordinateSpec::role,
              Names<Role>{
                  {"automatic", Role::automatic}, {"independent", Role::independent}, {"dependent", Role::dependent}},
              "in a mechanism with loops: found by pivoting and changed on the way, or kept")
          .custom(
              "drive", time_function_type,
              [](ValueReader& reader, const Entry& entry, CoordinateSpec& coordinate) {
                coordinate.drive = read_time_function(reader, entry);
              },
              "position as a function of time, whatever force it takes")
          .unit("m, rad")
          .number("lower", &CoordinateSpec::lower, any_number, "lower limit")
          .unit("m, rad")
          .fallback("none")
          .number("upper", &CoordinateSpec::upper, any_number, "upper limit")
          .unit("m, rad")
          .fallback("none")
          .number("restitution", &CoordinateSpec::restitution, {0.0, 1.0}, "at the limits")
          .number("friction", &CoordinateSpec::friction, some_stiffness, "dry friction: largest force that holds it")
          .unit("N, N m")
          .custom("spring", "joint spring", read_spring, "spring and damper")
          .elements()
          .nested(joint_spring_table())
          .custom("motor", "motor", read_motor, "follows a speed or a position with a force")
          .elements()
          .nested(motor_table())
          .custom("force", "expression", read_force,
                  "of t, parameters, memories and every coordinate of the mechanism: crank.angle, crank.angle.rate")
          .unit("N, N m")
          .done();
  return table;
}

void read_coordinate_map(ValueReader& reader, const Entry& entry, std::vector<CoordinateSpec>& coordinates) {
  if (entry.value->kind == Node::Kind::null) return;
  if (entry.value->kind != Node::Kind::map) {
    reader.mismatch(entry.key, *entry.value, "a map such as {angle: {start: 0.1}}");
    return;
  }
  for (const Entry& coordinate : entry.value->entries) {
    CoordinateSpec& spec = coordinates.emplace_back();
    spec.mark = coordinate.mark.source();
    spec.name = coordinate.key;
    read_object(reader, coordinate_table(), *coordinate.value, &spec);
  }
}

namespace {

// Three numbers; two in a planar scene for what lies in the plane.
auto read_axis(std::optional<Vec3> JointSpec::*axis) {
  return [axis](ValueReader& reader, const Entry& entry, JointSpec& joint) {
    const bool in_plane = entry.value->kind == Node::Kind::list && entry.value->items.size() == 2;
    joint.*axis =
        reader.vector(entry.key, *entry.value, in_plane ? VectorRule::point : VectorRule::spatial, any_number);
  };
}

}  // namespace

const Object& joint_table() {
  static const Object table =
      Describe<JointSpec>("joint",
                          "How a body moves relative to its parent. The joint frame is fixed in the parent; the body's "
                          "frame lies on it when all coordinates are zero. Coordinates by kind: revolute angle; "
                          "prismatic slide; cylindrical slide, angle; universal angle_1, angle_2; spherical rx, ry, "
                          "rz (start: a rotation vector; rate: the angular velocity in the body's frame); planar x, y, "
                          "angle; free x, y, z, rx, ry, rz, in planar scenes x, y, angle; fixed none. Planar scenes "
                          "have fixed, revolute, prismatic, planar and free.")
          .choice("kind", &JointSpec::kind,
                  Names<JointKind>{{"fixed", JointKind::fixed},
                                   {"revolute", JointKind::revolute},
                                   {"prismatic", JointKind::prismatic},
                                   {"cylindrical", JointKind::cylindrical},
                                   {"universal", JointKind::universal},
                                   {"spherical", JointKind::spherical},
                                   {"planar", JointKind::planar},
                                   {"free", JointKind::free}},
                  "which motions are free")
          .required()
          .vector("at", &JointSpec::at, VectorRule::point, any_length, "the joint frame in the parent's frame")
          .custom(
              "rotation", rotation_type,
              [](ValueReader& reader, const Entry& entry, JointSpec& joint) {
                if (const auto rotation = read_rotation(reader, entry)) joint.rotation = *rotation;
              },
              "of the joint frame in the parent's frame")
          .custom(
              "angle", "number",
              [](ValueReader& reader, const Entry& entry, JointSpec& joint) {
                if (const auto angle = read_planar_angle(reader, entry)) joint.angle = *angle;
              },
              "planar scenes: of the joint frame in the parent's frame")
          .unit("rad")
          .fallback("0")
          .custom("axis", type_name(VectorRule::point), read_axis(&JointSpec::axis),
                  "of the slide or turn, in the joint frame, any length")
          .fallback("z; prismatic in planar scenes and universal x")
          .only_of({"revolute", "prismatic", "cylindrical", "universal"})
          .custom("axis_2", "[x, y, z]", read_axis(&JointSpec::axis_2), "of the second turn, carried by the first")
          .fallback("y")
          .only_of({"universal"})
          .custom(
              "coordinates", "map of name: coordinate",
              [](ValueReader& reader, const Entry& entry, JointSpec& joint) {
                read_coordinate_map(reader, entry, joint.coordinates);
              },
              "what is to be said of its motions")
          .elements()
          .nested(coordinate_table())
          .finish([](ValueReader&, const Node& node, JointSpec& joint) { joint.mark = node.mark.source(); })
          .done();
  return table;
}

}  // namespace grus::scene
