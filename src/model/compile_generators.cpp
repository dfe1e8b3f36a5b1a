// Generators: the template to a blueprint, the places to bodies.
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "model/compile_context.hpp"
#include "model/generators.hpp"

namespace grus {

namespace {

void check_name(CompileContext& context, const GeneratorSpec& spec) {
  if (spec.name.empty()) {
    context.fault(spec.mark, "a generator needs a name");
    return;
  }
  if (spec.name == "all") {
    context.fault(spec.mark, "the group 'all' is every dynamic body, choose another name for the generator");
    return;
  }
  for (const GeneratorSpec& other : context.spec.generators) {
    if (&other == &spec) return;
    if (other.name != spec.name) continue;
    context.fault(spec.mark,
                  fmt::format("generator '{}' is defined twice (first at line {})", spec.name, other.mark.line));
    return;
  }
}

// Volume (area) of the template over the cube (square) of its bound diameter.
Real fullness(const std::vector<ShapeSpec>& shapes, const Blueprint& blueprint, bool planar) {
  Real measure = 0.0;
  for (const ShapeSpec& shape : shapes) measure += unit_mass_properties(shape, planar).mass;
  const Real d = 2.0 * blueprint.bound_radius;
  return std::abs(measure) / (planar ? d * d : d * d * d);
}

void add_grains(CompileContext& context, const GeneratorSpec& spec, const Blueprint& blueprint,
                const std::vector<GrainPlacement>& grains) {
  const auto index = static_cast<Index>(context.blueprints.size());
  const Index group = context.add_group(spec.name);
  const bool turns = !blueprint.R_UB.vec().isZero(0.0);
  context.dynamic.reserve(context.dynamic.size() + grains.size());
  for (std::size_t i = 0; i < grains.size(); ++i) {
    const GrainPlacement& grain = grains[i];
    BodyDraft draft;
    draft.blueprint = index;
    draft.scale = grain.diameter / (2.0 * blueprint.bound_radius);
    draft.position = grain.position;
    draft.rotation = turns ? unit(grain.rotation * blueprint.R_UB) : grain.rotation;
    draft.angle = grain.angle;
    draft.velocity = grain.velocity;
    draft.release_time = grain.release_time;
    draft.group = group;
    draft.name = fmt::format("{}[{}]", spec.name, i);
    if (context.body_marks.contains(draft.name))
      context.fault(spec.mark,
                    fmt::format("generator '{}': its grain '{}' has the name of a body", spec.name, draft.name));
    context.dynamic.push_back(std::move(draft));
  }
  context.blueprints.push_back(blueprint);
}

struct GeneratorDraft {
  const GeneratorSpec* spec = nullptr;
  Blueprint blueprint;
  GeneratorScene scene;
  bool good = false;
};

GeneratorDraft check_generator(CompileContext& context, const GeneratorSpec& generator) {
  const Spec& spec = context.spec;
  const std::size_t faults_before = context.faults.size();
  check_name(context, generator);
  GeneratorDraft draft{&generator, {}, {spec.planar, spec.gravity, spec.seed, 0.0}, false};
  const std::vector<ShapeSpec> shapes =
      generator.cluster.empty() ? std::vector<ShapeSpec>{generator.shape} : generator.cluster;
  const bool has_template = make_blueprint(context,
                                           {.shapes = shapes,
                                            .material = generator.material,
                                            .density = generator.density,
                                            .mark = generator.mark,
                                            .what = fmt::format("generator '{}'", generator.name)},
                                           draft.blueprint);
  if (has_template) draft.scene.fullness = fullness(shapes, draft.blueprint, spec.planar);
  for (Fault& fault : generator_faults(generator, draft.scene)) context.faults.push_back(std::move(fault));
  draft.good = context.faults.size() == faults_before;
  return draft;
}

}  // namespace

void compile_generators(CompileContext& context) {
  std::vector<GeneratorDraft> drafts;
  auto bodies = static_cast<std::int64_t>(context.dynamic.size());
  for (const GeneratorSpec& generator : context.spec.generators) {
    drafts.push_back(check_generator(context, generator));
    if (drafts.back().good) bodies += asked_count(generator, context.spec.planar);
    context.grains_missing |= !drafts.back().good;
  }
  const auto too_many = [&](const SourceMark& where) {
    context.fault(where, fmt::format("the scene has more than {} bodies", most_grains));
    context.grains_missing = true;
  };
  // before the work of placing them
  const bool fits = bodies <= most_grains;
  if (!fits) too_many(drafts.empty() ? SourceMark{context.spec.file, 0, 0} : drafts.back().spec->mark);
  for (const GeneratorDraft& draft : drafts) {
    GeneratedGrains result;
    if (draft.good && fits) result = generate(*draft.spec, draft.scene);
    if (context.dynamic.size() + result.grains.size() > static_cast<std::size_t>(most_grains)) {
      too_many(draft.spec->mark);
      result.grains.clear();
    }
    context.grains_missing |= !result.faults.empty();
    context.faults.insert(context.faults.end(), result.faults.begin(), result.faults.end());
    context.warnings.insert(context.warnings.end(), result.warnings.begin(), result.warnings.end());
    add_grains(context, *draft.spec, draft.blueprint, result.grains);
  }
}

}  // namespace grus
