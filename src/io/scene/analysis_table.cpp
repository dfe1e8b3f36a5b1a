// What is computed from the frames of a run.
#include <limits>
#include <set>

#include <fmt/format.h>

#include "io/scene/tables.hpp"

namespace grus::scene {

namespace {

// A time, or `first` or `last`.
std::optional<Real> read_analysis_time(ValueReader& reader, const Entry& entry, const Node& node) {
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  if (node.kind == Node::Kind::scalar && node.text == "first") return -infinity;
  if (node.kind == Node::Kind::scalar && node.text == "last") return infinity;
  return reader.number(entry.key, node, later);
}

void read_analysis_times(ValueReader& reader, const Entry& entry, AnalysisSpec& analysis) {
  const Node& node = *entry.value;
  if (node.kind != Node::Kind::list || node.items.empty()) {
    reader.mismatch(entry.key, node, "a list of times, first or last");
    return;
  }
  analysis.times.clear();
  for (const NodePtr& item : node.items) {
    if (const auto time = read_analysis_time(reader, entry, *item)) analysis.times.push_back(*time);
  }
}

const Object& map_box_table() {
  static const Object table = Describe<RegionSpec>("map box", "The box of the map.")
                                  .vector("min", &RegionSpec::min, VectorRule::point, any_length, "lowest corner")
                                  .required()
                                  .vector("max", &RegionSpec::max, VectorRule::point, any_length, "highest corner")
                                  .required()
                                  .finish([](ValueReader& reader, const Node& node, RegionSpec& box) {
                                    check_corners(reader, node, box.min, box.max);
                                  })
                                  .done();
  return table;
}

void read_map_box(ValueReader& reader, const Entry& entry, AnalysisSpec& analysis) {
  RegionSpec box;
  read_object(reader, map_box_table(), *entry.value, &box);
  analysis.box.emplace(box.min, box.max);
}

const Object& analysis_region_table() {
  static const Object table =
      Describe<RegionSpec>("analysis region",
                           "A box in which the solid fraction, coordination and forces are told apart.")
          .text("name", &RegionSpec::name, TextRule::name, "what it is called in analysis.json")
          .required()
          .vector("min", &RegionSpec::min, VectorRule::point, any_length, "lowest corner")
          .required()
          .vector("max", &RegionSpec::max, VectorRule::point, any_length, "highest corner")
          .required()
          .finish([](ValueReader& reader, const Node& node, RegionSpec& region) {
            check_corners(reader, node, region.min, region.max);
          })
          .done();
  return table;
}

}  // namespace

void check_corners(ValueReader& reader, const Node& node, const Vec3& min, const Vec3& max) {
  for (int axis = 0; axis < (reader.planar ? 2 : 3); ++axis) {
    if (max[axis] > min[axis]) continue;
    reader.fault(*node.find("max")->value,
                 fmt::format("max: found {} {:g} not above min {:g}", "xyz"[axis], max[axis], min[axis]));
  }
}

const Object& analysis_table() {
  static const Object table =
      Describe<AnalysisSpec>("analysis",
                             "What is computed from the frames at the end of a run, and by `grus analyze`, into "
                             "analysis.json: solid fraction in cells and regions, coordination, forces, fabric. "
                             "Changing it does not change the motion.")
          .custom("times", "list of numbers, first, last", read_analysis_times,
                  "when; a frame is written at each of these times")
          .unit("s")
          .fallback("[first, last]")
          .number("cell", &AnalysisSpec::cell, some_length, "side of a cell of the map, fitted to its box")
          .fallback("twice the mean size of the dynamic bodies")
          .custom("box", "map box", read_map_box, "what the map covers")
          .elements()
          .nested(map_box_table())
          .fallback("the bounds of the dynamic bodies")
          .choice("across", &AnalysisSpec::across, Names<int>{{"x", 0}, {"y", 1}, {"z", 2}},
                  "spatial scenes: the axis that the map is averaged over")
          .integer("samples", &AnalysisSpec::samples, {2, 100},
                   "sample points along the side of a cell; regions are sampled as finely")
          .number("strength", &AnalysisSpec::strength, {0.0, 1e15, "N"},
                  "bodies with a contact force above this are counted, as a measure of breakage")
          .list("regions", &AnalysisSpec::regions, analysis_region_table(), "boxes of their own")
          .finish([](ValueReader& reader, const Node&, AnalysisSpec& analysis) {
            std::set<std::string> names;
            for (const RegionSpec& region : analysis.regions) {
              if (!names.insert(region.name).second)
                reader.faults().add(region.mark, fmt::format("two regions are named '{}'", region.name));
            }
          })
          .done();
  return table;
}

}  // namespace grus::scene
