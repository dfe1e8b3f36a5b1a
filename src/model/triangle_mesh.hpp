// A surface of triangles as read from a file, and what becomes of it: convex pieces, or the triangles of a wall.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "model/polyhedron.hpp"

namespace grus {

struct TriangleMesh {
  std::string file;                             // for messages
  std::vector<Vec3> vertices;                   // corners at the same place are one vertex
  std::vector<std::array<Index, 3>> triangles;  // counter-clockwise seen from outside
  std::vector<Index> object_begin{0};           // first triangle of each object [objects + 1]
  std::vector<std::string> object_name;         // [objects], may be empty texts

  Index object_count() const { return static_cast<Index>(object_begin.size()) - 1; }
};

// What a body makes of a mesh.
enum class MeshUse : std::uint8_t {
  hull,    // one convex polyhedron
  pieces,  // one convex polyhedron per piece
  wall,    // the triangles themselves
};

// A connected part of one object.
struct MeshPiece {
  std::vector<Index> triangles;
  Index object = 0;
};
std::vector<MeshPiece> mesh_pieces(const TriangleMesh& mesh);

// Corners of the piece, each once, in the order of the mesh.
std::vector<Vec3> piece_points(const TriangleMesh& mesh, const MeshPiece& piece);

// Volume inside, by the divergence theorem; meaningless for a surface with holes.
Real piece_volume(const TriangleMesh& mesh, const MeshPiece& piece);

// The triangles of a wall at a scale, each with the normals of its neighbours; those without area are left out. A
// message when two neighbours disagree on where the outside is.
std::variant<std::vector<MeshTriangle>, std::string> wall_triangles(const TriangleMesh& mesh, Real scale);

}  // namespace grus
