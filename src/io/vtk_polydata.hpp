// A VTK PolyData file as text (VTK file formats, "XML file formats"), its arrays appended: each a UInt64 length and the
// bytes, in base64. A third more bytes than raw, but well-formed XML that every reader takes. Internal to io/vtk.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "math/vector.hpp"

namespace grus {

class VtkPolyData {
 public:
  struct Array {
    std::string name;
    int components = 1;
    std::vector<float> values;
  };

  std::vector<float> points;  // 3 per point
  // Cells by lists of points. Points that belong to no polygon need a vertex cell each to be seen.
  bool vertex_per_point = false;
  std::vector<std::int32_t> polygon_points;
  std::vector<std::int32_t> polygon_ends;  // running count of polygon_points after each polygon
  std::vector<Array> point_data;

  std::size_t point_count() const { return points.size() / 3; }
  void add_point(const Vec3& p);
  std::string text() const;
};

}  // namespace grus
