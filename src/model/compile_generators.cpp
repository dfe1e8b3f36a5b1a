// Generators: the template to a blueprint, the places to bodies.
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "core/hash.hpp"
#include "model/compile_context.hpp"
#include "model/generators.hpp"
#include "model/stone_library.hpp"

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

struct GeneratorDraft {
  const GeneratorSpec* spec = nullptr;
  std::vector<Blueprint> blueprints;  // one per variant
  std::vector<Real> unit_size;        // m, size of each at scale 1
  GeneratorScene scene;
  bool good = false;
};

void add_grains(CompileContext& context, const GeneratorDraft& draft, const std::vector<GrainPlacement>& grains) {
  const GeneratorSpec& spec = *draft.spec;
  const auto first = static_cast<Index>(context.blueprints.size());
  const Index group = context.add_group(spec.name);
  context.dynamic.reserve(context.dynamic.size() + grains.size());
  for (std::size_t i = 0; i < grains.size(); ++i) {
    const GrainPlacement& grain = grains[i];
    const auto variant = static_cast<std::size_t>(grain.variant);
    const Quat& R_UB = draft.blueprints[variant].R_UB;
    BodyDraft body;
    body.blueprint = first + grain.variant;
    body.scale = grain.size / draft.unit_size[variant];
    body.position = grain.position;
    body.rotation = R_UB.vec().isZero(0.0) ? grain.rotation : unit(grain.rotation * R_UB);
    body.angle = grain.angle;
    body.velocity = grain.velocity;
    body.release_time = grain.release_time;
    body.group = group;
    body.name = fmt::format("{}[{}]", spec.name, i);
    if (context.body_marks.contains(body.name))
      context.fault(spec.mark,
                    fmt::format("generator '{}': its grain '{}' has the name of a body", spec.name, body.name));
    context.dynamic.push_back(std::move(body));
  }
  for (const Blueprint& blueprint : draft.blueprints) context.blueprints.push_back(blueprint);
}

// A stone of the library as the only shape of a body; its frame is the body's user frame.
std::vector<ShapeSpec> stone_shape(const GeneratorSpec& generator, const std::shared_ptr<const ConvexHull>& hull) {
  ShapeSpec shape;
  shape.mark = generator.mark;
  shape.kind = ShapeKind::polyhedron;
  shape.hull = hull;
  shape.position = -hull->center;
  return {shape};
}

// The shapes that its grains may have: one as a rule, or a library of stones.
std::vector<std::vector<ShapeSpec>> templates_of(CompileContext& context, const GeneratorSpec& generator) {
  std::vector<std::vector<ShapeSpec>> templates;
  const auto add = [&](const StoneLibrary& library) {
    for (const auto& hull : library) templates.push_back(stone_shape(generator, hull));
  };
  const auto add_or_fault = [&](const std::variant<StoneLibrary, std::string>& result) {
    if (const auto* message = std::get_if<std::string>(&result))
      context.fault(generator.mark, fmt::format("generator '{}': {}", generator.name, *message));
    else
      add(std::get<StoneLibrary>(result));
  };
  if (generator.kind == GeneratorSpec::Kind::bed) {
    if (generator.bed) add(generator.bed->shapes);
  } else if (generator.stone_mesh) {
    add_or_fault(digitised_stones(*generator.stone_mesh));
  } else if (generator.stone) {
    const std::vector<std::string> errors = stone_errors(*generator.stone);
    for (const std::string& error : errors)
      context.fault(generator.stone->mark, fmt::format("generator '{}': stone: {}", generator.name, error));
    if (errors.empty()) {
      Hash hash;
      hash.value(context.spec.seed);
      hash.bytes(generator.name.data(), generator.name.size());
      add_or_fault(random_stones(*generator.stone, hash.digest()));
    }
  } else {
    templates.push_back(generator.cluster.empty() ? std::vector<ShapeSpec>{generator.shape} : generator.cluster);
  }
  return templates;
}

GeneratorDraft check_generator(CompileContext& context, const GeneratorSpec& generator) {
  const Spec& spec = context.spec;
  const std::size_t faults_before = context.faults.size();
  check_name(context, generator);
  GeneratorDraft draft;
  draft.spec = &generator;
  draft.scene = {spec.planar, spec.gravity, spec.seed, {}, spec.settle ? spec.settle->growth_from : 1.0};
  const bool is_stone = generator.stone || generator.stone_mesh || generator.kind == GeneratorSpec::Kind::bed;
  for (const std::vector<ShapeSpec>& shapes : templates_of(context, generator)) {
    Blueprint blueprint;
    const bool has_template = make_blueprint(context,
                                             {.shapes = shapes,
                                              .material = generator.material,
                                              .density = generator.density,
                                              .mark = generator.mark,
                                              .what = fmt::format("generator '{}'", generator.name)},
                                             blueprint);
    const Real d = 2.0 * blueprint.bound_radius;
    // stones of a library have sieve size 1
    draft.unit_size.push_back(is_stone ? 1.0 : d);
    draft.scene.templates.push_back(
        {is_stone ? d : 1.0, has_template ? blueprint.measure / (spec.planar ? d * d : d * d * d) : 0.0});
    draft.blueprints.push_back(std::move(blueprint));
    if (!has_template) break;  // the others of a library have the same faults
  }
  // placement is checked even when the shape is not: a person corrects both at once
  if (draft.scene.templates.empty()) draft.scene.templates.emplace_back();
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
    context.grains_missing |= !drafts.back().good || generator.bed_is_unknown;
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
    for (const std::string& warning : result.warnings) context.warn(draft.spec->mark, warning);
    add_grains(context, draft, result.grains);
  }
}

}  // namespace grus
