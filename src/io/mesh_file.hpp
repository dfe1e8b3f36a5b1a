// Mesh files: STL (text and binary) and OBJ, to a TriangleMesh.
//
//   STL   every `solid` is an object; normals in the file are ignored, the order of corners tells the outside
//   OBJ   v, f, o and g are read (o and g begin an object); faces of more than three corners are cut into fans;
//         normals, textures, materials, lines and the like are skipped
// Corners with the same coordinates are one vertex.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "model/triangle_mesh.hpp"

namespace grus {

// The mesh, or what is wrong as "file.stl:12: found 'abc', expected a number" (line, or byte in a binary file).
std::variant<TriangleMesh, std::string> read_mesh_file(const std::string& path);

// The same for bytes in memory; `path` is for messages and tells the format by its ending, .stl or .obj.
std::variant<TriangleMesh, std::string> parse_mesh(std::string_view bytes, const std::string& path);

}  // namespace grus
