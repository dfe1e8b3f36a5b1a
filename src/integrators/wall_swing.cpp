#include "integrators/wall_swing.hpp"

#include <algorithm>

#include "collision/shapes/plane.hpp"
#include "collision/shapes/tube.hpp"

namespace grus {

namespace {

// Largest distance from p of a body inside the domain, m.
Real farthest_from(const Vec3& p, const Model& model, const State& state, Index active) {
  Real largest = 0.0;
  for (Index i = 0; i < active; ++i) {
    const Vec3& x = state.position[i];
    if (is_inside_domain(model, x)) largest = std::max(largest, (x - p).norm());
  }
  for (const Mechanism& mechanism : model.mechanisms) largest = std::max(largest, 2.0 * mechanism.size);
  return largest + model.largest_bound_radius;
}

}  // namespace

bool is_inside_domain(const Model& model, const Vec3& x) {
  return (x.array() >= model.domain_min.array()).all() && (x.array() <= model.domain_max.array()).all();
}

Real swing_of_walls(const Model& model, const State& state, const Workspace& work, Index body, const Vec3& turn) {
  constexpr Real rounding = 1e-12;
  Real swing = 0.0;
  for (Index i = model.collider_begin[body]; i < model.collider_begin[body + 1]; ++i) {
    const Collider& c = model.colliders[i];
    if (c.kind != ShapeKind::plane && c.kind != ShapeKind::tube) continue;
    const PlacedShape wall = place(c, {}, work.pose_m[body]);
    const Vec3 axis = c.kind == ShapeKind::plane ? plane::normal(wall, model.planar) : tube::axis(wall);
    const Real tilt = turn.cross(axis).norm();
    if (tilt > rounding * turn.norm()) swing = std::max(swing, tilt * farthest_from(wall.p, model, state, work.active));
  }
  return swing;
}

}  // namespace grus
