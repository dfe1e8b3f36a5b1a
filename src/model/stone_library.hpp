// Libraries of stones: random ones that look like crushed rock, or digitised ones from a mesh file. Every stone has
// sieve size 1, so that its scale in a bed is its sieve size in metres.
//
// A random stone starts as crushed rock does: a body cut by planes. F planes with well spread normals at random
// distances from the centre meet in about 2 F - 4 corners (three planes each); these are the duals of the facets of the
// hull of n_i/d_i. Roundness moves each corner along its ray towards the ellipsoid about the stone. Stretching along
// its own axes then gives the stone the elongation and flatness drawn for it.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "model/spec.hpp"

namespace grus {

using StoneLibrary = std::vector<std::shared_ptr<const ConvexHull>>;

// What is wrong with it, if anything.
std::vector<std::string> stone_errors(const StoneSpec& spec);

// `spec` must be without error. A function of the specification and the seed; a message when it asks for stones that
// are not found.
std::variant<StoneLibrary, std::string> random_stones(const StoneSpec& spec, std::uint64_t seed);

// The hull of every connected part of every object, or a message.
std::variant<StoneLibrary, std::string> digitised_stones(const TriangleMesh& mesh);

}  // namespace grus
