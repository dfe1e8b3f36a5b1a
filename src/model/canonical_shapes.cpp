// Shapes as written to shapes as used: hulls of points and meshes, pieces of meshes, frames at centroids.
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "model/compile_context.hpp"

namespace grus {

namespace {

// A piece may be this much emptier than its hull, by volume, and still pass as convex: scans and roundings are.
constexpr Real convex_within = 1e-2;

ShapeSpec with_hull(const ShapeSpec& shape, std::shared_ptr<const ConvexHull> hull) {
  ShapeSpec result = shape;
  result.points.clear();
  result.mesh.reset();
  result.position += shape.rotation.normalized() * (shape.scale * hull->center);
  result.hull = std::move(hull);
  return result;
}

std::shared_ptr<const ConvexHull> hull_or_fault(CompileContext& context, const ShapeSpec& shape,
                                                const std::string& what, std::span<const Vec3> points) {
  auto result = convex_hull(points, shape.mesh ? flat_in_single : flat_in_double);
  if (auto* hull = std::get_if<ConvexHull>(&result)) return std::make_shared<const ConvexHull>(std::move(*hull));
  context.fault(shape.mark, fmt::format("{}: {}", what, std::get<std::string>(result)));
  return nullptr;
}

std::vector<ShapeSpec> convex_pieces(CompileContext& context, const ShapeSpec& shape, const std::string& what) {
  std::vector<ShapeSpec> pieces;
  const TriangleMesh& mesh = *shape.mesh;
  int number = 0;
  for (const MeshPiece& piece : mesh_pieces(mesh)) {
    const std::string& object = mesh.object_name[static_cast<std::size_t>(piece.object)];
    const std::string label = fmt::format("{}: piece {} of {}{}", what, ++number, mesh.file,
                                          object.empty() ? "" : fmt::format(" (object '{}')", object));
    const auto hull = hull_or_fault(context, shape, label, piece_points(mesh, piece));
    if (!hull) return {};
    const Real volume = std::abs(piece_volume(mesh, piece));
    if (std::abs(volume - hull->integrals.volume) > convex_within * hull->integrals.volume) {
      context.fault(shape.mark,
                    fmt::format("{} is not convex, or has holes: it fills {:.3g} of its hull, expected 1 within {}",
                                label, volume / hull->integrals.volume, convex_within));
      return {};
    }
    pieces.push_back(with_hull(shape, hull));
  }
  return pieces;
}

}  // namespace

std::vector<ShapeSpec> canonical_shapes(CompileContext& context, const ShapeSpec& shape, const std::string& what) {
  switch (shape.kind) {
    case ShapeKind::polygon: {
      auto polygon = convex_polygon(shape.vertices);
      if (const auto* message = std::get_if<std::string>(&polygon)) {
        context.fault(shape.mark, fmt::format("{}: {}", what, *message));
        return {};
      }
      ShapeSpec result = shape;
      result.vertices = std::get<std::vector<Vec2>>(std::move(polygon));
      const Vec3 center = unit_mass_properties(result, true).center;
      for (Vec2& v : result.vertices) v -= Vec2(center.x(), center.y());
      result.position += shape.rotation.normalized() * center;
      return {result};
    }
    case ShapeKind::polyhedron: {
      if (shape.hull) return {with_hull(shape, shape.hull)};
      if (shape.mesh && shape.mesh_use == MeshUse::pieces) return convex_pieces(context, shape, what);
      const auto hull = hull_or_fault(context, shape, what, shape.mesh ? shape.mesh->vertices : shape.points);
      if (!hull) return {};
      return {with_hull(shape, hull)};
    }
    case ShapeKind::triangle:
      if (shape.mesh) return {shape};
      context.fault(shape.mark, what + ": a mesh wall needs a mesh");
      return {};
    default:
      return {shape};
  }
}

}  // namespace grus
