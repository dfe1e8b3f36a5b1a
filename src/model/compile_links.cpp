// The tree of a mechanism: parents before children, frames of joints and bodies, axes, coordinates.
//
// Frames: U of a body is what the user writes in, B its centre of mass and principal axes (X_UB). The joint frame J is
// fixed in the parent's U; the child's U lies on it at zero coordinates. So  X_PJ = X_UB(parent)^-1 X_UJ  and
// X_JB = X_UB(child).
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/nearest_name.hpp"
#include "math/rotation.hpp"
#include "model/compile_mechanisms.hpp"

namespace grus {

namespace {

// Parents by place in the file, no_index for the ground. What is wrong hangs on the ground, so that the rest can still
// be checked.
std::vector<Index> find_parents(CompileContext& context, const MechanismSpec& spec) {
  std::map<std::string, Index, std::less<>> place;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    place.emplace(spec.bodies[i].body.name, static_cast<Index>(i));
    known.push_back(spec.bodies[i].body.name);
  }
  known.emplace_back("ground");
  std::vector<Index> parents(spec.bodies.size(), no_index);
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    const LinkSpec& link = spec.bodies[i];
    if (link.parent == "ground") continue;
    const auto found = place.find(link.parent);
    if (found != place.end()) {
      parents[i] = found->second;
      continue;
    }
    context.fault(link.body.mark, fmt::format("joint of '{}': its parent '{}' is no body of mechanism '{}'{}",
                                              link.body.name, link.parent, spec.name, name_hint(link.parent, known)));
  }
  return parents;
}

// Places in the file in an order that puts parents first and changes as little as possible.
std::vector<Index> parents_first(CompileContext& context, const MechanismSpec& spec, std::vector<Index>& parents) {
  std::vector<Index> order;
  std::vector<bool> placed(parents.size(), false), on_path(parents.size(), false);
  for (std::size_t i = 0; i < parents.size(); ++i) {
    std::vector<Index> path;  // from body i towards the ground, up to the first that has its place
    for (Index k = static_cast<Index>(i); k != no_index && !placed[static_cast<std::size_t>(k)];
         k = parents[static_cast<std::size_t>(k)]) {
      if (!on_path[static_cast<std::size_t>(k)]) {
        on_path[static_cast<std::size_t>(k)] = true;
        path.push_back(k);
        continue;
      }
      const auto ring = std::find(path.begin(), path.end(), k);
      constexpr std::ptrdiff_t most_listed = 8;
      std::vector<std::string> names;
      for (auto member = ring; member != path.end() && member - ring < most_listed; ++member)
        names.push_back("'" + spec.bodies[static_cast<std::size_t>(*member)].body.name + "'");
      if (path.end() - ring > most_listed) names.emplace_back("...");
      const BodySpec& body = spec.bodies[static_cast<std::size_t>(k)].body;
      context.fault(body.mark, names.size() == 1
                                   ? fmt::format("joint of '{}': the body is its own parent", body.name)
                                   : fmt::format("joint of '{}': the parents {} form a ring that never reaches the "
                                                 "ground; join one of them to the ground and close the ring by a loop",
                                                 body.name, fmt::join(names, ", ")));
      parents[static_cast<std::size_t>(path.back())] = no_index;
      break;
    }
    for (auto k = path.rbegin(); k != path.rend(); ++k) {
      placed[static_cast<std::size_t>(*k)] = true;
      order.push_back(*k);
    }
  }
  return order;
}

// One elementary motion of a joint with the names of its velocities.
struct JointMotion {
  AxisKind kind;
  Vec3 axis;
  std::vector<const char*> names;
};

const char* kind_name(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return "fixed";
    case JointKind::revolute:
      return "revolute";
    case JointKind::prismatic:
      return "prismatic";
    case JointKind::cylindrical:
      return "cylindrical";
    case JointKind::universal:
      return "universal";
    case JointKind::spherical:
      return "spherical";
    case JointKind::planar:
      return "planar";
    case JointKind::free:
      return "free";
  }
  return "?";
}

std::vector<JointMotion> joint_motions(JointKind kind, const Vec3& axis, const Vec3& axis_2, bool planar) {
  const JointMotion x{AxisKind::slide, Vec3::UnitX(), {"x"}}, y{AxisKind::slide, Vec3::UnitY(), {"y"}};
  const JointMotion z{AxisKind::slide, Vec3::UnitZ(), {"z"}};
  const JointMotion ball{AxisKind::ball, Vec3::UnitZ(), {"rx", "ry", "rz"}};
  switch (kind) {
    case JointKind::fixed:
      return {};
    case JointKind::revolute:
      return {{AxisKind::turn, axis, {"angle"}}};
    case JointKind::prismatic:
      return {{AxisKind::slide, axis, {"slide"}}};
    case JointKind::cylindrical:
      return {{AxisKind::slide, axis, {"slide"}}, {AxisKind::turn, axis, {"angle"}}};
    case JointKind::universal:
      return {{AxisKind::turn, axis, {"angle_1"}}, {AxisKind::turn, axis_2, {"angle_2"}}};
    case JointKind::spherical:
      return {ball};
    case JointKind::planar:
      return {x, y, {AxisKind::turn, Vec3::UnitZ(), {"angle"}}};
    case JointKind::free:
      return planar ? joint_motions(JointKind::planar, axis, axis_2, true) : std::vector<JointMotion>{x, y, z, ball};
  }
  return {};
}

bool check_kind(CompileContext& context, const JointSpec& joint, const std::string& what) {
  const bool in_plane =
      joint.kind != JointKind::cylindrical && joint.kind != JointKind::universal && joint.kind != JointKind::spherical;
  if (in_plane || !context.spec.planar) return true;
  context.fault(joint.mark, fmt::format("{}: a {} joint leaves the plane of a planar scene (expected fixed, revolute, "
                                        "prismatic, planar or free)",
                                        what, kind_name(joint.kind)));
  return false;
}

// The unit axis, or the default one after a fault.
Vec3 joint_axis(CompileContext& context, const JointSpec& joint, const std::optional<Vec3>& given, const Vec3& fallback,
                const std::string& what) {
  if (!given) return fallback;
  constexpr Real shortest = 1e-9;
  if (!given->allFinite() || given->norm() < shortest) {
    context.fault(joint.mark, what + ": the axis has no direction");
    return fallback;
  }
  const Vec3 axis = given->normalized();
  if (!context.spec.planar) return axis;
  if (joint.kind == JointKind::revolute && axis != Vec3::UnitZ()) {
    context.fault(joint.mark, what + ": the axis of a revolute joint in a planar scene is [0, 0, 1]");
    return fallback;
  }
  if (joint.kind == JointKind::prismatic && axis.z() != 0.0) {
    context.fault(joint.mark, what + ": the axis of a prismatic joint leaves the plane of a planar scene");
    return fallback;
  }
  return axis;
}

std::vector<JointMotion> find_motions(CompileContext& context, const JointSpec& joint, const std::string& what) {
  if (!check_kind(context, joint, what)) return {};
  const bool along_x =
      joint.kind == JointKind::universal || (context.spec.planar && joint.kind == JointKind::prismatic);
  const Vec3 axis = joint_axis(context, joint, joint.axis, along_x ? Vec3::UnitX() : Vec3::UnitZ(), what);
  const Vec3 axis_2 = joint_axis(context, joint, joint.axis_2, Vec3::UnitY(), what);
  constexpr Real parallel = 1e-6;
  if (joint.kind == JointKind::universal && axis.cross(axis_2).norm() < parallel)
    context.fault(joint.mark, what + ": the two axes of the universal joint are parallel");
  return joint_motions(joint.kind, axis, axis_2, context.spec.planar);
}

void check_limits(CompileContext& context, const CoordinateSpec& spec, const std::string& what) {
  if (spec.lower) check_finite(context, spec.mark, what + ": lower", *spec.lower);
  if (spec.upper) check_finite(context, spec.mark, what + ": upper", *spec.upper);
  const bool has_limit = spec.lower || spec.upper;
  if (spec.lower && spec.upper && *spec.lower > *spec.upper)
    context.fault(spec.mark, fmt::format("{}: lower {} is above upper {}", what, *spec.lower, *spec.upper));
  else if (spec.start && ((spec.lower && *spec.start < *spec.lower) || (spec.upper && *spec.start > *spec.upper)))
    context.fault(spec.mark, fmt::format("{}: start {} is outside its limits", what, *spec.start));
  if (!(spec.restitution >= 0.0 && spec.restitution <= 1.0))
    context.fault(spec.mark,
                  fmt::format("{}: restitution is {}, expected a number from 0 to 1", what, spec.restitution));
  else if (spec.restitution > 0.0 && !has_limit)
    context.fault(spec.mark, what + ": restitution is that of limits, and it has none");
  check_not_negative(context, spec.mark, what + ": friction", spec.friction);
}

void check_drive(CompileContext& context, const CoordinateSpec& spec, const std::string& what) {
  if (!spec.drive) return;
  const auto refuse = [&](bool given, const char* key, const char* why) {
    if (given) context.fault(spec.mark, fmt::format("{} is driven and has {}: {}", what, key, why));
  };
  refuse(spec.start.has_value(), "a start", "the drive gives its position, remove one of them");
  refuse(spec.rate.has_value(), "a rate", "the drive gives its velocity, remove one of them");
  refuse(spec.lower || spec.upper, "limits", "the drive goes where it is told, remove one of them");
  refuse(spec.friction != 0.0, "friction", "the drive overcomes it, remove one of them");
  refuse(spec.role != CoordinateRole::automatic, "a role", "it is neither independent nor dependent");
}

// A component of a ball has no position of its own.
void check_ball(CompileContext& context, const CoordinateSpec& spec, const std::string& what) {
  const auto refuse = [&](bool given, const SourceMark& where, const char* key) {
    if (given) context.fault(where, fmt::format("{} is a rotation in space and cannot have {}", what, key));
  };
  refuse(spec.drive.has_value(), spec.mark, "a drive");
  refuse(spec.lower || spec.upper, spec.mark, "limits");
  for (const ForceLawSpec& law : spec.forces)
    refuse(law.stiffness != 0.0 || !law.table.empty(), law.mark, "a spring or a motor that holds a position");
}

Coordinate make_coordinate(CompileContext& context, const CoordinateSpec& spec, const std::string& what) {
  Coordinate coordinate;
  if (spec.start) check_finite(context, spec.mark, what + ": start", *spec.start);
  if (spec.rate) check_finite(context, spec.mark, what + ": rate", *spec.rate);
  check_limits(context, spec, what);
  check_drive(context, spec, what);
  coordinate.role = spec.role;
  if (spec.role == CoordinateRole::driven && !spec.drive)
    context.fault(spec.mark, what + " is driven and has no drive");
  if (spec.drive) {
    const std::size_t before = context.faults.size();
    coordinate.role = CoordinateRole::driven;
    coordinate.drive = make_time_function(*spec.drive, context.spec.parameters, context.inputs, context.faults);
    if (context.faults.size() > before)
      context.faults.back().message = fmt::format("{}: {}", what, context.faults.back().message);
  }
  if (spec.lower) coordinate.lower = *spec.lower;
  if (spec.upper) coordinate.upper = *spec.upper;
  coordinate.restitution = spec.restitution;
  coordinate.friction = spec.friction;
  coordinate.position_given = spec.start.has_value();
  coordinate.velocity_given = spec.rate.has_value();
  return coordinate;
}

// Where the user puts it; else zero, or the limit nearest to it.
Real start_position(const CoordinateSpec& spec, const Coordinate& coordinate, const InputNames& inputs) {
  if (coordinate.drive) return (*coordinate.drive)(0.0, constant_inputs(inputs.start));
  if (spec.start) return *spec.start;
  return std::max(coordinate.lower, std::min(0.0, coordinate.upper));
}

void add_axis(CompileContext& context, const JointMotion& motion, const LinkSpec& link, MechanismDraft& draft) {
  static const CoordinateSpec nothing;
  Mechanism& mechanism = draft.mechanism;
  mechanism.axes.push_back({motion.kind, motion.axis, mechanism.position_count, mechanism.velocity_count});
  Vec3 rotation = Vec3::Zero();
  for (std::size_t k = 0; k < motion.names.size(); ++k) {
    const std::vector<CoordinateSpec>& specs = link.joint.coordinates;
    const auto found = std::find_if(specs.begin(), specs.end(),
                                    [&](const CoordinateSpec& spec) { return spec.name == motion.names[k]; });
    const CoordinateSpec& spec = found == specs.end() ? nothing : *found;
    const std::string name = fmt::format("{}.{}", link.body.name, motion.names[k]);
    const std::string what = fmt::format("coordinate '{}'", name);
    Coordinate coordinate = make_coordinate(context, spec, what);
    coordinate.is_slide = motion.kind == AxisKind::slide;
    if (motion.kind == AxisKind::ball) {
      check_ball(context, spec, what);
      rotation[static_cast<Index>(k)] = spec.start.value_or(0.0);
    } else {
      coordinate.position = mechanism.position_count;
      draft.position.push_back(start_position(spec, coordinate, context.inputs));
    }
    draft.velocity.push_back(spec.rate.value_or(0.0));
    draft.coordinate_specs.push_back(found == specs.end() ? nullptr : &*found);
    draft.names.coordinate.push_back(name);
    draft.names.coordinate_mark.push_back(found == specs.end() ? link.joint.mark : spec.mark);
    mechanism.coordinates.push_back(std::move(coordinate));
  }
  if (motion.kind == AxisKind::ball) {
    const Quat q = exp_rotation(rotation);
    draft.position.insert(draft.position.end(), {q.w(), q.x(), q.y(), q.z()});
  }
  mechanism.position_count = static_cast<Index>(draft.position.size());
  mechanism.velocity_count = static_cast<Index>(draft.velocity.size());
}

void check_coordinate_names(CompileContext& context, const LinkSpec& link, const std::vector<JointMotion>& motions,
                            const std::string& what) {
  std::vector<std::string> known;
  for (const JointMotion& motion : motions) known.insert(known.end(), motion.names.begin(), motion.names.end());
  const std::vector<CoordinateSpec>& specs = link.joint.coordinates;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto same = [&](const CoordinateSpec& other) { return other.name == specs[i].name; };
    if (std::find(known.begin(), known.end(), specs[i].name) == known.end())
      context.fault(specs[i].mark,
                    fmt::format("{}: a {} joint has no coordinate '{}'{}", what, kind_name(link.joint.kind),
                                specs[i].name, name_hint(specs[i].name, known)));
    if (std::any_of(specs.begin(), specs.begin() + static_cast<std::ptrdiff_t>(i), same))
      context.fault(specs[i].mark, fmt::format("{}: coordinate '{}' is given twice", what, specs[i].name));
  }
}

void add_link(CompileContext& context, const LinkSpec& spec, Index parent, MechanismDraft& draft) {
  const std::string what = fmt::format("joint of '{}'", spec.body.name);
  const JointSpec& joint = spec.joint;
  context.linked.push_back(
      {static_cast<Index>(context.blueprints.size()), static_cast<Index>(context.mechanisms.size()), spec.body.name});
  Blueprint& blueprint = context.blueprints.emplace_back();
  make_blueprint(context,
                 {.shapes = spec.body.shapes,
                  .material = spec.body.material,
                  .density = spec.body.density,
                  .mark = spec.body.mark,
                  .what = fmt::format("body '{}'", spec.body.name),
                  .may_be_unbounded = true,
                  .given = &spec.body},
                 blueprint);
  Link link;
  link.parent = parent;
  link.mass = blueprint.mass;
  link.inertia = blueprint.inertia;
  link.X_JB = {blueprint.p_UB, blueprint.R_UB};
  bool placed = check_vector(context, joint.mark, what + ": at", joint.at) &&
                check_in_plane(context, joint.mark, what + ": at", joint.at);
  placed = check_rotation(context, joint.mark, what, joint.rotation, joint.angle) && placed;
  if (placed) {
    Quat R_PJ = unit(joint.rotation);
    if (context.spec.planar) {
      link.angle = planar_angle(context, joint.mark, what, joint.rotation, joint.angle);
      R_PJ = rotation_about_z(link.angle);
    }
    static const Blueprint ground;
    const Blueprint& base = parent == no_index ? ground : *draft.blueprints[static_cast<std::size_t>(parent)];
    const AnchorFrame frame = in_body_frame(parent, base, joint.at, R_PJ);
    link.X_PJ = {frame.p_BF, frame.R_BF};
  }
  const std::vector<JointMotion> motions = find_motions(context, joint, what);
  if (!motions.empty() || joint.kind == JointKind::fixed) check_coordinate_names(context, spec, motions, what);
  link.axis_begin = static_cast<Index>(draft.mechanism.axes.size());
  for (const JointMotion& motion : motions) add_axis(context, motion, spec, draft);
  link.axis_end = static_cast<Index>(draft.mechanism.axes.size());
  draft.link_index.emplace(spec.body.name, draft.mechanism.link_count());
  draft.link_names.push_back(spec.body.name);
  draft.blueprints.push_back(&blueprint);
  draft.mechanism.links.push_back(link);
}

}  // namespace

void compile_links(CompileContext& context, MechanismDraft& draft) {
  const std::vector<LinkSpec>& bodies = draft.spec.bodies;
  std::vector<Index> parents = find_parents(context, draft.spec);
  std::vector<Index> link_at(bodies.size(), no_index);  // by place in the file
  for (const Index place : parents_first(context, draft.spec, parents)) {
    const auto i = static_cast<std::size_t>(place);
    link_at[i] = draft.mechanism.link_count();
    const Index parent = parents[i] == no_index ? no_index : link_at[static_cast<std::size_t>(parents[i])];
    add_link(context, bodies[i], parent, draft);
  }
}

}  // namespace grus
