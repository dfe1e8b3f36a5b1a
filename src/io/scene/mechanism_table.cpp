// Mechanisms: bodies with their joints, loop cuts, springs between points, forces.
#include "io/scene/tables.hpp"

#include <fmt/format.h>

#include "math/rotation.hpp"

namespace grus::scene {

namespace {

const Object& link_table() {
  static const Object table =
      Describe<LinkSpec>("body of a mechanism",
                         "A rigid body joined to another one. Its mass comes from its shapes and densities, or is "
                         "given; with mass and inertia it needs no shape.")
          .text(
              "name", [](LinkSpec& link) -> std::string& { return link.body.name; }, TextRule::name,
              "for joints, loops, probes and messages")
          .required()
          .text("parent", &LinkSpec::parent, TextRule::name, "the body it is joined to, anywhere in the list")
          .section("joint", &LinkSpec::joint, joint_table(), "how it moves relative to its parent")
          .required()
          .text(
              "material", [](LinkSpec& link) -> std::string& { return link.body.material; }, TextRule::name,
              "a name of `materials`")
          .fallback("the only material")
          .custom(
              "shape", "shape",
              [](ValueReader& reader, const Entry& entry, LinkSpec& link) { read_shape(reader, entry, link.body); },
              "the only shape")
          .elements()
          .nested(shape_table())
          .list(
              "shapes", [](LinkSpec& link) -> std::vector<ShapeSpec>& { return link.body.shapes; }, shape_table(),
              "several shapes that move as one; planes, tubes and rings too, with mass and inertia given")
          .at_most_one_of({"shape", "shapes"})
          .number(
              "density", [](LinkSpec& link) -> std::optional<Real>& { return link.body.density; }, some_density,
              "instead of the material's")
          .number(
              "mass", [](LinkSpec& link) -> std::optional<Real>& { return link.body.mass; }, some_mass,
              "instead of that of the shapes, whose inertia is scaled to it")
          .vector(
              "center_of_mass", [](LinkSpec& link) -> std::optional<Vec3>& { return link.body.center_of_mass; },
              VectorRule::point, any_length, "in the body's frame; with mass")
          .fallback("that of the shapes, else the origin")
          .custom(
              "inertia", inertia_type,
              [](ValueReader& reader, const Entry& entry, LinkSpec& link) { read_inertia(reader, entry, link.body); },
              "about the centre of mass, along the body's axes; with mass")
          .unit("kg m2")
          .fallback("that of the shapes")
          .finish([](ValueReader& reader, const Node& node, LinkSpec& link) {
            link.body.mark = node.mark.source();
            check_mass_keys(reader, node, link.body);
          })
          .done();
  return table;
}

const Object& anchor_table() {
  static const Object table =
      Describe<AnchorSpec>("anchor", "A point of a body, with axes.")
          .text("body", &AnchorSpec::body, TextRule::name, "a body's name, or ground")
          .vector("at", &AnchorSpec::at, VectorRule::point, any_length, "the point in the body's frame")
          .custom(
              "rotation", rotation_type,
              [](ValueReader& reader, const Entry& entry, AnchorSpec& anchor) {
                if (const auto rotation = read_rotation(reader, entry)) anchor.rotation = *rotation;
              },
              "of the axes there in the body's frame")
          .custom(
              "angle", "number",
              [](ValueReader& reader, const Entry& entry, AnchorSpec& anchor) {
                if (const auto angle = read_planar_angle(reader, entry)) anchor.rotation = rotation_about_z(*angle);
              },
              "planar scenes: of the axes there in the body's frame")
          .unit("rad")
          .fallback("0")
          .finish([](ValueReader&, const Node& node, AnchorSpec& anchor) { anchor.mark = node.mark.source(); })
          .done();
  return table;
}

void read_components(ValueReader& reader, const Entry& entry, CutSpec& cut) {
  static const std::vector<std::string> names = {"x", "y", "z", "rx", "ry", "rz"};
  if (entry.value->kind != Node::Kind::list) {
    reader.mismatch(entry.key, *entry.value, fmt::format("a list out of {}", name_list(names)));
    return;
  }
  for (const NodePtr& item : entry.value->items) {
    if (const auto index = reader.choice(entry.key, *item, names)) cut.components.push_back(names[*index]);
  }
}

const Object& point_spring_table() {
  static const Object table =
      Describe<PointForceSpec>("spring",
                               "Force along the line between two points, positive when it pushes them apart: "
                               "-stiffness (length - rest) - damping length' + table(length) + force.")
          .text("name", &PointForceSpec::name, TextRule::name, "for probes and messages")
          .fallback("its place in the list")
          .section("a", &PointForceSpec::a, anchor_table(), "one end")
          .required()
          .section("b", &PointForceSpec::b, anchor_table(), "the other end")
          .required()
          .number(
              "stiffness", [](PointForceSpec& s) -> Real& { return s.law.stiffness; }, some_stiffness, "of the spring")
          .unit("N/m")
          .custom(
              "rest", time_function_type,
              [](ValueReader& reader, const Entry& entry, PointForceSpec& s) {
                s.law.rest = read_time_function(reader, entry);
              },
              "length of the free spring; needed with stiffness")
          .unit("m")
          .number(
              "damping", [](PointForceSpec& s) -> Real& { return s.law.damping; }, some_stiffness, "of the damper")
          .unit("N s/m")
          .custom(
              "table", "[[length, force], ...]",
              [](ValueReader& reader, const Entry& entry, PointForceSpec& s) {
                auto points = reader.points(entry.key, *entry.value, any_number, {-1e15, 1e15});
                if (points && check_rising(reader, entry, *points)) s.law.table = std::move(*points);
              },
              "force as a function of the length, linear between, constant outside")
          .text(
              "force", [](PointForceSpec& s) -> std::string& { return s.law.expression; }, TextRule::expression,
              "of t, parameters, memories and every coordinate of the mechanism")
          .unit("N")
          .number(
              "limit", [](PointForceSpec& s) -> std::optional<Real>& { return s.law.limit; }, {0.0, 1e15, "N", true},
              "largest force")
          .fallback("none")
          .boolean(
              "implicit", [](PointForceSpec& s) -> bool& { return s.law.implicit; },
              "stiffness and damping at the end of the step: never unstable")
          .finish([](ValueReader&, const Node& node, PointForceSpec& s) { s.law.mark = node.mark.source(); })
          .done();
  return table;
}

// One expression for each component; in planar scenes x and y of a force, z of a torque.
auto read_components_of(std::array<std::string, 3> AppliedForceSpec::*vector, bool about_z) {
  return [vector, about_z](ValueReader& reader, const Entry& entry, AppliedForceSpec& force) {
    const Node& node = *entry.value;
    std::array<std::string, 3>& texts = force.*vector;
    if (reader.planar && about_z && node.kind != Node::Kind::list) {
      texts[2] = reader.text(entry.key, node, TextRule::expression).value_or("");
      return;
    }
    const std::size_t count = reader.planar && !about_z ? 2 : 3;
    if (node.kind != Node::Kind::list || node.items.size() != count || (reader.planar && about_z)) {
      reader.mismatch(entry.key, node,
                      reader.planar && about_z ? "one expression in a planar scene"
                                               : fmt::format("a list of {} expressions", count));
      return;
    }
    for (std::size_t i = 0; i < count; ++i)
      texts[i] = reader.text(entry.key, *node.items[i], TextRule::expression).value_or("");
  };
}

const Object& applied_force_table() {
  static const Object table =
      Describe<AppliedForceSpec>("force",
                                 "Force and torque on a body. Components are expressions of t, parameters and every "
                                 "coordinate of the mechanism: crank.angle, crank.angle.rate.")
          .text("name", &AppliedForceSpec::name, TextRule::name, "for messages")
          .fallback("its place in the list")
          .text(
              "body", [](AppliedForceSpec& f) -> std::string& { return f.at.body; }, TextRule::name,
              "of this mechanism")
          .required()
          .vector(
              "at", [](AppliedForceSpec& f) -> Vec3& { return f.at.at; }, VectorRule::point, any_length,
              "where the force acts, in the body's frame")
          .custom("force", "list of 3 expressions, planar 2", read_components_of(&AppliedForceSpec::force, false),
                  "components of the force")
          .unit("N")
          .fallback("0")
          .custom("torque", "list of 3 expressions, planar one", read_components_of(&AppliedForceSpec::torque, true),
                  "components of the torque")
          .unit("N m")
          .fallback("0")
          .choice("frame", &AppliedForceSpec::in_body_axes, Names<bool>{{"world", false}, {"body", true}},
                  "axes of the components")
          .finish([](ValueReader& reader, const Node& node, AppliedForceSpec& f) {
            f.at.mark = node.mark.source();
            if (!node.find("force") && !node.find("torque")) reader.fault(node, "force needs the key force or torque");
          })
          .done();
  return table;
}

const Object& memory_table() {
  static const Object table =
      Describe<MemorySpec>("memory",
                           "A value kept from a moment on, for the forces of the mechanism: it is taken at the start "
                           "of the first step at or after `at`, and before that at the start of every step.")
          .text("name", &MemorySpec::name, TextRule::name, "its name in expressions: letters, digits, _ and .")
          .required()
          .text("of", &MemorySpec::of, TextRule::expression,
                "expression of t, parameters and every coordinate of the mechanism: crank.angle, crank.angle.rate")
          .required()
          .number("at", &MemorySpec::at, later, "from when on it is kept")
          .required()
          .done();
  return table;
}

void read_exclusions(ValueReader& reader, const Entry& entry, MechanismSpec& mechanism) {
  for (const NodePtr& pair : reader.list(entry.key, *entry.value)) {
    if (pair->kind != Node::Kind::list || pair->items.size() != 2) {
      reader.mismatch(entry.key, *pair, "two names of bodies [a, b]");
      continue;
    }
    const auto a = reader.text(entry.key, *pair->items[0], TextRule::name);
    const auto b = reader.text(entry.key, *pair->items[1], TextRule::name);
    if (a && b) mechanism.exclude.emplace_back(*a, *b);
  }
}

}  // namespace

const Object& cut_table() {
  static const Object table =
      Describe<CutSpec>("loop",
                        "Closes a loop of a mechanism, or joins free bodies: conditions between an anchor a and an "
                        "anchor b, in the axes of a. ball: the points coincide; pin: also the axes; rod: the points "
                        "keep a distance; rigid: the anchors coincide; components: any choice. In planar scenes ball "
                        "and pin are x, y and rigid is x, y, rz.")
          .text("name", &CutSpec::name, TextRule::name, "for probes and messages")
          .fallback("its place in the list")
          .choice("kind", &CutSpec::kind,
                  Names<CutKind>{{"ball", CutKind::ball},
                                 {"pin", CutKind::pin},
                                 {"rod", CutKind::rod},
                                 {"rigid", CutKind::rigid},
                                 {"components", CutKind::components}},
                  "which motions are locked")
          .required()
          .section("a", &CutSpec::a, anchor_table(), "one side")
          .required()
          .section("b", &CutSpec::b, anchor_table(), "the other side")
          .required()
          .vector("axis", &CutSpec::axis, VectorRule::spatial, any_number,
                  "of the pin, in the axes of a and of b, any length")
          .only_of({"pin"})
          .number("length", &CutSpec::length, some_length, "between the points")
          .only_of({"rod"})
          .required()
          .custom("components", "list of x, y, z, rx, ry, rz", read_components, "what is locked")
          .only_of({"components"})
          .required()
          .finish([](ValueReader& reader, const Node& node, CutSpec& cut) {
            const Entry* components = node.find("components");
            if (components && cut.kind != CutKind::components)
              reader.fault(*components, "'components' is only for kind: components");
          })
          .done();
  return table;
}

const Object& mechanism_table() {
  static const Object table =
      Describe<MechanismSpec>("mechanism",
                              "A machine: bodies joined to their parents in a tree that starts at the ground, in the "
                              "coordinates of the joints. Loops close rings of bodies. Bodies that are joined do not "
                              "touch each other.")
          .text("name", &MechanismSpec::name, TextRule::name, "for messages")
          .fallback("its place in the list")
          .custom("urdf", "urdf", read_urdf_key, "bodies and joints from a URDF file, before those of `bodies`")
          .elements()
          .nested(urdf_table())
          .list("bodies", &MechanismSpec::bodies, link_table(), "the bodies and their joints")
          .list("loops", &MechanismSpec::loops, cut_table(), "conditions that close rings of bodies")
          .list("springs", &MechanismSpec::springs, point_spring_table(), "springs and dampers between two points")
          .list("forces", &MechanismSpec::forces, applied_force_table(), "forces and torques on its bodies")
          .list("memories", &MechanismSpec::memories, memory_table(), "values kept from a moment on")
          .custom("exclude", "list of [body, body]", read_exclusions, "pairs of bodies that do not touch")
          .elements()
          .finish([](ValueReader& reader, const Node& node, MechanismSpec&) {
            if (!node.find("bodies") && !node.find("urdf"))
              reader.fault(node, "mechanism needs the key bodies or urdf");
          })
          .done();
  return table;
}

}  // namespace grus::scene
