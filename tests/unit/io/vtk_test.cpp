#include "io/vtk.hpp"

#include <cstring>
#include <filesystem>
#include <map>
#include <regex>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "io/whole_file.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::vtk_test {
namespace {

using testing::HasSubstr;

// One body of every bounded shape and a floor; the last grain is not released yet.
FrameScene every_shape(bool planar) {
  FrameScene scene;
  scene.planar = planar;
  const auto add = [&scene](ShapeKind kind, Index body) {
    Collider c;
    c.kind = kind;
    c.body = body;
    c.radius = 0.1;
    c.half = Vec3(0.2, 0.3, 0.4);
    scene.colliders.push_back(c);
  };
  if (planar) {
    add(ShapeKind::disk, 0);
    add(ShapeKind::capsule, 1);
    add(ShapeKind::box, 2);
    add(ShapeKind::polygon, 3);
    scene.colliders.back().vertex_count = 3;
    scene.polygon_vertices = {Vec2(0, 0), Vec2(1, 0), Vec2(0, 1)};
  } else {
    add(ShapeKind::sphere, 0);
    add(ShapeKind::capsule, 1);
    add(ShapeKind::box, 2);
    add(ShapeKind::cylinder, 3);
  }
  add(planar ? ShapeKind::disk : ShapeKind::sphere, 4);
  add(ShapeKind::plane, 5);
  scene.dynamic_count = 5;
  scene.body_count = 6;
  return scene;
}

struct Frames {
  std::vector<Vec3> position, velocity, spin;
  std::vector<Quat> rotation;
  std::vector<FrameContact> contacts;

  Frames() : velocity(6, Vec3(1, 2, 3)), spin(6, Vec3::Zero()), rotation(6, Quat::Identity()) {
    for (int i = 0; i < 6; ++i) position.emplace_back(i, 0, 0);
    contacts.push_back({Vec3(0.5, 0, 0), Vec3(1, 0, 0), Vec3(2e-3, 0, 0), -1e-6, 0, 1});
  }
  FrameData at(Real time) const {
    const auto part = [this](std::size_t from, std::size_t count) {
      return BodyMotions{std::span(position).subspan(from, count), std::span(rotation).subspan(from, count),
                         std::span(velocity).subspan(from, count), std::span(spin).subspan(from, count)};
    };
    FrameData data;
    data.time = time;
    data.active_count = 4;
    data.dynamic = part(0, 5);
    data.carried = part(5, 1);
    data.contacts = contacts;
    return data;
  }
};

// Every tag that opens closes, in order.
bool is_well_formed(const std::string& xml) {
  static const std::regex tag("<([/?]?)([A-Za-z]+)([^<>]*)>");
  std::vector<std::string> open;
  for (auto it = std::sregex_iterator(xml.begin(), xml.end(), tag); it != std::sregex_iterator(); ++it) {
    const std::string kind = (*it)[1], name = (*it)[2], rest = (*it)[3];
    if (kind == "?") continue;
    if (kind == "/") {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    } else if (!rest.ends_with('/')) {
      open.push_back(name);
    }
  }
  return open.empty();
}

std::string decode(std::string_view text) {
  static const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t digit = letters.find(c);
    if (digit == std::string::npos) break;
    word = word << 6 | static_cast<std::uint32_t>(digit);
    if ((bits += 6) >= 8) bytes += static_cast<char>(word >> (bits -= 8) & 255);
  }
  return bytes;
}

struct PolyDataFile {
  std::string xml;
  int points = 0, vertices = 0, polygons = 0;

  explicit PolyDataFile(const std::string& path) : xml(read_whole_file(path)) {
    points = number("NumberOfPoints");
    vertices = number("NumberOfVerts");
    polygons = number("NumberOfPolys");
  }
  int number(const std::string& name) const {
    std::smatch match;
    return std::regex_search(xml, match, std::regex(name + "=\"(\\d+)\"")) ? std::stoi(match[1]) : -1;
  }
  // Values of the array `name` within the element `section`; its own length word must be true.
  template <class T>
  std::vector<T> array(const std::string& section, const std::string& name) const {
    const std::size_t from = xml.find("<" + section + ">");
    const std::size_t tag = xml.find("Name=\"" + name + "\"", from);
    const std::size_t offset = xml.find("offset=\"", tag) + 8;
    const std::size_t start = xml.find('_', xml.find("<AppendedData")) + 1 + std::stoul(xml.substr(offset));
    const std::string head = decode(std::string_view(xml).substr(start, 12));
    std::uint64_t size = 0;
    std::memcpy(&size, head.data(), sizeof size);
    const std::string bytes = decode(std::string_view(xml).substr(start, (size + 8 + 2) / 3 * 4));
    EXPECT_EQ(bytes.size(), size + 8) << section << " " << name;
    std::vector<T> values(size / sizeof(T));
    if (size != 0) std::memcpy(values.data(), bytes.data() + 8, size);
    return values;
  }
};

TEST(Vtk, FilesAreWellFormedAndCountRight) {
  for (const bool planar : {false, true}) {
    const test::TemporaryDirectory directory;
    RunFolder folder(directory.path());
    VtkWriter writer(folder, every_shape(planar), 1e-3);
    const Frames frames;
    writer.append(frames.at(0.0));

    const PolyDataFile grains(directory / "vtk/grains-000000.vtp");
    EXPECT_TRUE(is_well_formed(grains.xml));
    EXPECT_EQ(grains.points, 1) << "the last grain is not released yet";
    EXPECT_EQ(grains.vertices, 1);
    EXPECT_THAT(grains.array<float>("Points", "Points"), testing::ElementsAre(0.f, 0.f, 0.f));
    EXPECT_THAT(grains.array<float>("PointData", "radius"), testing::ElementsAre(0.1f));
    EXPECT_THAT(grains.array<float>("PointData", "velocity"), testing::ElementsAre(1.f, 2.f, 3.f));

    const PolyDataFile shapes(directory / "vtk/shapes-000000.vtp");
    EXPECT_TRUE(is_well_formed(shapes.xml));
    EXPECT_EQ(shapes.array<float>("Points", "Points").size(), 3u * static_cast<std::size_t>(shapes.points));
    EXPECT_EQ(shapes.array<float>("PointData", "body").size(), static_cast<std::size_t>(shapes.points));
    const auto ends = shapes.array<std::int32_t>("Polys", "offsets");
    const auto corners = shapes.array<std::int32_t>("Polys", "connectivity");
    ASSERT_EQ(ends.size(), static_cast<std::size_t>(shapes.polygons));
    EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end()));
    EXPECT_EQ(static_cast<std::size_t>(ends.back()), corners.size());
    for (const std::int32_t corner : corners) {
      EXPECT_GE(corner, 0);
      EXPECT_LT(corner, shapes.points);
    }

    const PolyDataFile contacts(directory / "vtk/contacts-000000.vtp");
    EXPECT_TRUE(is_well_formed(contacts.xml));
    EXPECT_THAT(contacts.array<float>("PointData", "force"), testing::ElementsAre(2.f, 0.f, 0.f));
  }
}

// A closed surface with outward polygons: its volume by the divergence theorem is the shape's, up to the facets.
TEST(Vtk, SurfacesAreClosedAndLookOutward) {
  const test::TemporaryDirectory directory;
  RunFolder folder(directory.path());
  VtkWriter writer(folder, every_shape(false), 1e-3);
  writer.append(Frames().at(0.0));
  const PolyDataFile shapes(directory / "vtk/shapes-000000.vtp");
  const auto points = shapes.array<float>("Points", "Points");
  const auto ends = shapes.array<std::int32_t>("Polys", "offsets");
  const auto corners = shapes.array<std::int32_t>("Polys", "connectivity");
  const auto body = shapes.array<float>("PointData", "body");
  const auto point = [&](std::int32_t i) {
    const auto p = 3 * static_cast<std::size_t>(i);
    return Vec3(points[p], points[p + 1], points[p + 2]);
  };
  std::map<int, Real> volume;
  std::int32_t begin = 0;
  for (const std::int32_t end : ends) {
    const auto corner = [&](std::int32_t k) { return corners[static_cast<std::size_t>(k)]; };
    for (std::int32_t k = begin + 1; k + 1 < end; ++k) {
      const Vec3 a = point(corner(begin)), b = point(corner(k)), c = point(corner(k + 1));
      volume[static_cast<int>(body[static_cast<std::size_t>(corner(begin))])] += a.dot(b.cross(c)) / 6.0;
    }
    begin = end;
  }
  constexpr Real pi = 3.14159265358979;
  constexpr Real facets =
      0.03;  // 24 facets and 6 rings lie inside the round surface: 1.1 % of the circle, 2 % of the cap
  EXPECT_NEAR(volume[2], 8 * 0.2 * 0.3 * 0.4, 1e-6);
  const Real cylinder = pi * 0.01 * 0.8, capsule = cylinder + 4.0 / 3.0 * pi * 0.001;
  EXPECT_LT(volume[3], cylinder);
  EXPECT_GT(volume[3], (1 - facets) * cylinder);
  EXPECT_LT(volume[1], capsule);
  EXPECT_GT(volume[1], (1 - facets) * capsule);
}

TEST(Vtk, TheListNamesEveryFrameByTimeAndResumesAfterACut) {
  const test::TemporaryDirectory directory;
  RunFolder folder(directory.path());
  const Frames frames;
  {
    VtkWriter writer(folder, every_shape(false), 1e-3);
    for (int i = 0; i < 5; ++i) writer.append(frames.at(0.1 * i));
  }
  const std::string whole = read_whole_file(directory / "vtk/run.pvd");
  EXPECT_TRUE(is_well_formed(whole));
  EXPECT_THAT(whole, HasSubstr("timestep=\"0.2\" part=\"0\" name=\"grains\" file=\"grains-000002.vtp\""));
  VtkWriter writer(folder, every_shape(false), 1e-3, 3);
  EXPECT_EQ(writer.frame_count(), 3);
  EXPECT_FALSE(std::filesystem::exists(directory / "vtk/grains-000003.vtp"));
  EXPECT_TRUE(std::filesystem::exists(directory / "vtk/grains-000002.vtp"));
  for (int i = 3; i < 5; ++i) writer.append(frames.at(0.1 * i));
  EXPECT_EQ(read_whole_file(directory / "vtk/run.pvd"), whole);
  EXPECT_THROW(VtkWriter(folder, every_shape(false), 1e-3, 6), InputError);
}

}  // namespace
}  // namespace grus::vtk_test
