#include "model/mass_properties.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

namespace grus {

namespace {

using std::numbers::pi;

MassProperties centered(Real mass, const Vec3& moments) { return {mass, Vec3::Zero(), moments.asDiagonal()}; }

MassProperties sphere(Real r) {
  const Real m = 4.0 / 3.0 * pi * r * r * r;
  return centered(m, Vec3::Constant(0.4 * m * r * r));
}

MassProperties cylinder(Real r, Real length) {
  const Real m = pi * r * r * length;
  const Real across = m * (3.0 * r * r + length * length) / 12.0;
  return centered(m, Vec3(across, across, 0.5 * m * r * r));
}

MassProperties capsule(Real r, Real length) {
  const MassProperties tube = cylinder(r, length);
  const MassProperties caps = sphere(r);  // the two hemispheres
  const Real across = tube.inertia(0, 0) + caps.mass * (0.4 * r * r + 0.25 * length * length + 0.375 * length * r);
  return centered(tube.mass + caps.mass, Vec3(across, across, tube.inertia(2, 2) + caps.inertia(2, 2)));
}

MassProperties box(const Vec3& size) {
  const Vec3 square = size.cwiseProduct(size);
  const Real m = size.prod();
  return centered(m, m / 12.0 * Vec3(square.y() + square.z(), square.z() + square.x(), square.x() + square.y()));
}

MassProperties flat(Real area, Real polar) { return centered(area, Vec3(0.0, 0.0, polar)); }

MassProperties disk(Real r) { return flat(pi * r * r, 0.5 * pi * r * r * r * r); }

MassProperties rectangle(Real a, Real b) { return flat(a * b, a * b * (a * a + b * b) / 12.0); }

// Rectangle L x 2r and two half disks; the centroid of a half disk lies 4r/(3 pi) from its diameter, so about the
// middle it has m_h (r^2/2 + L^2/4 + 4 L r/(3 pi)).
MassProperties stadium(Real r, Real length) {
  const MassProperties middle = rectangle(length, 2.0 * r);
  const Real caps = pi * r * r;
  const Real polar = caps * (0.5 * r * r + 0.25 * length * length + 4.0 * length * r / (3.0 * pi));
  return flat(middle.mass + caps, middle.inertia(2, 2) + polar);
}

Real cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

// Triangles from the first vertex, which keeps the digits of a small polygon far from the origin.
MassProperties polygon(const std::vector<Vec2>& vertices) {
  Real area = 0.0;
  Vec2 first = Vec2::Zero();
  Real second = 0.0;
  for (std::size_t k = 1; k + 1 < vertices.size(); ++k) {
    const Vec2 a = vertices[k] - vertices[0];
    const Vec2 b = vertices[k + 1] - vertices[0];
    const Real twice = cross(a, b);
    area += 0.5 * twice;
    first += twice / 6.0 * (a + b);
    second += twice / 12.0 * (a.dot(a) + a.dot(b) + b.dot(b));
  }
  if (area == 0.0) return {};
  const Vec2 center = first / area;
  MassProperties properties = flat(area, second - area * center.squaredNorm());
  properties.center = Vec3(vertices[0].x() + center.x(), vertices[0].y() + center.y(), 0.0);
  return properties;
}

// The frame of a polyhedron sits at its centroid: the centre is zero, not a rounding error.
MassProperties polyhedron(const ShapeSpec& shape) {
  if (!shape.hull) return {};
  const PolyhedronIntegrals& one = shape.hull->integrals;
  const Real s = shape.scale;
  return {s * s * s * one.volume, Vec3::Zero(), s * s * s * s * s * one.inertia};
}

}  // namespace

MassProperties unit_mass_properties(const ShapeSpec& shape, bool planar) {
  switch (shape.kind) {
    case ShapeKind::sphere:
      return sphere(shape.radius);
    case ShapeKind::capsule:
      return planar ? stadium(shape.radius, shape.length) : capsule(shape.radius, shape.length);
    case ShapeKind::cylinder:
      return cylinder(shape.radius, shape.length);
    case ShapeKind::box:
      return planar ? rectangle(shape.size.x(), shape.size.y()) : box(shape.size);
    case ShapeKind::disk:
      return disk(shape.radius);
    case ShapeKind::polygon:
      return polygon(shape.vertices);
    case ShapeKind::polyhedron:
      return polyhedron(shape);
    case ShapeKind::plane:
    case ShapeKind::tube:
    case ShapeKind::ring:
    case ShapeKind::triangle:
      break;
  }
  return {};
}

MassProperties moved(const MassProperties& properties, const Vec3& position, const Quat& rotation) {
  // exactly the same bits when there is nothing to turn
  const bool turns = !(rotation.x() == 0.0 && rotation.y() == 0.0 && rotation.z() == 0.0);
  const Mat3 r = rotation.toRotationMatrix();
  return {properties.mass, position + (turns ? Vec3(r * properties.center) : properties.center),
          turns ? Mat3(r * properties.inertia * r.transpose()) : properties.inertia};
}

MassProperties scaled(MassProperties properties, Real density) {
  properties.mass *= density;
  properties.inertia *= density;
  return properties;
}

MassProperties composed(const std::vector<MassProperties>& pieces) {
  if (pieces.size() == 1) return pieces.front();
  MassProperties whole;
  for (const MassProperties& piece : pieces) {
    whole.mass += piece.mass;
    whole.center += piece.mass * piece.center;
  }
  if (whole.mass == 0.0) return whole;
  whole.center /= whole.mass;
  for (const MassProperties& piece : pieces) {
    const Vec3 d = piece.center - whole.center;
    whole.inertia += piece.inertia + piece.mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  }
  return whole;
}

PrincipalInertia principal_inertia(const Mat3& inertia) {
  PrincipalInertia principal;
  const Real off = std::max({std::abs(inertia(0, 1)), std::abs(inertia(0, 2)), std::abs(inertia(1, 2))});
  // rounding of a composition is some 1e-16 of the trace; a tilt that this bound hides is below 1e-12 rad
  constexpr Real rounding = 1e-13;
  if (off <= rounding * inertia.trace()) {
    principal.moments = inertia.diagonal();
    return principal;
  }
  const Eigen::Matrix3d symmetric = 0.5 * (inertia + inertia.transpose());
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(symmetric);
  const Eigen::Matrix3d& vectors = solver.eigenvectors();
  // the assignment of eigenvectors to axes that is nearest the identity; the first of equals
  constexpr int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  int best = 0;
  Real best_match = -1.0;
  for (int k = 0; k < 6; ++k) {
    Real match = 0.0;
    for (int axis = 0; axis < 3; ++axis) match += std::abs(vectors(axis, orders[k][axis]));
    // the margin keeps rounding from choosing between equals
    if (match > best_match + 1e-9) {
      best = k;
      best_match = match;
    }
  }
  Eigen::Matrix3d axes;
  for (int axis = 0; axis < 3; ++axis) {
    const int from = orders[best][axis];
    principal.moments[axis] = solver.eigenvalues()[from];
    axes.col(axis) =
        vectors(axis, from) < 0.0 ? Eigen::Vector3d(-vectors.col(from)) : Eigen::Vector3d(vectors.col(from));
  }
  if (axes.determinant() < 0.0) {
    // turn over the axis that matches least
    int worst = 0;
    for (int axis = 1; axis < 3; ++axis) {
      if (axes(axis, axis) < axes(worst, worst)) worst = axis;
    }
    axes.col(worst) *= -1.0;
  }
  const Eigen::Quaterniond q(axes);
  principal.rotation = Quat(q.w(), q.x(), q.y(), q.z()).normalized();
  return principal;
}

bool is_physical(const Vec3& moments) {
  if (!(moments.minCoeff() > 0.0) || !moments.allFinite()) return false;
  constexpr Real slack = 1e-9;  // inertias are typed with some nine digits
  return moments.maxCoeff() <= 0.5 * moments.sum() * (1.0 + slack);
}

Real bound_radius(const ShapeSpec& shape, bool planar) {
  switch (shape.kind) {
    case ShapeKind::sphere:
    case ShapeKind::disk:
      return shape.radius;
    case ShapeKind::capsule:
      return 0.5 * shape.length + shape.radius;
    case ShapeKind::cylinder:
      return std::hypot(0.5 * shape.length, shape.radius);
    case ShapeKind::box:
      return planar ? 0.5 * std::hypot(shape.size.x(), shape.size.y()) : 0.5 * shape.size.norm();
    case ShapeKind::polygon: {
      Real radius = 0.0;
      for (const Vec2& v : shape.vertices) radius = std::max(radius, v.norm());
      return radius;
    }
    case ShapeKind::polyhedron:
      return shape.hull ? shape.scale * shape.hull->polyhedron.bound_radius : 0.0;
    case ShapeKind::plane:
    case ShapeKind::tube:
    case ShapeKind::ring:
    case ShapeKind::triangle:
      break;
  }
  return std::numeric_limits<Real>::infinity();
}

std::variant<std::vector<Vec2>, std::string> convex_polygon(const std::vector<Vec2>& vertices) {
  if (vertices.size() < 3) return fmt::format("a polygon needs at least 3 vertices, found {}", vertices.size());
  Real extent = 0.0;
  for (const Vec2& v : vertices) {
    if (!v.allFinite()) return std::string("a vertex of the polygon is not finite");
    extent = std::max(extent, (v - vertices[0]).norm());
  }
  if (!(extent > 0.0)) return std::string("all vertices of the polygon coincide");
  std::vector<Vec2> ring = vertices;
  Real area = 0.0;
  for (std::size_t k = 1; k + 1 < ring.size(); ++k) area += 0.5 * cross(ring[k] - ring[0], ring[k + 1] - ring[0]);
  if (area < 0.0) std::reverse(ring.begin(), ring.end());

  // corners sharper than this angle are kept, flatter ones are on a straight edge
  constexpr Real straight = 1e-9;  // rad
  std::vector<Vec2> corners;
  Real turning = 0.0;
  const std::size_t n = ring.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Vec2 in = ring[k] - ring[(k + n - 1) % n];
    const Vec2 out = ring[(k + 1) % n] - ring[k];
    if (out.norm() <= 1e-12 * extent || in.norm() <= 1e-12 * extent)
      return fmt::format("vertex ({}, {}) of the polygon is given twice in a row", ring[k].x(), ring[k].y());
    const Real turn = std::atan2(cross(in, out), in.dot(out));
    if (turn < -straight || turn > pi - straight)
      return fmt::format("the polygon is not convex at vertex ({}, {})", ring[k].x(), ring[k].y());
    turning += turn;
    if (turn > straight) corners.push_back(ring[k]);
  }
  // a star turns left at every corner and still crosses itself
  if (std::abs(turning - 2.0 * pi) > 1e-3) return std::string("the edges of the polygon cross");
  return corners;
}

}  // namespace grus
