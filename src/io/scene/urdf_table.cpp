// A mechanism read from a URDF file, and what the scene adds to it.
#include "io/scene/tables.hpp"
#include "io/urdf.hpp"

namespace grus::scene {

namespace {

const Object& hold_table() {
  static const Object table =
      Describe<ForceLawSpec>("hold", "A motor at every joint that has none: gain (start - x) - damping x'.")
          .number("gain", &ForceLawSpec::stiffness, {0.0, 1e15, "", true}, "force per unit of error")
          .unit("N/m, N m/rad")
          .required()
          .number("damping", &ForceLawSpec::damping, some_stiffness, "force against the speed")
          .unit("N s/m, N m s/rad")
          .number("limit", &ForceLawSpec::limit, {0.0, 1e15, "", true}, "largest force")
          .unit("N, N m")
          .fallback("the joint's effort in the file")
          .finish([](ValueReader&, const Node& node, ForceLawSpec& law) {
            law.mark = node.mark.source();
            law.implicit = true;  // the gains of robots are stiff against their light feet
          })
          .done();
  return table;
}

void read_file(ValueReader& reader, const Entry& entry, UrdfRequest& request) {
  request.file = read_file_path(reader, entry).value_or("");
  request.mark = entry.value->mark.source();
}

}  // namespace

const Object& urdf_table() {
  static const Object table =
      Describe<UrdfRequest>("urdf",
                            "Bodies and joints from a URDF file, with meshes as convex hulls. A body has the name of "
                            "its link; the coordinate of a joint is that of its child link: shin.angle, lift.slide. "
                            "Limits, damping and friction of the joints are kept, mimic joints are refused.")
          .custom("file", "text", read_file, "the URDF file, relative to the scene file")
          .required()
          .choice("base", &UrdfRequest::free_base, Names<bool>{{"free", true}, {"fixed", false}},
                  "whether its root link floats or is fixed to the ground")
          .vector("position", &UrdfRequest::position, VectorRule::point, any_length, "of the root link")
          .custom(
              "rotation", rotation_type,
              [](ValueReader& reader, const Entry& entry, UrdfRequest& request) {
                if (const auto rotation = read_rotation(reader, entry)) request.rotation = *rotation;
              },
              "of the root link")
          .text("material", &UrdfRequest::material, TextRule::name, "of all its links, a name of `materials`")
          .fallback("the only material")
          .boolean("self_contact", &UrdfRequest::self_contact,
                   "links touch each other; those that are joined never do. Hulls of meshes often overlap")
          .custom(
              "joints", "map of joint: coordinate",
              [](ValueReader& reader, const Entry& entry, UrdfRequest& request) {
                read_coordinate_map(reader, entry, request.joints);
              },
              "start, drive, motor, ... of joints by their names in the file")
          .elements()
          .nested(coordinate_table())
          .section("hold", &UrdfRequest::hold, hold_table(), "keeps the joints where they start")
          .done();
  return table;
}

void read_urdf_key(ValueReader& reader, const Entry& entry, MechanismSpec& mechanism) {
  if (reader.planar) {
    reader.fault(entry, "found 'urdf' in a planar scene, expected a spatial one");
    return;
  }
  const std::size_t before = reader.faults().count();
  UrdfRequest request;
  read_object(reader, urdf_table(), *entry.value, &request);
  if (reader.faults().count() != before) return;
  std::vector<Fault> faults;
  reader.add_file_content(read_urdf(request, mechanism, faults));
  for (Fault& fault : faults) reader.faults().add(fault.where, std::move(fault.message));
}

}  // namespace grus::scene
