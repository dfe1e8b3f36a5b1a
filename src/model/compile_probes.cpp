// Probes (columns of series.csv) and checks: names to indices, quantities to codes, expressions read.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/nearest_name.hpp"
#include "model/compile_context.hpp"
#include "model/expression.hpp"
#include "model/series_columns.hpp"

namespace grus {

namespace {

using Quantity = Probe::Quantity;
using Source = Probe::Source;

struct QuantityFacts {
  std::string_view name;
  Quantity quantity;
  std::string_view unit;
  bool is_vector;
  bool about_z;  // a vector that has only z in the plane; others have only x and y
  std::initializer_list<Source> of;
};

// Of groups after a reduction; count, outside and surface_angle stand alone.
constexpr std::initializer_list<Source> bodies_only{Source::body};
constexpr std::initializer_list<Source> bodies_and_groups{Source::body, Source::group};
constexpr std::initializer_list<Source> bodies_and_joints{Source::body, Source::joint};
constexpr std::initializer_list<Source> groups_only{Source::group};
constexpr std::initializer_list<Source> coordinates_only{Source::coordinate};
constexpr std::initializer_list<Source> springs_only{Source::spring};
constexpr std::initializer_list<Source> coordinates_and_springs{Source::coordinate, Source::spring};

constexpr std::array<QuantityFacts, 15> quantities{{
    {"position", Quantity::position, "m", true, false, bodies_and_groups},
    {"velocity", Quantity::velocity, "m/s", true, false, bodies_and_groups},
    {"angular_velocity", Quantity::angular_velocity, "rad/s", true, true, bodies_and_groups},
    {"speed", Quantity::speed, "m/s", false, false, bodies_and_groups},
    {"angle", Quantity::angle, "rad", false, false, bodies_only},
    {"force", Quantity::force, "N", true, false, bodies_and_joints},
    {"torque", Quantity::torque, "N m", true, true, bodies_and_joints},
    {"surface_angle", Quantity::surface_angle, "rad", false, false, groups_only},
    {"count", Quantity::count, "1", false, false, groups_only},
    {"outside", Quantity::outside, "m", false, false, groups_only},
    {"position", Quantity::position, "m", false, false, coordinates_only},
    {"length", Quantity::length, "m", false, false, springs_only},
    {"rate", Quantity::rate, "m/s", false, false, coordinates_and_springs},
    {"force", Quantity::force, "N", false, false, coordinates_and_springs},
    {"power", Quantity::power, "W", false, false, coordinates_only},
}};

bool fits(const QuantityFacts& facts, Source source) {
  return std::find(facts.of.begin(), facts.of.end(), source) != facts.of.end();
}

const char* source_name(Source source) {
  switch (source) {
    case Source::body:
      return "body";
    case Source::group:
      return "group";
    case Source::coordinate:
      return "coordinate";
    case Source::joint:
      return "joint";
    case Source::spring:
      return "spring";
    case Source::input:
      return "input";
    case Source::expression:
      break;
  }
  return "expression";
}

constexpr std::array<std::pair<std::string_view, Probe::Reduce>, 4> reductions{{
    {"mean", Probe::Reduce::mean},
    {"min", Probe::Reduce::min},
    {"max", Probe::Reduce::max},
    {"rms", Probe::Reduce::rms},
}};

bool stands_alone(Quantity quantity) {
  return quantity == Quantity::count || quantity == Quantity::outside || quantity == Quantity::surface_angle;
}

struct QuantityChoice {
  std::string text;
  Quantity quantity;
  Probe::Reduce reduce = Probe::Reduce::mean;
  int component = 0;
  std::string_view unit;
};

void add_choices(std::vector<QuantityChoice>& choices, const QuantityFacts& facts, const std::string& prefix,
                 Probe::Reduce reduce, bool planar) {
  if (!facts.is_vector) {
    if (facts.quantity == Quantity::angle && !planar) return;
    choices.push_back({prefix + std::string(facts.name), facts.quantity, reduce, 0, facts.unit});
    return;
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (planar && facts.about_z != (axis == 2)) continue;
    const std::string letter(1, "xyz"[axis]);
    choices.push_back({fmt::format("{}{}.{}", prefix, facts.name, letter), facts.quantity, reduce, axis, facts.unit});
    // position is what one asks for most: mean.z for mean.position.z
    if (facts.quantity == Quantity::position)
      choices.push_back({prefix + letter, facts.quantity, reduce, axis, facts.unit});
  }
}

// Everything a probe of this kind may say in this scene.
std::vector<QuantityChoice> quantity_choices(Source source, bool planar) {
  std::vector<QuantityChoice> choices;
  for (const QuantityFacts& facts : quantities) {
    if (!fits(facts, source)) continue;
    if (source != Source::group || stands_alone(facts.quantity)) {
      add_choices(choices, facts, "", Probe::Reduce::mean, planar);
      continue;
    }
    for (const auto& [name, reduce] : reductions) add_choices(choices, facts, std::string(name) + ".", reduce, planar);
  }
  return choices;
}

// Short form of the choices for a message: vectors and reductions folded.
std::string describe_choices(Source source, bool planar) {
  std::vector<std::string> words;
  for (const QuantityFacts& facts : quantities) {
    if (!fits(facts, source)) continue;
    if (facts.quantity == Quantity::angle && !planar) continue;
    std::string word(facts.name);
    if (facts.is_vector) word += !planar ? ".x|y|z" : facts.about_z ? ".z" : ".x|y";
    if (source == Source::group && !stands_alone(facts.quantity)) word = "mean|min|max|rms." + word;
    words.push_back(std::move(word));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

void read_quantity(CompileContext& context, const ProbeSpec& spec, Probe& probe) {
  const bool planar = context.spec.planar;
  const std::vector<QuantityChoice> choices = quantity_choices(probe.source, planar);
  for (const QuantityChoice& choice : choices) {
    if (choice.text != spec.quantity) continue;
    probe.quantity = choice.quantity;
    probe.reduce = choice.reduce;
    probe.component = choice.component;
    probe.unit = choice.unit;
    return;
  }
  std::vector<std::string> texts;
  for (const QuantityChoice& choice : choices) texts.push_back(choice.text);
  const std::string nearest = nearest_name(spec.quantity, texts);
  const std::string guess = nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
  context.fault(spec.mark, fmt::format("probe '{}': unknown quantity '{}' of a {} in a {} scene{}; expected one of {}",
                                       spec.column, spec.quantity, source_name(probe.source),
                                       planar ? "planar" : "spatial", guess, describe_choices(probe.source, planar)));
}

Index read_axis(CompileContext& context, const ProbeSpec& spec, const std::string& text, std::string_view key) {
  const std::string_view axes = context.spec.planar ? "xy" : "xyz";
  if (text.size() == 1 && axes.find(text[0]) != std::string_view::npos) return static_cast<Index>(axes.find(text[0]));
  context.fault(spec.mark, fmt::format("probe '{}': {} is '{}', expected {}", spec.column, key, text,
                                       context.spec.planar ? "x or y" : "x, y or z"));
  return no_index;
}

void read_surface_axes(CompileContext& context, const ProbeSpec& spec, Probe& probe) {
  // the default up axis of a planar scene is y
  const std::string up = context.spec.planar && spec.up == "z" ? "y" : spec.up;
  probe.along = read_axis(context, spec, spec.along, "along");
  probe.up = read_axis(context, spec, up, "up");
  if (probe.along == probe.up && probe.up != no_index)
    context.fault(spec.mark, fmt::format("probe '{}': along and up are the same axis", spec.column));
}

class NameTable {
 public:
  explicit NameTable(const std::vector<std::string>& names) : names_(names) {
    for (std::size_t i = 0; i < names.size(); ++i) index_.emplace(names[i], static_cast<Index>(i));
  }
  Index find(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? no_index : found->second;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  const std::vector<std::string>& names_;
  std::unordered_map<std::string_view, Index> index_;
};

void read_members(CompileContext& context, const ProbeSpec& spec, const ModelNames& names, Index dynamic_count,
                  Probe& probe) {
  if (spec.group == "all") {
    probe.members.resize(static_cast<std::size_t>(dynamic_count));
    std::iota(probe.members.begin(), probe.members.end(), 0);
    return;
  }
  const auto found = std::find(names.group.begin(), names.group.end(), spec.group);
  if (found == names.group.end()) {
    std::vector<std::string> known = names.group;
    known.emplace_back("all");
    context.fault(spec.mark, fmt::format("probe '{}': unknown group '{}'{}", spec.column, spec.group,
                                         name_hint(spec.group, known)));
    return;
  }
  const auto group = static_cast<Index>(found - names.group.begin());
  for (Index i = 0; i < dynamic_count; ++i) {
    if (names.group_of[static_cast<std::size_t>(i)] == group) probe.members.push_back(i);
  }
}

void read_body(CompileContext& context, const ProbeSpec& spec, const NameTable& bodies, const Model* model,
               Probe& probe) {
  probe.body = bodies.find(spec.body);
  const bool excused = context.grains_missing && spec.body.ends_with(']');
  if (probe.body == no_index && !excused)
    context.fault(spec.mark, fmt::format("probe '{}': unknown body '{}'{}", spec.column, spec.body,
                                         name_hint(spec.body, bodies.names())));
  if (!spec.at) return;
  const std::string what = fmt::format("probe '{}': at", spec.column);
  if (!check_vector(context, spec.mark, what, *spec.at) || !check_in_plane(context, spec.mark, what, *spec.at)) return;
  const bool of_point =
      probe.quantity == Quantity::position || probe.quantity == Quantity::velocity || probe.quantity == Quantity::speed;
  if (!of_point) context.fault(spec.mark, what + " goes with position, velocity and speed");
  probe.has_point = true;
  if (!model || probe.body == no_index) return;
  const auto i = static_cast<std::size_t>(probe.body);
  probe.at = model->R_UB[i].conjugate() * (*spec.at - model->p_UB[i]);
}

bool has_endless_walls(const Model& model, Index body) {
  const auto first = model.colliders.begin();
  return std::any_of(first + model.collider_begin[static_cast<std::size_t>(body)],
                     first + model.collider_begin[static_cast<std::size_t>(body) + 1],
                     [](const Collider& collider) { return is_unbounded(collider.kind); });
}

void read_container(CompileContext& context, const ProbeSpec& spec, const NameTable& bodies, const Model* model,
                    Probe& probe) {
  if (spec.container.empty()) {
    context.fault(
        spec.mark,
        fmt::format("probe '{}': outside needs 'container', the body whose walls enclose the group", spec.column));
    return;
  }
  probe.body = bodies.find(spec.container);
  if (probe.body == no_index)
    context.fault(spec.mark, fmt::format("probe '{}': unknown container '{}'{}", spec.column, spec.container,
                                         name_hint(spec.container, bodies.names())));
  else if (model && !has_endless_walls(*model, probe.body))
    context.fault(
        spec.mark,
        fmt::format("probe '{}': '{}' has neither planes nor a tube or ring, so that nothing is outside of it",
                    spec.column, spec.container));
}

// Where a name stands among lists of names, one list for each mechanism.
struct Found {
  Index mechanism = no_index, index = no_index;
};

Found find_name(const std::vector<MechanismNames>& mechanisms, std::vector<std::string> MechanismNames::*list,
                const std::string& name, std::vector<std::string>& known) {
  for (std::size_t m = 0; m < mechanisms.size(); ++m) {
    const std::vector<std::string>& names = mechanisms[m].*list;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return {static_cast<Index>(m), static_cast<Index>(found - names.begin())};
    known.insert(known.end(), names.begin(), names.end());
  }
  return {};
}

void refuse_name(CompileContext& context, const ProbeSpec& spec, Source source, const std::string& name,
                 const std::vector<std::string>& known) {
  const std::string hint = known.empty() ? ", the scene has none" : name_hint(name, known);
  context.fault(spec.mark, fmt::format("probe '{}': unknown {} '{}'{}", spec.column, source_name(source), name, hint));
}

// Units of a turn: rad and N m for m and N.
std::string_view unit_of_turn(Quantity quantity) {
  switch (quantity) {
    case Quantity::position:
      return "rad";
    case Quantity::rate:
      return "rad/s";
    case Quantity::force:
      return "N m";
    default:
      return "W";
  }
}

void read_coordinate(CompileContext& context, const ProbeSpec& spec, const ModelNames& names, Probe& probe) {
  std::vector<std::string> known;
  const Found found = find_name(names.mechanism, &MechanismNames::coordinate, spec.coordinate, known);
  if (found.mechanism == no_index) {
    refuse_name(context, spec, Source::coordinate, spec.coordinate, known);
    return;
  }
  probe.mechanism = found.mechanism;
  probe.coordinate = found.index;
  const Mechanism& mechanism = context.mechanisms[static_cast<std::size_t>(found.mechanism)];
  const Index position = mechanism.coordinates[static_cast<std::size_t>(found.index)].position;
  if (position == no_index && probe.quantity == Quantity::position)
    context.fault(spec.mark, fmt::format("probe '{}': '{}' is a component of a rotation in space, which has a rate but "
                                         "no position of its own",
                                         spec.column, spec.coordinate));
  const bool slides = std::any_of(mechanism.axes.begin(), mechanism.axes.end(), [&](const JointAxis& axis) {
    return axis.kind == AxisKind::slide && axis.velocity == found.index;
  });
  if (!slides) probe.unit = unit_of_turn(probe.quantity);
}

// A body of a mechanism stands for its joint.
void read_joint(CompileContext& context, const ProbeSpec& spec, const ModelNames& names, Probe& probe) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < context.linked.size(); ++i) {
    const LinkedDraft& body = context.linked[i];
    known.push_back(body.name);
    if (body.name != spec.joint) continue;
    probe.mechanism = body.mechanism;
    probe.link = static_cast<Index>(context.dynamic.size() + i) -
                 context.mechanisms[static_cast<std::size_t>(body.mechanism)].first_body;
    return;
  }
  const Found loop = find_name(names.mechanism, &MechanismNames::loop, spec.joint, known);
  probe.mechanism = loop.mechanism;
  probe.cut = loop.index;
  if (loop.mechanism != no_index) return;
  const auto joint = std::find(names.joint.begin(), names.joint.end(), spec.joint);
  if (joint != names.joint.end()) {
    probe.cut = static_cast<Index>(joint - names.joint.begin());
    return;
  }
  known.insert(known.end(), names.joint.begin(), names.joint.end());
  refuse_name(context, spec, Source::joint, spec.joint, known);
}

void read_spring(CompileContext& context, const ProbeSpec& spec, const ModelNames& names, Probe& probe) {
  std::vector<std::string> known;
  const Found found = find_name(names.mechanism, &MechanismNames::point_force, spec.spring, known);
  probe.mechanism = found.mechanism;
  probe.spring = found.index;
  if (found.mechanism == no_index) refuse_name(context, spec, Source::spring, spec.spring, known);
}

void read_formula(CompileContext& context, const ProbeSpec& spec, const std::vector<std::string>& columns,
                  Probe& probe) {
  const std::size_t before = context.faults.size();
  auto expression = read_expression(spec.expression, columns, context.spec.parameters, spec.mark, context.faults);
  if (expression) probe.expression = std::make_shared<RowExpression>(std::move(*expression));
  if (context.faults.size() > before)
    context.faults.back().message = fmt::format("probe '{}': {}", spec.column, context.faults.back().message);
}

// The only source given; nothing after a fault.
std::optional<Source> find_source(CompileContext& context, const ProbeSpec& spec) {
  std::optional<Source> source;
  int count = 0;
  for (const auto& [text, kind] :
       {std::pair{&spec.body, Source::body}, std::pair{&spec.group, Source::group},
        std::pair{&spec.coordinate, Source::coordinate}, std::pair{&spec.joint, Source::joint},
        std::pair{&spec.spring, Source::spring}, std::pair{&spec.expression, Source::expression}}) {
    if (text->empty()) continue;
    source = kind;
    ++count;
  }
  if (count == 1) return source;
  context.fault(spec.mark,
                fmt::format("probe '{}' gives {} of body, group, coordinate, joint, spring and expression, expected "
                            "exactly one",
                            spec.column, count));
  return std::nullopt;
}

Probe read_probe(CompileContext& context, const ProbeSpec& spec, const std::vector<std::string>& columns,
                 const ModelNames& names, const NameTable& bodies, const Model* model) {
  Probe probe;
  probe.column = spec.column;
  const std::optional<Source> source = find_source(context, spec);
  if (!source) return probe;
  probe.source = *source;
  if (probe.source != Source::expression) read_quantity(context, spec, probe);
  if (spec.at && probe.source != Source::body)
    context.fault(spec.mark, fmt::format("probe '{}': 'at' is a point of a body, expected body", spec.column));
  if (!spec.container.empty() && (probe.source != Source::group || probe.quantity != Quantity::outside))
    context.fault(spec.mark, fmt::format("probe '{}': 'container' goes with outside of a group", spec.column));
  switch (probe.source) {
    case Source::body:
      read_body(context, spec, bodies, model, probe);
      break;
    case Source::group:
      read_members(context, spec, names, static_cast<Index>(context.dynamic.size()), probe);
      if (probe.quantity == Quantity::surface_angle) read_surface_axes(context, spec, probe);
      if (probe.quantity == Quantity::outside) read_container(context, spec, bodies, model, probe);
      break;
    case Source::coordinate:
      read_coordinate(context, spec, names, probe);
      break;
    case Source::joint:
      read_joint(context, spec, names, probe);
      break;
    case Source::spring:
      read_spring(context, spec, names, probe);
      break;
    case Source::input:
      break;  // they have columns of their own
    case Source::expression:
      read_formula(context, spec, columns, probe);
      break;
  }
  return probe;
}

std::vector<std::string> standard_column_names() {
  std::vector<std::string> names;
  for (const SeriesColumn& column : standard_columns) names.emplace_back(column.name);
  return names;
}

void check_column_name(CompileContext& context, const ProbeSpec& spec, const std::vector<std::string>& columns) {
  if (spec.column.empty()) {
    context.fault(spec.mark, "a probe needs a column name");
    return;
  }
  // the header of series.csv is a line of bare names
  if (spec.column.find_first_of(",\"' \t\r\n") != std::string::npos)
    context.fault(spec.mark, fmt::format("column name '{}' holds a comma, a quote or a space", spec.column));
  if (std::find(columns.begin(), columns.end(), spec.column) == columns.end()) return;
  const auto standard = std::find_if(standard_columns.begin(), standard_columns.end(),
                                     [&](const SeriesColumn& column) { return column.name == spec.column; });
  context.fault(spec.mark, standard == standard_columns.end()
                               ? fmt::format("column '{}' is defined twice", spec.column)
                               : fmt::format("column '{}' is written by itself, choose another name", spec.column));
}

std::vector<std::string> all_columns(const Spec& spec) {
  std::vector<std::string> columns = standard_column_names();
  for (const InputSpec& input : spec.inputs) columns.push_back(input.name);
  for (const ProbeSpec& probe : spec.probes) columns.push_back(probe.column);
  return columns;
}

void check_bounds(CompileContext& context, const CheckSpec& check) {
  const std::string what = fmt::format("check '{}'", check.name);
  if (!check.below && !check.above && !check.near)
    context.fault(check.mark, what + " needs a bound: below, above or near");
  for (const auto& [key, bound] :
       {std::pair{"below", check.below}, std::pair{"above", check.above}, std::pair{"near", check.near}}) {
    if (bound) check_finite(context, check.mark, fmt::format("{}: {}", what, key), *bound);
  }
  check_not_negative(context, check.mark, what + ": tolerance", check.tolerance);
  if (!(check.from <= check.to))
    context.fault(check.mark, fmt::format("{}: the window from {} to {} is empty", what, check.from, check.to));
}

}  // namespace

std::vector<Probe> compile_probes(CompileContext& context, const ModelNames& names, const Model* model) {
  const NameTable bodies(names.body);
  std::vector<std::string> columns = standard_column_names();
  std::vector<Probe> probes;
  for (const InputSpec& input : context.spec.inputs) {
    Probe& probe = probes.emplace_back();
    probe.source = Source::input;
    probe.input = static_cast<Index>(probes.size() - 1);
    probe.column = input.name;
    probe.unit = input.unit;
    columns.push_back(input.name);
  }
  for (const ProbeSpec& spec : context.spec.probes) {
    check_column_name(context, spec, columns);
    probes.push_back(read_probe(context, spec, columns, names, bodies, model));
    columns.push_back(spec.column);
  }
  return probes;
}

void check_figures(CompileContext& context) {
  const std::vector<std::string> columns = all_columns(context.spec);
  for (const FigureSpec& figure : context.spec.figures) {
    std::vector<std::string> wanted = figure.y;
    wanted.push_back(figure.x);
    for (const std::string& column : wanted) {
      if (std::find(columns.begin(), columns.end(), column) != columns.end()) continue;
      context.fault(figure.mark, fmt::format("figure '{}': '{}' is no column of series.csv{}", figure.title, column,
                                             name_hint(column, columns)));
    }
    if (figure.y.empty()) context.fault(figure.mark, fmt::format("figure '{}' has no columns in y", figure.title));
  }
}

void check_checks(CompileContext& context) {
  const std::vector<std::string> columns = all_columns(context.spec);
  std::vector<std::string> known = columns;
  known.insert(known.end(), summary_keys.begin(), summary_keys.end());
  for (const CheckSpec& check : context.spec.checks) {
    const bool is_column = std::find(columns.begin(), columns.end(), check.of) != columns.end();
    if (std::find(known.begin(), known.end(), check.of) == known.end())
      context.fault(check.mark, fmt::format("check '{}': '{}' is neither a column nor a key of the summary{}",
                                            check.name, check.of, name_hint(check.of, known)));
    check_bounds(context, check);
    const bool compares = check.needs_against();
    using Reduce = CheckSpec::Reduce;
    if (!is_column && (compares || check.reduce == Reduce::rise || check.reduce == Reduce::period))
      context.fault(check.mark,
                    fmt::format("check '{}': rises, periods, max_error and rms_error are of columns", check.name));
    if (compares && check.against.empty())
      context.fault(check.mark, fmt::format("check '{}' needs 'against', an expression of t and columns", check.name));
    if (!compares && !check.against.empty())
      context.fault(check.mark, fmt::format("check '{}': 'against' goes with max_error, rms_error or change_per_period",
                                            check.name));
    if (compares && !check.against.empty())
      read_expression(check.against, columns, context.spec.parameters, check.mark, context.faults);
  }
}

}  // namespace grus
