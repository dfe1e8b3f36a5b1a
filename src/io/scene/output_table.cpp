// What a run writes and what it must show: probes, checks, figures, outputs, runs.
#include "io/scene/tables.hpp"

#include <fmt/format.h>

#include "io/scene/document.hpp"

namespace grus::scene {

const Object& probe_table() {
  static const Object table =
      Describe<ProbeSpec>("probe", "A column of series.csv.")
          .text("column", &ProbeSpec::column, TextRule::name, "name in the header")
          .required()
          .text("body", &ProbeSpec::body, TextRule::name, "a body's name")
          .text("group", &ProbeSpec::group, TextRule::name, "a group or generator, or `all` dynamic bodies")
          .text("coordinate", &ProbeSpec::coordinate, TextRule::name, "of a mechanism, such as crank.angle")
          .text("joint", &ProbeSpec::joint, TextRule::name,
                "a body of a mechanism (its joint), a loop, or an element of `joints`")
          .text("spring", &ProbeSpec::spring, TextRule::name, "a spring between two points")
          .text("expression", &ProbeSpec::expression, TextRule::expression,
                "of t, parameters and columns defined before")
          .exactly_one_of({"body", "group", "coordinate", "joint", "spring", "expression"})
          .text("quantity", &ProbeSpec::quantity, TextRule::name,
                "of a body: position.x, velocity.y, speed, angular_velocity.z, angle, force.x, torque.z (of its "
                "contacts); of a group: mean, min, max or rms of these, as in mean.position.z, or surface_angle, "
                "count, outside; of a coordinate: position, rate, force (of its springs and motors, or of its drive), "
                "power; of "
                "a joint: force.x, torque.z (reaction on the body, or on side b, at the joint, world axes); of a "
                "spring: length, rate, force (positive: pushes apart)")
          .only_of({"body", "group", "coordinate", "joint", "spring"})
          .required()
          .vector("at", &ProbeSpec::at, VectorRule::point, any_length,
                  "position, velocity and speed of this point, in the body's frame")
          .only_of({"body"})
          .fallback("the centre of mass")
          .text("container", &ProbeSpec::container, TextRule::name,
                "outside: largest distance of a centre in the group beyond the planes, tube or ring of this container "
                "or wall; negative while all are inside. Walls are taken without their edges: what has been thrown "
                "over one is outside; an open face has no wall, and what is beyond it, between the others, is inside")
          .only_of({"group"})
          .text("along", &ProbeSpec::along, TextRule::name, "surface_angle: horizontal axis")
          .only_of({"group"})
          .text("up", &ProbeSpec::up, TextRule::name, "surface_angle: vertical axis")
          .fallback("z, planar y")
          .only_of({"group"})
          .finish([](ValueReader& reader, const Node& node, ProbeSpec& probe) {
            if (!node.find("up") && reader.planar) probe.up = "y";
          })
          .done();
  return table;
}

const Object& check_table() {
  using Reduce = CheckSpec::Reduce;
  static const Object table =
      Describe<CheckSpec>("check", "A number of the run that must lie within a bound; a failed check is exit code 1.")
          .text("name", &CheckSpec::name, TextRule::name, "what it says in summary.json")
          .required()
          .text("of", &CheckSpec::of, TextRule::name,
                "a column of series.csv, or a key of summary.json such as penetration_max")
          .required()
          .choice(
              "reduce", &CheckSpec::reduce,
              Names<Reduce>{{"last", Reduce::last},
                            {"first", Reduce::first},
                            {"min", Reduce::min},
                            {"max", Reduce::max},
                            {"mean", Reduce::mean},
                            {"range", Reduce::range},
                            {"rise", Reduce::rise},
                            {"period", Reduce::period},
                            {"change_per_period", Reduce::change_per_period},
                            {"max_error", Reduce::max_error},
                            {"rms_error", Reduce::rms_error}},
              "one number from the column; rise: the largest rise above an earlier value; period: mean time between "
              "upward crossings of the middle of its range; change_per_period: mean change from one upward "
              "crossing of `against` to the next")
          .text("against", &CheckSpec::against, TextRule::expression,
                "an expression of t, parameters and columns; max_error, rms_error: the expected value; "
                "change_per_period: what swings")
          .number("from", &CheckSpec::from, any_number, "first time looked at")
          .unit("s")
          .fallback("the start")
          .number("to", &CheckSpec::to, any_number, "last time looked at")
          .unit("s")
          .fallback("the end")
          .number("below", &CheckSpec::below, {-1e300, 1e300}, "passes when the number is below; at the bound it fails")
          .number("above", &CheckSpec::above, {-1e300, 1e300}, "passes when the number is above; at the bound it fails")
          .number("near", &CheckSpec::near, {-1e300, 1e300}, "passes within `tolerance` of this, or at that distance")
          .number("tolerance", &CheckSpec::tolerance, {0.0, 1e300}, "with near")
          .only_of({"near"})
          .required()
          .finish([](ValueReader& reader, const Node& node, CheckSpec& check) {
            if (!check.below && !check.above && !check.near)
              reader.fault(node, "check needs a bound: below, above or near");
            if (check.needs_against() && check.against.empty())
              reader.fault(node, check.reduce == Reduce::change_per_period
                                     ? "check per period needs the key 'against': what swings"
                                     : "check that reduces to an error needs the key 'against': the expected value");
            if (!check.needs_against() && !check.against.empty())
              reader.fault(*node.find("against"),
                           "'against' is only for reduce: max_error, rms_error or change_per_period");
            if (check.from > check.to) reader.fault(*node.find("to"), "to: found a time before from");
          })
          .done();
  return table;
}

namespace {
void read_columns(ValueReader& reader, const Entry& entry, FigureSpec& figure) {
  const auto add = [&](const Node& node) {
    if (const auto column = reader.text(entry.key, node, TextRule::name)) figure.y.push_back(*column);
  };
  if (entry.value->kind == Node::Kind::scalar) {
    add(*entry.value);
  } else {
    for (const NodePtr& item : reader.list(entry.key, *entry.value)) add(*item);
  }
}
}  // namespace

const Object& figure_table() {
  static const Object table =
      Describe<FigureSpec>("figure", "A figure of the report. Changing it does not change the motion.")
          .text("title", &FigureSpec::title, TextRule::any, "what it shows")
          .required()
          .text("x", &FigureSpec::x, TextRule::name, "a column of series.csv")
          .custom("y", "name or list of names", read_columns, "columns of series.csv, one curve each")
          .required()
          .boolean("log", &FigureSpec::log, "logarithmic")
          .done();
  return table;
}

const Object& output_table() {
  static const Object table =
      Describe<OutputSpec>("outputs", "What is written beside summary.json. Changing it does not change the motion.")
          .number("series", &OutputSpec::series_interval, later,
                  "simulated time between rows of series.csv; 0: every step")
          .custom(
              "frames", "number or false",
              [](ValueReader& reader, const Entry& entry, OutputSpec& outputs) {
                if (entry.value->kind == Node::Kind::scalar && entry.value->text == "false") {
                  outputs.frames = false;
                } else if (const auto interval = reader.number(entry.key, *entry.value, later)) {
                  outputs.frame_interval = *interval;
                }
              },
              "simulated time between frames; 0: only the first and the last; false: none")
          .unit("s")
          .fallback("0")
          .boolean("contacts", &OutputSpec::contacts_in_frames, "contacts with their impulses in the frames")
          .boolean("vtk", &OutputSpec::vtk, "frames for ParaView too")
          .number("checkpoint", &OutputSpec::checkpoint_interval, {1e-9, largest, "s"},
                  "simulated time between checkpoints, instead of wall time")
          .number("checkpoint_seconds", &OutputSpec::checkpoint_seconds, {0.01, 1e6, "s"},
                  "wall time between checkpoints")
          .number("frame_part_megabytes", &OutputSpec::frame_part_megabytes, {0.01, 4096.0, "MB"},
                  "size at which a part of the frames is closed")
          .done();
  return table;
}

namespace {
void read_settings(ValueReader& reader, const Entry& entry, RunSpec& run) {
  if (entry.value->kind != Node::Kind::map) {
    reader.mismatch(entry.key, *entry.value, "a map of parameters or settings and their values");
    return;
  }
  for (const Entry& setting : entry.value->entries) run.set.emplace_back(setting.key, to_flow(*setting.value));
}
}  // namespace

const Object& run_table() {
  static const Object table =
      Describe<RunSpec>("run", "One run of a study: the scene with some settings changed, written to DIR/name/.")
          .text("name", &RunSpec::name, TextRule::folder, "name of its folder")
          .required()
          .custom("set", "map of name: value", read_settings, "as --set: parameters, or settings by path")
          .elements()
          .done();
  return table;
}

}  // namespace grus::scene
