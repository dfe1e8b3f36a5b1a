// A bed: stones at rest, each a shape of a library at a scale and a place. Made by `grus bed`, used by generators.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/convex_hull.hpp"

namespace grus {

struct BedStone {
  Index shape = 0;
  Real scale = 1.0;
  Vec3 position = Vec3::Zero();      // m, of the centroid
  Quat rotation = Quat::Identity();  // of the polyhedron's frame
};

struct Bed {
  std::vector<std::shared_ptr<const ConvexHull>> shapes;
  std::vector<BedStone> stones;
};

// Of all its bits: two beds of one hash give one scene.
std::uint64_t bed_hash(const Bed& bed);

}  // namespace grus
