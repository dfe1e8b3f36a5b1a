#include "io/bed_file.hpp"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/file_fault.hpp"
#include "io/hashed_file.hpp"
#include "io/hdf5_arrays.hpp"
#include "io/hdf5_memory.hpp"
#include "model/polyhedron_of_faces.hpp"

namespace grus {
namespace {

// Grows when an array changes its meaning: files of another layout are refused.
constexpr std::int64_t bed_layout = 1;
constexpr const char* bed_kind = "grus bed";
constexpr const char* bed_advice = "make it anew with `grus bed`";

std::vector<double> flat(const std::vector<Vec3>& vectors) {
  std::vector<double> values;
  for (const Vec3& v : vectors) values.insert(values.end(), {v.x(), v.y(), v.z()});
  return values;
}

template <class T>
void write_list(Hdf5Memory& file, const std::string& name, const std::vector<T>& values, std::size_t columns = 1) {
  file.write(name, values.data(), values.size() / columns, columns);
}

// All shapes in one list each of vertices, faces and corners; the *_begin lists say where each shape's begin.
void write_shapes(Hdf5Memory& file, const Bed& bed) {
  std::vector<Vec3> vertices;
  std::vector<std::int64_t> vertex_begin{0}, face_begin{0}, corner_begin{0}, corners;
  for (const auto& shape : bed.shapes) {
    const Polyhedron& p = shape->polyhedron;
    vertices.insert(vertices.end(), p.vertices.begin(), p.vertices.end());
    for (std::size_t f = 0; f + 1 < p.face_begin.size(); ++f)
      corner_begin.push_back(corner_begin.back() + p.face_begin[f + 1] - p.face_begin[f]);
    corners.insert(corners.end(), p.face_vertices.begin(), p.face_vertices.end());
    vertex_begin.push_back(static_cast<std::int64_t>(vertices.size()));
    face_begin.push_back(static_cast<std::int64_t>(corner_begin.size()) - 1);
  }
  write_list(file, "/shapes/vertices", flat(vertices), 3);
  write_list(file, "/shapes/vertex_begin", vertex_begin);
  write_list(file, "/shapes/face_begin", face_begin);
  write_list(file, "/shapes/corner_begin", corner_begin);
  write_list(file, "/shapes/corners", corners);
}

void write_stones(Hdf5Memory& file, const Bed& bed) {
  std::vector<std::int64_t> shape;
  std::vector<double> scale, rotation;
  std::vector<Vec3> position;
  for (const BedStone& stone : bed.stones) {
    shape.push_back(stone.shape);
    scale.push_back(stone.scale);
    position.push_back(stone.position);
    for (int k = 0; k < 4; ++k) rotation.push_back(stone.rotation.coeffs()[k]);
  }
  write_list(file, "/stones/shape", shape);
  write_list(file, "/stones/scale", scale);
  write_list(file, "/stones/position", flat(position), 3);
  write_list(file, "/stones/rotation", rotation, 4);
}

// A list of positions that rises from 0 to `end`.
std::vector<std::int64_t> read_begins(const Hdf5Arrays& file, const std::string& name, std::size_t end) {
  const std::vector<std::int64_t> begins = file.read_int(name, 1);
  bool good = !begins.empty() && begins.front() == 0 && begins.back() == static_cast<std::int64_t>(end);
  for (std::size_t i = 0; good && i + 1 < begins.size(); ++i) good = begins[i] <= begins[i + 1];
  if (!good) throw Hdf5Error(name + " does not rise from 0 to the end");
  return begins;
}

void read_shapes(const Hdf5Arrays& file, Bed& bed) {
  const std::vector<double> numbers = file.read_real("/shapes/vertices", 3);
  const std::vector<std::int64_t> corners = file.read_int("/shapes/corners", 1);
  const auto vertex_begin = read_begins(file, "/shapes/vertex_begin", numbers.size() / 3);
  const auto corner_begin = read_begins(file, "/shapes/corner_begin", corners.size());
  const auto face_begin = read_begins(file, "/shapes/face_begin", corner_begin.size() - 1);
  if (face_begin.size() != vertex_begin.size()) throw Hdf5Error("shapes of different numbers");
  for (std::size_t s = 0; s + 1 < vertex_begin.size(); ++s) {
    std::vector<Vec3> vertices;
    for (auto v = static_cast<std::size_t>(vertex_begin[s]); v < static_cast<std::size_t>(vertex_begin[s + 1]); ++v)
      vertices.emplace_back(numbers[3 * v], numbers[3 * v + 1], numbers[3 * v + 2]);
    std::vector<Index> begins, faces;
    const std::int64_t first = corner_begin[static_cast<std::size_t>(face_begin[s])];
    for (std::int64_t f = face_begin[s]; f <= face_begin[s + 1]; ++f)
      begins.push_back(static_cast<Index>(corner_begin[static_cast<std::size_t>(f)] - first));
    for (std::int64_t c = first; c < first + begins.back(); ++c)
      faces.push_back(static_cast<Index>(corners[static_cast<std::size_t>(c)]));
    auto polyhedron = polyhedron_of_faces(std::move(vertices), std::move(begins), std::move(faces));
    if (!polyhedron) throw Hdf5Error(fmt::format("shape {} is no convex polyhedron", s));
    ConvexHull hull;
    hull.integrals = polyhedron_integrals(*polyhedron);
    hull.polyhedron = std::move(*polyhedron);
    bed.shapes.push_back(std::make_shared<const ConvexHull>(std::move(hull)));
  }
}

void read_stones(const Hdf5Arrays& file, Bed& bed) {
  const std::vector<std::int64_t> shape = file.read_int("/stones/shape", 1);
  const std::vector<double> scale = file.read_real("/stones/scale", 1);
  const std::vector<double> position = file.read_real("/stones/position", 3);
  const std::vector<double> rotation = file.read_real("/stones/rotation", 4);
  const std::size_t count = shape.size();
  if (scale.size() != count || position.size() != 3 * count || rotation.size() != 4 * count)
    throw Hdf5Error("arrays of different lengths");
  constexpr double farthest = 1e9;
  for (std::size_t i = 0; i < count; ++i) {
    BedStone stone;
    stone.shape = static_cast<Index>(shape[i]);
    stone.scale = scale[i];
    stone.position = Vec3(position[3 * i], position[3 * i + 1], position[3 * i + 2]);
    stone.rotation = Quat(rotation[4 * i + 3], rotation[4 * i], rotation[4 * i + 1], rotation[4 * i + 2]);
    const bool good = shape[i] >= 0 && shape[i] < static_cast<std::int64_t>(bed.shapes.size()) && stone.scale > 0.0 &&
                      stone.scale < farthest && stone.position.allFinite() && stone.position.norm() < farthest &&
                      std::abs(stone.rotation.norm() - 1.0) < 1e-9;
    if (!good) throw Hdf5Error(fmt::format("stone {} has no shape, size or place", i));
    bed.stones.push_back(stone);
  }
}

}  // namespace

void write_bed(const std::string& path, const BedFile& content) {
  std::string bytes;
  try {
    Hdf5Memory file;
    file.write_text("/kind", bed_kind);
    file.write("/layout", &bed_layout, 1, 1);
    file.write("/scene_hash", &content.scene_hash, 1, 1);
    file.write_text("/program_version", content.program_version);
    file.write_text("/scene", content.scene_text);
    file.make_group("/shapes");
    write_shapes(file, content.bed);
    file.make_group("/stones");
    write_stones(file, content.bed);
    file.make_group("/statistics");
    for (const auto& [name, values] : content.statistics) write_list(file, "/statistics/" + name, values);
    bytes = file.image();
  } catch (const Hdf5Error& e) {
    throw IoError(fmt::format("cannot make {}: {}", path, e.what()));
  }
  write_hashed_file(path, std::move(bytes));
}

BedFile parse_bed(const Hdf5Arrays& file, const std::string& path) {
  if (file.read_text("/kind") != bed_kind) throw Hdf5Error("another kind of file");
  const std::vector<std::int64_t> layout = file.read_int("/layout", 1);
  if (layout.size() != 1 || layout[0] != bed_layout)
    throw file_fault(path, fmt::format("is a bed of layout {}, this program reads layout {}; {}",
                                       layout.empty() ? 0 : layout[0], bed_layout, bed_advice));
  BedFile content;
  content.program_version = file.read_text("/program_version");
  content.scene_text = file.read_text("/scene");
  const std::vector<std::uint64_t> hash = file.read_unsigned("/scene_hash", 1);
  if (hash.size() != 1) throw Hdf5Error("cannot read /scene_hash");
  content.scene_hash = hash[0];
  read_shapes(file, content.bed);
  read_stones(file, content.bed);
  for (const std::string& name : file.list("/statistics"))
    content.statistics[name] = file.read_real("/statistics/" + name, 1);
  return content;
}

BedFile read_bed(const std::string& path) {
  const std::string bytes = read_hashed_file(path, "bed of Grus", bed_advice);
  try {
    return parse_bed(Hdf5Arrays::read(bytes), path);
  } catch (const Hdf5Error& e) {
    throw file_fault(path, fmt::format("is no bed this program can use ({}); {}", e.what(), bed_advice));
  }
}

std::shared_ptr<const Bed> read_kept_bed(const std::string& path, std::uint64_t scene_hash) {
  if (!std::filesystem::exists(path)) return nullptr;
  try {
    BedFile file = read_bed(path);
    if (file.scene_hash == scene_hash) return std::make_shared<const Bed>(std::move(file.bed));
  } catch (const InputError&) {
    // damaged: made anew
  }
  return nullptr;
}

}  // namespace grus
