// Shapes made of points or mesh files: polyhedra, clusters of convex pieces, walls of triangles.
#include <filesystem>

#include <fmt/format.h>

#include "io/mesh_file.hpp"
#include "io/scene/tables.hpp"

namespace grus::scene {

std::optional<std::string> read_file_path(ValueReader& reader, const Entry& entry) {
  const auto name = reader.text(entry.key, *entry.value, TextRule::any);
  if (!name) return std::nullopt;
  if (!reader.may_read_files) {
    reader.fault(*entry.value, fmt::format("{}: a scene given as text cannot name files", entry.key));
    return std::nullopt;
  }
  // as with include: relative to the file that names it
  const auto& writer = entry.value->mark.file;
  return (std::filesystem::path(writer ? *writer : std::string()).parent_path() / *name).string();
}

std::shared_ptr<const TriangleMesh> read_mesh(ValueReader& reader, const Entry& entry) {
  const auto path = read_file_path(reader, entry);
  if (!path) return nullptr;
  auto result = read_mesh_file(*path);
  if (const auto* message = std::get_if<std::string>(&result)) {
    reader.fault(*entry.value, fmt::format("{}: {}", entry.key, *message));
    return nullptr;
  }
  const auto mesh = std::make_shared<const TriangleMesh>(std::get<TriangleMesh>(std::move(result)));
  reader.add_file_content(*mesh);
  return mesh;
}

namespace {

void read_mesh_file_key(ValueReader& reader, const Entry& entry, ShapeSpec& shape) {
  shape.mesh = read_mesh(reader, entry);
}

void read_points(ValueReader& reader, const Entry& entry, ShapeSpec& shape) {
  if (entry.value->kind != Node::Kind::list) {
    reader.mismatch(entry.key, *entry.value, "a list of points [x, y, z]");
    return;
  }
  for (const NodePtr& item : entry.value->items) {
    const auto point = reader.vector(entry.key, *item, VectorRule::spatial, any_length);
    if (!point) return;
    shape.points.push_back(*point);
  }
}

}  // namespace

const Object& polyhedron_table() {
  static const Object table =
      Describe<ShapeSpec>("polyhedron",
                          "A convex polyhedron: the hull of its points. Its frame is that of the points; its mass, "
                          "centre and inertia are exact.")
          .custom("vertices", "[[x, y, z], ...]", read_points,
                  "at least 4 points, in any order; inner ones are dropped")
          .unit("m")
          .custom("file", "text", read_mesh_file_key,
                  "an STL or OBJ file whose hull is meant, relative to the scene file")
          .exactly_one_of({"vertices", "file"})
          .number("scale", &ShapeSpec::scale, {1e-9, largest}, "factor on all lengths; 0.001 for a file in millimetres")
          .finish([](ValueReader&, const Node&, ShapeSpec& shape) { shape.kind = ShapeKind::polyhedron; })
          .done();
  return table;
}

const Object& mesh_table() {
  static const Object table =
      Describe<ShapeSpec>("mesh", "A surface of triangles from a file.")
          .custom("file", "text", read_mesh_file_key, "an STL or OBJ file, relative to the scene file")
          .required()
          .choice(
              "as", &ShapeSpec::mesh_use,
              Names<MeshUse>{{"hull", MeshUse::hull}, {"pieces", MeshUse::pieces}, {"wall", MeshUse::wall}},
              "one convex hull; a convex piece per connected part of each object (OBJ `o` and `g`, STL `solid`), for "
              "bodies that are not convex; or the triangles as a wall, solid behind them, for bodies that are "
              "fixed, driven or part of a mechanism")
          .number("scale", &ShapeSpec::scale, {1e-9, largest}, "factor on all lengths; 0.001 for a file in millimetres")
          .finish([](ValueReader&, const Node&, ShapeSpec& shape) {
            shape.kind = shape.mesh_use == MeshUse::wall ? ShapeKind::triangle : ShapeKind::polyhedron;
          })
          .done();
  return table;
}

}  // namespace grus::scene
