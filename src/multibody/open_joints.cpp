#include "multibody/open_joints.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "multibody/condition.hpp"

namespace grus {

namespace {

// Joints of the absolute lane act on velocities alone: they keep an opening of the start. Positions are written with
// few digits, so this part of the lengths at hand is taken for rounding; turns in rad.
constexpr Real open_part = 1e-3;
// m, beside lengths of zero: rounding of positions near the origin.
constexpr Real open_rounding = 1e-9;

// What a condition may be off by at the start.
Real allowed_opening(const JointCondition& condition, const Pose& a, const Pose& b) {
  if (condition.kind == ConditionKind::perpendicular) return open_part;
  if (condition.kind == ConditionKind::distance) return open_part * condition.length;
  Real length = 0.0;
  if (condition.a != no_index) length = std::max(length, condition.p_A.norm());
  if (condition.b != no_index) length = std::max(length, condition.p_B.norm());
  if (condition.a != no_index && condition.b != no_index) length = std::max(length, (a.position - b.position).norm());
  return open_part * length + open_rounding;
}

}  // namespace

void refuse_open_joints(const Spec& spec, const CompiledScene& scene) {
  const auto pose = [&](Index body) {
    return body == no_index ? Pose{} : Pose{scene.initial.position[body], scene.initial.rotation[body]};
  };
  std::vector<Fault> faults;
  Index last = no_index;
  for (const JointCondition& condition : scene.model.joint_conditions) {
    const Pose a = pose(condition.a), b = pose(condition.b);
    const Real open = std::abs(condition_gradient(condition, a, b).value);
    if (open <= allowed_opening(condition, a, b) || condition.group == last) continue;
    last = condition.group;
    const CutSpec& joint = spec.joints[static_cast<std::size_t>(condition.group)];
    const bool turns = condition.kind == ConditionKind::perpendicular;
    faults.push_back({joint.mark, fmt::format("joint '{}': its two sides are {:.3g} {} apart at the start, expected "
                                              "together: a joint between free bodies keeps them as they are, it does "
                                              "not pull them together; check the positions and where it is attached",
                                              joint.name, open, turns ? "rad" : "m")});
  }
  if (!faults.empty()) throw InputError(std::move(faults));
}

}  // namespace grus
