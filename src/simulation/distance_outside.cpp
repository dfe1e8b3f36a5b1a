#include "simulation/distance_outside.hpp"

#include <algorithm>
#include <limits>

#include "collision/placed_shape.hpp"
#include "collision/shapes/plane.hpp"
#include "collision/shapes/ring.hpp"
#include "collision/shapes/tube.hpp"

namespace grus {

namespace {

Real depth_behind(const PlacedShape& wall, bool planar, const Vec3& x) {
  switch (wall.collider->kind) {
    case ShapeKind::plane:
      return -plane::height(wall, plane::normal(wall, planar), x);
    case ShapeKind::tube:
      return tube::offset(wall, tube::axis(wall), x).norm() - wall.collider->radius;
    case ShapeKind::ring:
      return ring::offset(wall, x).norm() - wall.collider->radius;
    default:
      return -std::numeric_limits<Real>::infinity();
  }
}

}  // namespace

Real distance_outside(const Model& model, const State& state, Index container, const Pose& X_WB,
                      std::span<const Index> members, Index active) {
  const Real none = -std::numeric_limits<Real>::infinity();
  Real largest = none;
  const auto body = static_cast<std::size_t>(container);
  for (Index c = model.collider_begin[body]; c < model.collider_begin[body + 1]; ++c) {
    const PlacedShape wall = place(model.colliders[static_cast<std::size_t>(c)], ShapeGeometry(model), X_WB);
    for (const Index i : members) {
      if (i < active)
        largest = std::max(largest, depth_behind(wall, model.planar, state.position[static_cast<std::size_t>(i)]));
    }
  }
  return largest == none ? std::numeric_limits<Real>::quiet_NaN() : largest;
}

}  // namespace grus
