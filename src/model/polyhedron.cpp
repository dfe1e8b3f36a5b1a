#include "model/polyhedron.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace grus {

namespace {

std::vector<Lanes> in_lanes(const std::vector<Vec3>& directions, const std::vector<Real>& offsets) {
  std::vector<Lanes> lanes((directions.size() + Lanes::width - 1) / Lanes::width);
  for (std::size_t i = 0; i < lanes.size() * Lanes::width; ++i) {
    const std::size_t from = std::min(i, directions.size() - 1);
    Lanes& lane = lanes[i / Lanes::width];
    lane.x[i % Lanes::width] = directions[from].x();
    lane.y[i % Lanes::width] = directions[from].y();
    lane.z[i % Lanes::width] = directions[from].z();
    lane.offset[i % Lanes::width] = offsets.empty() ? 0.0 : offsets[from];
  }
  return lanes;
}

}  // namespace

void complete(Polyhedron& p) {
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  // face on the left of every directed edge
  std::map<std::pair<Index, Index>, Index> left;
  const auto each_corner = [&](const auto& visit) {
    for (Index f = 0; f < p.face_count(); ++f) {
      const Index begin = p.face_begin[at(f)], end = p.face_begin[at(f) + 1];
      for (Index k = begin; k < end; ++k)
        visit(f, k, p.face_vertices[at(k)], p.face_vertices[at(k + 1 < end ? k + 1 : begin)]);
    }
  };
  each_corner([&](Index f, Index, Index from, Index to) { left[{from, to}] = f; });
  p.face_across.resize(p.face_vertices.size());
  each_corner([&](Index, Index k, Index from, Index to) { p.face_across[at(k)] = left.at({to, from}); });
  p.neighbour_faces.resize(p.neighbours.size());
  for (Index v = 0; v < p.vertex_count(); ++v)
    for (Index k = p.neighbour_begin[at(v)]; k < p.neighbour_begin[at(v) + 1]; ++k)
      p.neighbour_faces[at(k)] = left.at({v, p.neighbours[at(k)]});
  // corners of a face may lie off its plane by the tolerance with which it was found flat
  std::vector<Real> reach(p.face_normal.size(), 0.0);
  for (std::size_t f = 0; f < reach.size(); ++f)
    for (const Vec3& v : p.vertices) reach[f] = std::max(reach[f], p.face_normal[f].dot(v));
  p.vertex_lanes = in_lanes(p.vertices, {});
  p.face_lanes = in_lanes(p.face_normal, reach);
}

}  // namespace grus
