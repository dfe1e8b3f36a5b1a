// Beds: a small one made, kept, read and used; their files; and that scale does not matter.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "grus/bed.hpp"
#include "grus/scene.hpp"
#include "io/bed_file.hpp"
#include "io/scene/scene.hpp"
#include "simulation/provide_beds.hpp"
#include "support/rig.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::bed_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// 60 stones grown in a box of 4 x 3 cells; all lengths times `scale`, so that times stay what they are.
std::string bed_text(Real scale, Real length = 0.168, Real width = 0.126) {
  const auto m = [&](Real metres) { return std::to_string(1e6 * scale * metres) + "e-6"; };
  return "time: {step: 1.0e-3, end: 1}\n"
         "seed: 3\n"
         "parameters: {grown: 0.25}\n"
         "gravity: [0, 0, " +
         m(-9.81) +
         "]\n"
         "materials: [{name: rock, density: 2700}]\n"
         "pairs: [{between: [rock, rock], friction: 0.6}]\n"
         "contact: {recovery_speed: " +
         m(0.3) +
         "}\n"
         "solver: {tolerance: 1.0e-3}\n"
         "containers: [{box: {min: [0, 0, 0], max: [" +
         m(length) + ", " + m(width) + ", " + m(0.5) +
         "], open: [+z]}}]\n"
         "generators:\n"
         "  - {name: stone, kind: lattice, stone: {variants: 12}, box: {min: [0, 0, 0], max: [" +
         m(1) + ", " + m(1) + ", " + m(1) +
         "]},\n"
         "     size: {sieve: [[" +
         m(0.0315) + ", 0], [" + m(0.05) + ", 1]]}, cells: [4, 3, 5], spacing: " + m(0.042) +
         "}\n"
         "settle: {speed: " +
         m(1e-3) + ", limit: 6, growth: {from: grown, time: 0.15}}\n";
}

class BedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("GRUS_CACHE", (folder_ / "cache").c_str(), 1);
    write("bed.yaml", bed_text(1.0));
  }
  void TearDown() override { unsetenv("GRUS_CACHE"); }
  std::string path(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }

  test::TemporaryDirectory folder_;
};

std::optional<SettledBed> settled(const std::string& scene, int threads, std::vector<std::string> overrides = {}) {
  return settle_bed(load_scene(scene, overrides), Parallel(threads), {});
}

std::string fault_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_F(BedTest, SettlesWithinItsBoundsForAnyNumberOfThreads) {
  const auto bed = settled(path("bed.yaml"), 1);
  ASSERT_TRUE(bed);
  EXPECT_EQ(bed->bed.stones.size(), 60u);
  EXPECT_LT(bed->statistics.rms_speed, 1e-3);
  EXPECT_LT(bed->statistics.penetration_mean, 5e-3);
  EXPECT_LT(bed->statistics.penetration_max, 3e-2);
  EXPECT_GT(bed->statistics.solid_fraction, 0.4);
  EXPECT_LT(bed->statistics.solid_fraction, 0.75);
  EXPECT_GT(bed->statistics.coordination, 2.0);
  // at their full size again
  for (const BedStone& stone : bed->bed.stones) {
    EXPECT_GE(stone.scale, 0.0315 * (1.0 - 1e-12));
    EXPECT_LE(stone.scale, 0.05 * (1.0 + 1e-12));
    EXPECT_GT(stone.position.z(), 0.0);
  }
  EXPECT_EQ(bed_hash(settled(path("bed.yaml"), 2)->bed), bed_hash(bed->bed));
  EXPECT_NE(bed_hash(settled(path("bed.yaml"), 2, {"seed=4"})->bed), bed_hash(bed->bed));
}

// Stones let fall one after the other, and those of a lattice wide enough for their full size.
TEST_F(BedTest, RainAndAWideLatticeComeToRestLikeGrownStones) {
  // the scene of the grown bed, with another generator and damping in place of growth
  const auto with = [](const std::string& generator) {
    const std::string grown = bed_text(1.0);
    return grown.substr(0, grown.find("generators:")) + "generators:\n  - {name: stone, stone: {variants: 12}, " +
           "size: {sieve: [[0.0315, 0], [0.05, 1]]}, " + generator +
           "}\nsettle: {speed: 1.0e-3, limit: 6, damping: 5}\n";
  };
  const std::map<std::string, std::string> texts{
      {"rain.yaml", with("kind: rain, box: {min: [0, 0, 0.3], max: [0.168, 0.126, 0.45]}, rate: 5, count: 12")},
      {"lattice.yaml", with("kind: lattice, box: {min: [0, 0, 0], max: [1, 1, 2]}, cells: [1, 1, 12], spacing: 0.12")}};
  for (const auto& [name, text] : texts) {
    write(name, text);
    const auto bed = settled(path(name), 2);
    ASSERT_TRUE(bed) << name;
    EXPECT_EQ(bed->bed.stones.size(), 12u) << name;
    EXPECT_LT(bed->statistics.rms_speed, 1e-3) << name;
    EXPECT_LT(bed->statistics.penetration_mean, 5e-3) << name;
    EXPECT_LT(bed->statistics.penetration_max, 3e-2) << name;
    EXPECT_GT(bed->statistics.coordination, 1.0) << name;
    // in the box, in a heap of a few layers, within the overlap allowed
    constexpr Real overlap = 3e-2 * 0.05;
    for (const BedStone& stone : bed->bed.stones) {
      EXPECT_GE(stone.scale, 0.0315 * (1.0 - 1e-12)) << name;
      for (const Vec3& v : bed->bed.shapes[static_cast<std::size_t>(stone.shape)]->polyhedron.vertices) {
        const Vec3 x = stone.position + stone.rotation * (stone.scale * v);
        EXPECT_TRUE((x.array() > -overlap).all()) << name;
        EXPECT_TRUE((x.array() < Eigen::Array3d(0.168, 0.126, 0.2) + overlap).all()) << name;
      }
    }
    if (name == "rain.yaml") {
      EXPECT_EQ(bed_hash(settled(path(name), 1)->bed), bed_hash(bed->bed));
    }
  }
}

TEST_F(BedTest, IsMadeOnceKeptAndStaysAtRestInAnotherScene) {
  write("main.yaml",
        "time: {step: 1.0e-3, end: 0.02}\n"
        "materials: [{name: rock, density: 2700}]\n"
        "pairs: [{between: [rock, rock], friction: 0.7}]\n"
        "containers: [{box: {min: [0, 0, 0], max: [0.168, 0.126, 0.5], open: [+z]}}]\n"
        "generators: [{name: stones, kind: bed, bed: {scene: bed.yaml}}]\n"
        "probes: [{column: fastest, group: stones, quantity: max.speed}]\n");
  const SceneCheck before = check_scene(path("main.yaml"));
  EXPECT_THAT(before.faults, ElementsAre()) << "a check makes no bed";
  EXPECT_THAT(before.warnings, ElementsAre()) << "without its bed nothing can be told";
  EXPECT_FALSE(fs::exists(folder_ / "cache"));
  std::vector<std::string> messages;
  const SettleCallbacks callbacks{{}, [&](const std::string& line) { messages.push_back(line); }, {}};
  Spec made = load_scene(path("main.yaml")), kept = made;
  ASSERT_TRUE(provide_beds(made, 1, callbacks));
  EXPECT_THAT(messages, ::testing::Contains(HasSubstr("making the stones of")));
  messages.clear();
  ASSERT_TRUE(provide_beds(kept, 1, callbacks));
  EXPECT_THAT(messages, ElementsAre()) << "the second time it is read";
  EXPECT_EQ(bed_hash(*made.generators[0].bed), bed_hash(*kept.generators[0].bed));
  EXPECT_EQ(made.hash, kept.hash);
  EXPECT_NE(made.hash, load_scene(path("main.yaml")).hash) << "the stones are part of the scene";

  testing::Rig rig(kept);
  EXPECT_EQ(rig.scene.model.dynamic_count, 60);
  EXPECT_EQ(rig.scene.model.polyhedra.size(), 12u);
  for (int k = 0; k < 20; ++k) rig.step();
  Real fastest = 0.0;
  for (const Vec3& v : rig.state.velocity) fastest = std::max(fastest, v.norm());
  EXPECT_LT(fastest, 2e-2) << "the first steps find the forces anew; nothing falls";
}

TEST_F(BedTest, StonesAboveTheLevelAreTakenOff) {
  std::string text = bed_text(1.0);
  text.replace(text.find("limit: 6"), 8, "limit: 8, level: 0.15");
  write("level.yaml", text);
  const auto bed = settled(path("level.yaml"), 2);
  ASSERT_TRUE(bed);
  EXPECT_LT(bed->bed.stones.size(), 60u);
  EXPECT_GT(bed->bed.stones.size(), 20u);
  for (const BedStone& stone : bed->bed.stones) {
    for (const Vec3& v : bed->bed.shapes[static_cast<std::size_t>(stone.shape)]->polyhedron.vertices)
      EXPECT_LE((stone.position + stone.rotation * (stone.scale * v)).z(), 0.15);
  }
}

// Lengths of 1/128 and 128 times, and gravity with them: the same motion, stone by stone. Powers of two only move
// exponents, so any length or velocity that is written into the code as a number would show in the last bit.
TEST_F(BedTest, ScaleDoesNotMatter) {
  std::vector<std::vector<Vec3>> positions;
  const Real scales[] = {1.0, 1.0 / 128, 128.0};
  for (const Real scale : scales) {
    write("scaled.yaml", bed_text(scale, 0.3, 0.3));
    Spec spec = load_scene(path("scaled.yaml"));
    spec.settle.reset();  // they fall from rows, at their size
    spec.generators[0].spacing = 0.0;
    spec.generators[0].cells = {2, 2, 10};
    testing::Rig rig(spec);
    for (int k = 0; k < 300; ++k) rig.step();
    EXPECT_GE(rig.report.contacts, 15);
    positions.push_back(rig.state.position);
    for (Vec3& p : positions.back()) p /= scale;
  }
  for (std::size_t s = 1; s < positions.size(); ++s) {
    Real worst = 0.0;
    for (std::size_t i = 0; i < positions[0].size(); ++i)
      worst = std::max(worst, (positions[s][i] - positions[0][i]).norm());
    EXPECT_EQ(worst, 0.0) << "m, at scale " << scales[s];
  }
}

Bed two_stones() {
  StoneSpec stone;
  Bed bed;
  const auto box = [](Real a, Real b, Real c) {
    std::vector<Vec3> points;
    for (int i = 0; i < 8; ++i) points.emplace_back(i & 1 ? a : -a, i & 2 ? b : -b, i & 4 ? c : -c);
    return std::make_shared<const ConvexHull>(std::get<ConvexHull>(convex_hull(points)));
  };
  bed.shapes = {box(0.5, 0.5, 0.5), box(0.5, 0.3, 0.2)};
  bed.stones = {{0, 0.04, Vec3(0.1, 0.2, 0.3), Quat(0.5, 0.5, -0.5, 0.5)},
                {1, 1.0 / 3.0, Vec3(1, 2, 3), Quat::Identity()}};
  return bed;
}

TEST_F(BedTest, FilesHoldEveryBit) {
  const Bed bed = two_stones();
  write_bed(path("bed.h5"), {bed, "time: {}\n", 77, "0.0", {{"solid_fraction", {0.5}}}});
  const BedFile read = read_bed(path("bed.h5"));
  EXPECT_EQ(bed_hash(read.bed), bed_hash(bed));
  EXPECT_EQ(read.scene_hash, 77u);
  EXPECT_EQ(read.scene_text, "time: {}\n");
  EXPECT_THAT(read.statistics.at("solid_fraction"), ElementsAre(0.5));
  for (std::size_t s = 0; s < 2; ++s) {
    const Polyhedron &a = bed.shapes[s]->polyhedron, &b = read.bed.shapes[s]->polyhedron;
    EXPECT_EQ(a.face_vertices, b.face_vertices);
    EXPECT_EQ(a.face_offset, b.face_offset);
    EXPECT_EQ(a.neighbours, b.neighbours);
    EXPECT_EQ(a.bound_radius, b.bound_radius);
    EXPECT_EQ(bed.shapes[s]->integrals.volume, read.bed.shapes[s]->integrals.volume);
  }
}

TEST_F(BedTest, DamagedFilesAndOtherKindsAreRefused) {
  write_bed(path("good.h5"), {two_stones(), "", 1, "", {}});
  std::string bytes;
  {
    std::ifstream file(path("good.h5"), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  const auto fault = [&](const std::string& content) {
    write("bad.h5", content);
    return fault_of([&] { read_bed(path("bad.h5")); });
  };
  EXPECT_THAT(fault(bytes.substr(0, bytes.size() / 2)), HasSubstr("truncated or no bed"));
  EXPECT_THAT(fault("time: {step: 1}\n"), HasSubstr("truncated or no bed"));
  std::string flipped = bytes;
  flipped[bytes.size() / 2] ^= 1;
  EXPECT_THAT(fault(flipped), HasSubstr("damaged"));
  Bed wrong = two_stones();
  wrong.stones[0].shape = 9;
  write_bed(path("wrong.h5"), {wrong, "", 1, "", {}});
  EXPECT_THAT(fault_of([&] { read_bed(path("wrong.h5")); }), HasSubstr("stone 0 has no shape"));
  EXPECT_THROW(read_bed(path("none.h5")), IoError);

  write("main.yaml",
        "time: {step: 1.0e-3, end: 0.02}\nmaterials: [{name: rock, density: 2700}]\n"
        "generators: [{name: stones, kind: bed, bed: {file: bad.h5}}]\n");
  EXPECT_THAT(check_scene(path("main.yaml")).faults, ElementsAre(HasSubstr("damaged")));
}

TEST_F(BedTest, ScenesThatMakeNoBedAreRefused) {
  write("plain.yaml",
        "time: {step: 1.0e-3, end: 0.02}\nmaterials: [{name: rock, density: 2700}]\n"
        "bodies: [{name: ball, shape: {sphere: {radius: 0.1}}}]\n");
  EXPECT_THAT(fault_of([&] { settled(path("plain.yaml"), 1); }), HasSubstr("has no 'settle'"));
  write("ball.yaml",
        "time: {step: 1.0e-3, end: 0.02}\nmaterials: [{name: rock, density: 2700}]\nsettle: {}\n"
        "bodies: [{name: ball, shape: {sphere: {radius: 0.1}}}]\n");
  EXPECT_THAT(fault_of([&] { settled(path("ball.yaml"), 1); }), HasSubstr("found 'ball' of another shape"));
  RunOptions options;
  options.scene = path("ball.yaml");
  options.out = path("out");
  EXPECT_THAT(fault_of([&] { run(options); }), HasSubstr("grus bed"));
  // a floor is missing: the stones fall out of the domain, which is an error of the numbers
  std::string open = bed_text(1.0);
  open.replace(open.find("open: [+z]"), 10, "open: [+z, -z]");
  open.insert(0, "domain: {min: [-1, -1, -0.2], max: [1, 1, 1]}\n");
  write("open.yaml", open);
  EXPECT_THROW(settled(path("open.yaml"), 1), NumericalError);
  // a bed that is not at rest in time
  EXPECT_THROW(settled(path("bed.yaml"), 1, {"settle.limit=0.01"}), NumericalError);
}

TEST(BedStatistics, VolumeInABoxIsExact) {
  const Bed bed = two_stones();
  const Polyhedron& cube = bed.shapes[0]->polyhedron;
  const BedStone unit{0, 1.0, Vec3::Zero(), Quat::Identity()};
  EXPECT_NEAR(volume_in_box(cube, unit, Vec3::Constant(-9), Vec3::Constant(9)), 1.0, 1e-14);
  EXPECT_NEAR(volume_in_box(cube, unit, Vec3(-9, -9, 0), Vec3(9, 0.25, 9)), 0.375, 1e-14);
  EXPECT_EQ(volume_in_box(cube, unit, Vec3::Constant(2), Vec3::Constant(3)), 0.0);
  // a cube on its corner, cut in half
  const Quat corner = Quat::FromTwoVectors(Vec3(1, 1, 1), Vec3(0, 0, 1));
  EXPECT_NEAR(volume_in_box(cube, {0, 2.0, Vec3(5, 5, 5), corner}, Vec3(0, 0, 0), Vec3(9, 9, 5)), 4.0, 1e-12);
}

}  // namespace
}  // namespace grus::bed_test
