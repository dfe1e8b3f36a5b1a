// Shapes: one key names the kind and holds its sizes, the others place it on its body.
#include "io/scene/tables.hpp"

#include <cmath>

#include <fmt/format.h>

#include "math/rotation.hpp"

namespace grus::scene {

const char* const rotation_type = "{axis: [x, y, z], angle: rad} or quaternion [w, x, y, z]";

namespace {

struct AxisAngle {
  Vec3 axis = Vec3(0, 0, 1);
  Real angle = 0.0;
};

const Object& axis_angle_table() {
  static const Object table =
      Describe<AxisAngle>("rotation", "A turn about an axis.")
          .vector("axis", &AxisAngle::axis, VectorRule::direction, any_number, "turn about this axis, right-handed")
          .required()
          .number("angle", &AxisAngle::angle, any_angle, "by this angle")
          .required()
          .done();
  return table;
}

// A shape kind's table; naming it in a scene sets the kind.
template <class Fill>
Object kind_table(const char* name, const char* about, ShapeKind kind, Fill fill) {
  Describe<ShapeSpec> table(name, about);
  fill(table);
  Object object = table.done();
  const auto then = object.finish;
  object.finish = [then, kind](ValueReader& reader, const Node& node, void* target) {
    static_cast<ShapeSpec*>(target)->kind = kind;
    if (then) then(reader, node, target);
  };
  return object;
}

void radius(Describe<ShapeSpec>& table) {
  table.number("radius", &ShapeSpec::radius, some_length, "radius").required();
}

void read_vertices(ValueReader& reader, const Entry& entry, ShapeSpec& shape) {
  const auto points = reader.points(entry.key, *entry.value, any_length, any_length);
  if (!points) return;
  for (const auto& [x, y] : *points) shape.vertices.emplace_back(x, y);
}

// Convex, counter-clockwise, no three corners in line: every turn is to the left, and the turns add up to one
// revolution (a pentagram turns left everywhere, but twice around).
void check_polygon(ValueReader& reader, const Node& node, ShapeSpec& shape) {
  const std::size_t n = shape.vertices.size();
  if (n < 3) {
    reader.fault(node, fmt::format("polygon: found {} vertices, expected at least 3", n));
    return;
  }
  Real turned = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2 a = shape.vertices[(i + 1) % n] - shape.vertices[i];
    const Vec2 b = shape.vertices[(i + 2) % n] - shape.vertices[(i + 1) % n];
    const Real cross = a.x() * b.y() - a.y() * b.x();
    if (cross <= 1e-12 * a.norm() * b.norm()) {
      const Node& vertex = *node.find("vertices")->value->items[(i + 1) % n];
      reader.fault(vertex, fmt::format("polygon: found no left turn at vertex {}, expected a convex polygon, vertices "
                                       "counter-clockwise, no three in line",
                                       (i + 1) % n + 1));
      return;
    }
    turned += std::atan2(cross, a.dot(b));
  }
  if (turned > 7.0) reader.fault(node, "polygon: found an outline that crosses itself, expected a convex polygon");
}

}  // namespace

std::optional<Quat> read_rotation(ValueReader& reader, const Entry& entry) {
  const Node& node = *entry.value;
  if (reader.planar) {
    reader.fault(entry, "found 'rotation' in a planar scene, expected 'angle'");
    return std::nullopt;
  }
  if (node.kind == Node::Kind::list) {
    const auto q = reader.numbers(entry.key, node, 4, any_number);
    if (!q) return std::nullopt;
    const Quat rotation((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
    if (std::abs(rotation.norm() - 1.0) > 1e-3) {
      reader.fault(node,
                   fmt::format("{}: found a quaternion of length {:g}, expected length 1", entry.key, rotation.norm()));
      return std::nullopt;
    }
    return rotation.normalized();
  }
  const std::size_t before = reader.faults().count();
  AxisAngle turn;
  read_object(reader, axis_angle_table(), node, &turn);
  if (reader.faults().count() != before) return std::nullopt;
  return exp_rotation(turn.angle * turn.axis).normalized();
}

std::optional<Real> read_planar_angle(ValueReader& reader, const Entry& entry) {
  if (reader.planar) return reader.number(entry.key, *entry.value, any_angle);
  reader.fault(entry, "found 'angle' in a spatial scene, expected 'rotation'");
  return std::nullopt;
}

// A plane is solid below its z axis, in a planar scene below its y axis.
Quat plane_rotation(const Vec3& normal, bool planar) {
  if (planar) return rotation_about_z(std::atan2(-normal.x(), normal.y()));
  return rotation_between(Vec3(0, 0, 1), normal);
}

const Object& plane_table() {
  struct Plane {
    static void read_normal(ValueReader& reader, const Entry& entry, ShapeSpec& shape) {
      const auto normal = reader.vector(entry.key, *entry.value, VectorRule::direction, any_number);
      if (!normal) return;
      shape.rotation = plane_rotation(*normal, reader.planar);
    }
  };
  static const Object table = kind_table(
      "plane",
      "A half space: solid on the side its normal points away from. Only for bodies that are fixed, driven or part of "
      "a mechanism.",
      ShapeKind::plane, [](Describe<ShapeSpec>& t) {
        t.vector("point", &ShapeSpec::position, VectorRule::point, any_length, "any point of the surface")
            .custom("normal", type_name(VectorRule::direction), Plane::read_normal, "out of the solid, any length")
            .fallback("[0, 0, 1], planar [0, 1]");
      });
  return table;
}

const Object& shape_table() {
  static const Object sphere = kind_table("sphere", "A ball.", ShapeKind::sphere, radius);
  static const Object disk = kind_table("disk", "Planar scenes: a circular disk.", ShapeKind::disk, radius);
  static const Object capsule =
      kind_table("capsule", "A cylinder with round ends, along z (planar: along x).", ShapeKind::capsule,
                 [](Describe<ShapeSpec>& t) {
                   radius(t);
                   t.number("length", &ShapeSpec::length, some_length, "between the centres of the ends").required();
                 });
  static const Object cylinder =
      kind_table("cylinder", "A solid cylinder along z.", ShapeKind::cylinder, [](Describe<ShapeSpec>& t) {
        radius(t);
        t.number("length", &ShapeSpec::length, some_length, "between its flat ends").required();
      });
  static const Object box =
      kind_table("box", "A cuboid (planar: a rectangle).", ShapeKind::box, [](Describe<ShapeSpec>& t) {
        t.vector("size", &ShapeSpec::size, VectorRule::size, some_length, "full lengths of the edges").required();
      });
  static const Object polygon =
      kind_table("polygon", "Planar scenes: a convex polygon.", ShapeKind::polygon, [](Describe<ShapeSpec>& t) {
        t.custom("vertices", "[[x, y], ...]", read_vertices, "corners, counter-clockwise, at least 3")
            .unit("m")
            .required()
            .finish(check_polygon);
      });
  static const Object tube = kind_table("tube",
                                        "The inside of an endless hollow cylinder along z: solid beyond the radius. "
                                        "Only for bodies that are fixed, driven or part of a mechanism.",
                                        ShapeKind::tube, radius);
  static const Object ring = kind_table("ring",
                                        "Planar scenes: the inside of a hollow circle, solid beyond the radius. Only "
                                        "for bodies that are fixed, driven or part of a mechanism.",
                                        ShapeKind::ring, radius);

  static const Object table =
      Describe<ShapeSpec>("shape", "What a body collides with, and its mass when a density is known.")
          .section("sphere", self, sphere, "a ball")
          .section("capsule", self, capsule, "a cylinder with round ends")
          .section("cylinder", self, cylinder, "a solid cylinder")
          .section("box", self, box, "a cuboid")
          .section("polyhedron", self, polyhedron_table(), "a convex polyhedron")
          .section("mesh", self, mesh_table(), "from an STL or OBJ file")
          .section("plane", self, plane_table(), "a half space")
          .section("disk", self, disk, "planar: a disk")
          .section("polygon", self, polygon, "planar: a convex polygon")
          .section("tube", self, tube, "the inside of a hollow cylinder")
          .section("ring", self, ring, "planar: the inside of a hollow circle")
          .exactly_one_of({"sphere", "capsule", "cylinder", "box", "polyhedron", "mesh", "plane", "disk", "polygon",
                           "tube", "ring"})
          .vector("position", &ShapeSpec::position, VectorRule::point, any_length,
                  "of the shape's centre in the body's frame")
          .custom(
              "rotation", rotation_type,
              [](ValueReader& reader, const Entry& entry, ShapeSpec& shape) {
                if (const auto rotation = read_rotation(reader, entry)) shape.rotation = *rotation;
              },
              "of the shape in the body's frame")
          .custom(
              "angle", "number",
              [](ValueReader& reader, const Entry& entry, ShapeSpec& shape) {
                if (const auto angle = read_planar_angle(reader, entry)) shape.rotation = rotation_about_z(*angle);
              },
              "planar scenes: of the shape in the body's frame")
          .unit("rad")
          .fallback("0")
          .number("density", &ShapeSpec::density, some_density, "instead of the material's")
          .boolean("collides", &ShapeSpec::collides, "false: drawn and weighed, but it touches nothing")
          .text("material", &ShapeSpec::material, TextRule::name, "instead of the body's")
          .fallback("the body's")
          .finish([](ValueReader& reader, const Node& node, ShapeSpec& shape) {
            const bool plane = shape.kind == ShapeKind::plane;
            for (const char* key : {"position", "rotation", "angle"}) {
              const Entry* entry = node.find(key);
              if (plane && entry)
                reader.fault(*entry, fmt::format("'{}' of a plane is given by its point and normal", key));
            }
          })
          .done();
  return table;
}

}  // namespace grus::scene
