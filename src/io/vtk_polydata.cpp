#include "io/vtk_polydata.hpp"

#include <numeric>

#include <fmt/format.h>

#include "io/base64.hpp"

namespace grus {
namespace {

// Collects arrays behind the XML and hands out their offsets.
class Appended {
 public:
  template <class T>
  std::size_t add(const std::vector<T>& values) {
    const std::size_t offset = text_.size();
    const std::uint64_t size = values.size() * sizeof(T);
    std::string bytes(reinterpret_cast<const char*>(&size), sizeof size);
    bytes.append(reinterpret_cast<const char*>(values.data()), size);
    text_ += base64(bytes);
    return offset;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string array_tag(const char* type, const std::string& name, int components, std::size_t offset) {
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n", type, name,
      components, offset);
}

std::vector<std::int32_t> counting_from(std::int32_t first, std::size_t count) {
  std::vector<std::int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

}  // namespace

void VtkPolyData::add_point(const Vec3& p) {
  for (int i = 0; i < 3; ++i) points.push_back(static_cast<float>(p[i]));
}

std::string VtkPolyData::text() const {
  const std::size_t vertices = vertex_per_point ? point_count() : 0;
  Appended appended;
  std::string xml = "<?xml version=\"1.0\"?>\n";
  xml += "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n";
  xml += fmt::format(
      "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"{}\">\n",
      point_count(), vertices, polygon_ends.size());
  xml += "<PointData>\n";
  for (const Array& a : point_data) xml += array_tag("Float32", a.name, a.components, appended.add(a.values));
  xml += "</PointData>\n<Points>\n" + array_tag("Float32", "Points", 3, appended.add(points)) + "</Points>\n";
  xml += "<Verts>\n" + array_tag("Int32", "connectivity", 1, appended.add(counting_from(0, vertices)));
  xml += array_tag("Int32", "offsets", 1, appended.add(counting_from(1, vertices))) + "</Verts>\n";
  xml += "<Polys>\n" + array_tag("Int32", "connectivity", 1, appended.add(polygon_points));
  xml += array_tag("Int32", "offsets", 1, appended.add(polygon_ends)) + "</Polys>\n";
  xml += "</Piece>\n</PolyData>\n<AppendedData encoding=\"base64\">\n_";
  return xml + appended.text() + "\n</AppendedData>\n</VTKFile>\n";
}

}  // namespace grus
