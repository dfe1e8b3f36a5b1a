#include "model/bed.hpp"

#include "core/hash.hpp"

namespace grus {

std::uint64_t bed_hash(const Bed& bed) {
  Hash hash;
  const auto add = [&](const Vec3& v) {
    for (int axis = 0; axis < 3; ++axis) hash.value(v[axis]);
  };
  for (const auto& shape : bed.shapes) {
    hash.value(static_cast<std::uint64_t>(shape->polyhedron.vertices.size()));
    for (const Vec3& v : shape->polyhedron.vertices) add(v);
  }
  for (const BedStone& stone : bed.stones) {
    hash.value(stone.shape);
    hash.value(stone.scale);
    add(stone.position);
    for (int k = 0; k < 4; ++k) hash.value(stone.rotation.coeffs()[k]);
  }
  return hash.digest();
}

}  // namespace grus
