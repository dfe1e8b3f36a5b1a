// A polyhedron as kept in a file. Defined in convex_hull.cpp, beside what makes the rest of one.
#pragma once

#include <optional>
#include <vector>

#include "model/polyhedron.hpp"

namespace grus {

// Vertices and faces give the edges, planes and radii. Nothing when they are no closed convex surface about the origin.
std::optional<Polyhedron> polyhedron_of_faces(std::vector<Vec3> vertices, std::vector<Index> face_begin,
                                              std::vector<Index> face_vertices);

}  // namespace grus
