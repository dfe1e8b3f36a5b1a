// Faulty scenes: each is refused with the expected words at the expected line, never with a crash or a hang.
//
// A file of corpus/ says "# expect: words" once or more, and may mark the line the fault must name with "# here". What
// is too large to commit is made here.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/scene/scene.hpp"
#include "multibody/make_scene.hpp"
#include "support/paths.hpp"

namespace grus::bad_scene_test {
namespace {

namespace fs = std::filesystem;

const std::string corpus = GRUS_SOURCE_DIR "/tests/robustness/corpus";

std::vector<std::string> corpus_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(corpus)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The faults of a scene as the program reports them: first the reader's, then the compiler's. Any other exception
// fails the test that calls.
std::vector<Fault> faults_of(const std::string& path) {
  try {
    make_scene(load_scene(path));
  } catch (const InputError& error) {
    return error.faults();
  }
  return {};
}

std::vector<Fault> faults_of_text(const std::string& text) {
  try {
    make_scene(parse_scene(text, "text.yaml"));
  } catch (const InputError& error) {
    return error.faults();
  }
  return {};
}

class BadScene : public testing::TestWithParam<std::string> {};

TEST_P(BadScene, IsRefusedWithWordsAndPlace) {
  const std::string path = corpus + "/" + GetParam() + ".yaml";
  const std::string text = read_file(path);
  const std::vector<Fault> faults = faults_of(path);
  ASSERT_FALSE(faults.empty()) << "the scene passed";
  std::string report;
  for (const Fault& fault : faults) report += to_string(fault) + "\n";
  EXPECT_LT(report.size(), 20000u);
  EXPECT_THAT(report, testing::ContainsRegex(".yaml:[1-9][0-9]*:[1-9][0-9]*: ")) << report;

  std::istringstream lines(text);
  std::string line;
  bool expects = false;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string key = "# expect: ";
    if (line.starts_with(key)) {
      expects = true;
      EXPECT_THAT(report, testing::HasSubstr(line.substr(key.size())));
    }
    if (!line.ends_with("# here")) continue;
    const bool named =
        std::any_of(faults.begin(), faults.end(), [&](const Fault& f) { return f.where.line == number; });
    EXPECT_TRUE(named) << "no fault on line " << number << ":\n" << report;
  }
  EXPECT_TRUE(expects) << "the file says no '# expect: words'";
}

INSTANTIATE_TEST_SUITE_P(Corpus, BadScene, testing::ValuesIn(corpus_names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(BadInput, CorpusIsLarge) { EXPECT_GE(corpus_names().size(), 70u); }

const std::string settings = "time: {step: 1e-3, end: 1}\nmaterials: [{name: glass, density: 2500}]\n";

TEST(BadInput, EmptyFile) {
  const std::vector<Fault> faults = faults_of_text("");
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_THAT(to_string(faults[0]), testing::HasSubstr("text.yaml:1:1: the file is empty"));
}

TEST(BadInput, HugeFileIsRefusedBeforeItIsRead) {
  const fs::path path = fs::temp_directory_path() / fs::path("grus-huge-scene.yaml");
  std::ofstream(path) << settings;
  fs::resize_file(path, 1ull << 34);  // a hole: takes no space
  const std::vector<Fault> faults = faults_of(path.string());
  fs::remove(path);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_THAT(faults[0].message, testing::HasSubstr("at most 16777216 are read"));
}

TEST(BadInput, ManyValues) {
  std::string text = settings + "gravity: [";
  for (int i = 0; i < 1'050'000; ++i) text += "0,";
  EXPECT_THAT(faults_of_text(text + "0]").at(0).message, testing::HasSubstr("more than 1000000 values"));
}

TEST(BadInput, ManyFaultsAreCounted) {
  std::string text = settings + "bodies:\n";
  for (int i = 0; i < 5000; ++i) text += "  - {shape: {sphere: {radius: -1}}, nmae: x}\n";
  const std::vector<Fault> faults = faults_of_text(text);
  ASSERT_EQ(faults.size(), 101u);
  EXPECT_THAT(faults.back().message, testing::HasSubstr("9900 more"));
}

TEST(BadInput, ManyUnknownKeys) {
  std::string text = settings;
  for (int i = 0; i < 20000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(faults_of_text(text).size(), 101u);
}

TEST(BadInput, AllFaultsAtOnce) {
  const std::vector<Fault> faults = faults_of_text(R"yaml(
time: {step: 0, end: -1}
sed: 1
materials: [{name: glass, density: heavy}]
bodies:
  - {shape: {sphere: {radius: 0}}, position: [0, 0]}
)yaml");
  std::vector<int> lines;
  for (const Fault& fault : faults) lines.push_back(fault.where.line);
  EXPECT_THAT(lines, testing::UnorderedElementsAre(2, 2, 3, 4, 6, 6));
}

TEST(BadInput, DeepNesting) {
  for (const auto& [open, close] :
       {std::pair("[", "]"), std::pair("{a: ", "}"), std::pair("- ", ""), std::pair("? ", "")}) {
    std::string text = settings + "gravity: ";
    std::string root;
    for (int i = 0; i < 20000; ++i) root += open;
    root += "1";
    for (int i = 0; i < 20000; ++i) root += close;
    EXPECT_FALSE(faults_of_text(text + root).empty());
    EXPECT_FALSE(faults_of_text(root).empty());
  }
  const std::string formula = std::string(1500, '(') + "1" + std::string(1500, ')');
  faults_of_text(settings + "thickness: " + formula);
  EXPECT_FALSE(faults_of_text(settings + "thickness: " + formula + ")").empty());
}

const std::string rich = R"yaml(
scene: rich
parameters: {d: 0.05, mu: 0.4, f: 5}
time: {step: 1e-3, end: 1}
integrator: {theta: 0.5}
solver: {tolerance: 1e-4, max_iterations: 100}
materials:
  - {name: glass, density: 2500}
  - {name: steel, density: 7800}
pairs:
  - {between: [any, any], friction: mu}
  - {between: [glass, steel], friction: 0.2, restitution: 0.5}
containers:
  - {name: cup, material: steel, box: {min: [0, 0, 0], max: [0.5, 0.5, 1], open: [+z]}, motion: {z: "0.01*sin(2*pi*f*t)"}}
bodies:
  - name: dumbbell
    material: steel
    shapes:
      - {sphere: {radius: 0.5*d}, position: [d, 0, 0]}
      - {capsule: {radius: 0.01, length: d}, rotation: {axis: [0, 1, 0], angle: pi/2}}
    position: [0.25, 0.25, 0.8]
generators:
  - {name: grains, kind: lattice, cells: [3, 3, 2], size: {uniform: {min: 0.8*d, max: d}}, material: glass, box: {min: [0.1, 0.1, 0.1], max: [0.4, 0.4, 0.4]}}
probes:
  - {column: top, group: grains, quantity: max.z}
checks:
  - {name: stays, of: top, reduce: max, below: 1}
outputs: {series: 0.01, frames: 0.1}
)yaml";

const std::string rich_planar = R"yaml(
planar: true
thickness: 0.1
time: {step: 1e-3, end: 1}
contact: {law: gap, recovery_speed: 0.1}
materials: [{name: clay, density: 1800}]
pairs: [{between: [clay, clay], friction: 0.5}]
walls:
  - {name: floor, plane: {normal: [0.1, 1]}}
containers:
  - {name: drum, ring: {radius: 2, center: [0, 1]}, motion: {angle: 0.5*t}}
bodies:
  - {name: brick, shape: {box: {size: [0.2, 0.1]}}, position: [0, 1], angle: 0.3, angular_velocity: 2}
  - {name: wedge, shape: {polygon: {vertices: [[0, 0], [0.3, 0], [0, 0.2]]}}, position: [0.5, 1], mass: 2, inertia: 0.1}
  - {name: pill, shapes: [{capsule: {radius: 0.05, length: 0.1}, angle: pi/4}, {disk: {radius: 0.06}}], position: [-0.5, 1]}
  - {name: pendulum, mass: 1, inertia: 0.1, position: [0, 2]}
generators:
  - {name: rain, kind: rain, rate: 10, count: 5, size: {discrete: [[0.05, 1], [0.1, 2]]}, box: {min: [-0.5, 2], max: [0.5, 2.5]}}
probes:
  - {column: slope, group: rain, quantity: surface_angle}
  - {column: brick.angle, body: brick, quantity: angle}
  - {column: twice, expression: 2*brick.angle}
)yaml";

TEST(GoodInput, RichScenesPass) {
  for (const std::string& text : {rich, rich_planar}) {
    const std::vector<Fault> faults = faults_of_text(text);
    EXPECT_TRUE(faults.empty()) << to_string(faults.at(0));
  }
}

TEST(BadInput, MutationsOfAGoodSceneAreReadOrRefused) {
  std::mt19937 random(20261115);
  const std::vector<std::string> pieces = {".nan", "-1e308", "1e400", "[",  "}", ": ", "\n", "- ",
                                           "*a",   "&a ",    "~",     "\"", "0", "-1", "x",  "#",
                                           "t",    "/0",     ",",     "  ", "?", "|",  "%",  "1e-300"};
  constexpr int trials = 2000;
  int refused = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::string text = trial % 2 == 0 ? rich : rich_planar;
    const int edits = 1 + static_cast<int>(random() % 3);
    for (int k = 0; k < edits; ++k) {
      if (text.empty()) break;
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 8);
          break;
        case 1:
          text.insert(at, pieces[random() % pieces.size()]);
          break;
        case 2:
          text.resize(at + 1);
          break;
        default:
          text.replace(at, 1 + random() % 3, pieces[random() % pieces.size()]);
      }
    }
    const std::vector<Fault> faults = faults_of_text(text);  // another exception or a crash fails here
    if (!faults.empty()) ++refused;
    for (const Fault& fault : faults) EXPECT_FALSE(fault.message.empty());
  }
  // most edits hit a key, a number or the syntax
  EXPECT_GT(refused, trials / 3);
}

TEST(BadInput, RandomBytes) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 300; ++trial) {
    std::string text(random() % 4096, ' ');
    for (char& c : text) c = static_cast<char>(random() % 256);
    EXPECT_FALSE(faults_of_text(text).empty());
    for (char& c : text) c = static_cast<char>(' ' + random() % 90);
    EXPECT_FALSE(faults_of_text(text).empty());
  }
}

}  // namespace
}  // namespace grus::bad_scene_test
