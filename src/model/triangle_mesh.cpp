#include "model/triangle_mesh.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

namespace grus {

namespace {

using MeshCorners = std::array<Index, 3>;

const Vec3& corner(const TriangleMesh& mesh, Index triangle, int k) {
  const MeshCorners& t = mesh.triangles[static_cast<std::size_t>(triangle)];
  return mesh.vertices[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])];
}

// Union-find with path halving; the root of a set is its smallest member.
class Sets {
 public:
  explicit Sets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  Index root(Index i) {
    while (parent_[static_cast<std::size_t>(i)] != i) {
      Index& up = parent_[static_cast<std::size_t>(i)];
      up = parent_[static_cast<std::size_t>(up)];
      i = up;
    }
    return i;
  }
  void join(Index a, Index b) {
    a = root(a);
    b = root(b);
    parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<Index> parent_;
};

}  // namespace

std::vector<MeshPiece> mesh_pieces(const TriangleMesh& mesh) {
  std::vector<MeshPiece> pieces;
  for (Index object = 0; object < mesh.object_count(); ++object) {
    const Index begin = mesh.object_begin[static_cast<std::size_t>(object)];
    const Index end = mesh.object_begin[static_cast<std::size_t>(object) + 1];
    Sets vertices(mesh.vertices.size());
    for (Index t = begin; t < end; ++t) {
      const MeshCorners& c = mesh.triangles[static_cast<std::size_t>(t)];
      vertices.join(c[0], c[1]);
      vertices.join(c[0], c[2]);
    }
    std::map<Index, std::size_t> piece_of;  // root vertex -> piece
    for (Index t = begin; t < end; ++t) {
      const Index root = vertices.root(mesh.triangles[static_cast<std::size_t>(t)][0]);
      const auto [found, is_new] = piece_of.emplace(root, pieces.size());
      if (is_new) pieces.push_back({{}, object});
      pieces[found->second].triangles.push_back(t);
    }
  }
  return pieces;
}

std::vector<Vec3> piece_points(const TriangleMesh& mesh, const MeshPiece& piece) {
  std::vector<Index> used;
  for (const Index t : piece.triangles) {
    const MeshCorners& c = mesh.triangles[static_cast<std::size_t>(t)];
    used.insert(used.end(), c.begin(), c.end());
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::vector<Vec3> points;
  for (const Index v : used) points.push_back(mesh.vertices[static_cast<std::size_t>(v)]);
  return points;
}

Real piece_volume(const TriangleMesh& mesh, const MeshPiece& piece) {
  if (piece.triangles.empty()) return 0.0;
  const Vec3 apex = corner(mesh, piece.triangles.front(), 0);
  Real volume = 0.0;
  for (const Index t : piece.triangles) {
    const Vec3 a = corner(mesh, t, 0) - apex;
    volume += a.dot((corner(mesh, t, 1) - apex).cross(corner(mesh, t, 2) - apex)) / 6.0;
  }
  return volume;
}

std::variant<std::vector<MeshTriangle>, std::string> wall_triangles(const TriangleMesh& mesh, Real scale) {
  std::vector<MeshTriangle> wall;
  std::vector<Index> source;
  std::map<std::pair<Index, Index>, std::vector<Index>> left_of;  // directed edge -> triangles of `wall`
  for (Index t = 0; t < static_cast<Index>(mesh.triangles.size()); ++t) {
    MeshTriangle triangle;
    for (int k = 0; k < 3; ++k) triangle.vertices[k] = scale * corner(mesh, t, k);
    const Vec3 ab = triangle.vertices[1] - triangle.vertices[0], ac = triangle.vertices[2] - triangle.vertices[0];
    const Vec3 area = ab.cross(ac);
    // a sliver has no direction of its own; its neighbours close the gap
    constexpr Real sliver = 1e-9;
    const Real longest = std::max({ab.norm(), ac.norm(), (ab - ac).norm()});
    if (!(area.norm() > sliver * longest * longest)) continue;
    triangle.normal = area.normalized();
    for (Vec3& normal : triangle.edge_normal) normal = -triangle.normal;
    const MeshCorners& c = mesh.triangles[static_cast<std::size_t>(t)];
    for (std::size_t k = 0; k < 3; ++k) left_of[{c[k], c[(k + 1) % 3]}].push_back(static_cast<Index>(wall.size()));
    wall.push_back(triangle);
    source.push_back(t);
  }
  if (wall.empty()) return fmt::format("{} has no triangle with an area", mesh.file);
  for (const auto& [edge, own] : left_of) {
    const auto across = left_of.find({edge.second, edge.first});
    if (own.size() == 2 && across == left_of.end())
      return fmt::format(
          "triangles {} and {} of {} face opposite ways at their common edge, expected all corners "
          "counter-clockwise seen from outside",
          source[static_cast<std::size_t>(own[0])] + 1, source[static_cast<std::size_t>(own[1])] + 1, mesh.file);
    // where more than two surfaces meet, each edge is its triangle's own
    if (across == left_of.end() || own.size() != 1 || across->second.size() != 1) continue;
    const auto i = static_cast<std::size_t>(own[0]);
    const MeshCorners& c = mesh.triangles[static_cast<std::size_t>(source[i])];
    for (std::size_t k = 0; k < 3; ++k) {
      if (c[k] == edge.first) wall[i].edge_normal[k] = wall[static_cast<std::size_t>(across->second[0])].normal;
    }
  }
  return wall;
}

}  // namespace grus
