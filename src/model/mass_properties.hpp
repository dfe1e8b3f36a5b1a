// Mass, centre and inertia of shapes and of bodies made of them.
//
// Everything is computed for density 1 per volume (spatial) or per area (planar) and scaled after:
// m = density * volume, or density * thickness * area. Planar inertia is I_zz about the centre.
//   sphere    I = 2/5 m r^2
//   cylinder  I_zz = m r^2/2, I_xx = m (3 r^2 + L^2)/12                         (axis z, length L)
//   capsule   cylinder plus two hemispheres: I_xx of a hemisphere about the middle is
//             m_h (2/5 r^2 + L^2/4 + 3/8 L r), I_zz = 2/5 m_h r^2
//   box       I_xx = m (b^2 + c^2)/12
//   disk      I = m r^2/2;   stadium, polygon: see the .cpp;   polyhedron: convex_hull.hpp
// Pieces of a cluster add up; where they overlap, the overlap counts twice.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "math/vector.hpp"
#include "model/spec.hpp"

namespace grus {

struct MassProperties {
  Real mass = 0.0;              // kg
  Vec3 center = Vec3::Zero();   // m
  Mat3 inertia = Mat3::Zero();  // kg m2, about the centre, axes of the frame in use
};

// Of a bounded shape at density 1 per volume or area, in the shape's own frame. Zero for unbounded shapes; a
// polyhedron needs its hull.
MassProperties unit_mass_properties(const ShapeSpec& shape, bool planar);

// The same body seen from a frame in which its own frame sits at (position, rotation).
MassProperties moved(const MassProperties& properties, const Vec3& position, const Quat& rotation);

MassProperties scaled(MassProperties properties, Real density);

// Parallel-axis composition of pieces given in one frame.
MassProperties composed(const std::vector<MassProperties>& pieces);

// Principal moments and the rotation of the principal frame. A tensor that is diagonal to rounding keeps its frame
// (identity), so simple shapes do; otherwise the axes are ordered and signed to lie nearest the frame given.
struct PrincipalInertia {
  Vec3 moments = Vec3::Zero();
  Quat rotation = Quat::Identity();
};
PrincipalInertia principal_inertia(const Mat3& inertia);

// Positive, and no moment larger than the sum of the other two (to 1e-9): what a real mass distribution has.
bool is_physical(const Vec3& principal_moments);

// Radius of the sphere about the shape's origin that holds it; infinite for unbounded shapes.
Real bound_radius(const ShapeSpec& shape, bool planar);

// A polygon ready for use: counter-clockwise, strictly convex (vertices on a straight edge dropped); or what is
// wrong with it.
std::variant<std::vector<Vec2>, std::string> convex_polygon(const std::vector<Vec2>& vertices);

}  // namespace grus
