#include "analysis/analysis_files.hpp"

#include <cmath>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "grus/version.hpp"
#include "io/file_fault.hpp"
#include "io/json_text.hpp"
#include "io/whole_file.hpp"

namespace grus {

namespace {

using Json = nlohmann::ordered_json;

constexpr int analysis_version = 1;
constexpr char axis_names[] = "xyz";

std::string axis_name(int axis) { return {axis_names[axis]}; }

template <class Vector>
Json list_of(const Vector& v) {
  Json list = Json::array();
  for (int i = 0; i < 3; ++i) list.push_back(v[i]);
  return list;
}

Json matrix_json(const Mat3& m) {
  Json rows = Json::array();
  for (int i = 0; i < 3; ++i) rows.push_back({m(i, 0), m(i, 1), m(i, 2)});
  return rows;
}

// Five digits are below the error of any map that can be drawn, and halve the file.
Real brief(Real fraction) { return std::round(fraction * 1e5) / 1e5; }

Json coordination_json(const Coordination& z) {
  return {{"bodies", z.bodies},
          {"mean", z.mean},
          {"mean_without_rattlers", z.mean_without_rattlers},
          {"rattlers", z.rattlers},
          {"histogram", z.histogram}};
}

Json forces_json(const ForceStatistics& f) {
  return {{"contacts", f.contacts}, {"mean", f.mean},
          {"median", f.median},     {"p90", f.p90},
          {"p99", f.p99},           {"max", f.max},
          {"above_2", f.above_2},   {"above_5", f.above_5},
          {"above_10", f.above_10}, {"bin_width", force_bin_width},
          {"density", f.density}};
}

Json fabric_json(const Fabric& f, bool planar) {
  return {{"tensor", matrix_json(f.tensor)},
          {"values", list_of(f.values)},
          {"directions", matrix_json(f.directions.transpose())},
          {"anisotropy", f.anisotropy},
          {"density_over", planar ? "angle" : "cosine"},
          {"density", f.density}};
}

Json region_json(const RegionAnalysis& region, bool planar) {
  return {{"name", region.name},
          {"solid_fraction", region.count.fraction()},
          {"error", region.count.error(planar)},
          {"free_volume", region.free_volume},
          {"coordination", coordination_json(region.coordination)},
          {"forces", forces_json(region.forces)}};
}

Json frame_json_of(const RunAnalysis& analysis, const FrameAnalysis& frame) {
  Json map = Json::array(), regions = Json::array();
  for (const CellCount& cell : map_counts(analysis, frame)) map.push_back(brief(cell.fraction()));
  for (const RegionAnalysis& region : frame.regions) regions.push_back(region_json(region, analysis.planar));
  const CellCount all = total(frame.cells);
  Json json = {{"time", frame.time},
               {"step", frame.step},
               {"solid_fraction", all.fraction()},
               {"error", all.error(analysis.planar)},
               {"map", map},
               {"regions", regions},
               {"coordination", coordination_json(frame.coordination)},
               {"forces", forces_json(frame.forces)}};
  if (analysis.spec.strength) {
    const Index bodies = frame.coordination.bodies;
    json["overloaded"] = {{"strength", *analysis.spec.strength},
                          {"bodies", frame.overloaded},
                          {"part", bodies > 0 ? static_cast<Real>(frame.overloaded) / bodies : std::nan("")}};
  }
  json["fabric"] = fabric_json(frame.fabric, analysis.planar);
  return json;
}

Json analysis_json(const RunAnalysis& analysis) {
  const SampleGrid& grid = analysis.grid;
  const MapAxes axes = map_axes(analysis);
  // The largest expected error of a cell of the map: what its digits are worth.
  Real error = 0.0;
  Json frames = Json::array(), regions = Json::array();
  for (const FrameAnalysis& frame : analysis.frames) {
    frames.push_back(frame_json_of(analysis, frame));
    for (const CellCount& cell : map_counts(analysis, frame)) error = std::fmax(error, cell.error(analysis.planar));
  }
  for (const RegionSpec& region : analysis.spec.regions)
    regions.push_back({{"name", region.name}, {"min", list_of(region.min)}, {"max", list_of(region.max)}});
  const auto at = [](const auto& array, int axis) { return array[static_cast<std::size_t>(axis)]; };
  return {{"version", analysis_version},
          {"program_version", version()},
          {"scene", analysis.scene},
          {"planar", analysis.planar},
          {"time_step", analysis.time_step},
          {"up", list_of(analysis.up)},
          {"grid",
           {{"min", list_of(grid.min)},
            {"max", list_of(grid.max)},
            {"count", grid.count},
            {"cell", {grid.cell_size(0), grid.cell_size(1), grid.cell_size(2)}},
            {"samples", grid.samples}}},
          {"map",
           {{"axes", {axis_name(axes.first), axis_name(axes.second)}},
            {"across", axis_name(axes.across)},
            {"count", {at(grid.count, axes.first), at(grid.count, axes.second)}},
            {"min", {grid.min[axes.first], grid.min[axes.second]}},
            {"max", {grid.max[axes.first], grid.max[axes.second]}},
            {"error", error}}},
          {"regions", regions},
          {"frames", frames}};
}

// A column per frame and, of several, the change from the first to the last. Cells without free volume stay empty.
std::string header_of(const RunAnalysis& analysis, const std::string& coordinates) {
  std::string text = coordinates;
  for (const FrameAnalysis& frame : analysis.frames) text += fmt::format(",t={:.9g}", frame.time);
  return text + (analysis.frames.size() > 1 ? ",change\n" : "\n");
}

void append_fractions(std::string& text, const std::vector<Real>& fractions) {
  const auto put = [&](Real x) {
    text += ',';
    if (std::isfinite(x)) fmt::format_to(std::back_inserter(text), "{:.6g}", x);
  };
  for (const Real fraction : fractions) put(fraction);
  if (fractions.size() > 1) put(fractions.back() - fractions.front());
  text += '\n';
}

std::string map_table(const RunAnalysis& analysis) {
  const SampleGrid& grid = analysis.grid;
  const MapAxes axes = map_axes(analysis);
  std::vector<std::vector<CellCount>> maps;
  for (const FrameAnalysis& frame : analysis.frames) maps.push_back(map_counts(analysis, frame));
  std::string text = header_of(analysis, axis_name(axes.first) + "," + axis_name(axes.second));
  const Index width = grid.count[static_cast<std::size_t>(axes.first)];
  for (std::size_t k = 0; k < maps.front().size(); ++k) {
    const auto row = static_cast<Index>(k);
    fmt::format_to(std::back_inserter(text), "{:.9g},{:.9g}", grid.cell_centre(axes.first, row % width),
                   grid.cell_centre(axes.second, row / width));
    std::vector<Real> fractions;
    for (const auto& map : maps) fractions.push_back(map[k].fraction());
    append_fractions(text, fractions);
  }
  return text;
}

std::string cell_table(const RunAnalysis& analysis) {
  const SampleGrid& grid = analysis.grid;
  std::string text = header_of(analysis, analysis.planar ? "x,y" : "x,y,z");
  std::size_t k = 0;
  for (Index z = 0; z < grid.count[2]; ++z) {
    for (Index y = 0; y < grid.count[1]; ++y) {
      for (Index x = 0; x < grid.count[0]; ++x, ++k) {
        fmt::format_to(std::back_inserter(text), "{:.9g},{:.9g}", grid.cell_centre(0, x), grid.cell_centre(1, y));
        if (!analysis.planar) fmt::format_to(std::back_inserter(text), ",{:.9g}", grid.cell_centre(2, z));
        std::vector<Real> fractions;
        for (const FrameAnalysis& frame : analysis.frames) fractions.push_back(frame.cells[k].fraction());
        append_fractions(text, fractions);
      }
    }
  }
  return text;
}

}  // namespace

void write_analysis(const std::string& directory, const RunAnalysis& analysis) {
  const std::string folder = directory + "/analysis";
  std::error_code failed;
  // a link would lead the tables out of the run's folder
  if (std::filesystem::is_symlink(folder, failed)) throw file_fault(folder, "is a link, expected a folder");
  std::filesystem::create_directories(folder, failed);
  if (failed) throw IoError(fmt::format("cannot make the folder {}: {}", folder, failed.message()));
  write_whole_file(folder + "/map.csv", map_table(analysis));
  write_whole_file(folder + "/cells.csv", cell_table(analysis));
  write_whole_file(directory + "/analysis.json", json_text(analysis_json(analysis), -1));
}

}  // namespace grus
