#include "io/vtk.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/file_fault.hpp"
#include "io/vtk_polydata.hpp"
#include "io/whole_file.hpp"

namespace grus {
namespace {

constexpr int round_segments = 24;  // of a cylinder's circle
constexpr int cap_rings = 6;        // of a capsule's half ball

bool is_ball(ShapeKind kind) { return kind == ShapeKind::sphere || kind == ShapeKind::disk; }

// Motion of one body, from the dynamic or the carried arrays.
struct BodyMotion {
  Vec3 position, velocity;
  Quat rotation;
};

BodyMotion motion_of(const FrameData& frame, Index body) {
  const auto dynamic = static_cast<Index>(frame.dynamic.size());
  const BodyMotions& from = body < dynamic ? frame.dynamic : frame.carried;
  const auto i = static_cast<std::size_t>(body < dynamic ? body : body - dynamic);
  return {from.position[i], from.velocity[i], from.rotation[i]};
}

bool is_shown(const FrameScene& scene, const FrameData& frame, Index body) {
  return body < frame.active_count || body >= scene.dynamic_count;
}

// A convex shape as rings of points along its axis, closed by polygons. Endless shapes have no surface to write.
struct Surface {
  std::vector<Vec3> points;
  std::vector<std::vector<std::int32_t>> polygons;
};

// Stacked rings of `segments` points about z; neighbours joined by quads, the ends closed.
Surface stacked_rings(const std::vector<std::pair<Real, Real>>& radius_and_z) {
  Surface s;
  for (const auto& [radius, z] : radius_and_z) {
    for (int k = 0; k < round_segments; ++k) {
      const Real angle = 2.0 * std::numbers::pi * k / round_segments;
      s.points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
  }
  const auto at = [](std::size_t ring, int k) {
    return static_cast<std::int32_t>(ring) * round_segments + k % round_segments;
  };
  const std::size_t last = radius_and_z.size() - 1;
  for (std::size_t ring = 0; ring < last; ++ring) {
    for (int k = 0; k < round_segments; ++k) {
      s.polygons.push_back({at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)});
    }
  }
  std::vector<std::int32_t> bottom, top;
  for (int k = 0; k < round_segments; ++k) {
    bottom.push_back(at(0, round_segments - k));
    top.push_back(at(last, k));
  }
  s.polygons.push_back(bottom);
  s.polygons.push_back(top);
  return s;
}

Surface capsule(Real radius, Real half) {
  std::vector<std::pair<Real, Real>> rings;
  for (int i = 0; i <= 2 * cap_rings + 1; ++i) {
    const bool upper = i > cap_rings;
    const Real angle = 0.5 * std::numbers::pi * ((upper ? i - 1 : i) - cap_rings) / cap_rings;
    rings.emplace_back(radius * std::cos(angle), radius * std::sin(angle) + (upper ? half : -half));
  }
  return stacked_rings(rings);
}

Surface box(const Vec3& half) {
  Surface s;
  for (int i = 0; i < 8; ++i) {
    s.points.emplace_back((i & 1 ? 1 : -1) * half.x(), (i & 2 ? 1 : -1) * half.y(), (i & 4 ? 1 : -1) * half.z());
  }
  s.polygons = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return s;
}

// One polygon: planar outlines in the plane z = 0, triangles of a mesh.
Surface outline(std::vector<Vec3> points) {
  Surface s{std::move(points), {{}}};
  for (std::size_t i = 0; i < s.points.size(); ++i) s.polygons[0].push_back(static_cast<std::int32_t>(i));
  return s;
}

Surface planar_capsule(Real radius, Real half) {
  std::vector<Vec3> points;
  for (int i = 0; i <= round_segments; ++i) {
    const Real angle = std::numbers::pi * (static_cast<Real>(i) / round_segments - 0.5);
    points.emplace_back(half + radius * std::cos(angle), radius * std::sin(angle), 0.0);
  }
  for (int i = 0; i <= round_segments; ++i) points.push_back(-points[static_cast<std::size_t>(i)]);
  return outline(std::move(points));
}

Surface polyhedron_surface(const FramePolyhedron& polyhedron, Real scale) {
  Surface s;
  for (const Vec3& v : polyhedron.vertices) s.points.emplace_back(scale * v);
  for (std::size_t f = 0; f + 1 < polyhedron.face_begin.size(); ++f)
    s.polygons.emplace_back(polyhedron.face_vertices.begin() + polyhedron.face_begin[f],
                            polyhedron.face_vertices.begin() + polyhedron.face_begin[f + 1]);
  return s;
}

Surface surface_of(const Collider& c, const FrameScene& scene) {
  const Vec3& h = c.half;
  switch (c.kind) {
    case ShapeKind::box:
      if (!scene.planar) return box(h);
      return outline({{-h.x(), -h.y(), 0}, {h.x(), -h.y(), 0}, {h.x(), h.y(), 0}, {-h.x(), h.y(), 0}});
    case ShapeKind::capsule:
      return scene.planar ? planar_capsule(c.radius, h.x()) : capsule(c.radius, h.z());
    case ShapeKind::cylinder:
      return stacked_rings({{c.radius, -h.z()}, {c.radius, h.z()}});
    case ShapeKind::polygon: {
      std::vector<Vec3> points;
      for (Index i = 0; i < c.vertex_count; ++i) {
        const Vec2& v = scene.polygon_vertices[static_cast<std::size_t>(c.vertex_begin + i)];
        points.emplace_back(v.x(), v.y(), 0.0);
      }
      return outline(std::move(points));
    }
    case ShapeKind::sphere:
    case ShapeKind::disk:
    case ShapeKind::plane:
    case ShapeKind::tube:
    case ShapeKind::ring:
      break;
    case ShapeKind::polyhedron:
      return polyhedron_surface(scene.polyhedra[static_cast<std::size_t>(c.geometry)], c.scale);
    case ShapeKind::triangle: {
      const FrameTriangle& t = scene.triangles[static_cast<std::size_t>(c.geometry)];
      return outline({t[0], t[1], t[2]});
    }
  }
  return {};
}

void push(std::vector<float>& values, const Vec3& v) {
  for (int i = 0; i < 3; ++i) values.push_back(static_cast<float>(v[i]));
}

VtkPolyData grains(const FrameScene& scene, const FrameData& frame) {
  VtkPolyData data;
  data.vertex_per_point = true;
  VtkPolyData::Array radius{"radius", 1, {}}, velocity{"velocity", 3, {}}, id{"body", 1, {}};
  for (const Collider& c : scene.colliders) {
    if (!is_ball(c.kind) || !is_shown(scene, frame, c.body)) continue;
    const BodyMotion motion = motion_of(frame, c.body);
    data.add_point(motion.position + motion.rotation * c.p_BC);
    radius.values.push_back(static_cast<float>(c.radius));
    push(velocity.values, motion.velocity);
    id.values.push_back(static_cast<float>(c.body));
  }
  data.point_data = {radius, velocity, id};
  return data;
}

VtkPolyData shapes(const FrameScene& scene, const FrameData& frame) {
  VtkPolyData data;
  VtkPolyData::Array velocity{"velocity", 3, {}}, id{"body", 1, {}};
  for (const Collider& c : scene.colliders) {
    if (is_ball(c.kind) || is_unbounded(c.kind) || !is_shown(scene, frame, c.body)) continue;
    const BodyMotion motion = motion_of(frame, c.body);
    const Surface surface = surface_of(c, scene);
    const auto first = static_cast<std::int32_t>(data.point_count());
    for (const Vec3& p : surface.points) {
      data.add_point(motion.position + motion.rotation * (c.p_BC + c.R_BC * p));
      push(velocity.values, motion.velocity);
      id.values.push_back(static_cast<float>(c.body));
    }
    for (const auto& polygon : surface.polygons) {
      for (const std::int32_t point : polygon) data.polygon_points.push_back(first + point);
      data.polygon_ends.push_back(static_cast<std::int32_t>(data.polygon_points.size()));
    }
  }
  data.point_data = {velocity, id};
  return data;
}

VtkPolyData contacts(const FrameData& frame, Real time_step) {
  VtkPolyData data;
  data.vertex_per_point = true;
  VtkPolyData::Array force{"force", 3, {}}, normal{"normal", 3, {}}, gap{"gap", 1, {}};
  for (const FrameContact& c : frame.contacts) {
    data.add_point(c.position);
    push(force.values, c.impulse / time_step);
    push(normal.values, c.normal);
    gap.values.push_back(static_cast<float>(c.gap));
  }
  data.point_data = {force, normal, gap};
  return data;
}

constexpr const char* layers[] = {"grains", "shapes", "contacts"};

std::string file_name(const char* layer, std::size_t number) { return fmt::format("{}-{:06d}.vtp", layer, number); }
std::string listed_name(const char* layer, std::size_t number) { return "vtk/" + file_name(layer, number); }
constexpr const char* list_name = "vtk/run.pvd";

std::string collection_text(const std::vector<std::string>& times) {
  std::string xml =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n";
  xml += "<Collection>\n";
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (int part = 0; part < 3; ++part) {
      xml += fmt::format("<DataSet timestep=\"{}\" part=\"{}\" name=\"{}\" file=\"{}\"/>\n", times[i], part,
                         layers[part], file_name(layers[part], i));
    }
  }
  return xml + "</Collection>\n</VTKFile>\n";
}

// Times of the first `count` frames that run.pvd lists, as text.
std::vector<std::string> listed_times(const std::string& path, std::int64_t count) {
  const std::string text = read_whole_file(path);
  const std::string open = "timestep=\"", last_layer = "\" part=\"2\"";
  std::vector<std::string> times;
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    at += open.size();
    const std::size_t end = text.find('"', at);
    if (end == std::string::npos) break;
    if (text.compare(end, last_layer.size(), last_layer) == 0) times.push_back(text.substr(at, end - at));
  }
  if (static_cast<std::int64_t>(times.size()) < count) {
    throw file_fault(path, fmt::format("{} frames were found, the checkpoint was made after {}; start the run anew",
                                       times.size(), count));
  }
  times.resize(static_cast<std::size_t>(count));
  return times;
}

}  // namespace

VtkWriter::VtkWriter(RunFolder& folder, FrameScene scene, Real time_step, std::int64_t frame_count)
    : folder_(&folder), scene_(std::move(scene)), time_step_(time_step) {
  if (frame_count > 0) times_ = listed_times(folder / list_name, frame_count);
  folder.write(list_name, collection_text(times_));
  // files that the list no longer names
  for (const char* layer : layers) {
    const std::string first = listed_name(layer, times_.size());
    for (const std::string& name : folder.listed(std::string("vtk/") + layer + "-"))
      if (name.size() > first.size() || name >= first) folder.remove(name);
  }
}

void VtkWriter::append(const FrameData& frame) {
  const std::size_t number = times_.size();
  std::vector<std::string> names;
  for (const char* layer : layers) names.push_back(listed_name(layer, number));
  folder_->claim(names);
  folder_->write(names[0], grains(scene_, frame).text());
  folder_->write(names[1], shapes(scene_, frame).text());
  folder_->write(names[2], contacts(frame, time_step_).text());
  times_.push_back(fmt::format("{}", frame.time));
  folder_->write(list_name, collection_text(times_));
}

}  // namespace grus
