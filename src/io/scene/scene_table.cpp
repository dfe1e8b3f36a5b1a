// The top level of a scene.
#include "io/scene/tables.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "solvers/registry.hpp"

namespace grus::scene {

namespace {

const Names<ContactLawKind>& law_names() {
  static const Names<ContactLawKind> names{{"newton", ContactLawKind::newton}, {"gap", ContactLawKind::gap}};
  return names;
}

Names<SolverKind> solver_kind_names() {
  Names<SolverKind> names;
  for (const SolverEntry& entry : solver_registry()) names.emplace_back(entry.name, entry.kind);
  return names;
}

Names<SweepOrder> sweep_order_names() {
  Names<SweepOrder> names;
  for (const SweepOrderEntry& entry : sweep_orders()) names.emplace_back(entry.name, entry.order);
  return names;
}

const Object& about_table() {
  static const Object table = Describe<AboutSpec>("about", "For the gallery.")
                                  .text("title", &AboutSpec::title, TextRule::any, "one line: what it shows")
                                  .text("paper", &AboutSpec::paper, TextRule::any, "where it comes from")
                                  .number("seconds", &AboutSpec::seconds, later, "run time on two cores")
                                  .boolean("leads", &AboutSpec::leads, "this scene speaks for its folder")
                                  .done();
  return table;
}

const Object& time_table() {
  static const Object table =
      Describe<Spec>("time", "Step and end of the simulation.")
          .number(
              "step", [](Spec& s) -> Real& { return s.integrator.step; }, {1e-9, 1e3, "s"}, "time step h")
          .required()
          .number("end", &Spec::end, {1e-9, largest, "s"}, "simulated time; at most 1e9 steps")
          .required()
          .finish([](ValueReader& reader, const Node& node, Spec& spec) {
            constexpr Real most_steps = 1e9;
            if (spec.end / spec.integrator.step > most_steps)
              reader.fault(*node.find("end")->value, fmt::format("end: found {:g} steps, expected at most {:g}",
                                                                 spec.end / spec.integrator.step, most_steps));
          })
          .done();
  return table;
}

const Object& integrator_table() {
  static const Object table =
      Describe<Spec>("integrator", "Time integration.")
          .choice("kind", &Spec::integrator_kind, Names<std::string>{{"moreau-jean", "moreau-jean"}}, "scheme")
          .number(
              "theta", [](Spec& s) -> Real& { return s.integrator.theta; }, {0.5, 1.0},
              "1/2: second order in smooth motion; 1: implicit, needed by the gap law")
          .fallback("0.5; 1 when any contact law is gap")
          .choice(
              "bias", [](Spec& s) -> BiasKind& { return s.integrator.bias; },
              Names<BiasKind>{{"explicit", BiasKind::explicit_euler}, {"midpoint", BiasKind::midpoint}},
              "velocity at which gyroscopic and other velocity-dependent forces are taken")
          .done();
  return table;
}

const Object& solver_table() {
  static const Object table =
      Describe<Spec>("solver", "Solution of the contact problem of each step.")
          .choice(
              "kind", [](Spec& s) -> SolverKind& { return s.solver.kind; }, solver_kind_names(),
              "method; `grus solvers` tells what each is, docs/solvers/ when to use it")
          .number(
              "tolerance", [](Spec& s) -> Real& { return s.solver.tolerance; }, {1e-15, 1.0},
              "on the scaled natural map, free of units")
          .number(
              "machine_tolerance", [](Spec& s) -> std::optional<Real>& { return s.solver.machine_tolerance; },
              {1e-15, 1e3, "m/s"},
              "on what the worst contact, joint stop, dry friction or limited motor of a mechanism is off by, turns "
              "times "
              "the size of the mechanism; by default a tenth of what gravity adds in one step")
          .integer(
              "max_iterations", [](Spec& s) -> Index& { return s.solver.max_iterations; }, {1, 1e9},
              "sweeps, or steps of the method, after which a step goes on unconverged, and is counted")
          .choice(
              "order", [](Spec& s) -> SweepOrder& { return s.solver.order; }, sweep_order_names(),
              "in which sweeps over the assembled problem visit the contacts: nlgs-anderson, -newton, -projection, "
              "-lemke, -qp")
          .integer(
              "facets", [](Spec& s) -> Index& { return s.solver.facets; }, {3, 256},
              "of the friction cone in nlgs-lemke and nlgs-qp; planar scenes need none")
          .done();
  return table;
}

const Object& contact_table() {
  static const Object table =
      Describe<Spec>("contact", "Contact in general; friction and restitution are in `pairs`.")
          .choice("law", &Spec::law, law_names(),
                  "newton: impacts with restitution; gap: inelastic, for dense beds; of pairs that name none")
          .number(
              "recovery_speed", [](Spec& s) -> Real& { return s.contact.recovery_speed; }, {0.0, 1e3, "m/s"},
              "fastest removal of penetration; 0 leaves it alone")
          .number(
              "recovery_slop", [](Spec& s) -> Real& { return s.contact.recovery_slop; }, {0.0, 1.0},
              "depth left alone, as a part of the smallest bound radius")
          .number(
              "activation_skin", [](Spec& s) -> Real& { return s.contact.activation_skin; }, {0.0, 1.0},
              "gap law: distance at which pairs take part even at rest, as a part of the smallest bound radius")
          .number(
              "penetration_warning", [](Spec& s) -> Real& { return s.contact.penetration_warning; }, {0.0, 1e3},
              "depth beyond which a run warns, as a part of the smallest bound radius")
          .done();
  return table;
}

struct Domain {
  Vec3 min = Vec3::Constant(-1e30), max = Vec3::Constant(1e30);
};

const Object& domain_table() {
  static const Object table =
      Describe<Domain>("domain",
                       "Bodies outside this box count as lost. Without it: the box about everything at the start, "
                       "grown by its diagonal on every side.")
          .vector("min", &Domain::min, VectorRule::point, any_length, "lowest corner")
          .required()
          .vector("max", &Domain::max, VectorRule::point, any_length, "highest corner")
          .required()
          .finish([](ValueReader& reader, const Node& node, Domain& domain) {
            check_corners(reader, node, domain.min, domain.max);
            if (reader.planar) domain.min.z() = -1e30, domain.max.z() = 1e30;
          })
          .done();
  return table;
}

void read_domain(ValueReader& reader, const Entry& entry, Spec& spec) {
  Domain domain;
  read_object(reader, domain_table(), *entry.value, &domain);
  spec.domain.emplace(domain.min, domain.max);
}

void read_range(ValueReader& reader, const Entry& entry, InputSpec& input) {
  const Node& node = *entry.value;
  if (node.kind != Node::Kind::list || node.items.size() != 2) {
    reader.mismatch(entry.key, node, "two numbers [lowest, highest]");
    return;
  }
  input.lower = reader.number(entry.key, *node.items[0], any_number).value_or(input.lower);
  input.upper = reader.number(entry.key, *node.items[1], any_number).value_or(input.upper);
}

const Object& input_table() {
  static const Object table =
      Describe<InputSpec>("input",
                          "A number that is set from outside while the scene runs. Functions of time, forces and "
                          "probes use it by its name, and it is a column of series.csv.")
          .text("name", &InputSpec::name, TextRule::name, "name")
          .required()
          .number("default", &InputSpec::start, any_number, "value until another one is set")
          .text("unit", &InputSpec::unit, TextRule::any, "for the report")
          .custom("range", "[lowest, highest]", read_range, "values that may be set")
          .fallback("any")
          .custom(
              "table", time_function_type,
              [](ValueReader& reader, const Entry& entry, InputSpec& input) {
                input.table = read_time_function(reader, entry);
              },
              "values over time; then it cannot be set from outside, and has no default")
          .at_most_one_of({"default", "table"})
          .finish([](ValueReader& reader, const Node&, InputSpec& input) {
            reader.inputs.name.push_back(input.name);
            reader.inputs.start.push_back(input.start);
          })
          .done();
  return table;
}

const Object& material_table() {
  static const Object table =
      Describe<MaterialSpec>("material", "A name that pairs and bodies refer to.")
          .text("name", &MaterialSpec::name, TextRule::name, "name; `any` is taken")
          .required()
          .number("density", &MaterialSpec::density, some_density,
                  "planar scenes: times `thickness`; needed by bodies without a mass")
          .finish([](ValueReader& reader, const Node& node, MaterialSpec& material) {
            if (material.name == "any")
              reader.fault(*node.find("name")->value, "name: 'any' stands for every material in pairs");
          })
          .done();
  return table;
}

void read_between(ValueReader& reader, const Entry& entry, PairSpec& pair) {
  const Node& node = *entry.value;
  if (node.kind != Node::Kind::list || node.items.size() != 2) {
    reader.mismatch(entry.key, node, "two material names [a, b]");
    return;
  }
  pair.a = reader.text(entry.key, *node.items[0], TextRule::name).value_or("");
  pair.b = reader.text(entry.key, *node.items[1], TextRule::name).value_or("");
}

const Object& pair_table() {
  static const Object table =
      Describe<PairSpec>("pair", "What happens where two materials touch.")
          .custom("between", "[name, name]", read_between, "two materials; `any` is every material and yields to names")
          .required()
          .number("friction", &PairSpec::friction, {0.0, 100.0}, "Coulomb's coefficient")
          .fallback("that of the pair with `any`, else 0")
          .number("restitution", &PairSpec::restitution, {0.0, 1.0}, "Newton's coefficient; newton law only")
          .fallback("that of the pair with `any`, else 0")
          .choice("law", &PairSpec::law, law_names(), "instead of contact.law")
          .fallback("contact.law")
          .done();
  return table;
}

void name_by_place(std::vector<BodySpec>& bodies, std::size_t begin, const char* list) {
  for (std::size_t i = begin; i < bodies.size(); ++i) {
    if (bodies[i].name.empty()) bodies[i].name = fmt::format("{}[{}]", list, i - begin);
  }
}

// Lists that share Spec::bodies are read one after the other and named apart.
auto read_bodies(const Object& table) {
  return [&table](ValueReader& reader, const Entry& entry, Spec& spec) {
    const std::size_t begin = spec.bodies.size();
    const bool was_in_list = reader.in_list;
    reader.in_list = true;
    for (const NodePtr& item : reader.list(entry.key, *entry.value)) {
      spec.bodies.emplace_back();
      spec.bodies.back().mark = item->mark.source();
      read_object(reader, table, *item, &spec.bodies.back());
    }
    reader.in_list = was_in_list;
    name_by_place(spec.bodies, begin, entry.key.c_str());
  };
}

template <class Element>
void default_material(ValueReader& reader, const std::vector<MaterialSpec>& materials, Element& element,
                      const char* what) {
  if (!element.material.empty()) return;
  if (materials.size() == 1) {
    element.material = materials.front().name;
    return;
  }
  std::vector<std::string> names;
  for (const MaterialSpec& material : materials) names.push_back(material.name);
  const std::string expected =
      materials.empty() ? "and the scene has no materials" : "expected one of " + name_list(names);
  reader.faults().add(element.mark, fmt::format("{} '{}' names no material, {}", what, element.name, expected));
}

void name_by_place(Spec& spec) {
  for (std::size_t i = 0; i < spec.joints.size(); ++i) {
    if (spec.joints[i].name.empty()) spec.joints[i].name = fmt::format("joints[{}]", i);
  }
  const auto complete = [](auto& elements, const std::string& owner, const char* list) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (elements[i].name.empty()) elements[i].name = fmt::format("{}.{}[{}]", owner, list, i);
    }
  };
  for (std::size_t i = 0; i < spec.mechanisms.size(); ++i) {
    MechanismSpec& mechanism = spec.mechanisms[i];
    if (mechanism.name.empty()) mechanism.name = fmt::format("mechanisms[{}]", i);
    complete(mechanism.loops, mechanism.name, "loops");
    complete(mechanism.springs, mechanism.name, "springs");
    complete(mechanism.forces, mechanism.name, "forces");
  }
}

void check_analysis(ValueReader& reader, const Node& node, const Spec& spec) {
  if (!spec.analysis) return;
  const Entry& analysis = *node.find("analysis");
  if (!spec.outputs.frames)
    reader.fault(analysis, "analysis: found 'outputs.frames: false', expected frames to look at");
  for (const Real time : spec.analysis->times) {
    if (std::isfinite(time) && time > spec.end)
      reader.fault(*analysis.value->find("times"),
                   fmt::format("times: found {:g} s, expected at most the end of the run, {:g} s", time, spec.end));
  }
}

void finish_scene(ValueReader& reader, const Node& node, Spec& spec) {
  check_analysis(reader, node, spec);
  name_by_place(spec);
  for (BodySpec& body : spec.bodies) default_material(reader, spec.materials, body, "body");
  for (MechanismSpec& mechanism : spec.mechanisms) {
    for (LinkSpec& link : mechanism.bodies) {
      // without shapes it touches nothing
      if (!link.body.shapes.empty()) default_material(reader, spec.materials, link.body, "body");
    }
  }
  for (GeneratorSpec& generator : spec.generators) default_material(reader, spec.materials, generator, "generator");
  if (!node.find("gravity")) spec.gravity = spec.planar ? Vec3(0, -9.81, 0) : Vec3(0, 0, -9.81);
  const bool any_gap = spec.law == ContactLawKind::gap ||
                       std::any_of(spec.pairs.begin(), spec.pairs.end(),
                                   [](const PairSpec& pair) { return pair.law == ContactLawKind::gap; });
  if (any_gap && !reader.marks.contains("integrator.theta")) spec.integrator.theta = 1.0;
}

}  // namespace

const Object& scene_table() {
  static const Object table =
      Describe<Spec>("scene", "The keys at the left margin.")
          // parameters and planar first: every value after them depends on them
          .custom(
              "parameters", "map of name: number", read_parameters,
              "names for formulas and for --set; a parameter may use others, in any order; true and false are 1 and 0")
          .elements()
          .custom(
              "planar", "true or false",
              [](ValueReader& reader, const Entry& entry, Spec& spec) {
                spec.planar = reader.boolean(entry.key, *entry.value).value_or(false);
                reader.planar = spec.planar;
              },
              "motion in the xy plane")
          .fallback("false")
          .list("inputs", &Spec::inputs, input_table(), "numbers that are set from outside while the scene runs")
          .text("scene", &Spec::name, TextRule::folder, "name of the scene, and of the folder of its results")
          .fallback("the file's name")
          .section("about", &Spec::about, about_table(), "for the gallery")
          .custom(
              "include", "list of file names", [](ValueReader&, const Entry&, Spec&) {},
              "files composed below this one, relative to it: maps merge, lists of elements append, this file wins")
          .elements()
          .number("thickness", &Spec::thickness, some_length, "planar scenes: depth that turns density into mass")
          .vector("gravity", &Spec::gravity, VectorRule::point, {-1e6, 1e6, "m/s2"}, "acceleration of free fall")
          .fallback("[0, 0, -9.81], planar [0, -9.81]")
          .integer("seed", &Spec::seed, {0, 9007199254740992.0}, "of everything random")
          .section("time", self, time_table(), "step and end")
          .required()
          .section("integrator", self, integrator_table(), "time integration")
          .section("solver", self, solver_table(), "contact solver")
          .section("contact", self, contact_table(), "contact in general")
          .custom("domain", "domain", read_domain, "bodies outside count as lost")
          .elements()
          .nested(domain_table())
          .list("materials", &Spec::materials, material_table(), "names and densities")
          .list("pairs", &Spec::pairs, pair_table(), "friction and restitution between materials")
          .custom("bodies", "list of body", read_bodies(body_table()), "rigid bodies")
          .elements()
          .nested(body_table())
          .custom("walls", "list of wall", read_bodies(wall_table()), "fixed or driven surfaces")
          .elements()
          .nested(wall_table())
          .custom("containers", "list of container", read_bodies(container_table()),
                  "boxes, cylinders, rings that hold grains")
          .elements()
          .nested(container_table())
          .list("mechanisms", &Spec::mechanisms, mechanism_table(), "machines: bodies joined in relative coordinates")
          .list("joints", &Spec::joints, cut_table(),
                "between free bodies, or one and the ground, kept at velocity level; `a` is written first")
          .list("generators", &Spec::generators, generator_table(), "many grains at once")
          .custom(
              "settle", "settle",
              [](ValueReader& reader, const Entry& entry, Spec& spec) {
                spec.settle.emplace();
                spec.settle->mark = entry.mark.source();
                read_object(reader, settle_table(), *entry.value, &*spec.settle);
              },
              "for `grus bed`: run until the stones are at rest")
          .elements()
          .nested(settle_table())
          .list("probes", &Spec::probes, probe_table(), "columns of series.csv")
          .list("checks", &Spec::checks, check_table(), "bounds that the run must keep")
          .list("figures", &Spec::figures, figure_table(), "figures of the report, as in the paper")
          .section("outputs", &Spec::outputs, output_table(), "what is written")
          .section("analysis", &Spec::analysis, analysis_table(), "what is computed from the frames")
          .list("runs", &Spec::runs, run_table(), "a study: several runs of this scene")
          .finish(finish_scene)
          .done();
  return table;
}

}  // namespace grus::scene
