// Mechanisms: from trees of named bodies to flat arrays, and the pairs of bodies that do not touch.
#include "model/compile_mechanisms.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/nearest_name.hpp"

namespace grus {

AnchorFrame in_body_frame(Index body, const Blueprint& blueprint, const Vec3& position, const Quat& rotation) {
  // plain copies where the body frame only shifts, so that simple bodies keep the very numbers written
  const Vec3 lever = position - blueprint.p_UB;
  if (blueprint.R_UB.vec().isZero(0.0)) return {body, lever, unit(rotation)};
  const Quat R_BU = blueprint.R_UB.conjugate();
  return {body, R_BU * lever, unit(R_BU * unit(rotation))};
}

bool check_anchor(CompileContext& context, const AnchorSpec& anchor, const std::string& what) {
  const bool good = check_vector(context, anchor.mark, what + ": at", anchor.at) &&
                    check_in_plane(context, anchor.mark, what + ": at", anchor.at);
  return check_rotation(context, anchor.mark, what, anchor.rotation, 0.0) && good;
}

bool find_anchor(CompileContext& context, const MechanismDraft& draft, const AnchorSpec& anchor,
                 const std::string& what, AnchorFrame& frame) {
  bool good = check_anchor(context, anchor, what);
  frame = {no_index, anchor.at, unit(anchor.rotation)};
  if (anchor.body == "ground") return good;
  const auto found = draft.link_index.find(anchor.body);
  if (found == draft.link_index.end()) {
    std::vector<std::string> known = draft.link_names;
    known.emplace_back("ground");
    context.fault(anchor.mark, fmt::format("{}: '{}' is no body of mechanism '{}'{}", what, anchor.body,
                                           draft.spec.name, name_hint(anchor.body, known)));
    return false;
  }
  frame = in_body_frame(found->second, *draft.blueprints[static_cast<std::size_t>(found->second)], anchor.at,
                        anchor.rotation);
  return good;
}

namespace {

// Names that probes look for in one place: joints (of bodies, loops, between free bodies) and springs.
class TakenNames {
 public:
  void take(CompileContext& context, const SourceMark& where, const std::string& kind, const std::string& name) {
    if (name.empty()) {
      context.fault(where, fmt::format("a {} needs a name", kind));
      return;
    }
    const auto [entry, is_new] = taken_.emplace(name, kind);
    if (!is_new)
      context.fault(where, fmt::format("{} '{}': the name is taken by another {}", kind, name, entry->second));
  }

 private:
  std::map<std::string, std::string, std::less<>> taken_;
};

void check_names(CompileContext& context) {
  TakenNames mechanisms, joints, springs, forces;
  for (const MechanismSpec& mechanism : context.spec.mechanisms) {
    mechanisms.take(context, mechanism.mark, "mechanism", mechanism.name);
    for (const LinkSpec& link : mechanism.bodies) {
      const BodySpec& body = link.body;
      if (body.name == "ground")
        context.fault(body.mark, "'ground' is the world and cannot name a body of a mechanism");
      const auto [entry, is_new] = context.body_marks.emplace(body.name, body.mark);
      if (is_new || body.name.empty())
        joints.take(context, body.mark, "body", body.name);
      else
        context.fault(body.mark,
                      fmt::format("body '{}' is defined twice (first at line {})", body.name, entry->second.line));
    }
  }
  for (const MechanismSpec& mechanism : context.spec.mechanisms) {
    for (const CutSpec& loop : mechanism.loops) joints.take(context, loop.mark, "loop", loop.name);
    for (const PointForceSpec& spring : mechanism.springs) springs.take(context, spring.mark, "spring", spring.name);
    for (const AppliedForceSpec& force : mechanism.forces) forces.take(context, force.mark, "force", force.name);
  }
  for (const CutSpec& joint : context.spec.joints) joints.take(context, joint.mark, "joint", joint.name);
}

// The length that loop errors are compared with: all lengths of the machine in a row.
Real mechanism_size(const MechanismDraft& draft) {
  Real size = 0.0, radius = 0.0;
  for (std::size_t i = 0; i < draft.mechanism.links.size(); ++i) {
    const Link& link = draft.mechanism.links[i];
    size += link.X_PJ.position.norm() + link.X_JB.position.norm();
    if (std::isfinite(draft.blueprints[i]->bound_radius)) radius = std::max(radius, draft.blueprints[i]->bound_radius);
  }
  for (const JointCondition& condition : draft.mechanism.loops) size += condition.length;
  size = std::max(size, radius);
  return size > 0.0 ? size : 1.0;
}

void check_roles(CompileContext& context, const MechanismDraft& draft) {
  const std::vector<Coordinate>& coordinates = draft.mechanism.coordinates;
  const auto dependent = std::count_if(coordinates.begin(), coordinates.end(), [](const Coordinate& coordinate) {
    return coordinate.role == CoordinateRole::dependent;
  });
  const auto conditions = static_cast<std::ptrdiff_t>(draft.mechanism.loops.size());
  if (dependent > conditions)
    context.fault(draft.spec.mark,
                  fmt::format("mechanism '{}' names {} dependent coordinates, but its loops have {} conditions",
                              draft.spec.name, dependent, conditions));
}

// Neighbours do not touch: a joint holds them where their shapes may overlap.
void exclude_neighbours(CompileContext& context, const MechanismDraft& draft) {
  const Mechanism& mechanism = draft.mechanism;
  const auto exclude = [&](Index a, Index b) {
    if (a != no_index && b != no_index && a != b)
      context.excluded_pairs.emplace_back(mechanism.first_body + a, mechanism.first_body + b);
  };
  for (Index i = 0; i < mechanism.link_count(); ++i) exclude(mechanism.links[static_cast<std::size_t>(i)].parent, i);
  for (const JointCondition& condition : mechanism.loops) exclude(condition.a, condition.b);
}

void add_mechanism(CompileContext& context, MechanismDraft& draft) {
  Mechanism& mechanism = draft.mechanism;
  mechanism.size = mechanism_size(draft);
  check_roles(context, draft);
  exclude_neighbours(context, draft);
  context.joint_position.insert(context.joint_position.end(), draft.position.begin(), draft.position.end());
  context.joint_velocity.insert(context.joint_velocity.end(), draft.velocity.begin(), draft.velocity.end());
  context.mechanisms.push_back(std::move(mechanism));
  context.mechanism_names.push_back(std::move(draft.names));
}

void exclude_named(CompileContext& context, const std::map<std::string, Index, std::less<>>& body_index) {
  for (const MechanismSpec& mechanism : context.spec.mechanisms) {
    for (const auto& [a, b] : mechanism.exclude) {
      const std::string what = fmt::format("exclude of mechanism '{}'", mechanism.name);
      bool known = true;
      for (const std::string& name : {a, b}) {
        if (body_index.contains(name)) continue;
        known = false;
        std::vector<std::string> names;
        for (const auto& [candidate, index] : body_index) names.push_back(candidate);
        context.fault(mechanism.mark, fmt::format("{}: unknown body '{}'{}", what, name, name_hint(name, names)));
      }
      if (a == b) context.fault(mechanism.mark, fmt::format("{}: '{}' is paired with itself", what, a));
      if (known && a != b) context.excluded_pairs.emplace_back(body_index.find(a)->second, body_index.find(b)->second);
    }
  }
}

std::map<std::string, Index, std::less<>> index_bodies(const CompileContext& context) {
  std::map<std::string, Index, std::less<>> index;
  Index next = 0;
  for (const BodyDraft& body : context.dynamic) index.emplace(body.name, next++);
  for (const LinkedDraft& body : context.linked) index.emplace(body.name, next++);
  for (const KinematicDraft& body : context.kinematic) index.emplace(body.name, next++);
  return index;
}

}  // namespace

void compile_mechanisms(CompileContext& context) {
  if (context.spec.mechanisms.empty() && context.spec.joints.empty()) return;
  check_names(context);
  std::size_t link_count = 0;
  for (const MechanismSpec& spec : context.spec.mechanisms) link_count += spec.bodies.size();
  context.blueprints.reserve(context.blueprints.size() + link_count);  // drafts point into it
  for (const MechanismSpec& spec : context.spec.mechanisms) {
    MechanismDraft draft(spec);
    draft.names.name = spec.name;
    draft.names.mark = spec.mark;
    draft.mechanism.first_body = static_cast<Index>(context.dynamic.size() + context.linked.size());
    draft.mechanism.first_position = static_cast<Index>(context.joint_position.size());
    draft.mechanism.first_velocity = static_cast<Index>(context.joint_velocity.size());
    for (const Mechanism& before : context.mechanisms) {
      draft.mechanism.first_memory += static_cast<Index>(before.memories.size());
      draft.mechanism.first_law += static_cast<Index>(before.law_count());
    }
    if (spec.bodies.empty()) context.fault(spec.mark, fmt::format("mechanism '{}' has no body", spec.name));
    compile_links(context, draft);
    compile_loops(context, draft);
    compile_forces(context, draft);
    add_mechanism(context, draft);
  }
  // a scene may have very many grains, and few name them
  const auto excludes = [](const MechanismSpec& mechanism) { return !mechanism.exclude.empty(); };
  const std::vector<MechanismSpec>& mechanisms = context.spec.mechanisms;
  if (context.spec.joints.empty() && std::none_of(mechanisms.begin(), mechanisms.end(), excludes)) return;
  const auto body_index = index_bodies(context);
  compile_joints(context, body_index);
  exclude_named(context, body_index);
}

}  // namespace grus
