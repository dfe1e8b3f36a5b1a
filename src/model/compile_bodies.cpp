// Named bodies: names, roles, poses, motions. Their shapes and mass are in compile_blueprint.cpp.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "math/rotation.hpp"
#include "model/compile_context.hpp"

namespace grus {

Real planar_angle(CompileContext& context, const SourceMark& where, const std::string& what, const Quat& rotation,
                  Real angle) {
  const Quat q = unit(rotation);
  const Real turned = 2.0 * std::atan2(q.z(), q.w());
  const bool is_turned = q.vec().norm() > 0.0;
  if (angle == 0.0) return is_turned ? turned : 0.0;
  constexpr Real rounding = 1e-9;
  if (is_turned && std::abs(std::remainder(turned - angle, 2.0 * std::numbers::pi)) > rounding)
    context.fault(where, fmt::format("{}: angle {} and rotation contradict each other", what, angle));
  return angle;
}

bool check_rotation(CompileContext& context, const SourceMark& where, const std::string& what, const Quat& rotation,
                    Real angle) {
  bool good = check_unit(context, where, what + ": rotation", rotation) &&
              check_in_plane(context, where, what + ": rotation", rotation);
  good &= check_finite(context, where, what + ": angle", angle);
  if (!context.spec.planar && angle != 0.0) {
    context.fault(where, what + ": angle is for planar scenes, use rotation");
    good = false;
  }
  return good;
}

namespace {

void check_name(CompileContext& context, const BodySpec& body) {
  if (body.name.empty()) {
    context.fault(body.mark, "a body needs a name");
    return;
  }
  const auto [entry, is_new] = context.body_marks.emplace(body.name, body.mark);
  if (!is_new)
    context.fault(body.mark,
                  fmt::format("body '{}' is defined twice (first at line {})", body.name, entry->second.line));
}

bool check_pose(CompileContext& context, const BodySpec& body, const std::string& what) {
  const bool good = check_vector(context, body.mark, what + ": position", body.position) &&
                    check_in_plane(context, body.mark, what + ": position", body.position);
  return check_rotation(context, body.mark, what, body.rotation, body.angle) && good;
}

bool check_velocity(CompileContext& context, const BodySpec& body, const std::string& what) {
  const Vec3& omega = body.angular_velocity;
  bool good = check_vector(context, body.mark, what + ": velocity", body.velocity) &&
              check_in_plane(context, body.mark, what + ": velocity", body.velocity);
  good &= check_vector(context, body.mark, what + ": angular_velocity", omega);
  if (context.spec.planar && (omega.x() != 0.0 || omega.y() != 0.0)) {
    context.fault(body.mark, what + ": angular_velocity must be about z in a planar scene");
    good = false;
  }
  return good;
}

void check_role(CompileContext& context, const BodySpec& body, const std::string& what) {
  const bool moves = !body.velocity.isZero(0.0) || !body.angular_velocity.isZero(0.0);
  if (body.role == BodyRole::dynamic) {
    if (body.motion) context.fault(body.mark, what + " has a motion, so its role must be kinematic");
    check_not_negative(context, body.mark, what + ": release_time", body.release_time);
    return;
  }
  if (moves && body.role == BodyRole::fixed) context.fault(body.mark, what + " is fixed and has a velocity");
  if (moves && body.role == BodyRole::kinematic)
    context.fault(body.mark, what + " is kinematic: its motion gives the velocity, remove velocity");
  if (body.release_time != 0.0) context.fault(body.mark, what + ": only dynamic bodies have a release_time");
  if (body.role == BodyRole::fixed && body.motion)
    context.fault(body.mark, what + " is fixed and has a motion, expected role kinematic");
  if (body.role == BodyRole::kinematic && !body.motion)
    context.fault(body.mark, what + " is kinematic and has no motion, expected role fixed or a motion");
}

Motion make_motion(CompileContext& context, const BodySpec& body, const std::string& what) {
  Motion motion;
  motion.base.position = body.position;
  motion.base.rotation = context.spec.planar
                             ? rotation_about_z(planar_angle(context, body.mark, what, body.rotation, body.angle))
                             : unit(body.rotation);
  motion.pivot = body.position;
  if (!body.motion) return motion;
  const MotionSpec& spec = *body.motion;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!spec.displacement[i]) continue;
    if (context.spec.planar && i == 2)
      context.fault(spec.displacement[i]->mark, what + ": motion along z leaves the xy plane of a planar scene");
    motion.displacement[i] =
        make_time_function(*spec.displacement[i], context.spec.parameters, context.inputs, context.faults);
  }
  if (spec.angle)
    motion.angle = make_time_function(*spec.angle, context.spec.parameters, context.inputs, context.faults);
  if (spec.pivot && check_vector(context, spec.mark, what + ": pivot", *spec.pivot)) motion.pivot = *spec.pivot;
  const bool has_axis = spec.axis.allFinite() && spec.axis.norm() > 0.0;
  if (!has_axis) context.fault(spec.mark, what + ": axis of the motion has no direction");
  if (context.spec.planar && (spec.axis.x() != 0.0 || spec.axis.y() != 0.0))
    context.fault(spec.mark, what + ": axis of the motion must be z in a planar scene");
  if (has_axis) motion.axis = spec.axis.normalized();
  if (!spec.angle && !spec.displacement[0] && !spec.displacement[1] && !spec.displacement[2])
    context.fault(spec.mark, what + ": the motion moves nothing, expected x, y, z or angle");
  return motion;
}

BodyDraft make_draft(CompileContext& context, const BodySpec& body, const Blueprint& blueprint,
                     const std::string& what) {
  BodyDraft draft;
  draft.angle = context.spec.planar ? planar_angle(context, body.mark, what, body.rotation, body.angle) : 0.0;
  const Quat R_WU = context.spec.planar ? rotation_about_z(draft.angle) : unit(body.rotation);
  // plain copies where nothing turns or shifts, so that simple bodies start at the very numbers written
  draft.position = body.position + (blueprint.p_UB.isZero(0.0) ? Vec3(Vec3::Zero()) : Vec3(R_WU * blueprint.p_UB));
  const bool is_principal = blueprint.R_UB.vec().isZero(0.0);
  draft.rotation = is_principal ? R_WU : unit(R_WU * blueprint.R_UB);
  draft.velocity = body.velocity;
  draft.angular_velocity = body.angular_velocity;
  draft.release_time = body.release_time;
  draft.group = context.add_group(body.group);
  draft.name = body.name;
  return draft;
}

}  // namespace

void compile_materials(CompileContext& context) {
  for (const MaterialSpec& material : context.spec.materials) {
    if (material.name.empty() || material.name == "any") {
      context.fault(material.mark, material.name.empty() ? "a material needs a name"
                                                         : "'any' stands for every material and cannot name one");
      continue;
    }
    if (material.density)
      check_positive(context, material.mark, fmt::format("density of material '{}'", material.name), *material.density);
    const auto index = static_cast<Index>(context.materials.size());
    if (!context.material_index.emplace(material.name, index).second) {
      context.fault(material.mark, fmt::format("material '{}' is defined twice", material.name));
      continue;
    }
    context.materials.push_back(material.name);
  }
}

void compile_bodies(CompileContext& context) {
  for (const BodySpec& body : context.spec.bodies) {
    const std::string what = fmt::format("body '{}'", body.name);
    check_name(context, body);
    if (body.group == "all")
      context.fault(body.mark, what + ": the group 'all' is every dynamic body, choose another name");
    const bool has_pose = check_pose(context, body, what);
    check_velocity(context, body, what);
    check_role(context, body, what);
    const bool is_dynamic = body.role == BodyRole::dynamic;
    Blueprint blueprint;
    make_blueprint(context,
                   {.shapes = body.shapes,
                    .material = body.material,
                    .density = body.density,
                    .mark = body.mark,
                    .what = what,
                    .needs_mass = is_dynamic,
                    .given = &body},
                   blueprint);
    if (is_dynamic) {
      BodyDraft draft;
      draft.name = body.name;
      draft.group = context.add_group(body.group);
      if (has_pose) draft = make_draft(context, body, blueprint, what);
      draft.blueprint = static_cast<Index>(context.blueprints.size());
      context.dynamic.push_back(std::move(draft));
    } else {
      if (!body.group.empty()) context.fault(body.mark, what + ": groups hold dynamic bodies only, remove group");
      context.kinematic.push_back(
          {static_cast<Index>(context.blueprints.size()), make_motion(context, body, what), body.name});
    }
    context.blueprints.push_back(std::move(blueprint));
  }
}

}  // namespace grus
