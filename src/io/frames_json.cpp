#include "io/frames_json.hpp"

#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/file_fault.hpp"
#include "io/foreign_json.hpp"
#include "io/json_text.hpp"
#include "io/reader_limits.hpp"
#include "io/shape_names.hpp"

namespace grus {
namespace {

using Json = nlohmann::ordered_json;

void push(Json& list, const Vec3& v) {
  for (int i = 0; i < 3; ++i) list.push_back(v[i]);
}

Vec3 vector_at(const Json& list, std::size_t i) {
  return Vec3(list.at(3 * i).get<Real>(), list.at(3 * i + 1).get<Real>(), list.at(3 * i + 2).get<Real>());
}

// Arrays per quantity, not objects per collider: a third of the bytes for a hundred thousand grains.
Json collider_table(const FrameScene& scene) {
  Json kind = Json::array(), body = Json::array(), radius = Json::array(), half = Json::array();
  Json position = Json::array(), rotation = Json::array(), begin = Json::array(), count = Json::array();
  Json geometry = Json::array(), scale = Json::array();
  Json collides = Json::array();
  for (const Collider& c : scene.colliders) {
    kind.push_back(std::string(shape_name(c.kind)));
    body.push_back(c.body);
    radius.push_back(c.radius);
    push(half, c.half);
    push(position, c.p_BC);
    for (int i = 0; i < 4; ++i) rotation.push_back(c.R_BC.coeffs()[i]);
    begin.push_back(c.vertex_begin);
    count.push_back(c.vertex_count);
    geometry.push_back(c.geometry);
    scale.push_back(c.scale);
    collides.push_back(c.collides ? 1 : 0);
  }
  Json vertices = Json::array();
  for (const Vec2& v : scene.polygon_vertices) {
    vertices.push_back(v.x());
    vertices.push_back(v.y());
  }
  return {{"kind", kind},          {"body", body},          {"radius", radius},     {"half", half},
          {"position", position},  {"rotation", rotation},  {"geometry", geometry}, {"scale", scale},
          {"vertex_begin", begin}, {"vertex_count", count}, {"vertices", vertices}, {"collides", collides}};
}

Json polyhedron_list(const FrameScene& scene) {
  Json list = Json::array();
  for (const FramePolyhedron& p : scene.polyhedra) {
    Json vertices = Json::array();
    for (const Vec3& v : p.vertices) push(vertices, v);
    list.push_back({{"vertices", vertices}, {"face_begin", p.face_begin}, {"face_vertices", p.face_vertices}});
  }
  return list;
}

Json triangle_list(const FrameScene& scene) {
  Json list = Json::array();
  for (const FrameTriangle& triangle : scene.triangles) {
    for (const Vec3& v : triangle) push(list, v);
  }
  return list;
}

bool is_sound(const FramePolyhedron& p) {
  const auto in = [](Index i, std::size_t size) { return i >= 0 && static_cast<std::size_t>(i) < size; };
  for (const Index v : p.face_vertices) {
    if (!in(v, p.vertices.size())) return false;
  }
  for (std::size_t f = 0; f + 1 < p.face_begin.size(); ++f) {
    if (p.face_begin[f] < 0 || p.face_begin[f + 1] < p.face_begin[f]) return false;
  }
  return !p.face_begin.empty() && in(p.face_begin.back(), p.face_vertices.size() + 1);
}

// Files written before there were polyhedra and meshes have none of these keys.
void read_geometry(const Json& json, FrameScene& scene, const std::string& path) {
  if (json.contains("polyhedra")) {
    for (const Json& entry : json.at("polyhedra")) {
      FramePolyhedron p;
      const Json& vertices = entry.at("vertices");
      for (std::size_t i = 0; i < vertices.size() / 3; ++i) p.vertices.push_back(vector_at(vertices, i));
      p.face_begin = entry.at("face_begin").get<std::vector<Index>>();
      p.face_vertices = entry.at("face_vertices").get<std::vector<Index>>();
      if (!is_sound(p))
        throw file_fault(path, fmt::format("polyhedron {} has faces of no vertices", scene.polyhedra.size()));
      scene.polyhedra.push_back(std::move(p));
    }
  }
  if (json.contains("triangles")) {
    const Json& list = json.at("triangles");
    for (std::size_t i = 0; i < list.size() / 9; ++i)
      scene.triangles.push_back({vector_at(list, 3 * i), vector_at(list, 3 * i + 1), vector_at(list, 3 * i + 2)});
  }
}

bool has_geometry(const Collider& c, const FrameScene& scene) {
  if (c.kind == ShapeKind::polyhedron)
    return c.geometry >= 0 && static_cast<std::size_t>(c.geometry) < scene.polyhedra.size();
  if (c.kind == ShapeKind::triangle)
    return c.geometry >= 0 && static_cast<std::size_t>(c.geometry) < scene.triangles.size();
  return true;
}

void read_colliders(const Json& table, FrameScene& scene, const std::string& path) {
  const Json& vertices = table.at("vertices");
  for (std::size_t i = 0; i < vertices.size() / 2; ++i) {
    scene.polygon_vertices.emplace_back(vertices.at(2 * i).get<Real>(), vertices.at(2 * i + 1).get<Real>());
  }
  const std::size_t count = table.at("kind").size();
  const Json &kinds = table.at("kind"), &bodies = table.at("body"), &radii = table.at("radius"),
             &halves = table.at("half"), &positions = table.at("position"), &rotations = table.at("rotation"),
             &begins = table.at("vertex_begin"), &counts = table.at("vertex_count");
  const auto vertex_total = static_cast<std::int64_t>(scene.polygon_vertices.size());
  for (std::size_t i = 0; i < count; ++i) {
    Collider c;
    const auto kind = shape_of_name(kinds.at(i).get<std::string>());
    if (!kind) throw file_fault(path, fmt::format("'{}' is no shape", kinds.at(i).get<std::string>()));
    c.kind = *kind;
    c.body = bodies.at(i).get<Index>();
    c.radius = radii.at(i).get<Real>();
    c.half = vector_at(halves, i);
    c.p_BC = vector_at(positions, i);
    for (int k = 0; k < 4; ++k) c.R_BC.coeffs()[k] = rotations.at(4 * i + static_cast<std::size_t>(k)).get<Real>();
    c.vertex_begin = begins.at(i).get<Index>();
    c.vertex_count = counts.at(i).get<Index>();
    if (table.contains("geometry")) c.geometry = table.at("geometry").at(i).get<Index>();
    if (table.contains("scale")) c.scale = table.at("scale").at(i).get<Real>();
    if (!has_geometry(c, scene)) throw file_fault(path, fmt::format("collider {} has a shape that is not there", i));
    c.collides = !table.contains("collides") || table.at("collides").at(i).get<int>() != 0;
    if (c.body < 0 || c.body >= scene.body_count || c.vertex_begin < 0 || c.vertex_count < 0 ||
        std::int64_t{c.vertex_begin} + c.vertex_count > vertex_total) {
      throw file_fault(path, fmt::format("collider {} names a body or vertices that do not exist", i));
    }
    scene.colliders.push_back(c);
  }
}

void check_version(const Json& json, const std::string& path) {
  const int version = json.at("version").get<int>();
  if (version != frames_version) {
    throw file_fault(path, fmt::format("version {} of the frames was found, this program reads version {}", version,
                                       frames_version));
  }
}

// The lists are there for every body: a count is never larger than the text.
void check_counts(const FrameScene& scene, const std::string& path) {
  const std::int64_t bodies = scene.body_count, dynamic = scene.dynamic_count;
  const auto size = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  const bool agree = dynamic >= 0 && dynamic <= bodies && size(scene.body_names) == bodies &&
                     size(scene.group_of) == dynamic && size(scene.moving) == bodies - dynamic;
  if (!agree)
    throw file_fault(path,
                     fmt::format("found {} bodies, {} of them dynamic, with {} names, {} groups and {} marks of "
                                 "motion; expected one each",
                                 bodies, dynamic, scene.body_names.size(), scene.group_of.size(), scene.moving.size()));
  for (const Index group : scene.group_of) {
    if (group != no_index && (group < 0 || static_cast<std::size_t>(group) >= scene.group_names.size()))
      throw file_fault(path,
                       fmt::format("found a body of group {}, expected one of {}", group, scene.group_names.size()));
  }
}

void check_entry(const FrameEntry& e, const FrameIndex& index, std::int64_t parts, const std::string& path) {
  const std::size_t number = index.entries.size();
  if (e.part < 0 || e.part >= parts || e.offset < 0 || (number > 0 && e.part < index.entries.back().part))
    throw file_fault(path, fmt::format("frame {} lies in no part", number));
  if (e.active_count < 0 || e.active_count > index.body_count || e.contact_count < 0 ||
      e.size != frame_bytes(index.body_count, e.contact_count))
    throw file_fault(path, fmt::format("frame {}: found {} bytes for {} bodies, {} of them active, and {} contacts",
                                       number, e.size, index.body_count, e.active_count, e.contact_count));
  if (e.size > static_cast<std::int64_t>(most_frame_bytes))
    throw file_fault(path,
                     fmt::format("frame {}: found {} bytes, at most {} are read", number, e.size, most_frame_bytes));
}

// Runs `read(json)`; what nlohmann-json finds wrong becomes a fault of the file.
template <class Read>
auto parse(const std::string& text, const std::string& path, const Read& read) {
  const Json json = parse_foreign_json(text, path);
  try {
    return read(json);
  } catch (const nlohmann::json::exception& e) {
    throw file_fault(path, fmt::format("is damaged or no file of Grus ({})", e.what()));
  }
}

}  // namespace

std::string frame_scene_text(const FrameScene& scene) {
  Json gravity = Json::array();
  push(gravity, scene.gravity);
  const Json json = {{"version", frames_version},
                     {"name", scene.name},
                     {"planar", scene.planar},
                     {"dynamic_count", scene.dynamic_count},
                     {"body_count", scene.body_count},
                     {"gravity", gravity},
                     {"moving", scene.moving},
                     {"body_names", scene.body_names},
                     {"group_names", scene.group_names},
                     {"group_of", scene.group_of},
                     {"polyhedra", polyhedron_list(scene)},
                     {"triangles", triangle_list(scene)},
                     {"colliders", collider_table(scene)}};
  return json_text(json, -1);
}

std::string frame_index_text(const FrameIndex& index) {
  Json frames = Json::array(), parts = Json::array();
  const Index part_count = index.entries.empty() ? 0 : index.entries.back().part + 1;
  for (Index part = 0; part < part_count; ++part) parts.push_back(part_name(part));
  for (const FrameEntry& e : index.entries) {
    frames.push_back({e.time, e.step, e.part, e.offset, e.size, e.active_count, e.contact_count});
  }
  const Json json = {{"version", frames_version},
                     {"body_count", index.body_count},
                     {"parts", parts},
                     {"frame_fields", {"time", "step", "part", "offset", "size", "active_count", "contact_count"}},
                     {"frames", frames}};
  return json_text(json, -1);
}

std::string part_name(Index part) { return fmt::format("part-{:05d}.bin", part); }

FrameScene parse_frame_scene(const std::string& text, const std::string& path) {
  return parse(text, path, [&](const Json& json) {
    check_version(json, path);
    FrameScene scene;
    scene.name = json.at("name").get<std::string>();
    scene.planar = json.at("planar").get<bool>();
    scene.dynamic_count = json.at("dynamic_count").get<Index>();
    scene.body_count = json.at("body_count").get<Index>();
    scene.gravity = vector_at(json.at("gravity"), 0);
    scene.moving = json.at("moving").get<std::vector<bool>>();
    scene.body_names = json.at("body_names").get<std::vector<std::string>>();
    scene.group_names = json.at("group_names").get<std::vector<std::string>>();
    scene.group_of = json.at("group_of").get<std::vector<Index>>();
    check_counts(scene, path);
    read_geometry(json, scene, path);
    read_colliders(json.at("colliders"), scene, path);
    return scene;
  });
}

FrameIndex parse_frame_index(const std::string& text, const std::string& path) {
  return parse(text, path, [&](const Json& json) {
    check_version(json, path);
    FrameIndex index;
    index.body_count = json.at("body_count").get<Index>();
    if (index.body_count < 0) throw file_fault(path, fmt::format("found {} bodies", index.body_count));
    const auto parts = json.at("parts").get<std::vector<std::string>>();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] != part_name(static_cast<Index>(i)))
        throw file_fault(path,
                         fmt::format("found the part '{}', expected {}", parts[i], part_name(static_cast<Index>(i))));
    }
    for (const Json& f : json.at("frames")) {
      FrameEntry e;
      e.time = f.at(0).get<Real>();
      e.step = f.at(1).get<std::int64_t>();
      e.part = f.at(2).get<Index>();
      e.offset = f.at(3).get<std::int64_t>();
      e.size = f.at(4).get<std::int64_t>();
      e.active_count = f.at(5).get<Index>();
      e.contact_count = f.at(6).get<Index>();
      check_entry(e, index, static_cast<std::int64_t>(parts.size()), path);
      index.entries.push_back(e);
    }
    return index;
  });
}

}  // namespace grus
