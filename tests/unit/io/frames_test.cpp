#include "io/frames.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/random.hpp"
#include "io/whole_file.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::frames_test {
namespace {

using testing::HasSubstr;

constexpr Index dynamic_bodies = 5;
constexpr Index all_bodies = 7;

FrameScene example_scene() {
  FrameScene scene;
  scene.name = "two walls";
  scene.planar = true;
  scene.dynamic_count = dynamic_bodies;
  scene.body_count = all_bodies;
  scene.gravity = Vec3(0, -9.81, 0);
  for (Index body = 0; body < all_bodies; ++body) {
    Collider c;
    c.kind = body == 0 ? ShapeKind::polygon : body < dynamic_bodies ? ShapeKind::disk : ShapeKind::plane;
    c.body = body;
    c.radius = 0.1 * body;
    c.half = Vec3(0.1, 0.2, 0.3);
    c.p_BC = Vec3(1.0 / 3.0, 0, 0);
    c.R_BC = Quat(0.6, 0, 0, 0.8);
    if (body == 0) c.vertex_count = 3;
    scene.colliders.push_back(c);
    scene.body_names.push_back("body \"" + std::to_string(body) + "\"");
  }
  scene.polygon_vertices = {Vec2(0, 0), Vec2(1, 0), Vec2(0, 1)};
  scene.group_names = {"grains"};
  scene.group_of = {0, 0, 0, no_index, 0};
  scene.moving = {false, true};
  return scene;
}

// Owns what a FrameData points at; a function of the frame's number alone.
struct ExampleFrame {
  std::vector<Vec3> position, velocity, angular_velocity;
  std::vector<Quat> rotation;
  std::vector<FrameContact> contacts;
  FrameData data;

  explicit ExampleFrame(int number) {
    Random random(static_cast<std::uint64_t>(number) + 1);
    const auto vector = [&random] { return Vec3(random.normal(), random.normal(), random.normal()); };
    for (Index i = 0; i < all_bodies; ++i) {
      position.push_back(vector());
      velocity.push_back(vector());
      angular_velocity.push_back(vector());
      rotation.emplace_back(random.normal(), random.normal(), random.normal(), random.normal());
    }
    for (int i = 0; i < number % 4; ++i) contacts.push_back({vector(), vector(), vector(), random.normal(), i, i + 1});
    data.time = 0.1 * number;
    data.step = 100 * number;
    data.active_count = number % (dynamic_bodies + 1);
    const auto part = [this](std::size_t from, std::size_t count) {
      return BodyMotions{std::span(position).subspan(from, count), std::span(rotation).subspan(from, count),
                         std::span(velocity).subspan(from, count), std::span(angular_velocity).subspan(from, count)};
    };
    data.dynamic = part(0, dynamic_bodies);
    data.carried = part(dynamic_bodies, all_bodies - dynamic_bodies);
    data.contacts = contacts;
  }
};

void expect_frame(const Frame& frame, int number) {
  const ExampleFrame expected(number);
  EXPECT_EQ(frame.time, expected.data.time);
  EXPECT_EQ(frame.step, expected.data.step);
  EXPECT_EQ(frame.active_count, expected.data.active_count);
  ASSERT_EQ(frame.body_count(), static_cast<std::size_t>(all_bodies));
  for (std::size_t i = 0; i < frame.body_count(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto c = static_cast<Eigen::Index>(k);
      EXPECT_EQ(frame.position[3 * i + k], static_cast<float>(expected.position[i][c]));
      EXPECT_EQ(frame.velocity[3 * i + k], static_cast<float>(expected.velocity[i][c]));
      EXPECT_EQ(frame.angular_velocity[3 * i + k], static_cast<float>(expected.angular_velocity[i][c]));
    }
    EXPECT_EQ(frame.rotation[4 * i], static_cast<float>(expected.rotation[i].x()));
    EXPECT_EQ(frame.rotation[4 * i + 3], static_cast<float>(expected.rotation[i].w()));
  }
  ASSERT_EQ(frame.contact_count(), expected.contacts.size());
  for (std::size_t i = 0; i < frame.contact_count(); ++i) {
    EXPECT_EQ(frame.contact_position[3 * i + 1], static_cast<float>(expected.contacts[i].position.y()));
    EXPECT_EQ(frame.contact_normal[3 * i + 2], static_cast<float>(expected.contacts[i].normal.z()));
    EXPECT_EQ(frame.contact_impulse[3 * i], static_cast<float>(expected.contacts[i].impulse.x()));
    EXPECT_EQ(frame.contact_gap[i], static_cast<float>(expected.contacts[i].gap));
    EXPECT_EQ(frame.contact_body_a[i], expected.contacts[i].body_a);
    EXPECT_EQ(frame.contact_body_b[i], expected.contacts[i].body_b);
  }
}

// Small parts, so that a few frames fill several; no flush by the clock.
FrameOptions small_parts() { return {.part_bytes = 1000, .every = std::chrono::hours(1)}; }

std::map<std::string, std::string> bytes_of(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    files[entry.path().filename().string()] = read_whole_file(entry.path().string());
  }
  return files;
}

TEST(Frames, RoundTripOverSeveralParts) {
  const test::TemporaryDirectory directory;
  RunFolder folder(directory.path());
  FrameWriter writer(folder, example_scene(), small_parts());
  for (int i = 0; i < 11; ++i) writer.append(ExampleFrame(i).data);
  writer.flush();
  const FrameReader reader(directory.path());
  ASSERT_EQ(reader.frame_count(), 11);
  EXPECT_GT(reader.entries().back().part, 2);
  for (int i = 10; i >= 0; --i) expect_frame(reader.read(i), i);
}

TEST(Frames, SceneRoundTrip) {
  const test::TemporaryDirectory directory;
  RunFolder folder(directory.path());
  const FrameScene scene = example_scene();
  FrameWriter writer(folder, scene);
  const FrameReader reader(directory.path());
  const FrameScene& read = reader.scene();
  EXPECT_EQ(reader.frame_count(), 0);
  EXPECT_EQ(read.name, scene.name);
  EXPECT_TRUE(read.planar);
  EXPECT_EQ(read.dynamic_count, scene.dynamic_count);
  EXPECT_EQ(read.gravity, scene.gravity);
  EXPECT_EQ(read.body_names, scene.body_names);
  EXPECT_EQ(read.group_names, scene.group_names);
  EXPECT_EQ(read.group_of, scene.group_of);
  EXPECT_EQ(read.moving, scene.moving);
  EXPECT_EQ(read.polygon_vertices, scene.polygon_vertices);
  ASSERT_EQ(read.colliders.size(), scene.colliders.size());
  for (std::size_t i = 0; i < read.colliders.size(); ++i) {
    EXPECT_EQ(read.colliders[i].kind, scene.colliders[i].kind);
    EXPECT_EQ(read.colliders[i].body, scene.colliders[i].body);
    EXPECT_EQ(read.colliders[i].radius, scene.colliders[i].radius);
    EXPECT_EQ(read.colliders[i].half, scene.colliders[i].half);
    EXPECT_EQ(read.colliders[i].p_BC, scene.colliders[i].p_BC);
    EXPECT_EQ(read.colliders[i].R_BC.coeffs(), scene.colliders[i].R_BC.coeffs());
    EXPECT_EQ(read.colliders[i].vertex_count, scene.colliders[i].vertex_count);
  }
}

// docs/files.md promises these bytes to other programs.
TEST(Frames, LayoutIsTheDocumentedOne) {
  const test::TemporaryDirectory directory;
  RunFolder folder(directory.path());
  FrameWriter writer(folder, example_scene());
  const ExampleFrame frame(3);
  writer.append(frame.data);
  writer.flush();
  const std::string part = read_whole_file(directory / "frames/part-00000.bin");
  const std::size_t body_words = 13 * all_bodies, contact_words = 12 * frame.contacts.size();
  ASSERT_EQ(part.size(), (40 + 4 * (body_words + contact_words) + 7) / 8 * 8);
  EXPECT_EQ(part.substr(0, 8), "GRUSFRM1");
  const auto real_at = [&part](std::size_t at) {
    double x = 0;
    std::memcpy(&x, part.data() + at, sizeof x);
    return x;
  };
  const auto int_at = [&part](std::size_t at) {
    std::int32_t x = 0;
    std::memcpy(&x, part.data() + at, sizeof x);
    return x;
  };
  const auto float_at = [&part](std::size_t at) {
    float x = 0;
    std::memcpy(&x, part.data() + at, sizeof x);
    return x;
  };
  EXPECT_EQ(real_at(8), frame.data.time);
  EXPECT_EQ(int_at(16), 300);
  EXPECT_EQ(int_at(24), all_bodies);
  EXPECT_EQ(int_at(28), frame.data.active_count);
  EXPECT_EQ(int_at(32), 3);
  EXPECT_EQ(float_at(40), static_cast<float>(frame.position[0].x()));
  const std::size_t rotations = 40 + 12 * all_bodies, velocities = rotations + 16 * all_bodies;
  EXPECT_EQ(float_at(rotations), static_cast<float>(frame.rotation[0].x()));
  EXPECT_EQ(float_at(velocities), static_cast<float>(frame.velocity[0].x()));
  EXPECT_EQ(int_at(40 + 4 * (body_words + 11 * frame.contacts.size())), frame.contacts[0].body_b);
}

TEST(Frames, ResumeDropsLaterFramesAndEndsWithTheSameBytes) {
  const test::TemporaryDirectory whole, cut;
  RunFolder whole_folder(whole.path()), cut_folder(cut.path());
  {
    FrameWriter writer(whole_folder, example_scene(), small_parts());
    for (int i = 0; i < 12; ++i) writer.append(ExampleFrame(i).data);
    writer.flush();
  }
  for (const int keep : {0, 1, 4, 7, 11}) {
    {
      FrameWriter writer(cut_folder, example_scene(), small_parts());
      for (int i = 0; i < 11; ++i) writer.append(ExampleFrame(i).data);
      writer.flush();
    }
    FrameWriter writer = FrameWriter::resume(cut_folder, example_scene(), keep, small_parts());
    EXPECT_EQ(writer.frame_count(), keep);
    EXPECT_EQ(FrameReader(cut.path()).frame_count(), keep);
    for (int i = keep; i < 12; ++i) writer.append(ExampleFrame(i).data);
    writer.flush();
    EXPECT_EQ(bytes_of(cut / "frames"), bytes_of(whole / "frames")) << keep;
  }
}

TEST(Frames, ANewRunRemovesTheFramesOfTheOld) {
  const test::TemporaryDirectory directory;
  RunFolder folder(directory.path());
  {
    FrameWriter writer(folder, example_scene(), small_parts());
    for (int i = 0; i < 8; ++i) writer.append(ExampleFrame(i).data);
    writer.flush();
  }
  FrameWriter writer(folder, example_scene(), small_parts());
  EXPECT_EQ(FrameReader(directory.path()).frame_count(), 0);
  EXPECT_EQ(bytes_of(directory / "frames").size(), 2u);
}

// The program may die between any two writes. Replaying every prefix of the sequence of file replacements, the index
// must name only frames that read back.
TEST(Frames, EveryMomentOfARunIsReadable) {
  const test::TemporaryDirectory directory;
  RunFolder folder(directory.path());
  FrameWriter writer(folder, example_scene(), small_parts());
  auto before = bytes_of(directory / "frames");
  for (int i = 0; i < 12; ++i) {
    writer.append(ExampleFrame(i).data);
    if (i % 2 == 0) writer.flush();
    const auto after = bytes_of(directory / "frames");
    // the moment between the part and the index: new parts with the old index
    const test::TemporaryDirectory moment;
    std::filesystem::create_directory(moment / "frames");
    for (const auto& [name, bytes] : after) write_whole_file(moment / ("frames/" + name), bytes);
    write_whole_file(moment / "frames/index.json", before.at("index.json"));
    const FrameReader reader(moment.path());
    for (std::int64_t f = 0; f < reader.frame_count(); ++f) expect_frame(reader.read(f), static_cast<int>(f));
    before = after;
  }
}

TEST(Frames, AFollowerSeesFramesWithoutFlush) {
  const test::TemporaryDirectory directory;
  RunFolder folder(directory.path());
  FrameWriter writer(folder, example_scene(), {.every = std::chrono::milliseconds(0)});
  writer.append(ExampleFrame(0).data);
  EXPECT_EQ(FrameReader(directory.path()).frame_count(), 1);
}

TEST(Frames, DamageIsASentence) {
  const test::TemporaryDirectory directory;
  RunFolder folder(directory.path());
  {
    FrameWriter writer(folder, example_scene());
    for (int i = 0; i < 3; ++i) writer.append(ExampleFrame(i).data);
    writer.flush();
  }
  const std::string part = directory / "frames/part-00000.bin", index = directory / "frames/index.json";
  const std::string part_bytes = read_whole_file(part), index_bytes = read_whole_file(index);
  const auto fault = [&](const auto& action) -> std::string {
    try {
      action();
    } catch (const InputError& e) {
      return e.what();
    }
    return "no fault";
  };
  write_whole_file(part, part_bytes.substr(0, part_bytes.size() - 8));
  EXPECT_THAT(fault([&] { FrameReader(directory.path()).read(2); }), HasSubstr("the index names 504 bytes from byte 864 on"));
  std::string other = part_bytes;
  other[0] = 'X';
  write_whole_file(part, other);
  EXPECT_THAT(fault([&] { FrameReader(directory.path()).read(0); }), HasSubstr("no frame of 7 bodies"));
  write_whole_file(part, part_bytes);

  write_whole_file(index, index_bytes.substr(0, index_bytes.size() / 2));
  EXPECT_THAT(fault([&] { FrameReader reader(directory.path()); }), HasSubstr("damaged"));
  auto json = nlohmann::json::parse(index_bytes);
  json["version"] = 99;
  write_whole_file(index, json.dump());
  EXPECT_THAT(fault([&] { FrameReader reader(directory.path()); }), HasSubstr("version 99"));
  json["version"] = 1;
  json["frames"][1][2] = 7;
  write_whole_file(index, json.dump());
  EXPECT_THAT(fault([&] { FrameReader reader(directory.path()); }), HasSubstr("lies in no part"));
  write_whole_file(index, index_bytes);
  EXPECT_THAT(fault([&] { FrameWriter::resume(folder, example_scene(), 4); }), HasSubstr("3 frames were found"));
  FrameScene larger = example_scene();
  larger.body_count = 9;
  EXPECT_THAT(fault([&] { FrameWriter::resume(folder, larger, 2); }), HasSubstr("frames of 7 bodies"));
  EXPECT_THROW(FrameReader(directory / "absent"), IoError);
}

}  // namespace
}  // namespace grus::frames_test
