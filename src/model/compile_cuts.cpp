// Loop cuts of mechanisms and joints between free bodies: frames on two bodies to scalar conditions.
//
// With the axes x, y, z of the frames on a and b (JointCondition):
//   along x, y, z of a           locked translations
//   x_A.y_B, y_A.z_B, z_A.x_B    three locked rotations: zero together only when the axes are parallel (or half turns
//                                apart, which a start near the closed loop never meets)
//   i_A.k_B, j_A.k_B             two locked, free about k
//   i_A.j_B                      one locked, about k; i, j, k cyclic
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/nearest_name.hpp"
#include "model/compile_mechanisms.hpp"

namespace grus {

namespace {

using BodyIndex = std::map<std::string, Index, std::less<>>;

const std::array<std::string, 6> component_names{"x", "y", "z", "rx", "ry", "rz"};

// Locked motions in the order of component_names, in the axes of the frames.
using Locked = std::array<bool, 6>;

Locked locked_components(const CutSpec& cut, bool planar) {
  switch (cut.kind) {
    case CutKind::ball:
      return {true, true, !planar, false, false, false};
    case CutKind::pin:  // about z, the pin's axis
      return {true, true, !planar, !planar, !planar, false};
    case CutKind::rigid:
      return {true, true, !planar, !planar, !planar, true};
    case CutKind::rod:
      return {};
    case CutKind::components:
      break;
  }
  Locked locked{};
  for (std::size_t i = 0; i < locked.size(); ++i)
    locked[i] = std::find(cut.components.begin(), cut.components.end(), component_names[i]) != cut.components.end();
  return locked;
}

bool check_components(CompileContext& context, const CutSpec& cut, const std::string& what) {
  if (cut.kind != CutKind::components) {
    if (!cut.components.empty())
      context.fault(cut.mark, what + ": components are for kind components, remove one of them");
    return cut.components.empty();
  }
  if (cut.components.empty()) {
    context.fault(cut.mark, what + ": components is empty, it would lock nothing");
    return false;
  }
  bool good = true;
  for (auto name = cut.components.begin(); name != cut.components.end(); ++name) {
    const bool known = std::find(component_names.begin(), component_names.end(), *name) != component_names.end();
    const bool in_plane = *name == "x" || *name == "y" || *name == "rz";
    const bool repeated = std::find(cut.components.begin(), name, *name) != name;
    if (known && !repeated && (in_plane || !context.spec.planar)) continue;
    good = false;
    const char* why = !known     ? "unknown, expected x, y, z, rx, ry or rz"
                      : repeated ? "named twice"
                                 : "out of the plane, expected x, y or rz";
    context.fault(cut.mark, fmt::format("{}: component '{}' is {}", what, *name, why));
  }
  return good;
}

bool check_cut(CompileContext& context, const CutSpec& cut, const std::string& what) {
  bool good = check_components(context, cut, what);
  if (cut.kind == CutKind::rod) {
    if (!cut.length) context.fault(cut.mark, what + ": a rod needs its length");
    good &= cut.length && check_positive(context, cut.mark, what + ": length of the rod", *cut.length);
  } else if (cut.length) {
    context.fault(cut.mark, what + ": only a rod has a length");
    good = false;
  }
  constexpr Real shortest = 1e-9;
  if (!cut.axis.allFinite() || cut.axis.norm() < shortest) {
    context.fault(cut.mark, what + ": the axis of the pin has no direction");
    good = false;
  } else if (context.spec.planar && (cut.axis.x() != 0.0 || cut.axis.y() != 0.0)) {
    context.fault(cut.mark, what + ": the axis of a pin in a planar scene is [0, 0, 1]");
    good = false;
  }
  if (cut.a.body == cut.b.body) {
    context.fault(cut.mark, fmt::format("{}: both sides are on '{}', expected two bodies", what, cut.a.body));
    good = false;
  }
  return good;
}

// Axes of the frame a pin works in: z along it.
Mat3 cut_axes(const CutSpec& cut) {
  Mat3 axes = Mat3::Identity();
  if (cut.kind != CutKind::pin || cut.axis.normalized() == Vec3::UnitZ()) return axes;
  Vec3 x, y;
  const Vec3 z = cut.axis.normalized();
  tangents(z, x, y);
  axes << x, y, z;
  return axes;
}

void add_conditions(const CutSpec& cut, const AnchorFrame& a, const AnchorFrame& b, Index group, bool planar,
                    std::vector<JointCondition>& conditions) {
  const Mat3 axes = cut_axes(cut);
  const auto axis_A = [&](int k) { return Vec3(a.R_BF * Vec3(axes.col(k % 3))); };
  const auto axis_B = [&](int k) { return Vec3(b.R_BF * Vec3(axes.col(k % 3))); };
  JointCondition condition;
  condition.group = group;
  condition.a = a.body;
  condition.b = b.body;
  condition.p_A = a.p_BF;
  condition.p_B = b.p_BF;
  if (cut.kind == CutKind::rod) {
    condition.kind = ConditionKind::distance;
    condition.length = *cut.length;
    conditions.push_back(condition);
    return;
  }
  const Locked locked = locked_components(cut, planar);
  condition.kind = ConditionKind::along;
  for (int k = 0; k < 3; ++k) {
    condition.axis_A = axis_A(k);
    if (locked[static_cast<std::size_t>(k)]) conditions.push_back(condition);
  }
  condition.kind = ConditionKind::perpendicular;
  const auto add_perpendicular = [&](int i, int j) {
    condition.axis_A = axis_A(i);
    condition.axis_B = axis_B(j);
    conditions.push_back(condition);
  };
  const auto count = std::count(locked.begin() + 3, locked.end(), true);
  for (int k = 0; k < 3; ++k) {
    const bool turns = !locked[static_cast<std::size_t>(3 + k)];
    if (count == 3) add_perpendicular(k, k + 1);
    if (count == 2 && turns) {
      add_perpendicular(k + 1, k);
      add_perpendicular(k + 2, k);
    }
    if (count == 1 && !turns) add_perpendicular(k + 1, k + 2);
  }
}

// A side of a joint of the absolute lane: a free body, or something that never moves.
bool find_free_anchor(CompileContext& context, const BodyIndex& body_index, const AnchorSpec& anchor,
                      const std::string& what, AnchorFrame& frame) {
  if (!check_anchor(context, anchor, what)) return false;
  frame = {no_index, anchor.at, unit(anchor.rotation)};
  if (anchor.body == "ground") return true;
  const auto found = body_index.find(anchor.body);
  if (found == body_index.end()) {
    std::vector<std::string> known{"ground"};
    for (const auto& [name, index] : body_index) known.push_back(name);
    context.fault(anchor.mark,
                  fmt::format("{}: unknown body '{}'{}", what, anchor.body, name_hint(anchor.body, known)));
    return false;
  }
  const auto body = static_cast<std::size_t>(found->second);
  if (body < context.dynamic.size()) {
    const BodyDraft& draft = context.dynamic[body];
    if (draft.release_time > 0.0) {
      context.fault(anchor.mark, fmt::format("{}: body '{}' is released at {} s, expected one that is there from the "
                                             "start",
                                             what, anchor.body, draft.release_time));
      return false;
    }
    Blueprint scaled;
    scaled.R_UB = context.blueprints[static_cast<std::size_t>(draft.blueprint)].R_UB;
    scaled.p_UB = draft.scale * context.blueprints[static_cast<std::size_t>(draft.blueprint)].p_UB;
    frame = in_body_frame(found->second, scaled, anchor.at, anchor.rotation);
    return true;
  }
  if (body < context.dynamic.size() + context.linked.size()) {
    context.fault(anchor.mark, fmt::format("{}: body '{}' belongs to a mechanism, join it by a loop of the mechanism",
                                           what, anchor.body));
    return false;
  }
  const Motion& motion = context.kinematic[body - context.dynamic.size() - context.linked.size()].motion;
  if (!motion.is_fixed()) {
    context.fault(anchor.mark, fmt::format("{}: body '{}' is driven by a motion, expected a free or a fixed body", what,
                                           anchor.body));
    return false;
  }
  frame.p_BF = motion.base.position + motion.base.rotation * anchor.at;
  frame.R_BF = unit(motion.base.rotation * unit(anchor.rotation));
  return true;
}

}  // namespace

void compile_loops(CompileContext& context, MechanismDraft& draft) {
  for (const CutSpec& loop : draft.spec.loops) {
    const std::string what = fmt::format("loop '{}'", loop.name);
    const auto group = static_cast<Index>(draft.names.loop.size());
    draft.names.loop.push_back(loop.name);
    draft.names.loop_mark.push_back(loop.mark);
    AnchorFrame a, b;
    bool good = check_cut(context, loop, what);
    good &= find_anchor(context, draft, loop.a, what, a);
    good &= find_anchor(context, draft, loop.b, what, b);
    if (good) add_conditions(loop, a, b, group, context.spec.planar, draft.mechanism.loops);
  }
}

void compile_joints(CompileContext& context, const BodyIndex& body_index) {
  for (const CutSpec& joint : context.spec.joints) {
    const std::string what = fmt::format("joint '{}'", joint.name);
    const auto group = static_cast<Index>(context.joint_names.size());
    context.joint_names.push_back(joint.name);
    AnchorFrame a, b;
    bool good = check_cut(context, joint, what);
    good &= find_free_anchor(context, body_index, joint.a, what, a);
    good &= find_free_anchor(context, body_index, joint.b, what, b);
    if (!good) continue;
    if (a.body == no_index && b.body == no_index) {
      context.fault(joint.mark, what + ": neither side can move");
      continue;
    }
    add_conditions(joint, a, b, group, context.spec.planar, context.joint_conditions);
    if (a.body != no_index && b.body != no_index) context.excluded_pairs.emplace_back(a.body, b.body);
  }
}

}  // namespace grus
