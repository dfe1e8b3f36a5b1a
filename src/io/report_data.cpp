#include "io/report_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "io/base64.hpp"
#include "io/file_fault.hpp"
#include "io/json_text.hpp"
#include "io/summary.hpp"
#include "io/whole_file.hpp"

namespace grus {
namespace {

using Json = nlohmann::ordered_json;

// The bodies that a page draws: every `stride`-th dynamic one and all others.
struct Selection {
  Index stride = 1;
  std::vector<Index> bodies;    // in the run
  std::vector<Index> position;  // of a run's body in `bodies`, or no_index
  Index dynamic_count = 0;      // of `bodies`
};

Selection select_bodies(const FrameScene& scene, std::size_t limit) {
  Selection selection;
  const auto dynamic = static_cast<std::size_t>(scene.dynamic_count);
  selection.stride = static_cast<Index>(std::max<std::size_t>(1, (dynamic + limit - 1) / limit));
  selection.position.assign(static_cast<std::size_t>(scene.body_count), no_index);
  for (Index body = 0; body < scene.body_count; ++body) {
    const bool is_dynamic = body < scene.dynamic_count;
    if (is_dynamic && body % selection.stride != 0) continue;
    selection.position[static_cast<std::size_t>(body)] = static_cast<Index>(selection.bodies.size());
    selection.bodies.push_back(body);
    if (is_dynamic) ++selection.dynamic_count;
  }
  return selection;
}

// Six digits are more than a picture shows.
Real brief(Real x) { return std::stod(fmt::format("{:.6g}", x)); }

// Vertices, then the faces as counts and vertices: [n, v1, ..., vn, n, ...].
Json polyhedra_json(const FrameScene& scene) {
  Json list = Json::array();
  for (const FramePolyhedron& p : scene.polyhedra) {
    Json vertices = Json::array(), faces = Json::array();
    for (const Vec3& v : p.vertices)
      for (int axis = 0; axis < 3; ++axis) vertices.push_back(brief(v[axis]));
    for (std::size_t f = 0; f + 1 < p.face_begin.size(); ++f) {
      faces.push_back(p.face_begin[f + 1] - p.face_begin[f]);
      for (Index k = p.face_begin[f]; k < p.face_begin[f + 1]; ++k)
        faces.push_back(p.face_vertices[static_cast<std::size_t>(k)]);
    }
    list.push_back({vertices, faces});
  }
  return list;
}

bool is_centred_ball(const Collider& c) {
  return (c.kind == ShapeKind::sphere || c.kind == ShapeKind::disk) && c.p_BC.isZero(0.0);
}

// Centred balls carry a body and a radius only, since there may be very many; other shapes everything.
Json shapes_json(const FrameScene& scene, const Selection& selection) {
  std::vector<Index> ball_body;
  std::vector<float> ball_radius;
  Json others = Json::array();
  for (const Collider& c : scene.colliders) {
    const Index body = selection.position[static_cast<std::size_t>(c.body)];
    if (body == no_index) continue;
    if (is_centred_ball(c)) {
      ball_body.push_back(body);
      ball_radius.push_back(static_cast<float>(c.radius));
      continue;
    }
    Json vertices = Json::array();
    for (Index i = 0; i < c.vertex_count; ++i) {
      const Vec2& v = scene.polygon_vertices[static_cast<std::size_t>(c.vertex_begin + i)];
      vertices.push_back(brief(v.x()));
      vertices.push_back(brief(v.y()));
    }
    // polyhedra: which and how large; triangles: their corners
    if (c.kind == ShapeKind::polyhedron) vertices = {c.geometry, brief(c.scale)};
    if (c.kind == ShapeKind::triangle) {
      for (const Vec3& v : scene.triangles[static_cast<std::size_t>(c.geometry)])
        for (int axis = 0; axis < 3; ++axis) vertices.push_back(brief(v[axis]));
    }
    const auto& q = c.R_BC.coeffs();
    others.push_back({static_cast<int>(c.kind),
                      body,
                      brief(c.radius),
                      {brief(c.half.x()), brief(c.half.y()), brief(c.half.z())},
                      {brief(c.p_BC.x()), brief(c.p_BC.y()), brief(c.p_BC.z())},
                      {brief(q[0]), brief(q[1]), brief(q[2]), brief(q[3])},
                      vertices});
  }
  return {{"ball_body", base64_of(ball_body)},
          {"ball_radius", base64_of(ball_radius)},
          {"others", others},
          {"polyhedra", polyhedra_json(scene)}};
}

Json bodies_json(const FrameScene& scene, const Selection& selection) {
  std::vector<std::int16_t> group;
  for (Index i = 0; i < selection.dynamic_count; ++i) {
    const auto body = static_cast<std::size_t>(selection.bodies[static_cast<std::size_t>(i)]);
    group.push_back(static_cast<std::int16_t>(body < scene.group_of.size() ? scene.group_of[body] : no_index));
  }
  std::vector<int> moving(scene.moving.begin(), scene.moving.end());
  return {{"count", selection.bodies.size()},
          {"dynamic", selection.dynamic_count},
          {"group", base64_of(group)},
          {"group_names", scene.group_names},
          {"moving", moving}};
}

// Positions of the strongest contacts, at most `limit`, in their stored order.
std::vector<std::size_t> strongest_contacts(const std::vector<float>& strength, std::size_t limit) {
  std::vector<std::size_t> order(strength.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= limit) return order;
  std::nth_element(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(limit), order.end(),
      [&](std::size_t a, std::size_t b) { return strength[a] != strength[b] ? strength[a] > strength[b] : a < b; });
  order.resize(limit);
  std::sort(order.begin(), order.end());
  return order;
}

Json contacts_json(const Frame& frame, const Selection& selection, std::size_t limit) {
  std::vector<float> strength;
  for (std::size_t i = 0; i < frame.contact_count(); ++i) {
    const float* p = &frame.contact_impulse[3 * i];
    strength.push_back(std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
  }
  std::vector<float> position, impulse;
  std::vector<Index> bodies;
  const auto drawn = [&](Index body) {
    return body >= 0 && static_cast<std::size_t>(body) < selection.position.size()
               ? selection.position[static_cast<std::size_t>(body)]
               : no_index;
  };
  for (const std::size_t i : strongest_contacts(strength, limit)) {
    position.insert(position.end(), &frame.contact_position[3 * i], &frame.contact_position[3 * i] + 3);
    impulse.push_back(strength[i]);
    bodies.push_back(drawn(frame.contact_body_a[i]));
    bodies.push_back(drawn(frame.contact_body_b[i]));
  }
  return {{"total", frame.contact_count()},
          {"position", base64_of(position)},
          {"impulse", base64_of(impulse)},
          {"bodies", base64_of(bodies)}};
}

Json frame_json(const Frame& frame, const Selection& selection, std::size_t contact_limit) {
  std::vector<float> position, speed;
  std::vector<std::int16_t> rotation;
  for (const Index body : selection.bodies) {
    const auto b = static_cast<std::size_t>(body);
    for (std::size_t k = 0; k < 3; ++k) position.push_back(frame.position[3 * b + k]);
    for (std::size_t k = 0; k < 4; ++k) {
      rotation.push_back(
          static_cast<std::int16_t>(std::lround(std::clamp(frame.rotation[4 * b + k], -1.f, 1.f) * 32767.f)));
    }
    const float* v = &frame.velocity[3 * b];
    speed.push_back(std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  }
  return {{"time", frame.time},
          {"step", frame.step},
          {"active", (frame.active_count + selection.stride - 1) / selection.stride},
          {"position", base64_of(position)},
          {"rotation", base64_of(rotation)},
          {"speed", base64_of(speed)},
          {"contacts", contacts_json(frame, selection, contact_limit)}};
}

// Numbers of the frames on the page: evenly spread, first and last among them, as many as the page can carry.
std::vector<std::int64_t> select_frames(const FrameReader& reader, const Selection& selection,
                                        const ReportLimits& limits) {
  constexpr std::size_t body_bytes = 24, contact_bytes = 24;
  std::size_t contacts = 0;
  for (const FrameEntry& e : reader.entries()) contacts = std::max(contacts, static_cast<std::size_t>(e.contact_count));
  const std::size_t bytes =
      1 + body_bytes * selection.bodies.size() + contact_bytes * std::min(contacts, limits.contacts);
  const std::size_t wanted =
      std::clamp(limits.frame_bytes / bytes, std::size_t{3}, std::max<std::size_t>(3, limits.frames));
  const std::int64_t count = reader.frame_count();
  const std::int64_t kept = std::min(count, static_cast<std::int64_t>(wanted));
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < kept; ++i) numbers.push_back(kept == 1 ? 0 : i * (count - 1) / (kept - 1));
  return numbers;
}

Json frames_json(const std::string& directory, const ReportLimits& limits) {
  const FrameReader reader(directory);
  const FrameScene& scene = reader.scene();
  const Selection selection = select_bodies(scene, limits.bodies);
  Json frames = Json::array();
  std::size_t contacts_left_out = 0;
  for (const std::int64_t number : select_frames(reader, selection, limits)) {
    const Frame frame = reader.read(number);
    contacts_left_out =
        std::max(contacts_left_out, frame.contact_count() - std::min(frame.contact_count(), limits.contacts));
    frames.push_back(frame_json(frame, selection, limits.contacts));
  }
  Json notes = Json::array();
  if (selection.stride > 1) {
    notes.push_back(fmt::format("One grain of every {} is drawn, {} of {}.", selection.stride, selection.dynamic_count,
                                scene.dynamic_count));
  }
  if (static_cast<std::int64_t>(frames.size()) < reader.frame_count()) {
    notes.push_back(fmt::format("{} of {} frames are on this page.", frames.size(), reader.frame_count()));
  }
  if (contacts_left_out > 0)
    notes.push_back(fmt::format("The strongest {} contacts of a frame are drawn.", limits.contacts));
  return {{"planar", scene.planar},
          {"gravity", {scene.gravity.x(), scene.gravity.y(), scene.gravity.z()}},
          {"bodies", bodies_json(scene, selection)},
          {"shapes", shapes_json(scene, selection)},
          {"frames", frames},
          {"notes", notes}};
}

Json series_json(const std::string& directory, const ReportLimits& limits) {
  const Series series = read_series(directory + "/series.csv");
  const Series thin = thin_series(series, limits.series_rows);
  Json values = Json::array();
  for (const std::vector<Real>& column : thin.values) values.push_back(base64_of(column));
  Json notes = Json::array();
  if (thin.rows() < series.rows()) {
    notes.push_back(fmt::format("The plots show the extremes of {} rows in {} points.", series.rows(), thin.rows()));
  }
  return {{"columns", series.columns}, {"values", values}, {"notes", notes}};
}

// A part that may be absent or damaged: its fault becomes a note.
template <class Make>
Json part_or_fault(const Make& make) {
  try {
    return make();
  } catch (const std::runtime_error& e) {
    return {{"fault", e.what()}};
  }
}

Json summary_json_of(const std::string& directory) { return Json::parse(read_whole_file(directory + "/summary.json")); }

// As it lies: analysis.json is written for the page too.
Json analysis_json_of(const std::string& directory, const ReportLimits& limits) {
  const std::string path = directory + "/analysis.json", text = read_whole_file(path);
  if (text.size() > limits.analysis_bytes)
    throw file_fault(
        path, fmt::format("holds {} bytes, a page takes {}: take a larger cell", text.size(), limits.analysis_bytes));
  try {
    return Json::parse(text);
  } catch (const Json::exception& e) {
    throw file_fault(path, fmt::format("is damaged or no file of Grus ({})", e.what()));
  }
}

Json run_json(const std::string& directory, const ReportLimits& limits, bool with_frames) {
  read_summary(directory + "/summary.json");  // its faults are sentences
  Json run = {{"summary", summary_json_of(directory)},
              {"series", part_or_fault([&] { return series_json(directory, limits); })}};
  if (with_frames && std::filesystem::exists(directory + "/analysis.json"))
    run["analysis"] = part_or_fault([&] { return analysis_json_of(directory, limits); });
  if (with_frames) run["scene"] = part_or_fault([&] { return frames_json(directory, limits); });
  return run;
}

Json study_json(const std::string& directory, const ReportLimits& limits) {
  const StudySummary study = read_study_summary(directory + "/summary.json");
  Json runs = Json::array();
  for (const StudyRun& run : study.runs) {
    Json json = part_or_fault([&] { return run_json(directory + "/" + run.directory, limits, false); });
    json["name"] = run.name;
    json["directory"] = run.directory;
    runs.push_back(json);
  }
  return {{"summary", summary_json_of(directory)}, {"runs", runs}};
}

}  // namespace

Series thin_series(const Series& series, std::size_t rows) {
  const std::size_t count = series.rows();
  if (count <= rows || rows < 3) return series;
  const std::size_t stretches = (rows - 1) / 2;
  Series thin;
  thin.columns = series.columns;
  for (std::size_t c = 0; c < series.values.size(); ++c) {
    const std::vector<Real>& from = series.values[c];
    std::vector<Real> to;
    for (std::size_t s = 0; s < stretches; ++s) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(s * (count - 1) / stretches);
      const auto end = from.begin() + static_cast<std::ptrdiff_t>((s + 1) * (count - 1) / stretches);
      const auto [low, high] = std::minmax_element(begin, end);
      const bool rising = c == 0 || low < high;
      to.push_back(rising ? *low : *high);
      to.push_back(rising ? *high : *low);
    }
    to.push_back(from.back());
    thin.values.push_back(std::move(to));
  }
  return thin;
}

std::string report_data_text(const std::string& directory, const ReportLimits& limits) {
  const bool study = is_study_summary(directory + "/summary.json");
  const Json json =
      study ? Json{{"study", study_json(directory, limits)}} : Json{{"run", run_json(directory, limits, true)}};
  return json_text(json, -1);
}

}  // namespace grus
