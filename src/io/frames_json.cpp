#include "io/frames_json.hpp"

#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/file_fault.hpp"
#include "io/json_text.hpp"
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

// Runs `read(json)`; what nlohmann-json finds wrong becomes a fault of the file.
template <class Read>
auto parse(const std::string& text, const std::string& path, const Read& read) {
  try {
    return read(Json::parse(text));
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
  Json frames = Json::array();
  for (const FrameEntry& e : index.entries) {
    frames.push_back({e.time, e.step, e.part, e.offset, e.size, e.active_count, e.contact_count});
  }
  const Json json = {{"version", frames_version},
                     {"body_count", index.body_count},
                     {"parts", index.parts},
                     {"frame_fields", {"time", "step", "part", "offset", "size", "active_count", "contact_count"}},
                     {"frames", frames}};
  return json_text(json, -1);
}

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
    index.parts = json.at("parts").get<std::vector<std::string>>();
    for (const Json& f : json.at("frames")) {
      FrameEntry e;
      e.time = f.at(0).get<Real>();
      e.step = f.at(1).get<std::int64_t>();
      e.part = f.at(2).get<Index>();
      e.offset = f.at(3).get<std::int64_t>();
      e.size = f.at(4).get<std::int64_t>();
      e.active_count = f.at(5).get<Index>();
      e.contact_count = f.at(6).get<Index>();
      if (e.part < 0 || static_cast<std::size_t>(e.part) >= index.parts.size() || e.offset < 0 || e.size < 0 ||
          e.contact_count < 0) {
        throw file_fault(path, fmt::format("frame {} lies in no part", index.entries.size()));
      }
      index.entries.push_back(e);
    }
    return index;
  });
}

}  // namespace grus
