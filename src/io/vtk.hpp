// Frames for ParaView, in DIR/vtk/: per frame grains-N.vtp (a point per ball with radius, velocity, id), shapes-N.vtp
// (surfaces of all other shapes) and contacts-N.vtp (points with force vectors), and run.pvd, which lists them by time.
// VTK XML PolyData, little-endian.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/frames.hpp"
#include "io/run_folder.hpp"

namespace grus {

class VtkWriter {
 public:
  // Goes on after the first `frame_count` frames of an earlier run in the folder, which must outlive the writer; 0
  // starts with none. time_step turns impulses over a step into forces.
  VtkWriter(RunFolder& folder, FrameScene scene, Real time_step, std::int64_t frame_count = 0);

  // Writes the frame's files whole, then the list.
  void append(const FrameData& frame);

  std::int64_t frame_count() const { return static_cast<std::int64_t>(times_.size()); }

 private:
  RunFolder* folder_;
  FrameScene scene_;
  Real time_step_ = 0.0;
  std::vector<std::string> times_;  // as written in run.pvd
};

}  // namespace grus
