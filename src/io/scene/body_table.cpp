// Bodies, walls and containers: all are BodySpec.
#include "io/scene/tables.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "math/rotation.hpp"

namespace grus::scene {

const char* const inertia_type = "[xx, yy, zz] or 3 x 3, planar a number";

void read_shape(ValueReader& reader, const Entry& entry, BodySpec& body) {
  ShapeSpec shape;
  shape.mark = entry.value->mark.source();
  read_object(reader, shape_table(), *entry.value, &shape);
  body.shapes.push_back(std::move(shape));
}

// planar: the moment about z; spatial: principal moments [xx, yy, zz] or a full 3 x 3.
void read_inertia(ValueReader& reader, const Entry& entry, BodySpec& body) {
  const Node& node = *entry.value;
  Mat3 inertia = Mat3::Zero();
  if (reader.planar) {
    const auto moment = reader.number(entry.key, node, some_inertia);
    if (!moment) return;
    inertia(2, 2) = *moment;
    body.inertia = inertia;
    return;
  }
  const bool full = node.kind == Node::Kind::list && node.items.size() == 3 && node.items[0]->kind == Node::Kind::list;
  if (!full) {
    const auto moments = reader.numbers(entry.key, node, 3, some_inertia);
    if (!moments) return;
    inertia.diagonal() = Vec3((*moments)[0], (*moments)[1], (*moments)[2]);
  } else {
    for (int row = 0; row < 3; ++row) {
      const auto values =
          reader.numbers(entry.key, *node.items[static_cast<std::size_t>(row)], 3, {-1e15, 1e15, "kg m2"});
      if (!values) return;
      inertia.row(row) << (*values)[0], (*values)[1], (*values)[2];
    }
  }
  if (!inertia.isApprox(inertia.transpose(), 1e-9)) {
    reader.fault(node, "inertia: found an unsymmetric matrix");
    return;
  }
  const Vec3 principal = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(Eigen::Matrix3d(inertia)).eigenvalues();
  // rising order; real mass distributions obey I3 <= I1 + I2
  if (principal[0] < some_inertia.min || principal[2] > (principal[0] + principal[1]) * (1.0 + 1e-6)) {
    reader.fault(node, fmt::format("inertia: found principal moments {:g}, {:g}, {:g}, expected positive ones of which "
                                   "none exceeds the sum of the others",
                                   principal[0], principal[1], principal[2]));
    return;
  }
  body.inertia = inertia;
}

void check_mass_keys(ValueReader& reader, const Node& node, const BodySpec& body) {
  for (const char* key : {"inertia", "center_of_mass"}) {
    const Entry* entry = node.find(key);
    if (entry && !body.mass) reader.fault(*entry, fmt::format("'{}' needs 'mass' beside it", key));
  }
  if (body.mass && node.find("density"))
    reader.fault(*node.find("density"), "found both mass and density, expected one");
  const bool ghost = body.role == BodyRole::dynamic && body.mass && body.inertia;
  if (body.shapes.empty() && !ghost) reader.fault(node, "body needs a shape or shapes, or mass and inertia");
}

namespace {

void read_angle(ValueReader& reader, const Entry& entry, BodySpec& body) {
  const auto angle = read_planar_angle(reader, entry);
  if (!angle) return;
  body.angle = *angle;
  body.rotation = rotation_about_z(*angle);
}

void read_spin(ValueReader& reader, const Entry& entry, BodySpec& body) {
  if (reader.planar && entry.value->kind != Node::Kind::list) {
    const auto spin = reader.number(entry.key, *entry.value, any_spin);
    if (spin) body.angular_velocity = Vec3(0, 0, *spin);
    return;
  }
  const auto spin = reader.vector(entry.key, *entry.value, VectorRule::spatial, any_spin);
  if (!spin) return;
  if (reader.planar && (spin->x() != 0.0 || spin->y() != 0.0)) {
    reader.fault(*entry.value, "angular_velocity: found a turn out of the plane, expected a number in a planar scene");
    return;
  }
  body.angular_velocity = *spin;
}

void add_pose(Describe<BodySpec>& table) {
  table
      .custom(
          "rotation", rotation_type,
          [](ValueReader& reader, const Entry& entry, BodySpec& body) {
            if (const auto rotation = read_rotation(reader, entry)) body.rotation = *rotation;
          },
          "of the body's frame at the start")
      .custom("angle", "number", read_angle, "planar scenes: of the body's frame at the start, counter-clockwise")
      .unit("rad")
      .fallback("0");
}

void add_motion(Describe<BodySpec>& table) {
  table.section("motion", &BodySpec::motion, motion_table(), "moves the body as a function of time");
}

void add_names(Describe<BodySpec>& table, const char* what) {
  table.text("name", &BodySpec::name, TextRule::name, fmt::format("name of the {}, for probes and messages", what))
      .fallback(fmt::format("its place in the list"))
      .text("material", &BodySpec::material, TextRule::name, "a name of `materials`")
      .fallback("the only material");
}

void set_role(BodySpec& body) { body.role = body.motion ? BodyRole::kinematic : BodyRole::fixed; }

void finish_body(ValueReader& reader, const Node& node, BodySpec& body) {
  const Entry* fixed = node.find("fixed");
  const Entry* motion = node.find("motion");
  if (fixed && motion && body.role == BodyRole::fixed) reader.fault(*motion, "found a motion of a body that is fixed");
  if (motion) body.role = BodyRole::kinematic;
  if (motion) body.motion->mark = motion->mark.source();
  if (body.role != BodyRole::dynamic) {
    for (const char* key :
         {"mass", "inertia", "center_of_mass", "density", "velocity", "angular_velocity", "release_time"}) {
      const Entry* entry = node.find(key);
      if (entry)
        reader.fault(*entry, fmt::format("'{}' has no meaning for a body that is fixed or driven by a motion", key));
    }
  }
  check_mass_keys(reader, node, body);
}

}  // namespace

const Object& body_table() {
  static const Object table = [] {
    Describe<BodySpec> t(
        "body",
        "A rigid body. It moves under forces unless it is `fixed` or has a `motion`. Its mass "
        "comes from its shapes and densities, or is given; a body with mass and inertia needs no shape.");
    add_names(t, "body");
    t.text("group", &BodySpec::group, TextRule::name, "probes can reduce over a group")
        .custom("shape", "shape", read_shape, "the only shape")
        .elements()
        .nested(shape_table())
        .list("shapes", &BodySpec::shapes, shape_table(), "several shapes that move as one")
        .at_most_one_of({"shape", "shapes"})
        .custom(
            "fixed", "true or false",
            [](ValueReader& reader, const Entry& entry, BodySpec& body) {
              if (reader.boolean(entry.key, *entry.value).value_or(false)) body.role = BodyRole::fixed;
            },
            "never moves")
        .fallback("false")
        .vector("position", &BodySpec::position, VectorRule::point, any_length, "of the body's frame at the start");
    add_pose(t);
    t.vector("velocity", &BodySpec::velocity, VectorRule::point, any_speed, "of the centre of mass at the start")
        .custom("angular_velocity", "[x, y, z], planar a number", read_spin, "at the start")
        .unit("rad/s")
        .fallback("0")
        .number("density", &BodySpec::density, some_density, "instead of the material's")
        .number("mass", &BodySpec::mass, some_mass, "instead of that of the shapes, whose inertia is scaled to it")
        .vector("center_of_mass", &BodySpec::center_of_mass, VectorRule::point, any_length,
                "in the body's frame; with mass")
        .fallback("that of the shapes")
        .custom("inertia", inertia_type, read_inertia, "about the centre of mass, along the body's axes; with mass")
        .unit("kg m2")
        .fallback("that of the shapes");
    add_motion(t);
    t.number("release_time", &BodySpec::release_time, later, "the body is not there before this time")
        .finish(finish_body);
    return t.done();
  }();
  return table;
}

const Object& wall_table() {
  static const Object table = [] {
    Describe<BodySpec> t("wall", "A body that is fixed, or driven by a `motion`.");
    add_names(t, "wall");
    t.custom(
         "plane", "plane",
         [](ValueReader& reader, const Entry& entry, BodySpec& body) {
           ShapeSpec shape;
           shape.mark = entry.value->mark.source();
           read_object(reader, plane_table(), *entry.value, &shape);
           shape.kind = ShapeKind::plane;
           // the point becomes the body's position, the default pivot of a motion
           std::swap(body.position, shape.position);
           body.shapes.push_back(std::move(shape));
         },
         "a half space")
        .elements()
        .nested(plane_table())
        .custom("shape", "shape", read_shape, "any shape")
        .elements()
        .nested(shape_table())
        .list("shapes", &BodySpec::shapes, shape_table(), "several shapes")
        .exactly_one_of({"plane", "shape", "shapes"})
        .vector("position", &BodySpec::position, VectorRule::point, any_length,
                "of the wall's frame; a plane has its point")
        .only_of({"shape", "shapes"});
    add_pose(t);
    add_motion(t);
    t.text("group", &BodySpec::group, TextRule::name, "probes can reduce over a group")
        .finish([](ValueReader& reader, const Node& node, BodySpec& body) {
          set_role(body);
          if (body.shapes.empty()) reader.fault(node, "wall needs at least one shape");
        });
    return t.done();
  }();
  return table;
}

namespace {

struct Faces {
  Vec3 min = Vec3::Zero(), max = Vec3::Zero();
  std::vector<std::string> open, closed;
  bool has(const std::string& face) const {
    const auto named = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), face) != list.end();
    };
    return closed.empty() ? !named(open) : named(closed);
  }
  Vec3 center = Vec3::Zero(), axis = Vec3(0, 0, 1);
  Real radius = 0.0, length = 0.0;
};

auto read_faces(std::vector<std::string> Faces::*list, std::vector<std::string> names) {
  return [list, names = std::move(names)](ValueReader& reader, const Entry& entry, Faces& faces) {
    if (entry.value->kind != Node::Kind::list) {
      reader.mismatch(entry.key, *entry.value, fmt::format("a list out of {}", name_list(names)));
      return;
    }
    for (const NodePtr& item : entry.value->items) {
      const auto index = reader.choice(entry.key, *item, names);
      if (!index) continue;
      if (reader.planar && names[*index].ends_with("z")) {
        reader.fault(*item, "a planar box has no face along z");
        continue;
      }
      (faces.*list).push_back(names[*index]);
    }
  };
}

ShapeSpec inward_plane(const SourceMark& mark, const Vec3& point, const Vec3& normal, bool planar) {
  ShapeSpec plane;
  plane.mark = mark;
  plane.kind = ShapeKind::plane;
  plane.position = point;
  plane.rotation = plane_rotation(normal, planar);
  return plane;
}

const Object& box_faces_table() {
  static const std::vector<std::string> box_faces = {"-x", "+x", "-y", "+y", "-z", "+z"};
  static const Object table =
      Describe<Faces>("box container", "Planes around a box, facing inwards. Its frame is at the centre.")
          .vector("min", &Faces::min, VectorRule::point, any_length, "lowest corner")
          .required()
          .vector("max", &Faces::max, VectorRule::point, any_length, "highest corner")
          .required()
          .custom("open", "list of -x, +x, -y, +y, -z, +z", read_faces(&Faces::open, box_faces), "faces left out")
          .fallback("none")
          .custom("closed", "list of -x, +x, -y, +y, -z, +z", read_faces(&Faces::closed, box_faces), "the only faces")
          .fallback("all")
          .at_most_one_of({"open", "closed"})
          .finish([](ValueReader& reader, const Node& node, Faces& faces) {
            for (int axis = 0; axis < (reader.planar ? 2 : 3); ++axis) {
              if (faces.max[axis] - faces.min[axis] >= some_length.min) continue;
              reader.fault(*node.find("max")->value, fmt::format("max: found {} {:g} not above min {:g}", "xyz"[axis],
                                                                 faces.max[axis], faces.min[axis]));
            }
          })
          .done();
  return table;
}

void read_box_container(ValueReader& reader, const Entry& entry, BodySpec& body) {
  Faces faces;
  read_object(reader, box_faces_table(), *entry.value, &faces);
  body.position = 0.5 * (faces.min + faces.max);
  const Vec3 half = 0.5 * (faces.max - faces.min);
  for (int axis = 0; axis < (reader.planar ? 2 : 3); ++axis) {
    for (const int side : {-1, 1}) {
      const std::string name = {side < 0 ? '-' : '+', "xyz"[axis]};
      if (!faces.has(name)) continue;
      const Vec3 outwards = side * Vec3::Unit(axis);
      body.shapes.push_back(inward_plane(entry.value->mark.source(), half[axis] * outwards, -outwards, reader.planar));
    }
  }
}

const Object& cylinder_faces_table() {
  static const Object table =
      Describe<Faces>("cylinder container",
                      "A tube with flat ends, facing inwards. Its frame is at the centre of the "
                      "bottom.")
          .vector("center", &Faces::center, VectorRule::point, any_length, "centre of the bottom")
          .vector("axis", &Faces::axis, VectorRule::direction, any_number, "from bottom to top")
          .number("radius", &Faces::radius, some_length, "inner radius")
          .required()
          .number("length", &Faces::length, some_length, "from bottom to top")
          .required()
          .custom("open", "list of bottom, top", read_faces(&Faces::open, {"bottom", "top"}), "ends left out")
          .fallback("none")
          .custom("closed", "list of bottom, top", read_faces(&Faces::closed, {"bottom", "top"}), "the only ends")
          .fallback("both")
          .at_most_one_of({"open", "closed"})
          .done();
  return table;
}

void read_cylinder_container(ValueReader& reader, const Entry& entry, BodySpec& body) {
  if (reader.planar) {
    reader.fault(entry, "found a cylinder in a planar scene, expected box or ring");
    return;
  }
  Faces faces;
  read_object(reader, cylinder_faces_table(), *entry.value, &faces);
  body.position = faces.center;
  const SourceMark mark = entry.value->mark.source();
  ShapeSpec tube;
  tube.mark = mark;
  tube.kind = ShapeKind::tube;
  tube.radius = faces.radius;
  tube.rotation = rotation_between(Vec3(0, 0, 1), faces.axis);
  body.shapes.push_back(std::move(tube));
  if (faces.has("bottom")) body.shapes.push_back(inward_plane(mark, Vec3::Zero(), faces.axis, false));
  if (faces.has("top")) body.shapes.push_back(inward_plane(mark, faces.length * faces.axis, -faces.axis, false));
}

const Object& ring_faces_table() {
  static const Object table = Describe<Faces>("ring container", "Planar scenes: the inside of a circle.")
                                  .vector("center", &Faces::center, VectorRule::point, any_length, "centre")
                                  .number("radius", &Faces::radius, some_length, "inner radius")
                                  .required()
                                  .done();
  return table;
}

void read_ring_container(ValueReader& reader, const Entry& entry, BodySpec& body) {
  if (!reader.planar) {
    reader.fault(entry, "found a ring in a spatial scene, expected box or cylinder");
    return;
  }
  Faces faces;
  read_object(reader, ring_faces_table(), *entry.value, &faces);
  body.position = faces.center;
  ShapeSpec ring;
  ring.mark = entry.value->mark.source();
  ring.kind = ShapeKind::ring;
  ring.radius = faces.radius;
  body.shapes.push_back(std::move(ring));
}

}  // namespace

const Object& container_table() {
  static const Object table = [] {
    Describe<BodySpec> t("container", "Walls around a space, as one body: fixed, or driven by a `motion`.");
    add_names(t, "container");
    t.custom("box", "box container", read_box_container, "planes around a box")
        .elements()
        .nested(box_faces_table())
        .custom("cylinder", "cylinder container", read_cylinder_container, "a tube with ends")
        .elements()
        .nested(cylinder_faces_table())
        .custom("ring", "ring container", read_ring_container, "planar: the inside of a circle")
        .elements()
        .nested(ring_faces_table())
        .exactly_one_of({"box", "cylinder", "ring"});
    add_pose(t);
    add_motion(t);
    t.finish([](ValueReader& reader, const Node& node, BodySpec& body) {
      set_role(body);
      if (body.shapes.empty()) reader.fault(node, "container has no closed face");
    });
    return t.done();
  }();
  return table;
}

}  // namespace grus::scene
