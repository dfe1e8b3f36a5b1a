#include "io/mesh_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "io/foreign_file.hpp"
#include "io/reader_limits.hpp"
#include "io/text_words.hpp"

namespace grus {

namespace {

// Coordinates beyond this are a mistake; the scale of a shape may still shrink them.
constexpr Real mesh_far = 1e9;

struct MeshFault {
  std::string message;
};

[[noreturn]] void fail_at_line(int line, const std::string& message) {
  throw MeshFault{fmt::format(":{}: {}", line, message)};
}
[[noreturn]] void fail_at_byte(std::size_t byte, const std::string& message) {
  throw MeshFault{fmt::format(": byte {}: {}", byte, message)};
}

Real number_of(std::string_view word, int line) {
  Real value = 0.0;
  std::string_view digits = word;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (word.empty() || stop != digits.data() + digits.size() || error != std::errc() || !std::isfinite(value))
    fail_at_line(line, fmt::format("found {}, expected a number", found_word(word)));
  if (std::abs(value) > mesh_far)
    fail_at_line(line, fmt::format("found the coordinate {:g}, expected at most {:g}", value, mesh_far));
  return value;
}

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

// Collects triangles; equal corners become one vertex.
class MeshBuilder {
 public:
  Index vertex(const Vec3& p) {
    Hash hash;
    // -0 and 0 are one place
    for (int axis = 0; axis < 3; ++axis) hash.value(p[axis] == 0.0 ? 0.0 : p[axis]);
    std::vector<Index>& same = known_[hash.digest()];
    for (const Index v : same) {
      if (mesh_.vertices[static_cast<std::size_t>(v)] == p) return v;
    }
    if (mesh_.vertices.size() == static_cast<std::size_t>(most_mesh_vertices))
      throw MeshFault{fmt::format(": more than {} vertices", most_mesh_vertices)};
    same.push_back(static_cast<Index>(mesh_.vertices.size()));
    mesh_.vertices.push_back(p);
    return same.back();
  }
  // False when there are too many.
  bool triangle(Index a, Index b, Index c) {
    if (a == b || b == c || c == a) return true;  // a line: nothing to see or to touch
    mesh_.triangles.push_back({a, b, c});
    return static_cast<Index>(mesh_.triangles.size()) <= most_mesh_triangles;
  }
  void begin_object(std::string_view name) {
    end_object();
    name_ = name.substr(0, 80);
  }
  TriangleMesh done() {
    end_object();
    return std::move(mesh_);
  }

 private:
  // Objects without a triangle do not count.
  void end_object() {
    const auto end = static_cast<Index>(mesh_.triangles.size());
    if (end == mesh_.object_begin.back()) return;
    mesh_.object_begin.push_back(end);
    mesh_.object_name.push_back(name_);
  }

  TriangleMesh mesh_;
  std::string name_;
  std::unordered_map<std::uint64_t, std::vector<Index>> known_;
};

std::string too_many() { return fmt::format("more than {} triangles", most_mesh_triangles); }

void expect(TextWords& words, std::string_view wanted) {
  const std::string_view word = words.next();
  if (lower(word) != wanted)
    fail_at_line(words.line(), fmt::format("found {}, expected '{}'", found_word(word), wanted));
}

TriangleMesh parse_text_stl(std::string_view text) {
  TextWords words(text);
  MeshBuilder builder;
  while (!words.at_end()) {
    expect(words, "solid");
    builder.begin_object(words.rest());
    while (true) {
      const std::string_view word = words.next();
      if (lower(word) == "endsolid") {
        words.rest();
        break;
      }
      if (lower(word) != "facet")
        fail_at_line(words.line(), fmt::format("found {}, expected 'facet' or 'endsolid'", found_word(word)));
      expect(words, "normal");
      for (int k = 0; k < 3; ++k) words.next();  // often wrong, so never used; some exporters write nan
      expect(words, "outer");
      expect(words, "loop");
      std::array<Index, 3> corners{};
      for (Index& corner : corners) {
        expect(words, "vertex");
        Vec3 p;
        for (int axis = 0; axis < 3; ++axis) {
          const std::string_view number = words.next();
          p[axis] = number_of(number, words.line());
        }
        corner = builder.vertex(p);
      }
      expect(words, "endloop");
      expect(words, "endfacet");
      if (!builder.triangle(corners[0], corners[1], corners[2])) fail_at_line(words.line(), too_many());
    }
  }
  return builder.done();
}

constexpr std::size_t stl_header = 80, stl_facet = 50;

std::uint32_t stl_count(std::string_view bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + stl_header, sizeof count);
  return count;
}

bool is_binary_stl(std::string_view bytes) {
  if (bytes.size() < stl_header + 4) return false;
  // some binary files start with "solid" too: their length gives them away
  if (bytes.size() == stl_header + 4 + stl_facet * std::size_t{stl_count(bytes)}) return true;
  const auto begin = bytes.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos || lower(bytes.substr(begin, 5)) != "solid";
}

TriangleMesh parse_binary_stl(std::string_view bytes) {
  const std::size_t count = stl_count(bytes);
  const std::size_t expected = stl_header + 4 + stl_facet * count;
  if (expected != bytes.size())
    fail_at_byte(stl_header, fmt::format("found {} triangles announced, which take {} bytes, in a file of {} bytes",
                                         count, expected, bytes.size()));
  if (count > static_cast<std::size_t>(most_mesh_triangles)) fail_at_byte(stl_header, too_many());
  MeshBuilder builder;
  for (std::size_t t = 0; t < count; ++t) {
    std::array<Index, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      // the normal comes first, then the corners
      const std::size_t at = stl_header + 4 + stl_facet * t + 12 * (k + 1);
      float values[3];
      std::memcpy(values, bytes.data() + at, sizeof values);
      for (const float x : values) {
        if (!std::isfinite(x) || std::abs(x) > mesh_far)
          fail_at_byte(at, fmt::format("found the coordinate {}, expected at most {:g}", x, mesh_far));
      }
      corners[k] = builder.vertex(Vec3(values[0], values[1], values[2]));
    }
    builder.triangle(corners[0], corners[1], corners[2]);
  }
  return builder.done();
}

// "7", "7/1", "7//2", "7/1/2" or a negative count from the last vertex, to a position in `vertices`.
Index obj_corner(std::string_view word, const std::vector<Index>& vertices, int line) {
  const std::string_view digits = word.substr(0, word.find('/'));
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || stop != digits.data() + digits.size() || error != std::errc())
    fail_at_line(line, fmt::format("found {}, expected the number of a vertex", found_word(word)));
  const auto count = static_cast<std::int64_t>(vertices.size());
  const std::int64_t position = number > 0 ? number - 1 : count + number;
  if (number == 0 || position < 0 || position >= count)
    fail_at_line(line, fmt::format("found vertex {} of {} so far", number, count));
  return vertices[static_cast<std::size_t>(position)];
}

TriangleMesh parse_obj(std::string_view text) {
  static constexpr std::string_view skipped[] = {
      "vn",     "vt",  "vp",     "s",   "usemtl", "mtllib",   "l",        "p",          "mg",       "usemap",
      "maplib", "lod", "cstype", "deg", "bevel",  "c_interp", "d_interp", "shadow_obj", "trace_obj"};
  TextWords words(text);
  MeshBuilder builder;
  std::vector<Index> vertices;  // number in the file - 1 -> vertex
  std::vector<Index> face;
  while (!words.at_end()) {
    const std::string_view key = words.next();
    const int line = words.line();
    if (key == "v") {
      Vec3 p;
      for (int axis = 0; axis < 3; ++axis) p[axis] = number_of(words.next_on_line(), line);
      words.rest();  // a weight or a colour
      vertices.push_back(builder.vertex(p));
    } else if (key == "f") {
      face.clear();
      for (std::string_view word = words.next_on_line(); !word.empty(); word = words.next_on_line())
        face.push_back(obj_corner(word, vertices, line));
      if (face.size() < 3)
        fail_at_line(line, fmt::format("found a face of {} corners, expected at least 3", face.size()));
      for (std::size_t k = 1; k + 1 < face.size(); ++k) {
        if (!builder.triangle(face[0], face[k], face[k + 1])) fail_at_line(line, too_many());
      }
    } else if (key == "o" || key == "g") {
      builder.begin_object(words.rest());
    } else if (key.starts_with('#') || std::find(std::begin(skipped), std::end(skipped), key) != std::end(skipped)) {
      words.rest();
    } else {
      fail_at_line(line, fmt::format("found {}, expected v, f, o, g or another keyword of OBJ", found_word(key)));
    }
  }
  return builder.done();
}

}  // namespace

std::variant<TriangleMesh, std::string> parse_mesh(std::string_view bytes, const std::string& path) {
  const std::string ending = lower(std::filesystem::path(path).extension().string());
  try {
    TriangleMesh mesh;
    if (ending == ".obj")
      mesh = parse_obj(bytes);
    else if (ending != ".stl")
      throw MeshFault{": found a file of another kind, expected .stl or .obj"};
    else if (is_binary_stl(bytes))
      mesh = parse_binary_stl(bytes);
    else
      mesh = parse_text_stl(bytes);
    if (mesh.triangles.empty()) throw MeshFault{": found no triangle"};
    mesh.file = std::filesystem::path(path).filename().string();
    return mesh;
  } catch (const MeshFault& fault) {
    return path + fault.message;
  }
}

std::variant<TriangleMesh, std::string> read_mesh_file(const std::string& path) {
  if (!std::filesystem::exists(path)) return fmt::format("file '{}' does not exist", path);
  try {
    return parse_mesh(read_foreign_file(path, most_mesh_bytes), path);
  } catch (const InputError& fault) {
    return fmt::format("'{}' {}", path, fault.faults().front().message);
  } catch (const IoError& fault) {
    return fmt::format("file '{}' cannot be read ({})", path, fault.what());
  }
}

}  // namespace grus
