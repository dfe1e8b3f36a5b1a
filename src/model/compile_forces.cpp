// Forces of mechanisms: springs and motors of joints, springs between points, forces as expressions; memories.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/compile_mechanisms.hpp"

namespace grus {

namespace {

// Faults of functions and expressions do not know whose they are.
class OwnedFaults {
 public:
  OwnedFaults(CompileContext& context, const std::string& what)
      : context_(context), what_(what), before_(context.faults.size()) {}
  ~OwnedFaults() {
    for (std::size_t i = before_; i < context_.faults.size(); ++i)
      context_.faults[i].message = fmt::format("{}: {}", what_, context_.faults[i].message);
  }
  OwnedFaults(const OwnedFaults&) = delete;
  OwnedFaults& operator=(const OwnedFaults&) = delete;

 private:
  CompileContext& context_;
  const std::string& what_;
  std::size_t before_;
};

std::shared_ptr<const Expression> make_expression(CompileContext& context, const std::string& text,
                                                  const std::vector<std::string>& variables, const SourceMark& where,
                                                  const std::string& what) {
  if (text.empty()) return nullptr;
  const OwnedFaults owned(context, what);
  auto expression = read_expression(text, variables, context.spec.parameters, where, context.faults);
  return expression ? std::make_shared<const Expression>(std::move(*expression)) : nullptr;
}

TimeFunctionPtr make_function(CompileContext& context, const std::optional<TimeFunctionSpec>& spec,
                              const std::string& what) {
  if (!spec) return nullptr;
  const OwnedFaults owned(context, what);
  return make_time_function(*spec, context.spec.parameters, context.inputs, context.faults);
}

bool is_constant(const CompileContext& context, const std::optional<TimeFunctionSpec>& spec) {
  if (!spec) return true;
  if (!spec->table.empty()) return spec->table.size() == 1;
  return std::holds_alternative<Real>(evaluate_constant(spec->expression, context.spec.parameters));
}

void check_law(CompileContext& context, const ForceLawSpec& spec, const std::string& what) {
  check_not_negative(context, spec.mark, what + ": stiffness", spec.stiffness);
  check_not_negative(context, spec.mark, what + ": damping", spec.damping);
  if (spec.limit) check_positive(context, spec.mark, what + ": limit", *spec.limit);
  const bool linear = spec.stiffness != 0.0 || spec.damping != 0.0;
  if (!linear && spec.table.empty() && spec.expression.empty())
    context.fault(spec.mark, what + ": no stiffness, damping, table or force is given, so it does nothing");
  if (spec.implicit && !linear)
    context.fault(spec.mark, what + ": implicit needs a stiffness or a damping, tables and expressions are explicit");
  for (std::size_t i = 0; i < spec.table.size(); ++i) {
    if (!std::isfinite(spec.table[i].first) || !std::isfinite(spec.table[i].second))
      context.fault(spec.mark, fmt::format("{}: point {} of the table is not finite", what, i + 1));
    else if (i > 0 && spec.table[i].first <= spec.table[i - 1].first)
      context.fault(spec.mark, fmt::format("{}: positions of the table must rise: {} follows {}", what,
                                           spec.table[i].first, spec.table[i - 1].first));
  }
}

ForceLaw make_law(CompileContext& context, const ForceLawSpec& spec, const std::vector<std::string>& variables,
                  const std::string& what) {
  check_law(context, spec, what);
  ForceLaw law;
  law.stiffness = spec.stiffness;
  law.damping = spec.damping;
  law.rest = make_function(context, spec.rest, what);
  law.rate = make_function(context, spec.rate, what);
  law.rest_is_constant = is_constant(context, spec.rest);
  law.table = spec.table;
  law.expression = make_expression(context, spec.expression, variables, spec.mark, what);
  if (spec.limit) law.limit = *spec.limit;
  law.implicit = spec.implicit;
  return law;
}

void compile_springs(CompileContext& context, const std::vector<std::string>& variables, MechanismDraft& draft) {
  for (const PointForceSpec& spec : draft.spec.springs) {
    const std::string what = fmt::format("spring '{}'", spec.name);
    PointForce force;
    AnchorFrame a, b;
    find_anchor(context, draft, spec.a, what, a);
    find_anchor(context, draft, spec.b, what, b);
    if (spec.a.body == spec.b.body)
      context.fault(spec.mark, fmt::format("{}: both ends are on '{}', expected two bodies", what, spec.a.body));
    if (spec.law.stiffness != 0.0 && !spec.law.rest)
      context.fault(spec.mark, what + ": a spring with a stiffness needs its rest length");
    force.law = make_law(context, spec.law, variables, what);
    force.a = a.body;
    force.b = b.body;
    force.p_A = a.p_BF;
    force.p_B = b.p_BF;
    draft.names.point_force.push_back(spec.name);
    draft.mechanism.point_forces.push_back(std::move(force));
  }
}

void compile_applied(CompileContext& context, const std::vector<std::string>& variables, MechanismDraft& draft) {
  for (const AppliedForceSpec& spec : draft.spec.forces) {
    const std::string what = fmt::format("force '{}'", spec.name);
    AppliedForce force;
    AnchorFrame frame;
    if (!find_anchor(context, draft, spec.at, what, frame)) continue;
    if (frame.body == no_index) {
      context.fault(spec.at.mark, what + " acts on the ground, which no force moves");
      continue;
    }
    force.link = frame.body;
    force.p_B = frame.p_BF;
    force.R_UB = draft.blueprints[static_cast<std::size_t>(frame.body)]->R_UB;
    force.in_body_axes = spec.in_body_axes;
    bool acts = false;
    for (std::size_t i = 0; i < 3; ++i) {
      force.force[i] = make_expression(context, spec.force[i], variables, spec.at.mark, what);
      force.torque[i] = make_expression(context, spec.torque[i], variables, spec.at.mark, what);
      acts |= !spec.force[i].empty() || !spec.torque[i].empty();
    }
    const bool leaves = !spec.force[2].empty() || !spec.torque[0].empty() || !spec.torque[1].empty();
    if (context.spec.planar && leaves)
      context.fault(spec.at.mark, what + " leaves the plane of a planar scene, expected force x, y and torque z");
    if (!acts) context.fault(spec.at.mark, what + " has neither force nor torque");
    draft.mechanism.applied_forces.push_back(std::move(force));
  }
}

// A name that hides another one would make a formula mean something else than it says.
void check_memory_name(CompileContext& context, const MemorySpec& spec, const std::vector<std::string>& taken) {
  if (!is_formula_name(spec.name))
    context.fault(spec.mark, fmt::format("memory '{}': expected a name that formulas can spell, of letters, digits, "
                                         "'_' and '.'",
                                         spec.name));
  else if (std::find(taken.begin(), taken.end(), spec.name) != taken.end() ||
           context.spec.parameters.contains(spec.name))
    context.fault(
        spec.mark,
        fmt::format("memory '{}': the name is taken by a parameter, an input, a constant, a coordinate or a memory",
                    spec.name));
}

std::vector<std::string> compile_memories(CompileContext& context, MechanismDraft& draft) {
  const std::vector<std::string> variables = coordinate_variables(draft.names.coordinate, context.inputs.name);
  std::vector<std::string> names, taken = variables;
  taken.insert(taken.end(), {"pi", "e"});
  for (const MemorySpec& spec : draft.spec.memories) {
    const std::string what = fmt::format("memory '{}'", spec.name);
    check_memory_name(context, spec, taken);
    check_not_negative(context, spec.mark, what + ": at", spec.at);
    if (spec.of.empty()) context.fault(spec.mark, what + " does not say what it is of");
    draft.mechanism.memories.push_back({spec.at, make_expression(context, spec.of, variables, spec.mark, what)});
    names.push_back(spec.name);
    taken.push_back(spec.name);
  }
  return names;
}

}  // namespace

void compile_forces(CompileContext& context, MechanismDraft& draft) {
  const std::vector<std::string> variables =
      force_variables(draft.names.coordinate, context.inputs.name, compile_memories(context, draft));
  for (std::size_t k = 0; k < draft.coordinate_specs.size(); ++k) {
    if (!draft.coordinate_specs[k]) continue;
    const std::string what = fmt::format("coordinate '{}'", draft.names.coordinate[k]);
    for (const ForceLawSpec& law : draft.coordinate_specs[k]->forces)
      draft.mechanism.joint_forces.push_back({static_cast<Index>(k), make_law(context, law, variables, what)});
  }
  compile_springs(context, variables, draft);
  compile_applied(context, variables, draft);
}

}  // namespace grus
