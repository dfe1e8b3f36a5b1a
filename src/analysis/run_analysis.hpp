// What is asked of a run besides its curves, from its frames: solid fraction in cells and regions, coordination,
// forces, fabric, at chosen times. Reads DIR/frames and nothing else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/contact_network.hpp"
#include "analysis/sample_grid.hpp"
#include "analysis/solid_fraction.hpp"
#include "core/parallel.hpp"
#include "model/spec.hpp"

namespace grus {

struct RegionAnalysis {
  std::string name;
  CellCount count;
  Real free_volume = 0.0;     // m3 (planar: m2) outside fixed, kinematic and linked bodies
  Coordination coordination;  // of bodies whose centre lies in the region
  ForceStatistics forces;     // of contacts in the region
};

struct FrameAnalysis {
  Real time = 0.0;  // s, of the frame
  std::int64_t step = 0;
  std::vector<CellCount> cells;  // of RunAnalysis::grid, x fastest
  std::vector<RegionAnalysis> regions;
  Coordination coordination;
  ForceStatistics forces;
  Fabric fabric;
  Index overloaded = 0;  // bodies with a contact force above the strength
};

struct RunAnalysis {
  std::string scene;
  AnalysisSpec spec;
  bool planar = false;
  Real time_step = 0.0;  // s
  Vec3 up = Vec3::UnitZ();
  SampleGrid grid;
  std::vector<FrameAnalysis> frames;  // by time

  Real region_spacing() const;  // m, of the points in regions
};

// Throws IoError without frames, InputError for times outside the frames and for maps without an end.
RunAnalysis analyze_run(const ForeignFolder& folder, const AnalysisSpec& spec, const Parallel& parallel);
inline RunAnalysis analyze_run(const std::string& directory, const AnalysisSpec& spec, const Parallel& parallel) {
  return analyze_run(ForeignFolder(directory), spec, parallel);
}

// The map: counts summed along spec.across (planar: as they are).
struct MapAxes {
  int first = 0, second = 1, across = 2;
};
MapAxes map_axes(const RunAnalysis& analysis);
// First axis fastest.
std::vector<CellCount> map_counts(const RunAnalysis& analysis, const FrameAnalysis& frame);
CellCount total(const std::vector<CellCount>& cells);

// A line per frame, for people.
std::vector<std::string> analysis_words(const RunAnalysis& analysis);

}  // namespace grus
