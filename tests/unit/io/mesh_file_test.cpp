#include "io/mesh_file.hpp"

#include <cstring>
#include <fstream>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "model/convex_hull.hpp"

namespace grus::mesh_file_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TriangleMesh mesh_of(std::string_view bytes, const std::string& path) {
  auto result = parse_mesh(bytes, path);
  if (const auto* message = std::get_if<std::string>(&result)) {
    ADD_FAILURE() << *message;
    return {};
  }
  return std::get<TriangleMesh>(std::move(result));
}

std::string fault_of(std::string_view bytes, const std::string& path) {
  auto result = parse_mesh(bytes, path);
  const auto* message = std::get_if<std::string>(&result);
  return message ? *message : "";
}

const char* const tetrahedron_obj = R"(# a comment
mtllib rock.mtl
o stone
v 0 0 0
v 1 0 0 0.5
v 0 1 0
v 0 0 +1e0
vn 0 0 1
f 1 3 2
f 1/1 2/1 4/1
f -4//1 -1//1 -2//1
f 2 3 4
)";

std::string text_stl(const TriangleMesh& mesh) {
  std::string text = "solid part\n";
  for (const auto& t : mesh.triangles) {
    text += " facet normal nan nan nan\n  outer loop\n";
    for (const Index v : t) {
      const Vec3& p = mesh.vertices[static_cast<std::size_t>(v)];
      text += "   vertex " + std::to_string(p.x()) + " " + std::to_string(p.y()) + " " + std::to_string(p.z()) + "\n";
    }
    text += "  endloop\n endfacet\n";
  }
  return text + "endsolid part\n";
}

std::string binary_stl(const TriangleMesh& mesh, const char* header) {
  std::string bytes(80, ' ');
  std::memcpy(bytes.data(), header, std::strlen(header));
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  bytes.append(reinterpret_cast<const char*>(&count), 4);
  for (const auto& t : mesh.triangles) {
    float values[12] = {};
    for (std::size_t k = 0; k < 3; ++k) {
      for (int axis = 0; axis < 3; ++axis)
        values[3 + 3 * k + static_cast<std::size_t>(axis)] =
            static_cast<float>(mesh.vertices[static_cast<std::size_t>(t[k])][axis]);
    }
    bytes.append(reinterpret_cast<const char*>(values), sizeof values);
    bytes.append(2, '\0');
  }
  return bytes;
}

TEST(MeshFile, ReadsTheSameTetrahedronFromEveryFormat) {
  const TriangleMesh mesh = mesh_of(tetrahedron_obj, "a.OBJ");
  EXPECT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.triangles.size(), 4u);
  EXPECT_THAT(mesh.object_name, testing::ElementsAre("stone"));
  for (const TriangleMesh& other : {mesh_of(text_stl(mesh), "a.stl"), mesh_of(binary_stl(mesh, "exported"), "a.stl"),
                                    // the length tells that this one is binary
                                    mesh_of(binary_stl(mesh, "solid but binary"), "a.stl")}) {
    EXPECT_EQ(other.vertices.size(), 4u) << "equal corners are one vertex";
    EXPECT_EQ(other.triangles.size(), 4u);
    const auto pieces = mesh_pieces(other);
    ASSERT_EQ(pieces.size(), 1u);
    EXPECT_NEAR(piece_volume(other, pieces[0]), 1.0 / 6.0, 1e-6);
  }
}

TEST(MeshFile, ObjectsAndConnectedPartsArePieces) {
  const std::string two = std::string(tetrahedron_obj) + "v 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\ng second\n" +
                          "f 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n" + "o empty\n";
  const TriangleMesh mesh = mesh_of(two, "two.obj");
  EXPECT_THAT(mesh.object_name, testing::ElementsAre("stone", "second"));
  EXPECT_EQ(mesh_pieces(mesh).size(), 2u);
  EXPECT_EQ(piece_points(mesh, mesh_pieces(mesh)[1]).size(), 4u);
}

TEST(MeshFile, LongFacesBecomeFansAndLinesEndInAnyWay) {
  const TriangleMesh mesh = mesh_of("v 0 0 0\r\nv 1 0 0\rv 1 1 0\nv 0 1 0\r\nf 1 2 3 4\r\n", "quad.obj");
  EXPECT_EQ(mesh.triangles.size(), 2u);
  EXPECT_THAT(fault_of("v 0 0 0\r\nv 1 0 0\rv 1 x 0\n", "quad.obj"), HasSubstr("quad.obj:3: found 'x'"));
}

TEST(MeshFile, SaysLineOrByteOfEveryFault) {
  EXPECT_THAT(fault_of("v 0 0\n", "a.obj"), AllOf(HasSubstr("a.obj:1:"), HasSubstr("expected a number")));
  EXPECT_THAT(fault_of("v 0 0 nan\n", "a.obj"), HasSubstr("expected a number"));
  EXPECT_THAT(fault_of("v 0 0 1e300\n", "a.obj"), HasSubstr("1e+300"));
  EXPECT_THAT(fault_of("v 0 0 0\nf 1 2 3\n", "a.obj"), HasSubstr("a.obj:2: found vertex 2 of 1 so far"));
  EXPECT_THAT(fault_of("v 0 0 0\nf 0 1 1\n", "a.obj"), HasSubstr("found vertex 0"));
  EXPECT_THAT(fault_of("v 0 0 0\nf -2 1 1\n", "a.obj"), HasSubstr("found vertex -2"));
  EXPECT_THAT(fault_of("v 0 0 0\nf 1 1\n", "a.obj"), HasSubstr("a face of 2 corners"));
  EXPECT_THAT(fault_of("v 0 0 0\nf a b c\n", "a.obj"), HasSubstr("expected the number of a vertex"));
  EXPECT_THAT(fault_of("%PDF-1.4\n", "a.obj"), HasSubstr("a.obj:1: found '%PDF-1.4', expected v, f"));
  EXPECT_THAT(fault_of("", "a.obj"), HasSubstr("no triangle"));
  EXPECT_THAT(fault_of("", "a.stl"), HasSubstr("no triangle"));
  EXPECT_THAT(fault_of("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\nvertex", "a.stl"),
              AllOf(HasSubstr("a.stl:5:"), HasSubstr("'vertex'")));
  EXPECT_THAT(fault_of("solid x\n", "a.stl"), HasSubstr("found the end, expected 'facet' or 'endsolid'"));
  EXPECT_THAT(fault_of("solid\nendsolid\n", "a.ply"), HasSubstr("expected .stl or .obj"));
  const std::string binary = binary_stl(mesh_of(tetrahedron_obj, "a.obj"), "x");
  EXPECT_THAT(fault_of(binary.substr(0, 200), "a.stl"),
              AllOf(HasSubstr("byte 80"), HasSubstr("4 triangles"), HasSubstr("284 bytes")));
  std::string infinite = binary;
  std::memcpy(infinite.data() + 96, "\x00\x00\x80\x7f", 4);
  EXPECT_THAT(fault_of(infinite, "a.stl"), HasSubstr("byte 96: found the coordinate inf"));
  std::string huge = binary;
  std::memcpy(huge.data() + 80, "\xff\xff\xff\xff", 4);
  EXPECT_THAT(fault_of(huge, "a.stl"), HasSubstr("4294967295 triangles"));
}

TEST(MeshFile, FilesThatCannotBeReadAreNamed) {
  const auto fault = [](const std::string& path) {
    auto result = read_mesh_file(path);
    return std::get_if<std::string>(&result) ? std::get<std::string>(result) : "";
  };
  EXPECT_THAT(fault("/nowhere/stone.stl"), HasSubstr("does not exist"));
  EXPECT_THAT(fault("/dev/zero"), HasSubstr("not a regular file"));
  EXPECT_THAT(fault(testing::TempDir()), HasSubstr("not a regular file"));
}

// Every cut and many flips of bytes: a mesh or a message, never a crash (the sanitizer tier watches).
TEST(MeshFile, DamagedFilesGiveAMeshOrAMessage) {
  const TriangleMesh mesh = mesh_of(tetrahedron_obj, "a.obj");
  const std::pair<std::string, std::string> files[] = {
      {tetrahedron_obj, "a.obj"}, {text_stl(mesh), "a.stl"}, {binary_stl(mesh, "x"), "a.stl"}};
  Random random(5);
  for (const auto& [bytes, name] : files) {
    for (std::size_t length = 0; length < bytes.size(); ++length) parse_mesh(bytes.substr(0, length), name);
    for (int trial = 0; trial < 2000; ++trial) {
      std::string damaged = bytes;
      for (int k = 0; k < 3; ++k) damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
      auto result = parse_mesh(damaged, name);
      if (auto* good = std::get_if<TriangleMesh>(&result)) {
        for (const MeshPiece& piece : mesh_pieces(*good)) convex_hull(piece_points(*good, piece), flat_in_single);
        wall_triangles(*good, 1.0);
      } else {
        EXPECT_THAT(std::get<std::string>(result), HasSubstr(name));
      }
    }
  }
}

TEST(MeshWall, NeighboursKnowEachOthersNormals) {
  // an open book: two triangles along the y axis, folded by 90 degrees
  const TriangleMesh book = mesh_of("v 0 0 0\nv 0 1 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n", "book.obj");
  const auto result = wall_triangles(book, 2.0);
  const auto& wall = std::get<std::vector<MeshTriangle>>(result);
  ASSERT_EQ(wall.size(), 2u);
  EXPECT_TRUE(wall[0].normal.isApprox(Vec3(0, 0, 1)));
  EXPECT_TRUE(wall[1].normal.isApprox(Vec3(1, 0, 0)));
  EXPECT_TRUE(wall[0].vertices[1].isApprox(Vec3(2, 0, 0)));
  // 1-3 and 3-2 are free, 2-1 is the fold
  EXPECT_EQ(wall[0].edge_normal[0], Vec3(-wall[0].normal));
  EXPECT_EQ(wall[0].edge_normal[1], Vec3(-wall[0].normal));
  EXPECT_EQ(wall[0].edge_normal[2], wall[1].normal);
  EXPECT_EQ(wall[1].edge_normal[0], wall[0].normal);
}

TEST(MeshWall, FacesThatDisagreeAreNamedAndSliversDropped) {
  const auto message = [](const char* text) {
    const auto result = wall_triangles(mesh_of(text, "w.obj"), 1.0);
    return std::get_if<std::string>(&result) ? std::get<std::string>(result) : "";
  };
  EXPECT_THAT(message("v 0 0 0\nv 0 1 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\nf 2 1 4\n"),
              HasSubstr("triangles 1 and 2 of w.obj face opposite ways"));
  EXPECT_THAT(message("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"), HasSubstr("no triangle with an area"));
}

}  // namespace
}  // namespace grus::mesh_file_test
