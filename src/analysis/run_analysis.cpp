#include "analysis/run_analysis.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/file_fault.hpp"

namespace grus {

namespace {

// A map beyond these is a mistake in the cell or the box: gigabytes of text, hours of sampling.
constexpr Real most_cells = 2e6;
constexpr Real most_points = 2e9;

std::string index_path(const std::string& directory) { return directory + "/frames/index.json"; }

// Numbers of the frames nearest to the times asked for, rising, each once.
std::vector<std::int64_t> frames_at(const FrameReader& reader, const std::vector<Real>& times,
                                    const std::string& directory) {
  const std::vector<FrameEntry>& entries = reader.entries();
  if (entries.empty()) throw file_fault(index_path(directory), "no frames were found, expected at least one");
  std::vector<std::int64_t> numbers;
  std::vector<Fault> faults;
  const Real first = entries.front().time, last = entries.back().time;
  const Real rounding = 1e-9 * std::max(std::abs(last), reader.frame_count() > 1 ? last - first : 0.0);
  for (const Real time : times) {
    if (std::isfinite(time) && !(time >= first - rounding && time <= last + rounding)) {
      faults.push_back(
          {{index_path(directory), 0, 0},
           fmt::format("no frame at {:.6g} s was found, expected a time from {:.6g} to {:.6g} s", time, first, last)});
      continue;
    }
    const Real t = std::clamp(time, first, last);
    const auto nearest = std::min_element(
        entries.begin(), entries.end(),
        [&](const FrameEntry& a, const FrameEntry& b) { return std::abs(a.time - t) < std::abs(b.time - t); });
    numbers.push_back(nearest - entries.begin());
  }
  if (!faults.empty()) throw InputError(std::move(faults));
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// Frames lie at step * h; 0 when there is only the first one, which has no contacts.
Real time_step_of(const std::vector<FrameEntry>& entries) {
  const FrameEntry& last = entries.back();
  return last.step > 0 ? last.time / static_cast<Real>(last.step) : 0.0;
}

Vec3 up_of(const FrameScene& scene) {
  if (scene.gravity.norm() > 0.0) return Vec3::Zero() - scene.gravity.normalized();  // no minus zeros in the file
  return scene.planar ? Vec3::UnitY() : Vec3::UnitZ();
}

void check_size(const SampleGrid& grid, const std::string& what, const std::string& directory) {
  if (grid.cells_asked() <= most_cells && grid.points_asked() <= most_points) return;
  throw file_fault(
      index_path(directory),
      fmt::format("{} of {:.3g} x {:.3g} x {:.3g} m has {:.3g} cells and {:.3g} sample points, expected at "
                  "most {:.0e} and {:.0e}: take a larger cell, fewer samples or a smaller box",
                  what, grid.max.x() - grid.min.x(), grid.max.y() - grid.min.y(), grid.max.z() - grid.min.z(),
                  grid.cells_asked(), grid.points_asked(), most_cells, most_points));
}

// The box and the cell where the user named none: about the dynamic bodies of all frames looked at.
SampleGrid map_grid(const FrameReader& reader, const SceneShapes& shapes, const std::vector<std::int64_t>& numbers,
                    const AnalysisSpec& spec, const std::string& directory) {
  std::optional<Bounds> all;
  Real size = 0.0;
  if (!spec.box || !spec.cell) {
    for (const std::int64_t number : numbers) {
      const PlacedBodies bodies = place_bodies(shapes, reader.read(number));
      const std::optional<Bounds> b = dynamic_bounds(bodies);
      if (!b) continue;
      all = all ? Bounds{all->low.cwiseMin(b->low), all->high.cwiseMax(b->high)} : *b;
      size = mean_body_size(bodies);
    }
    if (!all)
      throw file_fault(index_path(directory),
                       "no dynamic body was found in the frames, expected some, or a box and a cell of the map");
  }
  const Vec3 low = spec.box ? spec.box->first : all->low, high = spec.box ? spec.box->second : all->high;
  const Real cell = spec.cell.value_or(2.0 * size);
  const SampleGrid grid = cell_grid(low, high, cell, spec.samples, reader.scene().planar);
  check_size(grid, "the map", directory);
  return grid;
}

RegionAnalysis analyze_region(const RegionSpec& region, const SampleGrid& grid, const PlacedBodies& bodies,
                              const Frame& frame, const ContactNetwork& network, const Parallel& parallel) {
  RegionAnalysis result;
  result.name = region.name;
  result.count = count_solid(bodies, grid, parallel).front();
  result.free_volume = grid.cell_volume() * static_cast<Real>(result.count.free) / grid.points_asked();
  std::vector<Index> neighbours;
  for (std::size_t body = 0; body < network.neighbours.size(); ++body) {
    const float* p = &frame.position[3 * body];
    if (grid.holds({p[0], p[1], p[2]})) neighbours.push_back(network.neighbours[body]);
  }
  result.coordination = coordination(neighbours);
  std::vector<Real> forces;
  for (const NetworkContact& c : network.contacts) {
    if (grid.holds(c.position)) forces.push_back(c.force.norm());
  }
  result.forces = force_statistics(std::move(forces));
  return result;
}

FrameAnalysis analyze_frame(const RunAnalysis& run, const SceneShapes& shapes, const Frame& frame,
                            const std::vector<SampleGrid>& region_grids, const Parallel& parallel) {
  FrameAnalysis result;
  result.time = frame.time;
  result.step = frame.step;
  const PlacedBodies bodies = place_bodies(shapes, frame);
  const ContactNetwork network = contact_network(shapes.scene, frame, run.time_step);
  result.cells = count_solid(bodies, run.grid, parallel);
  for (std::size_t r = 0; r < region_grids.size(); ++r)
    result.regions.push_back(analyze_region(run.spec.regions[r], region_grids[r], bodies, frame, network, parallel));
  result.coordination = coordination(network.neighbours);
  std::vector<Real> forces;
  for (const NetworkContact& c : network.contacts) forces.push_back(c.force.norm());
  result.forces = force_statistics(std::move(forces));
  result.fabric = fabric(network.contacts, run.up, run.planar);
  if (run.spec.strength) {
    result.overloaded = static_cast<Index>(std::count_if(network.largest_force.begin(), network.largest_force.end(),
                                                         [&](Real f) { return f > *run.spec.strength; }));
  }
  return result;
}

}  // namespace

Real RunAnalysis::region_spacing() const {
  return std::min({grid.spacing(0), grid.spacing(1), planar ? grid.spacing(0) : grid.spacing(2)});
}

RunAnalysis analyze_run(const ForeignFolder& folder, const AnalysisSpec& spec, const Parallel& parallel) {
  const std::string& directory = folder.path();
  const FrameReader reader(folder);
  const std::vector<std::int64_t> numbers = frames_at(reader, spec.times, directory);
  const SceneShapes shapes(reader.scene());
  RunAnalysis run;
  run.scene = reader.scene().name;
  run.spec = spec;
  run.planar = reader.scene().planar;
  run.time_step = time_step_of(reader.entries());
  run.up = up_of(reader.scene());
  run.grid = map_grid(reader, shapes, numbers, spec, directory);
  std::vector<SampleGrid> region_grids;
  for (const RegionSpec& region : spec.regions) {
    region_grids.push_back(region_grid(region.min, region.max, run.region_spacing(), run.planar));
    check_size(region_grids.back(), "region " + region.name, directory);
  }
  for (const std::int64_t number : numbers)
    run.frames.push_back(analyze_frame(run, shapes, reader.read(number), region_grids, parallel));
  return run;
}

MapAxes map_axes(const RunAnalysis& analysis) {
  const int across = analysis.planar ? 2 : analysis.spec.across;
  return {across == 0 ? 1 : 0, across == 2 ? 1 : 2, across};
}

std::vector<CellCount> map_counts(const RunAnalysis& analysis, const FrameAnalysis& frame) {
  const SampleGrid& grid = analysis.grid;
  const MapAxes axes = map_axes(analysis);
  const auto width = static_cast<std::size_t>(grid.count[static_cast<std::size_t>(axes.first)]);
  std::vector<CellCount> map(width * static_cast<std::size_t>(grid.count[static_cast<std::size_t>(axes.second)]));
  std::array<Index, 3> cell{};
  for (cell[2] = 0; cell[2] < grid.count[2]; ++cell[2]) {
    for (cell[1] = 0; cell[1] < grid.count[1]; ++cell[1]) {
      for (cell[0] = 0; cell[0] < grid.count[0]; ++cell[0]) {
        const auto at = static_cast<std::size_t>(cell[static_cast<std::size_t>(axes.second)]) * width +
                        static_cast<std::size_t>(cell[static_cast<std::size_t>(axes.first)]);
        map[at] += frame.cells[grid.cell_index(cell[0], cell[1], cell[2])];
      }
    }
  }
  return map;
}

CellCount total(const std::vector<CellCount>& cells) {
  CellCount sum;
  for (const CellCount& cell : cells) sum += cell;
  return sum;
}

std::vector<std::string> analysis_words(const RunAnalysis& analysis) {
  std::vector<std::string> lines;
  for (const FrameAnalysis& frame : analysis.frames) {
    std::string line = fmt::format("t = {:.6g} s: solid fraction {:.4f}", frame.time, total(frame.cells).fraction());
    for (const RegionAnalysis& region : frame.regions)
      line += fmt::format(", {} {:.4f}", region.name, region.count.fraction());
    if (frame.forces.contacts > 0) {
      line += fmt::format("; coordination {:.3g} ({:.3g} without rattlers), mean force {:.3g} N, largest {:.3g} N",
                          frame.coordination.mean, frame.coordination.mean_without_rattlers, frame.forces.mean,
                          frame.forces.max);
    } else {
      line += "; no contacts in this frame";
    }
    if (analysis.spec.strength)
      line += fmt::format("; {} bodies above {:.4g} N", frame.overloaded, *analysis.spec.strength);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace grus
