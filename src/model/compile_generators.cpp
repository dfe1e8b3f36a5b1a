// Generators: the template to a blueprint, the places to bodies.
#include <cmath>

#include <fmt/format.h>

#include "model/compile_context.hpp"
#include "model/generators.hpp"

namespace grus {

namespace {

bool check_name(CompileContext& context, const GeneratorSpec& spec) {
  if (spec.name.empty()) {
    context.fault(spec.mark, "a generator needs a name");
    return false;
  }
  if (spec.name == "all") {
    context.fault(spec.mark, "the group 'all' is every dynamic body, choose another name for the generator");
    return false;
  }
  for (const GeneratorSpec& other : context.spec.generators) {
    if (&other == &spec) return true;
    if (other.name != spec.name) continue;
    context.fault(spec.mark,
                  fmt::format("generator '{}' is defined twice (first at line {})", spec.name, other.mark.line));
    return false;
  }
  return true;
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

}  // namespace

void compile_generators(CompileContext& context) {
  const Spec& spec = context.spec;
  for (const GeneratorSpec& generator : spec.generators) {
    bool good = check_name(context, generator);
    const std::vector<ShapeSpec> shapes =
        generator.cluster.empty() ? std::vector<ShapeSpec>{generator.shape} : generator.cluster;
    Blueprint blueprint;
    good &= make_blueprint(context,
                           {.shapes = shapes,
                            .material = generator.material,
                            .density = generator.density,
                            .mark = generator.mark,
                            .what = fmt::format("generator '{}'", generator.name)},
                           blueprint);
    GeneratorScene scene{spec.planar, spec.gravity, spec.seed, 0.0};
    if (good) scene.fullness = fullness(shapes, blueprint, spec.planar);
    std::vector<Fault> faults = generator_faults(generator, scene);
    GeneratedGrains result;
    if (good && faults.empty()) {
      result = generate(generator, scene);
      faults = std::move(result.faults);
    }
    if (static_cast<Index>(context.dynamic.size()) + static_cast<Index>(result.grains.size()) > most_grains) {
      faults.push_back({generator.mark, fmt::format("the scene has more than {} bodies", most_grains)});
      result.grains.clear();
    }
    context.grains_missing |= !good || !faults.empty();
    context.faults.insert(context.faults.end(), faults.begin(), faults.end());
    context.warnings.insert(context.warnings.end(), result.warnings.begin(), result.warnings.end());
    add_grains(context, generator, blueprint, result.grains);
  }
}

}  // namespace grus
