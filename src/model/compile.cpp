#include "model/compile.hpp"

#include <algorithm>
#include <tuple>

#include "model/compile_context.hpp"

namespace grus {

namespace {

// In the order of the file, so that a person can walk through them.
void throw_faults(std::vector<Fault> faults) {
  std::stable_sort(faults.begin(), faults.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.where.file, a.where.line, a.where.column) < std::tie(b.where.file, b.where.line, b.where.column);
  });
  throw InputError(std::move(faults));
}

ModelNames draft_names(const CompileContext& context) {
  ModelNames names;
  for (const BodyDraft& body : context.dynamic) {
    names.body.push_back(body.name);
    names.group_of.push_back(body.group);
  }
  for (const LinkedDraft& body : context.linked) names.body.push_back(body.name);
  for (const KinematicDraft& body : context.kinematic) names.body.push_back(body.name);
  names.group = context.groups;
  names.mechanism = context.mechanism_names;
  names.joint = context.joint_names;
  names.input = context.inputs.name;
  return names;
}

}  // namespace

CompiledScene compile(const Spec& spec) {
  CompileContext context(spec);
  check_settings(context);
  compile_inputs(context);
  compile_materials(context);
  compile_bodies(context);
  compile_generators(context);
  compile_mechanisms(context);
  compile_pairs(context);
  check_checks(context);
  check_figures(context);
  if (!context.faults.empty()) {
    // there is no scene, but its probes may still be wrong too
    compile_probes(context, draft_names(context), nullptr);
    throw_faults(std::move(context.faults));
  }
  CompiledScene scene = assemble_scene(context);
  scene.probes = compile_probes(context, scene.names, &scene.model);
  if (!context.faults.empty()) throw_faults(std::move(context.faults));
  add_warnings(context, scene.model, scene.initial);
  scene.warnings = std::move(context.warnings);
  return scene;
}

}  // namespace grus
